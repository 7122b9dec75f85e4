package codetool

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"helve/engine/code"
	"helve/tool"
)

// A line of a list is cut where it is longer than may be, not where it is just as long, and in whole characters.
func TestALineIsCutWhereItIsTooLong(t *testing.T) {
	whole := strings.Repeat("a", lineBytes)
	if got := cut(whole); got != whole {
		t.Errorf("a line of %d bytes became one of %d", len(whole), len(got))
	}
	for _, line := range []string{whole + "b", whole[1:] + "ä", whole + "ä", "ä" + whole} {
		got := cut(line)
		if !strings.HasSuffix(got, "…") || !utf8.ValidString(got) || len(got) > lineBytes+len("…") {
			t.Errorf("%d bytes became %d: …%q", len(line), len(got), got[len(got)-9:])
		}
	}
	if got := cut("a\nb"); got != "a b" {
		t.Errorf("%q", got)
	}
}

// Of a variable that stands twice in an environment the last one counts, as for programs.
func TestTheLastOfAVariableCounts(t *testing.T) {
	x := &Index{o: Options{Environ: []string{"A=1", "B=2", "A=3", "C"}}}
	for name, want := range map[string]string{"A": "3", "B": "2", "C": "", "D": ""} {
		if got := x.getenv(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// A search that was stopped is no answer: what it has not found may be there.
func TestAStoppedSearchIsNoAnswer(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.py"), []byte("class A: pass\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	x, err := Open(Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	ask := func(ctx context.Context) (tool.Rendered, error) {
		return x.grep(ctx, &sheet{x: x, call: &tool.Call{}, budget: 1000, state: func() string { return "" }}, searchIn{Pattern: "class"})
	}
	if got, err := ask(t.Context()); err != nil || !strings.Contains(got.Text(), "a.py:1:class A") {
		t.Fatalf("%v, %v", got, err)
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := ask(stopped); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v, %v", got, err)
	}
}

// The first command that runs tests comes even where there is no room: it is what one does next. Others do not.
func TestTheFirstCommandOfAnImpactAlwaysComes(t *testing.T) {
	x := &Index{}
	tests := []code.Affected{
		{Symbol: code.Symbol{ID: "a/a_test.go#TestA", Name: "TestA", Path: "a/a_test.go"}},
		{Symbol: code.Symbol{ID: "b/b_test.go#TestB", Name: "TestB", Path: "b/b_test.go"}},
	}
	for budget, want := range map[int]int{0: 1, 1000: len(x.runs(tests))} {
		s := &sheet{x: x, call: &tool.Call{}, budget: budget}
		runs, left := s.runs(code.Impact{Tests: tests})
		if len(runs) != want || left != len(tests)-want {
			t.Errorf("with room for %d tokens: %d commands, want %d; %d tests are left", budget, len(runs), want, left)
		}
	}
	if all := x.runs(tests); len(all) != 2 {
		t.Errorf("tests of two packages have %d commands", len(all))
	}
}

// The head of a list of an impact takes its room from the rows below it.
func TestTheHeadOfAPartTakesRoom(t *testing.T) {
	row := &affectedRow{symbolRow: symbolRow{ID: "a.py#a"}}
	text := "  " + row.String() + "\n"
	for more, want := range map[int]int{0: 1, -1: 0} {
		s := &sheet{call: &tool.Call{}, budget: cost(partHead("direct", 1)) + cost(text) + 1 + more*cost(partHead("direct", 1))}
		if shown, left := part(s, "direct", []*affectedRow{row}, 0); len(shown) != want || left != 1-want {
			t.Errorf("%d rows are shown, want %d; %d are left", len(shown), want, left)
		}
	}
}

// A text that is cut before its first line goes on at that line, one that is cut behind some lines at the next.
func TestACutTextNamesTheNextLine(t *testing.T) {
	of := &symbolRow{Path: "a.py", Line: 7}
	for text, want := range map[string]string{
		"":               "\n[truncated: 3 more lines: read a.py from line 7]\n",
		"def a():":       "def a():\n[truncated: 3 more lines: read a.py from line 8]\n",
		"def a():\n x\n": "def a():\n x\n[truncated: 3 more lines: read a.py from line 9]\n",
	} {
		var b strings.Builder
		writeText(&b, of, text, 3)
		if b.String() != want {
			t.Errorf("%q: %q, want %q", text, &b, want)
		}
	}
}
