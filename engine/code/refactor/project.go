package refactor

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// project is the code that a refactoring reads.
type project struct {
	ctx context.Context
	r   *meaning.Resolver
	x   *syntax.Extractor
}

// file is a file by its number.
func (p *project) file(n int32) *store.File { return p.r.Tree.Files[n] }

// spelled is a name as it is written.
func (p *project) spelled(name uint32) string { return p.r.Tree.Lex.Text(name) }

// unchanged is the text of a file, which has to be the one that was indexed.
func (p *project) unchanged(n int32) ([]byte, error) {
	f := p.file(n)
	src, err := p.r.Tree.Text(p.ctx, f.Path)
	if err == nil && store.Digest(src) != f.Digest {
		err = refused("Repeat the call.", "%s changed meanwhile", f.Path)
	}
	return src, err
}

// noFile reports whether there is nothing at a path of the tree.
func (p *project) noFile(name string) bool {
	_, err := p.r.Tree.Text(p.ctx, name)
	return errors.Is(err, fs.ErrNotExist)
}

// outermost is the definition around d that stands in none.
func (p *project) outermost(n, d int32) int32 {
	defs := p.r.DefsOf(n)
	for d >= 0 && d < int32(len(defs)) && defs[d].Parent >= 0 {
		d = defs[d].Parent
	}
	return d
}

// holds reports whether definition d of file n is from or stands around it.
func (p *project) holds(n, d, from int32) bool {
	defs := p.r.DefsOf(n)
	for from > d && from < int32(len(defs)) {
		from = defs[from].Parent
	}
	return from == d
}

// binds are the local names of a file among some.
func (p *project) binds(n int32, src []byte, names ...string) []syntax.Bound {
	p.x.Watch(names...)
	p.x.Rows(p.file(n).Path, src)
	binds := p.x.Seen().Binds
	p.x.Watch()
	return binds
}

// bound reports whether a local name is meant by a token that is no reference: one was bound in a definition around it,
// or at the top of the file.
func (p *project) bound(f *scan, s *syntax.Site) bool {
	return slices.ContainsFunc(f.binds, func(b syntax.Bound) bool {
		return b.Name == s.Name && (b.From < 0 || p.holds(f.file, b.From, s.From))
	})
}

// boundIn counts how often the definition d of a file binds a name.
func (p *project) boundIn(n int32, binds []syntax.Bound, name string, d int32) int {
	count := 0
	for _, b := range binds {
		if b.Name == name && b.From >= 0 && p.outermost(n, b.From) == d {
			count++
		}
	}
	return count
}

// boundOutside reports whether something binds a name outside of all definitions of a file: a block, or a loop.
func boundOutside(binds []syntax.Bound, name string) bool {
	return slices.ContainsFunc(binds, func(b syntax.Bound) bool { return b.Name == name && b.From < 0 })
}

// ownersOf are the types that have a member, methods and fields alike.
func (p *project) ownersOf(y store.DefID) []store.DefID {
	d := p.r.Def(y)
	if d.Parent >= 0 && p.r.Def(store.At(y.File, d.Parent)).Kind.Type() {
		return []store.DefID{store.At(y.File, d.Parent)}
	}
	return p.r.TypesOf(y)
}

// class is the class in whose method a definition is or stands. Functions with a this of their own end the search.
func (p *project) class(y store.DefID) store.DefID {
	for y.Def >= 0 {
		d := p.r.Def(y)
		if d.Kind.Type() {
			return y
		}
		if d.Parent >= 0 && !p.r.Def(store.At(y.File, d.Parent)).Kind.Type() {
			return store.At(y.File, -1)
		}
		y.Def = d.Parent
	}
	return y
}

// noScope reports whether a definition stands in a literal or type of JavaScript, where its name alone does not reach
// it.
func (p *project) noScope(y store.DefID) bool {
	d := p.r.Def(y)
	if d.Parent < 0 {
		return false
	}
	k := p.r.Def(store.At(y.File, d.Parent)).Kind
	return !k.Callable() && k != syntax.Module
}

// below reports whether a file of that name, without some words, stands in the folder of f or above it. The nearest
// one counts.
func (p *project) below(f *store.File, name, without string) bool {
	for dir := f.Dir(); ; dir = path.Dir(dir) {
		at := path.Join(dir, name)
		if p.r.Tree.Number(at) >= 0 {
			src, err := p.r.Tree.Text(p.ctx, at)
			return err == nil && (without == "" || !strings.Contains(string(src), without))
		}
		if dir == "." || dir == "" || dir == "/" {
			return false
		}
	}
}

// importOf is the row by which a file calls something name, and the one by which it imports a module.
func (p *project) importOf(n int32, name, module string) (byName, byModule *store.ImportRow) {
	rows := p.r.Tree.ImportsOf(n)
	for i := range rows {
		if p.spelled(rows[i].Local) == name {
			byName = &rows[i]
		}
		if p.spelled(rows[i].Module) == module {
			byModule = &rows[i]
		}
	}
	return byName, byModule
}

// moduleFiles are those of a module as a file names it; known is false where it is none of the tree's.
func (p *project) moduleFiles(name string, n int32) (files []int32, known bool) {
	number, _ := p.r.Tree.Lex.Find(name)
	if v := p.r.Module(number, n); v.Kind == meaning.ModuleValue {
		return v.Files, true
	}
	return nil, false
}

// importsAs reports whether an import of a file gives it a name.
func (p *project) importsAs(n int32, name uint32) bool {
	return slices.ContainsFunc(p.r.Tree.ImportsOf(n), func(row store.ImportRow) bool { return row.Local == name })
}

// surely are the definitions that a value is, if that is sure.
func surely(v meaning.Value) (list []store.DefID, ok bool) {
	if v.Kind != meaning.SymbolValue || v.Level >= meaning.Unique {
		return nil, false
	}
	return v.Symbols, true
}
