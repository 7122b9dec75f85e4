package refactor

import (
	"slices"
	"strings"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// importing is a language in which names come into a file by its imports, one by one, and values may be of several
// types: Python, JavaScript and TypeScript.
type importing struct{ common }

func (importing) visible(name string) (exported, private bool) {
	return !strings.HasPrefix(name, "_"), false
}

// extend adds the members that override one another.
func (l importing) extend(p *subject) error {
	if y := p.group[0]; p.r.IsMember(y.File, p.r.Def(y)) {
		return l.overrides(p)
	}
	return nil
}

// overrides adds the members of that name in the types above and below, methods and fields alike.
func (l importing) overrides(p *subject) error {
	asked := func(m store.DefID) string { return l.outsideBases(p, m) }
	return p.spread(asked, func(m store.DefID) error {
		for _, t := range p.ownersOf(m) {
			for _, over := range p.r.Above(t, p.oldName) {
				p.add(over)
			}
			for _, sub := range p.r.Subtypes(t) {
				for _, under := range p.r.OwnMembers(sub, p.oldName) {
					p.add(under)
				}
			}
		}
		return nil
	})
}

// outsideBases says why code outside the tree may call a method of a class.
func (l importing) outsideBases(p *subject, y store.DefID) string {
	for _, t := range p.ownersOf(y) {
		for _, u := range append(p.r.Subtypes(t), t) {
			if l.inheritsUnknown(p.project, u) && p.exported {
				return "what " + p.spelled(p.r.Def(u).Name) + " extends is not known here"
			}
		}
	}
	return ""
}

// inheritsUnknown reports whether a type has a base that is none of the tree's, or a base of it has. A base that is
// no type but a variable may be anything.
func (importing) inheritsUnknown(p *project, t store.DefID) bool {
	seen := map[store.DefID]bool{}
	for list := []store.DefID{t}; len(list) > 0 && len(seen) <= meaning.MaxSubtypes; {
		t, list = list[0], list[1:]
		if seen[t] {
			continue
		}
		seen[t] = true
		for _, u := range p.r.Tree.BasesIn(t.File) {
			if u.From != t.Def {
				continue
			}
			bases := p.r.Resolve(t.File, &u)
			known := slices.ContainsFunc(bases, func(b meaning.Target) bool { return p.r.Def(b.DefID).Kind.Type() })
			if !known && !harmlessBases[p.spelled(u.Name)] {
				return true
			}
			for _, b := range bases {
				list = append(list, b.DefID)
			}
		}
	}
	return false
}

// harmlessBases have no members that a class could meet by accident.
var harmlessBases = meaning.WordSet("object Exception ABC Protocol Generic Enum NamedTuple TypedDict error Error")

// importsSeen makes sure that every import that brings the subject was met as a token.
func (importing) importsSeen(p *mentions, f *scan) {
	rows, tokens := 0, 0
	for _, m := range p.r.Tree.ImportsOf(f.file) {
		if m.Name == p.oldName {
			rows++
		}
	}
	for s := range f.named(p.old) {
		if s.Imported {
			tokens++
		}
	}
	if rows != tokens && p.mentionsImport(f) {
		p.unsure(f, 1, "an import of it was not understood")
	}
}

// bare rules on a name that stands alone: a file may call something else so.
func (importing) bare(p *judge, f *scan, s *syntax.Site, found meaning.Found) (ruling, string) {
	what, why := p.ruleFound(s, found)
	switch {
	case what != meant:
		return what, why
	case p.alias(f.file):
		return other, "an import gives it this name"
	case p.bound(f, s): // of a name that is bound later, or only sometimes, the reader knows too little
		return doubt, "a local name is called like it"
	}
	return meant, ""
}

func (importing) loose(p *subject, _ *scan, _ store.DefID) bool { return p.member }

// mayLeadHere reports whether a module that was not found may be one of the tree: it is written as one.
func (p *subject) mayLeadHere(m store.ImportRow, n int32) bool {
	if p.member {
		return false
	}
	module := p.spelled(m.Module)
	if p.r.Module(m.Module, n).Kind == meaning.ModuleValue {
		return true // it is known, and what it passes on is not
	}
	for _, own := range []string{".", "@/", "~", "#"} {
		if strings.HasPrefix(module, own) {
			return true
		}
	}
	return len(p.r.Tree.Folder(p.lang.folder(module))) > 0
}

// alias reports whether the name is a file's own: an import brings something else under it, or the definition, which
// has another name where it comes from.
func (p *subject) alias(n int32) bool {
	return slices.ContainsFunc(p.r.Tree.ImportsOf(n), func(m store.ImportRow) bool {
		return m.Local == p.oldName && m.Name != p.oldName
	})
}

// mentionsImport reports whether an import of a file brings the definition.
func (p *subject) mentionsImport(f *scan) bool {
	for _, m := range p.r.Tree.ImportsOf(f.file) {
		if m.Name == p.oldName && p.among(p.r.ImportValue(m, f.file).Symbols) != other {
			return true
		}
	}
	return false
}

// ruleImport rules on a name that an import brings.
func (p *judge) ruleImport(f *scan, s *syntax.Site) (ruling, string) {
	what, seen := other, false
	for _, m := range p.r.Tree.ImportsOf(f.file) {
		if m.Name != p.oldName {
			continue
		}
		v := p.r.ImportValue(m, f.file)
		one := p.among(v.Symbols)
		if v.Kind != meaning.SymbolValue && p.mayLeadHere(m, f.file) {
			return doubt, "the module " + p.spelled(m.Module) + " was not found"
		}
		if seen && one != what || one == doubt {
			return doubt, "it may come from several modules"
		}
		what, seen = one, true
	}
	if !seen && p.member {
		return other, ""
	}
	return what, ""
}

// importedOnly reports whether an expression that leads out of the tree names what a file imports, and calls nothing.
func (p *subject) importedOnly(n int32, expr string) bool {
	if !p.member {
		return true
	}
	root := expr[:meaning.IdentEnd(expr, 0)]
	if root == "" || strings.ContainsAny(expr, "([") {
		return false // what others call back or hold may be the tree's
	}
	imported := func(m store.ImportRow) bool { return p.spelled(m.Local) == root }
	return slices.ContainsFunc(p.r.Tree.ImportsOf(n), imported) || strings.IndexByte(expr, '.') < 0
}

// loads are the files that a file imports.
func (importing) loads(p *project, n int32, _ string) (files []int32) {
	for _, row := range p.r.Tree.ImportsOf(n) {
		if v := p.r.Module(row.Module, n); v.Kind == meaning.ModuleValue {
			files = append(files, v.Files...)
		}
	}
	return files
}
