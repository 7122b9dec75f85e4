// Package callwords reads the words behind a tool's name on a command line, as `helve call` and `helve why` take them.
package callwords

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// A Behind is the words behind a tool's name. They belong to the tool, but for those of helve's own flags that may
// stand there: who calls a tool thinks of them last.
type Behind struct {
	Words   []string // the tool's
	Literal int      // from this one on they stood behind --, and are no flags of anybody's; len(Words): none
	Own     Own
}

// Own are helve's flags among the words behind a tool's name.
type Own struct {
	Yes, JSON, Whole bool
	Help             bool   // the tool's documentation is wanted, and no call
	Session, Mode    string // "": not given
	Draft            string
	taken            []string
}

// Read tells helve's flags from the words of a tool. A line for bash is a program's with all its flags: there only what
// stands before it, or after its last word, can be helve's; told says so.
func Read(name string, words []string) (b Behind, told string, err error) {
	if IsShell(name) {
		return shell(words)
	}
	b, err = plain(words)
	return b, "", err
}

// plain is Read for a tool that takes no command line.
func plain(words []string) (Behind, error) {
	out := Behind{}
	for i := 0; i < len(words); {
		if words[i] == "--" {
			out.Literal = len(out.Words)
			out.Words = append(out.Words, words[i+1:]...)
			return out, nil
		}
		n, err := out.Own.take(words[i:])
		if err != nil {
			return out, err
		}
		if n == 0 {
			out.Words = append(out.Words, words[i])
			n = 1
		}
		i += n
	}
	out.Literal = len(out.Words)
	return out, nil
}

// IsShell tells that a tool takes a command line.
func IsShell(name string) bool { return strings.EqualFold(name, "bash") }

// shell is Read for bash.
func shell(words []string) (out Behind, told string, err error) {
	for len(words) > 0 && words[0] != "--" {
		n, err := out.Own.take(words)
		if err != nil {
			return out, "", err
		}
		if n == 0 {
			break
		}
		words = words[n:]
	}
	out.Own.taken = nil // they stood where helve's stand
	if len(words) > 0 && words[0] == "--" {
		out.Words = words[1:]
		return out, "", nil
	}
	end := len(words)
	if out.Own.Help { // of bash itself: nothing else is looked at
		out.Words = words
		return out, "", nil
	}
	for !slices.Contains(words[:end], "--") {
		n := out.Own.takeLast(words[:end])
		if n == 0 {
			break
		}
		end -= n
	}
	out.Words, out.Literal = words[:end], end
	if len(out.Own.taken) > 0 {
		program, _, _ := strings.Cut(strings.TrimSpace(words[0]), " ")
		slices.Reverse(out.Own.taken)
		told = fmt.Sprintf("%s was helve's; `--` leaves it to %s", strings.Join(out.Own.taken, " "), program)
	}
	return out, told, nil
}

// takeLast takes the flag that the words end with, and says how many words it is; 0: they end with none. The first word
// is the program.
func (o *Own) takeLast(words []string) int {
	for n := 1; n <= 2 && len(words) > n; n++ {
		last := words[len(words)-n:]
		if last[0] == "--help" || last[0] == "-h" {
			return 0 // the program's
		}
		tried := *o
		// A value that helve's flag cannot have is one of the program's: gh pr list --json=title
		if took, err := tried.take(last); took == n && err == nil {
			*o = tried
			return n
		}
	}
	return 0
}

// take takes the flag that the words begin with, and says how many words it is; 0: they begin with none of helve's.
func (o *Own) take(words []string) (n int, err error) {
	name, value, given := strings.Cut(words[0], "=")
	switch name {
	case "--help", "-h":
		o.Help, n = true, 1
	case "--yes", "--json", "--whole":
		n = 1
		*o.switchOf(name), err = truth(name, value, given)
	case "--session", "--mode", "--draft":
		n, err = o.takeValue(name, value, given, words)
	}
	if n > 0 {
		o.taken = append(slices.Clone(o.taken), strings.Join(words[:n], " "))
	}
	return n, err
}

// truth is what a flag says that is on where it stands alone.
func truth(name, value string, given bool) (bool, error) {
	if !given {
		return true, nil
	}
	on, err := strconv.ParseBool(value)
	if err != nil {
		return false, fmt.Errorf("invalid argument %q for %s: want true or false", value, name)
	}
	return on, nil
}

// takeValue takes a flag with a value, which may be the next word.
func (o *Own) takeValue(name, value string, given bool, words []string) (int, error) {
	n := 1
	if !given {
		if len(words) < 2 {
			return 0, nil
		}
		value, n = words[1], 2
	}
	switch {
	case name == "--mode" && !isMode(value), name == "--draft" && !isDraft(value): // a tool may have one, too
		return 0, nil
	case value == "":
		return 0, fmt.Errorf("%s needs a value: it is empty", name)
	case name == "--mode":
		o.Mode = value
	case name == "--draft":
		o.Draft = value
	default:
		o.Session = value
	}
	return n, nil
}

// switchOf is what a flag without a value sets.
func (o *Own) switchOf(name string) *bool {
	switch name {
	case "--yes":
		return &o.Yes
	case "--json":
		return &o.JSON
	}
	return &o.Whole
}

func isMode(word string) bool {
	return slices.Contains([]string{"plan", "ask", "review", "auto"}, word)
}

// isDraft tells what can be the ID of a draft, or the beginning of one.
func isDraft(word string) bool {
	return word != "" && len(word) <= 16 && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// Assignment tells that a word is what a shell takes for the setting of a variable, by the custom of upper case.
func Assignment(word string) bool { return assignment().MatchString(word) }

var assignment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Z_][A-Z0-9_]*=`) })

// Line is the line that the words are: joined, as those of ssh are. Words that begin with a flag are those of a bash
// of its own, as `bash -c LINE` is typed.
func Line(words []string) (string, error) {
	switch {
	case len(words) == 0 || !strings.HasPrefix(words[0], "-"):
		return strings.Join(words, " "), nil
	case words[0] == "-c" && len(words) == 2:
		return words[1], nil
	}
	quoted := []string{"bash"}
	for _, word := range words {
		q, err := syntax.Quote(word, syntax.LangBash)
		if err != nil {
			return "", err
		}
		quoted = append(quoted, q)
	}
	return strings.Join(quoted, " "), nil
}
