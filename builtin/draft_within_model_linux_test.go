package builtin

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"helve/engine/sandbox"
	"helve/tool"
	"helve/tool/drafting"
)

// maxNested is how many drafts are in one another, the one that stays among them.
const maxNested = 4

// A nestedModel is a draft that stays, with drafts in it, and what each of them should show.
type nestedModel struct {
	t      *testing.T
	rnd    *rand.Rand
	box    *Toolbox
	kept   *KeptDraft
	levels []nestedLevel // the outermost first
	said   []string
}

// A nestedLevel is one of the drafts. in is nil for the outermost.
type nestedLevel struct {
	in   drafting.Draft
	d    *Draft
	tree *draftedTree
}

func (m *nestedModel) top() nestedLevel { return m.levels[len(m.levels)-1] }

// act does something random with the innermost draft.
func (m *nestedModel) act() {
	m.t.Helper()
	top := m.top()
	switch what := m.rnd.IntN(7); {
	case what < 2:
		m.edit(top)
	case what == 2:
		m.command(top)
	case what == 3 && len(m.levels) < maxNested:
		m.begin()
	case len(m.levels) > 1:
		m.end(what == 4)
	case what == 5:
		m.again()
	}
}

// edit changes files through a view.
func (m *nestedModel) edit(l nestedLevel) {
	inView(m.t, l.d, func(view string) {
		for range m.rnd.IntN(8) {
			l.tree.step(view, "drafted "+fmt.Sprint(m.rnd.IntN(4)))
		}
	})
	m.said = append(m.said, l.tree.said...)
	l.tree.said = nil
	m.check(l)
}

// check compares what a draft shows with what it should.
func (m *nestedModel) check(l nestedLevel) {
	m.t.Helper()
	inView(m.t, l.d, func(view string) {
		if got := treeAt(m.t, view); !l.tree.model.is(got) {
			m.t.Fatalf("after %v the view shows\n%v, want\n%v", m.said, got, l.tree.model)
		}
	})
}

// command has a command remove something, and perhaps make a folder in its place.
func (m *nestedModel) command(l nestedLevel) {
	at := l.tree.path()
	gone := l.tree.model.below(at)
	if len(gone) == 0 {
		return
	}
	line := "rm -r " + at
	for _, path := range gone {
		delete(l.tree.model, path)
	}
	if m.rnd.IntN(2) == 0 {
		line += " && mkdir " + at
		l.tree.model[at+"/"] = fresh
	}
	m.said = append(m.said, line)
	draftCalls{t: m.t, d: l.d, b: m.box}.call("bash", map[string]any{"command": line})
}

// begin begins a draft in the innermost one.
func (m *nestedModel) begin() {
	m.t.Helper()
	var outer drafting.Outer = m.kept
	if in := m.top().in; in != nil {
		outer = in.(drafting.Outer)
	}
	in, err := outer.Within(m.t.Context(), "run_script", "the script")
	if err != nil {
		m.t.Fatal(m.said, err)
	}
	m.said = append(m.said, "begin")
	tree := &draftedTree{t: m.t, rnd: m.rnd, model: maps.Clone(m.top().tree.model)}
	m.levels = append(m.levels, nestedLevel{in, in.(inner).Draft, tree})
}

// end commits the innermost draft, or drops it: the one around it shows what it showed, or what itself did before.
func (m *nestedModel) end(commit bool) {
	m.t.Helper()
	top := m.top()
	m.levels = m.levels[:len(m.levels)-1]
	if !commit {
		m.said = append(m.said, "drop")
		if err := top.in.Drop(); err != nil {
			m.t.Fatal(m.said, err)
		}
		m.check(m.top())
		return
	}
	m.said = append(m.said, "commit")
	if same, err := top.in.Changed(); err != nil || !same && !maps.Equal(top.tree.model, m.top().tree.model) {
		m.t.Fatalf("%v: it says that it changes nothing: %v", m.said, err)
	}
	done, err := top.in.Commit(m.t.Context(), &tool.Call{Name: "run_script"}, "")
	if err != nil || done.Refused != nil || done.Need != nil || !done.Outer {
		m.t.Fatalf("%v: %+v, %v", m.said, done, err)
	}
	m.top().tree.model = top.tree.model
	m.check(m.top())
}

// again leaves the outermost draft and opens it anew, as another process does.
func (m *nestedModel) again() {
	m.t.Helper()
	m.said = append(m.said, "again")
	id := m.kept.State().ID
	err := m.kept.Leave()
	if err == nil {
		m.kept, err = m.box.OpenDraft(m.t.Context(), id)
	}
	if err != nil {
		m.t.Fatal(m.said, err)
	}
	m.levels[0].d = m.kept.Draft
	m.check(m.levels[0])
}

// Drafts in a draft that stays show what was done in them and around them; a commit is seen in the one around, a drop in
// none, and the disk becomes what the outermost shows at its commit alone.
func TestDraftsInADraftAreWhatTheModelSays(t *testing.T) {
	for i := range *draftRuns {
		seed := *draftSeed + uint64(i)
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) { nestedAgainstModel(t, seed) }) {
			return
		}
	}
}

func nestedAgainstModel(t *testing.T, seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	dir, disk, box := modelled(t, rnd)
	kept, err := box.KeepDraft(t.Context())
	if errors.Is(err, sandbox.ErrNoLayer) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	inside := &draftedTree{t: t, rnd: rnd, model: treeAt(t, dir)}
	m := &nestedModel{t: t, rnd: rnd, box: box, kept: kept, levels: []nestedLevel{{nil, kept.Draft, inside}}}
	defer func() { m.kept.Drop() }()
	for range 6 + rnd.IntN(10) {
		m.act()
	}
	for len(m.levels) > 1 {
		m.end(rnd.IntN(3) > 0)
	}
	if now := treeAt(t, dir); !disk.model.is(now) {
		t.Fatalf("%v: before any commit the disk is\n%v, want\n%v", m.said, now, disk.model)
	}
	before := treeAt(t, dir)
	if rnd.IntN(3) == 0 { // somebody works on the disk
		time.Sleep(15 * time.Millisecond) // a later stamp than the draft has
		for range 1 + rnd.IntN(4) {
			disk.step(dir, "theirs "+fmt.Sprint(rnd.IntN(4)))
		}
	}
	out, err := m.kept.Commit(t.Context(), nil)
	if err != nil {
		t.Fatal(m.said, disk.said, err)
	}
	now := treeAt(t, dir)
	if len(out.Conflicts) > 0 || out.Refused != nil {
		if !disk.model.is(now) || disk.model.is(before) {
			t.Errorf("%v, and theirs %v: %+v, and the disk is\n%v", m.said, disk.said, out, now)
		}
		return
	}
	if want := joined(disk.model, before, m.levels[0].tree.model); !want.is(now) {
		t.Errorf("%v, and theirs %v: the disk is\n%v, want\n%v", m.said, disk.said, now, want)
	}
}
