package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helve/internal/testing/ptytest"
	"helve/script"
)

// A script that needs a yes in its middle gets it from the person of an official client, of both protocols, and nothing
// in it runs twice. The list that the client is shown is six tools, the search and the script.
func TestAScriptIsApprovedOverBothProtocols(t *testing.T) {
	if err := script.Confined(t.Context()); err != nil {
		t.Skip(err)
	}
	const source = `
write(file_path="c.txt", contents="certain\n")
write(file_path="d.txt", contents="certain\n")
before = read(file_path="a.txt").lines
first = write(file_path="n.txt", contents="1\n", append=True)
second = write(file_path="n.txt", contents="2\n", append=True)
lines = read(file_path="n.txt").lines
[before, first.path, lines]
`
	officially(t, func(t *testing.T, c officialClient) {
		if err := os.WriteFile(filepath.Join(c.dir, "a.txt"), []byte("here\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		var seen struct {
			Tools, Asked []string
			Text, Found  string
			Failed       bool
		}
		c.sees(&seen, "script.mjs", c.program(), c.dir, source)
		slices.Sort(seen.Tools)
		want := []string{"bash", "edit", "glob", "grep", "read", "run_script", "search_tools", "write"}
		if !slices.Equal(seen.Tools, want) {
			t.Errorf("tools %q, want %q", seen.Tools, want)
		}
		if !strings.HasPrefix(seen.Found, "ls(path?, ") {
			t.Errorf("the search found %s", seen.Found)
		}
		if got, want := seen.Text, `[["here"],"n.txt",["1","2"]]`; got != want || seen.Failed {
			t.Errorf("got %s, want %s", got, want)
		}
		if len(seen.Asked) != 3 || !strings.Contains(seen.Asked[0], "1. write c.txt") || !strings.Contains(seen.Asked[0], "2. write d.txt") {
			t.Errorf("asked %q, want a question about two calls, and two about one", seen.Asked)
		}
		if text, _ := os.ReadFile(filepath.Join(c.dir, "n.txt")); string(text) != "1\n2\n" {
			t.Errorf("the file has %q: something ran twice, or not at all", text)
		}
	})
}

const withQuestions = `
write(file_path="n.txt", contents="new\n")
bash(command="touch made")
name = read(file_path="a.txt").lines[0]
write(file_path=name + ".txt", contents="late\n")
name
`

// A person at the terminal is asked about what is certain before the script begins, and about the rest while it waits.
func TestThePersonAtTheTerminalApprovesTheCallsOfAScript(t *testing.T) {
	if err := script.Confined(t.Context()); err != nil {
		t.Skip(err)
	}
	const together = "run a script of 5 lines with 2 calls"
	all := map[string]string{"n.txt": "new\n", "one.txt": "late\n"}
	for _, c := range []struct {
		name   string
		steps  []step
		status int
		shows  []string
		holds  map[string]string
		made   bool
	}{
		{name: "yes to all", steps: []step{{see: together, press: "y"}, {see: "+late", press: "y"}}, holds: all, made: true,
			shows: []string{"1. write n.txt", "2. bash: touch made", "+new", "All of it:", "+late"}},
		{name: "each by itself", steps: []step{
			{see: "Ask about each", press: "e"}, {see: "\nwrite n.txt", press: "y"}, {see: "$ touch made", press: "y"}, {see: "\nwrite one.txt", press: "y"},
		}, holds: all, made: true},
		{name: "yes, and a no to the rest", status: 3, steps: []step{{see: together, press: "y"}, {see: "+late", press: "n"}},
			holds: map[string]string{"n.txt": "new\n", "one.txt": ""}, made: true, shows: []string{"Calls before that", "write {"}},
		{name: "no", status: 3, steps: []step{{see: together, press: "n"}}, holds: map[string]string{"n.txt": "", "one.txt": ""}},
		{name: "Ctrl-C", status: 3, steps: []step{{see: together, press: "\x03"}}, holds: map[string]string{"n.txt": "", "one.txt": ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t)
			d.write("s.star", withQuestions)
			cmd := d.command("script", "s.star")
			x := ptytest.Start(t, cmd, 100)
			for _, s := range c.steps {
				x.See(s.see)
				x.Press(s.press)
			}
			if got := x.Ended(); got != c.status {
				t.Errorf("exit status %d, want %d", got, c.status)
			}
			for _, want := range c.shows {
				if !strings.Contains(x.Raw(), want) {
					t.Errorf("the terminal never showed %q", want)
				}
			}
			for _, name := range slices.Sorted(maps.Keys(c.holds)) {
				if got := d.read(name); got != c.holds[name] {
					t.Errorf("%s has %q, want %q", name, got, c.holds[name])
				}
			}
			if _, err := os.Stat(filepath.Join(d.dir, "made")); (err == nil) != c.made {
				t.Errorf("the command ran: %v, want %v", err == nil, c.made)
			}
		})
	}
}
