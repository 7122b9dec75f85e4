package code

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// MaxBroken is how many things that an edit broke are named.
const MaxBroken = 5

// maxChecked bounds the references that are looked at for one edit.
const maxChecked = 5000

// A Checkpoint is a file as it was before a change, and what the tree knew then.
type Checkpoint struct {
	was      *Snapshot
	path     string
	accepts  map[string]meaning.Accepted // what the callables took, by qualified name
	balanced bool
}

// Checkpoint remembers what is needed to say what a change of the file at path breaks. It reads the file.
func (s *Snapshot) Checkpoint(ctx context.Context, path string) *Checkpoint {
	c := &Checkpoint{was: s, path: path, balanced: true}
	n := s.tree.Number(path)
	if n < 0 {
		return c
	}
	src, err := s.tree.Text(ctx, path)
	if err != nil || store.Digest(src) != s.tree.Files[n].Digest {
		c.balanced = false // it is not known how it was
		return c
	}
	c.accepts = s.acceptedIn(n, src)
	x := syntax.NewExtractor()
	x.Rows(path, src)
	line, _ := x.Unbalanced()
	c.balanced = line == 0
	return c
}

// Broken answers what a change of the file broke: names that no longer resolve, calls with another number of arguments,
// imports of nothing, brackets that do not close. s is the state after the change; what was broken before is not named.
// It says what is sure and leaves out the rest. What could not be looked at is an Unchecked error.
func (c *Checkpoint) Broken(ctx context.Context, s *Snapshot) ([]Place, error) {
	return c.look(ctx, s).all(ctx)
}

// look is the change as it is looked at, before anything was.
func (c *Checkpoint) look(ctx context.Context, s *Snapshot) *breakage {
	b := &breakage{
		Checkpoint: c,
		was:        newPlanner(ctx, c.was), now: newPlanner(ctx, s),
		n0: c.was.tree.Number(c.path), n1: s.tree.Number(c.path),
	}
	b.was.Clock.Most, b.now.Clock.Most = maxCheckWork, maxCheckWork
	return b
}

// all is Broken.
func (b *breakage) all(ctx context.Context) ([]Place, error) {
	c, s := b.Checkpoint, b.now.s
	if b.n1 < 0 || !b.rules().Checked {
		return nil, nil
	}
	for _, f := range b.versions() {
		if !b.knows(f) {
			return nil, whyNotRead(f)
		}
	}
	src, err := s.tree.Text(ctx, c.path)
	if err != nil || store.Digest(src) != s.tree.Files[b.n1].Digest {
		return nil, unchecked("the file was changed again meanwhile")
	}
	if b.unbalanced(src); len(b.found) > 0 {
		return b.found, nil // what stands behind such a place is not understood
	}
	if !c.balanced {
		return nil, unchecked("brackets did not close before the change already, or the file was not known")
	}
	b.src = src
	b.missingImports()
	b.lostNames()
	b.newNames()
	if b.n0 >= 0 {
		b.lostDefinitions()
		b.changedCalls(src)
	}
	if why := b.cut(ctx); why != nil {
		return nil, why // half of a look says too little
	}
	sort.SliceStable(b.found, func(i, j int) bool {
		x, y := &b.found[i], &b.found[j]
		elsewhere := meaning.FalseFirst(x.Path != c.path, y.Path != c.path)
		return cmp.Or(elsewhere, strings.Compare(x.Path, y.Path), x.Line-y.Line) < 0
	})
	b.found = slices.Compact(b.found)
	more := error(nil)
	if len(b.now.s.tree.RefsOf(b.n1)) > maxChecked {
		more = unchecked(fmt.Sprintf("of the names in the file the first %d were looked at", maxChecked))
	}
	return b.found[:min(len(b.found), MaxBroken)], more
}

// breakage is one change that is looked at.
type breakage struct {
	*Checkpoint
	was, now *resolver
	n0, n1   int32  // the file's numbers; n0 is -1 for a new one
	src      []byte // the file after the change
	found    []Place
}

// knows reports whether a file is in a language that is looked at, and was read.
func (b *breakage) knows(f *store.File) bool {
	return meaning.RulesOf(f.Lang).Checked && f.Skipped == "" && !f.Generic && !f.Foreign
}

func (b *breakage) add(path string, line int, format string, args ...any) {
	p := Place{path, line, fmt.Sprintf(format, args...)}
	if len(b.found) < 10*MaxBroken && !slices.Contains(b.found, p) {
		b.found = append(b.found, p)
	}
}

// unbalanced looks for a bracket without a partner.
func (b *breakage) unbalanced(src []byte) {
	if !b.balanced {
		return
	}
	x := syntax.NewExtractor()
	x.Rows(b.path, src)
	if line, bracket := x.Unbalanced(); line > 0 {
		b.add(b.path, line, "%s has no partner", bracket)
	}
}

// missingImports looks for new imports of modules that the tree would have, and has not.
func (b *breakage) missingImports() {
	before := map[string]bool{}
	if b.n0 >= 0 {
		for _, m := range b.was.s.tree.ImportsOf(b.n0) {
			before[b.was.s.tree.Lex.Text(m.Module)] = true
		}
	}
	for _, m := range b.now.s.tree.ImportsOf(b.n1) {
		module := b.now.s.tree.Lex.Text(m.Module)
		if before[module] || b.now.Module(m.Module, b.n1).Kind == meaning.ModuleValue || !b.wouldBeHere(module) {
			continue
		}
		before[module] = true
		b.add(b.path, int(m.Line), "nothing is at the import %s", module)
	}
}

// wouldBeHere reports whether a module would stand in the tree, were it there.
func (b *breakage) wouldBeHere(module string) bool {
	f := b.now.s.tree.Files[b.n1]
	would := b.rules().WouldStand
	return would != nil && would(b.now.s.tree, f, module)
}

// rules are those of the file's language.
func (b *breakage) rules() *meaning.Rules { return meaning.RulesOf(b.now.s.tree.Files[b.n1].Lang) }

// lostNames looks for names that the file mentions and that meant something in it before: a definition of its own or of
// its package, or an import.
func (b *breakage) lostNames() {
	if b.n0 < 0 {
		return
	}
	gone := b.goneNames()
	if len(gone) == 0 {
		return
	}
	for i, u := range b.now.s.tree.RefsOf(b.n1) {
		if i > maxChecked {
			return
		}
		name := b.now.s.tree.Lex.Text(u.Name)
		if u.Qual != 0 || !gone[name] {
			continue
		}
		if f := b.now.Lookup(u.Name, b.n1, b.now.Stands(b.n1, &u)); b.nothing(f) && !b.ambient(name) {
			b.add(b.path, int(u.Line), "%s is not defined or imported any more", name)
		}
	}
}

// goneNames are the names that the top of the file had before, defined or imported, and has no longer.
func (b *breakage) goneNames() map[string]bool {
	gone := map[string]bool{}
	for _, d := range b.was.s.tree.DefsOf(b.n0) {
		if d.Parent < 0 && d.Owner == 0 {
			gone[b.was.s.tree.Lex.Text(d.Name)] = true
		}
	}
	for _, m := range b.was.s.tree.ImportsOf(b.n0) {
		gone[b.was.s.tree.Lex.Text(m.Local)] = true
	}
	for _, d := range b.now.s.tree.DefsOf(b.n1) {
		if d.Parent < 0 && d.Owner == 0 {
			delete(gone, b.now.s.tree.Lex.Text(d.Name))
		}
	}
	for _, m := range b.now.s.tree.ImportsOf(b.n1) {
		delete(gone, b.now.s.tree.Lex.Text(m.Local))
	}
	delete(gone, "")
	return gone
}

// nothing reports whether a lookup found nothing at all: no definition, no import, no package of outside.
func (b *breakage) nothing(f meaning.Found) bool {
	return f.Value.Kind == meaning.ExternalValue && f.Level == Exact
}

// ambient reports whether a name may be there without a definition or an import in the tree.
func (b *breakage) ambient(name string) bool {
	own := b.rules().Own
	return own != nil && own(name) || b.bringsAll()
}

// bringsAll reports whether the file imports all names of a module that is not known.
func (b *breakage) bringsAll() bool {
	for _, m := range b.now.s.tree.ImportsOf(b.n1) {
		if m.Name != 0 && m.Name == b.now.Star && m.Local == 0 {
			return true
		}
	}
	return false
}

// newNames looks for names that the change brought into the file and that mean nothing, where every name is declared or
// imported.
func (b *breakage) newNames() {
	if !b.rules().Declared {
		return
	}
	before := map[string]bool{} // what is told already, too
	if b.n0 >= 0 {
		before = b.goneNames()
		for _, u := range b.was.s.tree.RefsOf(b.n0) {
			if u.Qual == 0 {
				before[b.was.s.tree.Lex.Text(u.Name)] = true
			}
		}
	}
	for i, u := range b.now.s.tree.RefsOf(b.n1) {
		if i > maxChecked || u.Qual != 0 {
			continue
		}
		name := b.now.s.tree.Lex.Text(u.Name)
		if before[name] || b.ambient(name) {
			continue
		}
		if f := b.now.Lookup(u.Name, b.n1, b.now.Stands(b.n1, &u)); b.nothing(f) {
			b.add(b.path, int(u.Line), "%s is not defined", name)
		}
	}
}

// lostDefinitions looks for what other files use of the file, and what is gone from it.
func (b *breakage) lostDefinitions() {
	defs := b.was.s.tree.DefsOf(b.n0)
	left := map[string]bool{}
	for d := range b.now.s.tree.DefsOf(b.n1) {
		left[b.now.s.tree.Qualified(store.At(b.n1, int32(d)))] = true
	}
	for d := range defs {
		y := store.At(b.n0, int32(d))
		if p := defs[d].Parent; p >= 0 && defs[p].Kind.Callable() || left[b.was.s.tree.Qualified(y)] {
			continue
		}
		b.each(y, func(n int32, u *store.Ref) {
			if !b.resolvesNow(n, u) {
				name := b.was.s.tree.Lex.Text(u.Name)
				b.add(b.was.s.tree.Files[n].Path, int(u.Line), "%s is not defined any more", name)
			}
		})
	}
}

// each calls f for every reference that surely means y and stands in a file that did not change, and in the changed one
// for those that are still there.
func (b *breakage) each(y store.DefID, f func(n int32, u *store.Ref)) {
	name, family := b.was.Def(y).Name, store.Family(b.was.s.tree.Files[y.File].Lang)
	b.was.s.tree.Mentioning(name, true, func(n int32) {
		file := b.was.s.tree.Files[n]
		if n == b.n0 || store.Family(file.Lang) != family || b.was.Clock.Over(1) {
			return
		}
		for _, u := range store.RefsNamed(file.Packed, name) {
			list := b.was.Resolve(n, &u)
			if len(list) == 1 && list[0].DefID == y && list[0].Sure.Level < Unique {
				f(n, &u)
			}
		}
	})
}

// resolvesNow reports whether a reference of an unchanged file means anything in the tree as it is now, or may.
func (b *breakage) resolvesNow(n int32, u *store.Ref) bool {
	path := b.was.s.tree.Files[n].Path
	m := b.now.s.tree.Number(path)
	name, known := b.now.s.tree.Lex.Find(b.was.s.tree.Lex.Text(u.Name))
	if m < 0 || !known {
		return m < 0 // a name that nothing has is none
	}
	v := *u
	v.Name = name
	if u.Qual != 0 {
		if v.Qual, known = b.now.s.tree.Lex.Find(b.was.s.tree.Lex.Text(u.Qual)); !known {
			return true
		}
		w := b.now.Value(v.Qual, m, b.now.Stands(m, &v))
		if w.Kind == meaning.UnknownValue || w.Kind == meaning.ExternalValue {
			return true // the way to it is lost, not the name
		}
		if step := b.now.Step(w, v.Name); step.Kind == meaning.UnknownValue {
			return true
		}
	}
	return len(b.now.Resolve(m, &v)) > 0 || u.Qual == 0 && b.stillThere(m, &v)
}

// stillThere reports whether a name that stands alone in file m means anything now, though no definition. What an
// import brings from the changed file is gone when that file has the name no more.
func (b *breakage) stillThere(m int32, u *store.Ref) bool {
	for _, row := range b.now.s.tree.ImportsOf(m) {
		if row.Local != u.Name || row.Name == 0 {
			continue
		}
		v := b.now.Module(row.Module, m)
		name := b.now.s.tree.Lex.Text(row.Name)
		ours := v.Kind == meaning.ModuleValue && slices.Contains(v.Files, b.n1)
		return !ours || meaning.CountWords(b.src, name) > 0
	}
	return !b.nothing(b.now.Lookup(u.Name, m, b.now.Stands(m, u)))
}

// Place is a line of a file, and what is to be said of it.
type Place struct {
	Path string
	Line int
	Why  string
}

// String is path:line: why.
func (p Place) String() string { return fmt.Sprintf("%s:%d: %s", p.Path, p.Line, p.Why) }
