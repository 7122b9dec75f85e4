package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helve/script"
)

// A script that needs a yes in its middle gets it from the person of an official client, of both protocols, and nothing
// in it runs twice. The list that the client is shown is six tools, the search and the script.
func TestAScriptIsApprovedOverBothProtocols(t *testing.T) {
	if err := script.Confined(t.Context()); err != nil {
		t.Skip(err)
	}
	const source = `
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
		program := filepath.Join(c.home, fullName)
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(self, program); err != nil {
			t.Fatal(err)
		}
		c.sees(&seen, "script.mjs", program, c.dir, source)
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
		if len(seen.Asked) != 2 {
			t.Errorf("asked %q, want two questions", seen.Asked)
		}
		if text, _ := os.ReadFile(filepath.Join(c.dir, "n.txt")); string(text) != "1\n2\n" {
			t.Errorf("the file has %q: something ran twice, or not at all", text)
		}
	})
}
