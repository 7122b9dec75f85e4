// Package corpus holds attacks on an agent's tools, and harmless calls, that the tests of several
// packages run by id.
package corpus

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
)

//go:embed testdata/attacks.jsonl
var attacks []byte

//go:embed testdata/controls.jsonl
var controls []byte

//go:embed testdata/commands.jsonl
var commands []byte

//go:embed testdata/looking.txt
var looking string

//go:embed testdata/acting.txt
var acting string

// Looking are command lines that only look, one a line: nobody need be asked about them where nothing can be changed,
// sent or learned.
func Looking() []string { return strings.Split(strings.TrimSpace(looking), "\n") }

// Acting are command lines that change something, send something, or run what may do either: a person is asked.
func Acting() []string { return strings.Split(strings.TrimSpace(acting), "\n") }

// Commands are command lines by group: everyday only looks; catastrophe would destroy the machine,
// or all that a person has, behind some detour; neighbour looks like a catastrophe and is none.
// Nobody runs them: they are judged.
func Commands(group string) []string {
	var out []string
	for line := range bytes.Lines(commands) {
		var c struct{ Group, Command string }
		if err := json.Unmarshal(line, &c); err != nil {
			panic(fmt.Sprintf("corpus: commands: %s: %v", line, err)) // the file is part of the program
		}
		if c.Group == group {
			out = append(out, c.Command)
		}
	}
	return out
}

// Expected is what must happen to a call.
type Expected string

const (
	Ask        Expected = "ask"         // a person is asked
	Blocked    Expected = "blocked"     // refused
	Contained  Expected = "contained"   // may run, and reaches nothing
	CleanError Expected = "clean_error" // an error, quickly
	Allow      Expected = "allow"       // harmless: nobody is asked
)

// Case is one call with what must happen to it.
type Case struct {
	ID       string   `json:"id"`
	Group    string   `json:"group"`
	Input    Input    `json:"input"`
	Expected Expected `json:"expected"`
	Why      string   `json:"why"`
	// Policy under which it is judged: P0 is no configuration at all; else words such as
	// "allow:ls,git deny:curl".
	Policy string `json:"policy"`
	// Check says how to see that an attack worked; VerifiedHere whether plain bash let it.
	Check        string `json:"check"`
	VerifiedHere string `json:"verified_here"`
	Source       string `json:"source"`
}

// Input is the call, and the fixture that it needs.
type Input struct {
	Tool  string         `json:"tool"`
	Args  map[string]any `json:"args"`
	Setup string         `json:"setup"` // shell lines, or a description
}

// Attacks returns all attacks in the order of the file, those of the given groups if any are given.
func Attacks(groups ...string) []Case { return load(attacks, groups) }

// Controls returns the harmless calls.
func Controls() []Case { return load(controls, nil) }

// load panics on a malformed line: the files are part of the program.
func load(data []byte, groups []string) []Case {
	var out []Case
	for sc := bufio.NewScanner(bytes.NewReader(data)); sc.Scan(); {
		var c Case
		if err := json.Unmarshal(sc.Bytes(), &c); err != nil {
			panic(fmt.Sprintf("corpus: line %d: %v", len(out)+1, err))
		}
		if len(groups) == 0 || contains(groups, c.Group) {
			out = append(out, c)
		}
	}
	return out
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// Command returns the command line of a bash call, generating it where the case describes how. ok
// is false where the argument is absent or no string.
func (c Case) Command() (command string, ok bool) {
	if g, is := c.Input.Args["command_gen"].(map[string]any); is {
		head, _ := g["head"].(string)
		n, _ := g["n"].(float64)
		return strings.Repeat(head, int(n)/max(len(head), 1)), true
	}
	command, ok = c.Input.Args["command"].(string)
	return command, ok
}

// Rules returns the programs that the case's policy allows and denies.
func (c Case) Rules() (allow, deny []string) {
	rest := c.Policy
	if i := strings.Index(rest, "deny:"); i >= 0 {
		deny = split(rest[i+len("deny:"):])
		rest = rest[:i]
	}
	if i := strings.Index(rest, "allow:"); i >= 0 {
		allow = split(rest[i+len("allow:"):])
	}
	return allow, deny
}

func split(list string) []string {
	var out []string
	for w := range strings.SplitSeq(list, ",") {
		if w = strings.TrimSpace(w); w != "" {
			out = append(out, w)
		}
	}
	return out
}
