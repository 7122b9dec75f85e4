package tree

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// counted is what a walk of its own counts as hidden.
func counted(t testing.TB, dir string, opt Options) []Hidden {
	t.Helper()
	opt.Count = true
	st, err := Walk(context.Background(), dir, opt, func(int, *Dir) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return st.Hidden
}

// said is a list without the rules themselves, of which each reading makes others.
func said(list []Hidden, rulesOnly bool) map[string]int {
	out := map[string]int{}
	for _, h := range list {
		if h.Rule != nil || !rulesOnly {
			out[h.Reason] += h.Files
		}
	}
	return out
}

func filter(t testing.TB, spec FilterSpec) *Filter {
	t.Helper()
	f, err := NewFilter(spec)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// What is hidden is told out of memory as a walk would tell it, after every change.
func TestAResidentTreeKnowsWhatItHides(t *testing.T) {
	options := []Options{
		{},
		{Skip: []string{"a", ".h"}},
		{Filter: filter(t, FilterSpec{Include: []string{"*.o", "!/c"}})},
		{Filter: filter(t, FilterSpec{Globs: []string{"!*.o"}, TypesNot: []string{"c"}})},
		{Filter: filter(t, FilterSpec{Without: func(p string) bool { return filepath.Base(p) == "x" }})},
	}
	for seed := range slowly(uint64(10)) {
		r := rand.New(rand.NewPCG(12, seed))
		dir := t.TempDir()
		tr := resident1(t, dir)
		for step := range 100 {
			var done []string
			for range 1 + r.IntN(4) {
				done = append(done, mutate(r, dir))
			}
			opt := options[r.IntN(len(options))]
			rules := r.IntN(2) == 0
			list, more, ok := tr.Hidden(t.Context(), opt, Glance{RulesOnly: rules})
			if !ok || more {
				t.Fatalf("seed %d step %d: more %v, ok %v", seed, step, more, ok)
			}
			if diff := cmp.Diff(said(counted(t, dir, opt), rules), said(list, rules)); diff != "" {
				t.Fatalf("seed %d step %d, %+v after\n%v\n(-walk +resident)\n%s", seed, step, opt, done, diff)
			}
		}
	}
}

func TestAGlanceIsBoundedAndSaysSo(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, ".git/HEAD"), "")
	write(t, filepath.Join(dir, ".gitignore"), "/out/\n")
	write(t, filepath.Join(dir, "f"), "")
	for i := range 100 {
		write(t, filepath.Join(dir, fmt.Sprintf("out/d%02d/f", i)), "")
	}
	tr := resident1(t, dir)
	for _, c := range []struct {
		most, least int
		more        bool
	}{
		{0, 100, false},
		{20 * concealedDir, 5, true},
		{1000 * concealedDir, 100, false},
	} {
		list, more, ok := tr.Hidden(t.Context(), Options{}, Glance{RulesOnly: true, Most: c.most})
		again, _, _ := tr.Hidden(t.Context(), Options{}, Glance{RulesOnly: true, Most: c.most})
		if !ok || more != c.more || len(list) != 1 || list[0].Files < c.least || list[0].Files > 100 {
			t.Errorf("most %d: %+v, more %v, ok %v", c.most, list, more, ok)
		}
		if diff := cmp.Diff(said(list, true), said(again, true)); diff != "" {
			t.Errorf("most %d: asked twice (-first +second)\n%s", c.most, diff)
		}
	}
}

// Too much to be kept is not kept: then a walk tells.
func TestATreeThatHidesTooMuchSaysThatItDoesNotKnow(t *testing.T) {
	var c concealment
	for i := range maxConcealed + 1 {
		c.put("d/", fmt.Sprint(i), concealed{})
	}
	if !c.full || c.in != nil {
		t.Errorf("full %v, %d directories", c.full, len(c.in))
	}
	tr := resident1(t, t.TempDir())
	snapshot(t, tr)
	tr.live.hidden = c
	if tr.live.glance(&glance{opt: &Options{}, choose: (&Options{}).Chooser()}) {
		t.Error("it says that it knows")
	}
	at, err := At(t.TempDir(), Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer at.Close()
	if _, _, ok := at.Hidden(t.Context(), Options{}, Glance{}); ok {
		t.Error("a tree that remembers nothing says that it knows")
	}
}

// A choice among paths is what Match and the names of directories say, in whatever order it is asked.
func TestAChooserDecidesAsAWalk(t *testing.T) {
	dir := t.TempDir()
	for _, p := range []string{"a/b/c.go", "a/b.go", "a/node_modules/d.go", "b.go", "b/x/y.c", "b/x/z.go", "node_modules/q.go"} {
		write(t, filepath.Join(dir, p), "")
	}
	for _, opt := range []Options{
		{},
		{Skip: []string{"node_modules"}},
		{From: []string{"a", "b/x"}, Skip: []string{"node_modules"}},
		{From: []string{"a/b"}, Filter: filter(t, FilterSpec{Include: []string{"*.go"}})},
		{Filter: filter(t, FilterSpec{Include: []string{"*.go", "!/b/**"}})},
		{Filter: filter(t, FilterSpec{Include: []string{"a/**/*.go"}})},
	} {
		want := map[string]Stat{}
		_, err := Walk(t.Context(), dir, Options{From: opt.From, Skip: opt.Skip, Filter: opt.Filter, Workers: 1}, func(_ int, d *Dir) error {
			for _, f := range d.Files {
				want[d.Path+f.Name] = Stat{}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]Stat{}
		choose := opt.Chooser()
		snap := snapshot(t, resident1(t, dir))
		for _, e := range snap.Newest() {
			if choose.Wants(e.Path) {
				got[e.Path] = Stat{}
			}
		}
		var places []string
		for place := range opt.Chooser().Places(snap.Table()) {
			places = append(places, snap.Table().Files[place].Path)
		}
		if diff := cmp.Diff(slices.Sorted(maps.Keys(got)), places, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%+v (-asked one by one +places)\n%s", opt, diff)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%+v (-walk +chooser)\n%s", opt, diff)
		}
	}
}
