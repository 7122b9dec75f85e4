package code

import (
	"context"
	"iter"
	"strings"
	"sync"
	"testing"
)

// told is a checker that knows what it was told: by path and line of the place.
type told struct {
	mu    sync.Mutex
	by    map[string]Meaning
	asked []Asked
	few   bool // it answers for fewer places than it was asked about
}

func (c *told) Checks(l Language) bool { return l == Python || l == TypeScript }

func (c *told) Meanings(_ context.Context, _ iter.Seq[Entry], places []Asked) []Meaning {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, places...)
	if c.few {
		return nil
	}
	var out []Meaning
	for _, p := range places {
		line := strings.Split(string(p.Text), "\n")[p.Line]
		m := c.by[p.Path+": "+strings.TrimSpace(line)]
		m.By = "told"
		out = append(out, m)
	}
	return out
}

func at(path string, line, column int) Meaning {
	return Meaning{Known: true, At: []Definition{{Path: path, Position: Position{Line: line, Column: column}}}}
}

// doors are two classes with a method of one name, and callers with receivers of which nothing is known.
var doors = map[string]string{
	"door.py": "class Door:\n    def unlock(self): pass\n",
	"safe.py": "class Safe:\n    def unlock(self): pass\n",
	"use.py":  "def one(a):\n    a.unlock()\ndef two(b):\n    b.unlock()\ndef three(c):\n    c.unlock()\n",
}

func withChecker(t *testing.T, c Checker, files map[string]string) (*Snapshot, *memory) {
	t.Helper()
	m := tree(files)
	return snapshot(t, New(m, Options{Checker: c})), m
}

func TestACheckerSettlesWhatNamesLeaveOpen(t *testing.T) {
	s, _ := withChecker(t, &told{by: map[string]Meaning{
		"use.py: a.unlock()": at("door.py", 1, 8),
		"use.py: b.unlock()": {Known: true},
	}}, doors)
	wantUsers(t, s, "Door.unlock", "use.py#one call checked", "use.py#three call ambiguous(2)")
	wantUsers(t, s, "Safe.unlock", "use.py#three call ambiguous(2)")
	wantUses(t, s, "use.py#one", "door.py#Door.unlock call checked")
	wantUses(t, s, "use.py#two")
	wantUses(t, s, "use.py#three", "door.py#Door.unlock call ambiguous(2)", "safe.py#Safe.unlock call ambiguous(2)")
	im, err := s.ImpactOfName(t.Context(), "Door.unlock", Limits{})
	if err != nil || len(im.Direct) != 2 || im.Direct[0].Sure.String() != "checked" {
		t.Errorf("impact: %+v, %v", im.Direct, err)
	}
}

func TestACheckerIsAskedAboutWhatIsOpenOnly(t *testing.T) {
	c := &told{}
	s, _ := withChecker(t, c, map[string]string{
		"a.py": "def f(): pass\ndef g():\n    f()\n",
		"b.go": "package b\ntype T struct{}\nfunc (T) M() {}\ntype U struct{}\nfunc (U) M() {}\nfunc f(x any) { x.(I).M() }\n",
	})
	wantUsers(t, s, "a.py#f", "a.py#g call exact")
	if _, err := s.Dependents(t.Context(), "T.M", Page{}); err != nil {
		t.Fatal(err)
	}
	if len(c.asked) > 0 {
		t.Errorf("asked about %+v", c.asked)
	}
}

// TestALyingCheckerIsNotBelieved: what it says of places that do not exist, or have another name, changes nothing.
func TestALyingCheckerIsNotBelieved(t *testing.T) {
	for name, lie := range map[string]Meaning{
		"a line behind the end":        at("door.py", 99, 0),
		"a column behind the end":      at("door.py", 1, 4000),
		"a negative place":             at("door.py", -1, -1),
		"a file that is not there":     at("gone.py", 1, 8),
		"a file outside":               at("../door.py", 1, 8),
		"a place without a definition": at("use.py", 1, 6),
		"the middle of the name":       at("door.py", 1, 10),
		"another name":                 at("door.py", 0, 6),
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := withChecker(t, &told{by: map[string]Meaning{"use.py: a.unlock()": lie}}, doors)
			got, err := s.Dependents(t.Context(), "Safe.unlock", Page{})
			if err != nil || len(got.Edges) != 3 {
				t.Errorf("dependents %v, %v: want all three", arrows(got), err)
			}
		})
	}
	s, _ := withChecker(t, &told{few: true}, doors)
	wantUsers(t, s, "Door.unlock", "use.py#one call ambiguous(2)", "use.py#two call ambiguous(2)", "use.py#three call ambiguous(2)")
}

func TestACheckerIsNotBelievedAboutAnotherVersionOfAFile(t *testing.T) {
	s, m := withChecker(t, &told{by: map[string]Meaning{"use.py: a.unlock()": at("door.py", 1, 8)}}, doors)
	m.write("door.py", "# moved\n"+doors["door.py"])
	wantUsers(t, s, "Safe.unlock", "use.py#one call ambiguous(2)", "use.py#two call ambiguous(2)", "use.py#three call ambiguous(2)")
	m.write("use.py", "# moved\n"+doors["use.py"])
	c := &told{}
	s.tree.Checker = c
	wantUsers(t, s, "Safe.unlock", "use.py#one call ambiguous(2)", "use.py#two call ambiguous(2)", "use.py#three call ambiguous(2)")
	if len(c.asked) > 0 {
		t.Errorf("asked about a text that is not the index's: %+v", c.asked)
	}
}

// TestSeveralUsesOnOneLineAreKnownTogetherOrNotAtAll: an index knows the line of a use, not its column.
func TestSeveralUsesOnOneLineAreKnownTogetherOrNotAtAll(t *testing.T) {
	files := map[string]string{
		"door.py": doors["door.py"], "safe.py": doors["safe.py"],
		"use.py": "def one(a, b):\n    a.unlock(b.unlock())\n",
	}
	c := &told{by: map[string]Meaning{"use.py: a.unlock(b.unlock())": {Known: true, At: []Definition{{Path: "door.py", Position: Position{Line: 1, Column: 8}}, {Path: "safe.py", Position: Position{Line: 1, Column: 8}}}}}}
	s, _ := withChecker(t, c, files)
	wantUses(t, s, "use.py#one", "door.py#Door.unlock call checked", "safe.py#Safe.unlock call checked")
	if len(c.asked) != 2 || c.asked[0].Column != 6 || c.asked[1].Column != 15 {
		t.Errorf("asked about %+v", c.asked)
	}
}

// TestLaterUsesInOneDefinitionCount: an index keeps the first line of uses that look the same.
func TestLaterUsesInOneDefinitionCount(t *testing.T) {
	files := map[string]string{
		"door.py": doors["door.py"], "safe.py": doors["safe.py"],
		"use.py": "def one(a):\n    a().unlock()\n    b = a(); a().x.unlock()\n    a(1).unlock()\n",
	}
	c := &told{by: map[string]Meaning{
		"use.py: a().unlock()":            at("door.py", 1, 8),
		"use.py: b = a(); a().x.unlock()": {Known: true},
		"use.py: a(1).unlock()":           at("safe.py", 1, 8),
	}}
	s, _ := withChecker(t, c, files)
	wantUses(t, s, "use.py#one", "door.py#Door.unlock call checked", "safe.py#Safe.unlock call checked")
	delete(c.by, "use.py: a(1).unlock()")
	wantUses(t, s, "use.py#one", "door.py#Door.unlock call checked", "safe.py#Safe.unlock call ambiguous(2)")
}
