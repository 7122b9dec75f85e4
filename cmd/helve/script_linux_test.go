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

// A script that changes files gets its one yes from the person of an official client, of both protocols, and nothing in
// it runs twice. The list that the client is shown is six tools, the search and the script.
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
		if len(seen.Asked) != 1 || !strings.Contains(seen.Asked[0], "make what the script changed: 3 new") {
			t.Errorf("asked %q, want one question about three files", seen.Asked)
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

// A person at the terminal is asked once, when the script is over, with what it called and all that it changed.
func TestThePersonAtTheTerminalApprovesTheCallsOfAScript(t *testing.T) {
	if err := script.Confined(t.Context()); err != nil {
		t.Skip(err)
	}
	const question = "make what the script changed: 3 new"
	nothing := map[string]string{"n.txt": "", "one.txt": ""}
	for _, c := range []struct {
		name   string
		steps  []step
		status int
		shows  []string
		holds  map[string]string
		made   bool
	}{
		{name: "yes", steps: []step{{see: question, press: "y"}}, holds: map[string]string{"n.txt": "new\n", "one.txt": "late\n"}, made: true,
			shows: []string{"A script made 4 calls", "touch made", "+new", "+late", "The script:"}},
		{name: "no", status: 3, steps: []step{{see: question, press: "n"}}, holds: nothing, shows: []string{"(drafted and dropped)"}},
		{name: "Ctrl-C", status: 3, steps: []step{{see: question, press: "\x03"}}, holds: nothing},
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
