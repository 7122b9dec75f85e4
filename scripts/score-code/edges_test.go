package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestScoresTellFoundMissedAndWrongEdges scores a folder against a truth that is partly untrue: what the index finds and the
// truth denies is wrong, and what the truth adds is missing.
func TestScoresTellFoundMissedAndWrongEdges(t *testing.T) {
	root := t.TempDir()
	source := "package p\n\nfunc A() { B(); C() }\n\nfunc B() {}\n\nfunc C() {}\n"
	if err := os.WriteFile(filepath.Join(root, "p.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	truth := &edgeTruth{
		Files: []string{"p.go"},
		Defs: []trueDef{
			{"p.go", 3, "A", "function"}, {"p.go", 5, "B", "function"}, {"p.go", 7, "C", "function"}, {"p.go", 1, "D", "function"},
		},
		Uses: []trueUse{
			{"p.go", 3, "B", true, []int{1}}, // found
			{"p.go", 5, "A", true, []int{0}}, // missed: the text has no such call
		}, // and that A calls C is wrong
	}
	var out strings.Builder
	floors := map[string]float64{"p callers": 0.6, "p files": 0.5, "p definitions": 0.75, "other callers": 1}
	fallen, err := scoreEdges(context.Background(), &out, root, truth, edgeOptions{project: "p", floors: floors})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"definitions        3 of      4  0.750", "callers            1 of      2  0.500",
		"sure               1 of      2  0.500", "false-none         1 of      2  0.500",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got\n%s\nwant a line %q", out.String(), want)
		}
	}
	want := "p callers: 0.500, the floor is 0.600\np files: has a floor and was not measured"
	if got := strings.Join(fallen, "\n"); got != want {
		t.Errorf("fallen: got\n%s\nwant\n%s", got, want)
	}
}

// TestATruthThatSaysNothingIsRefused: every answer would be right.
func TestATruthThatSaysNothingIsRefused(t *testing.T) {
	for name, truth := range map[string]*edgeTruth{
		"empty":   {},
		"unknown": {Defs: []trueDef{{"a", 1, "A", "function"}}, Uses: []trueUse{{"a", 1, "A", true, []int{1}}}},
	} {
		if truth.check() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
