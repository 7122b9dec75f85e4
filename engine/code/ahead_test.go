package code

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helve/engine/code/internal/store"
)

// TestAnImpactIsWhatUsersOfUsersAre asks for the users of each definition alone, and compares with the search that
// shares its work.
func TestAnImpactIsWhatUsersOfUsersAre(t *testing.T) {
	s := randomTree(t)
	for n, f := range s.tree.Files {
		for d := range s.tree.DefsOf(int32(n)) {
			seed := store.At(int32(n), int32(d))
			got := reachedFrom(s, seed, func(p *spread, level []reached, depth int) []reached { return p.next(level, depth) })
			want := reachedFrom(s, seed, func(p *spread, level []reached, depth int) []reached {
				var out []reached
				for _, from := range level {
					p.r = newResolver(t.Context(), s)
					out = append(out, p.next([]reached{from}, depth)...)
				}
				return out
			})
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(reached{}, store.DefID{})); diff != "" {
				t.Fatalf("%s, definition %d: one by one -, together +:\n%s", f.Path, d, diff)
			}
		}
	}
}

// reachedFrom is what the steps of a search come to.
func reachedFrom(s *Snapshot, seed store.DefID, next func(p *spread, level []reached, depth int) []reached) []reached {
	p := &spread{r: newResolver(context.Background(), s), seen: map[store.DefID]bool{seed: true}, whole: true}
	level := []reached{{DefID: seed}}
	for depth := 1; depth <= maxImpactDepth && len(level) > 0; depth++ {
		level = next(p, level, depth)
	}
	return p.list
}

// TestDependentsOfAFileAreThoseOfEveryReference resolves every reference of every file to a name that the file defines.
func TestDependentsOfAFileAreThoseOfEveryReference(t *testing.T) {
	s := randomTree(t)
	for k, f := range s.tree.Files {
		n := int32(k)
		_, names := newResolver(t.Context(), s).mentioningAny(n)
		for m := range s.tree.Files {
			if l := linkOf(s, int32(m), n, names); int32(m) != n {
				if diff := cmp.Diff(l, newResolver(t.Context(), s).linkTo(int32(m), &asked{n, names, s.tree.NewNameSet(), s.tree.NewNameSet()})); diff != "" {
					t.Errorf("%s uses %s: by every reference -, in short +:\n%s", s.tree.Files[m].Path, f.Path, diff)
				}
			}
		}
	}
}

// linkOf is linkTo without shortcuts.
func linkOf(s *Snapshot, n, to int32, names store.NameSet) *FileLink {
	r, l := newResolver(context.Background(), s), s.link(n)
	for _, m := range s.tree.ImportsOf(n) {
		r.importTargets(m, n, func(k int32) { l.Imported = l.Imported || k == to })
	}
	for _, u := range s.tree.RefsOf(n) {
		if names.Has(u.Name) && r.usedFile(n, &u) == to {
			l.Uses++
		}
	}
	if !l.Imported && l.Uses == 0 {
		return nil
	}
	return l
}

// randomTree is a snapshot of files that import, extend and call one another.
func randomTree(t *testing.T) *Snapshot {
	random := rand.New(rand.NewPCG(3, 4))
	m := tree(map[string]string{"go.mod": "module example.com/m\n"})
	for i := range 120 {
		m.write(edited(random, i))
	}
	m.write("py0/all.py", "from py0.f3 import *\nfrom py1.f1 import g1 as other\n\ndef every():\n    g1()\n    other()\n    Base().run()\n")
	m.write("py1/use.py", "from py0.all import other as more, every\nimport py0.all\n\nmore()\nevery()\npy0.all.every()\n")
	s, err := New(m, Options{Workers: 1}).Snapshot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return s
}
