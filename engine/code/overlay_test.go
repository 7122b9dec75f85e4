package code

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helve/engine/code/internal/store"
)

// TestAnswersAfterEditsAreThoseOfANewIndex edits, adds and removes files, more often than an index keeps changes
// apart, and asks an index that saw it all what one asks that begins anew.
func TestAnswersAfterEditsAreThoseOfANewIndex(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	m := tree(map[string]string{"go.mod": "module example.com/m\n"})
	for i := range 40 {
		m.write(edited(random, i))
	}
	x := New(m, Options{Workers: 1})
	for step := range 3 * store.MaxOverlay {
		path, text := edited(random, random.IntN(300))
		if random.IntN(4) == 0 {
			m.remove(path)
		} else {
			m.write(path, text)
		}
		s := snapshot(t, x)
		if step%8 != 0 {
			continue
		}
		fresh := snapshot(t, New(m, Options{Workers: 1}))
		for _, name := range []string{"F1", "T2.M", "g3", "Base", "Base.run", "F1000"} {
			if diff := cmp.Diff(answers(fresh, name), answers(s, name)); diff != "" {
				t.Fatalf("step %d: %s: a new index answers -, the old one +:\n%s", step, name, diff)
			}
		}
	}
}

// edited is a version of file number i.
func edited(random *rand.Rand, i int) (path, text string) {
	a, b, c := random.IntN(5), random.IntN(5), random.IntN(40)
	if i%2 == 0 {
		return fmt.Sprintf("p%d/f%d.go", i%6, i), fmt.Sprintf("package p%d\n\nimport q \"example.com/m/p%d\"\n\ntype T%d struct{ q.T%d }\n\n"+
			"func F%d() { q.F%d(); F%d() }\n\nfunc (t *T%d) M() { t.M(); F%d() }\n", i%6, (a*2)%6, a, b, a, b, c, a, c)
	}
	return fmt.Sprintf("py%d/f%d.py", i%3, i), fmt.Sprintf("from py%d.f%d import Base, g%d\n\nclass Base(Base):\n    def run(self):\n        self.run()\n        g%d()\n\n"+
		"def g%d():\n    Base().run()\n", b%3, c, a, a, b)
}

// answers are what a snapshot says of a name.
func answers(s *Snapshot, name string) map[string]any {
	ctx := context.Background()
	p := Page{Limit: maxLimit}
	out := map[string]any{}
	found, _ := s.Find(ctx, name, p)
	out["find"] = found
	users, err := s.Dependents(ctx, name, p)
	out["users"], out["error"] = users, fmt.Sprint(err)
	uses, _ := s.Dependencies(ctx, name, p)
	out["uses"] = uses
	if len(found.Matches) > 0 {
		links, _ := s.FileDependents(ctx, found.Matches[0].Path, p)
		out["files"] = links
	}
	return out
}

// TestTheBodyOfAPythonClassDoesNotSeeWhatItInherits keeps names in a class's body, and those of its bases, apart from
// members of bases.
func TestTheBodyOfAPythonClassDoesNotSeeWhatItInherits(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"helper.py": "def make():\n    pass\n\nclass Root:\n    pass\n",
		"a.py": "import helper\n\ndef make():\n    pass\n\nclass Base:\n    def make(self):\n        pass\n    def helper(self):\n        pass\n\n" +
			"class Sub(Base):\n    value = make()\n\nclass Other(helper.Root):\n    def helper(self):\n        pass\n",
	})
	for name, want := range map[string][]string{"a.py#make": {"a.py#Sub"}, "Base.make": nil, "helper.Root": {"a.py#Other"}} {
		e, err := s.Dependents(context.Background(), name, Page{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, u := range e.Edges {
			got = append(got, u.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the users of %s: want -, got +:\n%s", name, diff)
		}
	}
}
