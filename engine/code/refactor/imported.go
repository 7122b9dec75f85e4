package refactor

import (
	"strings"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// This file knows what comes into a file by an import, in the languages where names do.

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
	first, _, _ := strings.Cut(module, "/")
	if p.lang == syntax.Python {
		first, _, _ = strings.Cut(module, ".")
	}
	return len(p.r.Tree.Folder(first)) > 0
}

// alias reports whether the name is a file's own: an import brings something else under it, or the definition, which
// has another name where it comes from.
func (p *subject) alias(n int32) (ruling, bool) {
	for _, m := range p.r.Tree.ImportsOf(n) {
		if m.Local == p.oldName && m.Name != p.oldName {
			return other, true
		}
	}
	return meant, false
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

// hasModule reports whether a file of JavaScript has the definition's module as a value: it can be a part of another
// one, as in { inner: module } and { ...module }.
func (p *subject) hasModule(f *scan) bool {
	if p.lang != syntax.JavaScript || p.member {
		return false
	}
	for _, m := range p.r.Tree.ImportsOf(f.file) {
		if m.Local == 0 {
			continue
		}
		if v := p.r.ImportValue(m, f.file); v.Kind == meaning.ModuleValue && p.among(p.r.ModuleMember(v, p.oldName).Symbols) != other {
			return true
		}
	}
	return false
}

// ruleImport rules on a name that an import brings.
func (p *judge) ruleImport(f *scan, s *syntax.Site) (ruling, string) {
	if p.lang == syntax.Go {
		return other, ""
	}
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
