package code

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

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
	accepts  map[string]accepted // what the callables took, by qualified name
	balanced bool
}

// Checkpoint remembers what is needed to say what a change of the file at path breaks. It reads the file.
func (s *Snapshot) Checkpoint(ctx context.Context, path string) *Checkpoint {
	c := &Checkpoint{was: s, path: path, balanced: true}
	n := s.number(path)
	if n < 0 {
		return c
	}
	src, err := s.text(ctx, path)
	if err != nil || digest(src) != s.files[n].digest {
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
		n0: c.was.number(c.path), n1: s.number(c.path),
	}
	b.was.clock.most, b.now.clock.most = maxCheckWork, maxCheckWork
	return b
}

// all is Broken.
func (b *breakage) all(ctx context.Context) ([]Place, error) {
	c, s := b.Checkpoint, b.now.s
	if b.n1 < 0 || !checks(s.files[b.n1].lang) {
		return nil, nil
	}
	for _, f := range b.versions() {
		if !b.knows(f) {
			return nil, whyNotRead(f)
		}
	}
	src, err := s.text(ctx, c.path)
	if err != nil || digest(src) != s.files[b.n1].digest {
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
	slices.SortStableFunc(b.found, func(x, y Place) int {
		return cmp.Or(last(x.Path != c.path, y.Path != c.path), strings.Compare(x.Path, y.Path), x.Line-y.Line)
	})
	b.found = slices.Compact(b.found)
	more := error(nil)
	if len(b.now.s.refsOf(b.n1)) > maxChecked {
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
func (b *breakage) knows(f *file) bool {
	return checks(f.lang) && f.skipped == "" && !f.generic && !f.foreign
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
		for _, m := range b.was.s.importsOf(b.n0) {
			before[b.was.s.lex.text(m.module)] = true
		}
	}
	for _, m := range b.now.s.importsOf(b.n1) {
		module := b.now.s.lex.text(m.module)
		if before[module] || b.now.module(m.module, b.n1).kind == moduleValue || !b.wouldBeHere(module) {
			continue
		}
		before[module] = true
		b.add(b.path, int(m.line), "nothing is at the import %s", module)
	}
}

// wouldBeHere reports whether a module would stand in the tree, were it there.
func (b *breakage) wouldBeHere(module string) bool {
	s := b.now.s
	f := s.files[b.n1]
	switch f.lang {
	case syntax.Go:
		for _, mod := range s.modules() {
			inside := mod.dir == "" || strings.HasPrefix(f.Path, mod.dir+"/")
			if inside && mod.path != "" && strings.HasPrefix(module, mod.path+"/") {
				return true
			}
		}
		return false
	case syntax.Python:
		if strings.HasPrefix(module, ".") {
			return strings.Trim(module, ".") != ""
		}
		return false
	}
	if !strings.HasPrefix(module, "./") && !strings.HasPrefix(module, "../") {
		return false
	}
	base := module[strings.LastIndexByte(module, '/')+1:]
	switch extension(base) {
	case "", ".js", ".ts", ".jsx", ".tsx", ".mjs", ".mts":
		return !strings.HasPrefix(base, ".")
	}
	return false
}

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
	for i, u := range b.now.s.refsOf(b.n1) {
		if i > maxChecked {
			return
		}
		name := b.now.s.lex.text(u.name)
		if u.qual != 0 || !gone[name] {
			continue
		}
		if f := b.now.lookup(u.name, b.n1, b.now.stands(b.n1, &u)); b.nothing(f) && !b.ambient(name) {
			b.add(b.path, int(u.line), "%s is not defined or imported any more", name)
		}
	}
}

// goneNames are the names that the top of the file had before, defined or imported, and has no longer.
func (b *breakage) goneNames() map[string]bool {
	gone := map[string]bool{}
	for _, d := range b.was.s.defsOf(b.n0) {
		if d.parent < 0 && d.owner == 0 {
			gone[b.was.s.lex.text(d.name)] = true
		}
	}
	for _, m := range b.was.s.importsOf(b.n0) {
		gone[b.was.s.lex.text(m.local)] = true
	}
	for _, d := range b.now.s.defsOf(b.n1) {
		if d.parent < 0 && d.owner == 0 {
			delete(gone, b.now.s.lex.text(d.name))
		}
	}
	for _, m := range b.now.s.importsOf(b.n1) {
		delete(gone, b.now.s.lex.text(m.local))
	}
	delete(gone, "")
	return gone
}

// nothing reports whether a lookup found nothing at all: no definition, no import, no package of outside.
func (b *breakage) nothing(f found) bool {
	return f.v.kind == externalValue && f.level == Exact
}

// ambient reports whether a name may be there without a definition or an import in the tree.
func (b *breakage) ambient(name string) bool {
	switch b.now.s.files[b.n1].lang {
	case syntax.Go:
		return goOwn[name] || name == "C" || b.bringsAll()
	case syntax.Python:
		return pythonOwn[name] || strings.HasPrefix(name, "__") || b.bringsAll()
	}
	return b.bringsAll()
}

// bringsAll reports whether the file imports all names of a module that is not known.
func (b *breakage) bringsAll() bool {
	for _, m := range b.now.s.importsOf(b.n1) {
		if m.name != 0 && m.name == b.now.star && m.local == 0 {
			return true
		}
	}
	return false
}

// newNames looks for names that the change brought into a file of Go and that mean nothing. Go has no names but those
// that are declared or imported.
func (b *breakage) newNames() {
	if b.now.s.files[b.n1].lang != syntax.Go {
		return
	}
	before := map[string]bool{} // what is told already, too
	if b.n0 >= 0 {
		before = b.goneNames()
		for _, u := range b.was.s.refsOf(b.n0) {
			if u.qual == 0 {
				before[b.was.s.lex.text(u.name)] = true
			}
		}
	}
	for i, u := range b.now.s.refsOf(b.n1) {
		if i > maxChecked || u.qual != 0 {
			continue
		}
		name := b.now.s.lex.text(u.name)
		if before[name] || b.ambient(name) {
			continue
		}
		if f := b.now.lookup(u.name, b.n1, b.now.stands(b.n1, &u)); b.nothing(f) {
			b.add(b.path, int(u.line), "%s is not defined", name)
		}
	}
}

// lostDefinitions looks for what other files use of the file, and what is gone from it.
func (b *breakage) lostDefinitions() {
	defs := b.was.s.defsOf(b.n0)
	left := map[string]bool{}
	for d := range b.now.s.defsOf(b.n1) {
		left[b.now.s.qualified(symbol{b.n1, int32(d)})] = true
	}
	for d := range defs {
		y := symbol{b.n0, int32(d)}
		if p := defs[d].parent; p >= 0 && defs[p].kind.Callable() || left[b.was.s.qualified(y)] {
			continue
		}
		b.each(y, func(n int32, u *ref) {
			if !b.resolvesNow(n, u) {
				b.add(b.was.s.files[n].Path, int(u.line), "%s is not defined any more", b.was.s.lex.text(u.name))
			}
		})
	}
}

// each calls f for every reference that surely means y and stands in a file that did not change, and in the changed one
// for those that are still there.
func (b *breakage) each(y symbol, f func(n int32, u *ref)) {
	name := b.was.def(y).name
	b.was.s.mentioning(name, true, func(n int32) {
		file := b.was.s.files[n]
		if n == b.n0 || family(file.lang) != family(b.was.s.files[y.file].lang) || b.was.clock.over(1) {
			return
		}
		for _, u := range refsNamed(file.packed, name) {
			list := b.was.resolve(n, &u)
			if len(list) == 1 && list[0].symbol == y && list[0].sure.Level < Unique {
				f(n, &u)
			}
		}
	})
}

// resolvesNow reports whether a reference of an unchanged file means anything in the tree as it is now, or may.
func (b *breakage) resolvesNow(n int32, u *ref) bool {
	path := b.was.s.files[n].Path
	m := b.now.s.number(path)
	name, known := b.now.s.lex.find(b.was.s.lex.text(u.name))
	if m < 0 || !known {
		return m < 0 // a name that nothing has is none
	}
	v := *u
	v.name = name
	if u.qual != 0 {
		if v.qual, known = b.now.s.lex.find(b.was.s.lex.text(u.qual)); !known {
			return true
		}
		w := b.now.value(v.qual, m, b.now.stands(m, &v))
		if w.kind == unknownValue || w.kind == externalValue {
			return true // the way to it is lost, not the name
		}
		if step := b.now.step(w, v.name); step.kind == unknownValue {
			return true
		}
	}
	return len(b.now.resolve(m, &v)) > 0 || u.qual == 0 && b.stillThere(m, &v)
}

// stillThere reports whether a name that stands alone in file m means anything now, though no definition. What an import
// brings from the changed file is gone when that file has the name no more.
func (b *breakage) stillThere(m int32, u *ref) bool {
	for _, row := range b.now.s.importsOf(m) {
		if row.local != u.name || row.name == 0 {
			continue
		}
		v := b.now.module(row.module, m)
		gone := v.kind == moduleValue && slices.Contains(v.files, b.n1) && countWords(b.src, b.now.s.lex.text(row.name)) == 0
		return !gone
	}
	return !b.nothing(b.now.lookup(u.name, m, b.now.stands(m, u)))
}

// Place is a line of a file, and what is to be said of it.
type Place struct {
	Path string
	Line int
	Why  string
}

// String is path:line: why.
func (p Place) String() string { return fmt.Sprintf("%s:%d: %s", p.Path, p.Line, p.Why) }
