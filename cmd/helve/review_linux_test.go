package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// In mode review the official clients of both protocols show a person what a command changed, before it is made. The
// command runs once, and what is made is what was shown.
func TestTheOfficialClientsReviewWhatACommandChanged(t *testing.T) {
	const command = "echo two >a.txt; echo new >b.txt; echo ran >>runs; echo spoken"
	officially(t, func(t *testing.T, c officialClient) {
		for decision, want := range map[string]string{"no": "one\n", "once": "two\n"} {
			c.put("a.txt", "one\n")
			c.put("runs", "")
			os.Remove(filepath.Join(c.dir, "b.txt")) // of the other decision
			var seen struct {
				Asked  []struct{ Message, Held string }
				Text   string
				Failed bool
			}
			c.sees(&seen, "review.mjs", c.program(), c.dir, decision, command)
			if len(seen.Asked) != 1 || seen.Asked[0].Held != "one\n" {
				if strings.Contains(seen.Text, "not held back") {
					t.Skip("nothing is held back here: ", seen.Text)
				}
				t.Fatalf("%s: %+v", decision, seen)
			}
			for _, part := range []string{"-one", "+two", "+new", "+ran"} {
				if !strings.Contains(seen.Asked[0].Message, part) {
					t.Errorf("%s: %q is not in %q", decision, part, seen.Asked[0].Message)
				}
			}
			if got := c.get("a.txt"); got != want || !strings.Contains(seen.Text, "spoken") {
				t.Errorf("%s: a.txt is %q, want %q; %s", decision, got, want, seen.Text)
			}
			if runs := c.get("runs"); strings.Count(runs, "ran") != strings.Count(want, "two") {
				t.Errorf("%s: it ran as %q", decision, runs)
			}
			if made := seen.Failed; made != (decision == "no") {
				t.Errorf("%s: failed is %v: %s", decision, made, seen.Text)
			}
		}
	})
}

// get is a file of the workspace.
func (c officialClient) get(name string) string {
	text, err := os.ReadFile(filepath.Join(c.dir, name))
	if err != nil {
		c.t.Fatal(err)
	}
	return string(text)
}
