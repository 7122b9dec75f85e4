package refactor

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// This file has the rules of JavaScript, TypeScript and Python, in which a name comes into a file by an import.

// ruleImport rules on a name that an import brings.
func (p *renaming) ruleImport(f *scan, s *syntax.Site) (ruling, string) {
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
			return doubt, "the module " + p.r.Tree.Lex.Text(m.Module) + " was not found"
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

// mayLeadHere reports whether a module that was not found may be one of the tree: it is written as one.
func (p *renaming) mayLeadHere(m store.ImportRow, n int32) bool {
	if p.member {
		return false
	}
	module := p.r.Tree.Lex.Text(m.Module)
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
func (p *renaming) alias(n int32) (ruling, bool) {
	for _, m := range p.r.Tree.ImportsOf(n) {
		if m.Local == p.oldName && m.Name != p.oldName {
			return other, true
		}
	}
	return meant, false
}

// mentionsImport reports whether an import of a file brings the definition.
func (p *renaming) mentionsImport(f *scan) bool {
	for _, m := range p.r.Tree.ImportsOf(f.file) {
		if m.Name == p.oldName && p.among(p.r.ImportValue(m, f.file).Symbols) != other {
			return true
		}
	}
	return false
}

// hasModule reports whether a file of JavaScript has the definition's module as a value: it can be a part of another
// one, as in { inner: module } and { ...module }.
func (p *renaming) hasModule(f *scan) bool {
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

// importsSeen makes sure that every import that brings the definition was met as a token, and that none brings its
// module in a way that is not followed.
func (p *renaming) importsSeen(f *scan) {
	if p.lang == syntax.Go || p.member {
		return
	}
	rows, tokens := 0, 0
	for _, m := range p.r.Tree.ImportsOf(f.file) {
		switch {
		case m.Name == p.oldName:
			rows++
		case m.Local == 0 && m.Name == 0 && p.lang == syntax.JavaScript && p.names(f):
			if v := p.r.Module(m.Module, f.file); v.Kind == meaning.ModuleValue && p.among(p.r.ModuleMember(v, p.oldName).Symbols) != other {
				p.unsure(f, int(m.Line), "the module is loaded without a name")
			}
		}
	}
	for i := range f.sites {
		if s := &f.sites[i]; s.Name == p.old && s.Imported {
			tokens++
		}
	}
	if rows != tokens && p.mentionsImport(f) {
		p.unsure(f, 1, "an import of it was not understood")
	}
}

func (p *renaming) unsure(f *scan, line int, why string) {
	p.open = append(p.open, place(p.r.Tree.Files[f.file].Path, line, why))
}

// names reports whether a file has the old name as a token at all.
func (p *renaming) names(f *scan) bool { return count(f.sites, p.old) > 0 }

// shorthand reports whether a reference stands for a property and its value at once: {name}.
func (p *renaming) shorthand(f *scan, s *syntax.Site) bool {
	if s.Def >= 0 || s.Imported || s.Dots || s.Before != '{' && s.Before != ',' || s.After != '}' && s.After != ',' {
		return false
	}
	open := p.bracketAround(f.src, s.Start)
	if open < 0 || f.src[open] != '{' {
		return false
	}
	return !exports(f.src, open)
}

// exports reports whether the bracket at an offset opens the list of an import or export.
func exports(src []byte, open int) bool {
	switch nameBefore(src, open) {
	case "export", "import":
		return true
	case "type":
		head := bytes.TrimSuffix(bytes.TrimRight(src[:open], blanks), []byte("type"))
		word := nameBefore(head, len(head))
		return word == "export" || word == "import"
	}
	return false
}

// literal reports whether a definition is the key of a literal that a variable of JavaScript holds: a type may ask
// for it.
func (p *renaming) literal(f *scan, s *syntax.Site) bool {
	if p.lang != syntax.JavaScript || !p.member || s.Def < 0 || p.in[store.At(f.file, s.Def)] {
		return false
	}
	parent := p.r.Def(store.At(f.file, s.Def)).Parent
	if parent < 0 {
		return false
	}
	kind := p.r.Def(store.At(f.file, parent)).Kind
	return kind == syntax.Variable || kind == syntax.Constant || kind.Callable()
}

// shortKey reports whether the key of a literal or pattern is a name at the same time: {name} and {name = 1}.
func (p *renaming) shortKey(s *syntax.Site) bool {
	return (s.Before == '{' || s.Before == ',') && (s.After == '}' || s.After == ',' || s.After == '=')
}

// maxBack bounds how far back the bracket around a place is looked for, in bytes.
const maxBack = 64 << 10

// bracketAround is the offset of the bracket that is open at a place, or -1. Brackets in strings may mislead it.
func (p *renaming) bracketAround(src []byte, at int) int {
	depth := 0
	for i := at - 1; i >= 0 && i > at-maxBack; i-- {
		switch src[i] {
		case '}', ')', ']':
			depth++
		case '{', '(', '[':
			if depth == 0 {
				return i
			}
			depth--
		}
	}
	return -1
}

// property reports whether a token of JavaScript names a property where no type says of what: in a literal, a pattern
// or an element of JSX.
func (p *renaming) property(f *scan, s *syntax.Site) bool {
	if s.Dots || s.Def >= 0 || f.src == nil {
		return false
	}
	end := s.Start + len(s.Name)
	after := bytes.TrimLeft(f.src[end:], " \t\r\n")
	if bytes.HasPrefix(after, []byte("={")) || bytes.HasPrefix(after, []byte("=\"")) {
		return true
	}
	if s.Before == '?' || len(after) == 0 || strings.IndexByte(":,}=(?;", after[0]) < 0 {
		return false
	}
	if s.Before != '{' && s.Before != ',' && !s.First {
		return false
	}
	open := p.bracketAround(f.src, s.Start)
	return open >= 0 && f.src[open] == '{' && (len(s.Refs) == 0 || s.Before == '{' || s.Before == ',') && !exports(f.src, open)
}

// ruleUnreadScript rules on a token of JavaScript that is no reference, definition or import.
func (p *renaming) ruleUnreadScript(f *scan, s *syntax.Site) (ruling, string) {
	property := s.Before == '{' || s.Before == ',' || s.Before == ';' || s.First
	parameter := s.Before == '(' || s.Before == ','
	switch {
	case p.member && parameter && f.src[max(p.bracketAround(f.src, s.Start), 0)] == '(':
		return other, ""
	case p.member && strings.IndexByte(":(?=,};<!", s.After) < 0:
		return other, "" // what stands alone is no member: a word of the language, as in import type
	case p.member:
		return doubt, "this place was not understood"
	case !p.samePackage(f.file) && !p.mentionsImport(f):
		return other, ""
	case property && (s.After == ':' || s.After == '(' || s.After == '?'):
		return other, "" // a property
	case s.Before == '(' && (s.After == ':' || s.After == '?'):
		return other, "" // a parameter of a function type
	case p.inType(f, s):
		return p.ruleBare(f, s, &store.Ref{Name: p.oldName, Use: syntax.Mention, From: s.From, Line: int32(s.Line)})
	}
	return doubt, "this place was not understood"
}

// outsideScript reports whether an expression that leads out of the tree stays there.
func (p *renaming) outsideScript(n int32, expr string) bool {
	if !p.member {
		return true
	}
	root := expr[:meaning.IdentEnd(expr, 0)]
	if root == "" || strings.ContainsAny(expr, "([") {
		return false // what others call back or hold may be the tree's
	}
	return slices.ContainsFunc(p.r.Tree.ImportsOf(n), func(m store.ImportRow) bool { return p.r.Tree.Lex.Text(m.Local) == root }) ||
		strings.IndexByte(expr, '.') < 0
}

// isModule tells a module from a script by a statement that only modules have.
var isModule = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\s*(export|import)\b|\brequire\(|\bmodule\.exports\b|\bexports\.`)
})

// scriptHazards refuses definitions whose uses cannot all be seen, for how their file passes them on.
func (p *renaming) scriptHazards() error {
	if p.lang != syntax.JavaScript {
		return nil
	}
	defined := 0
	for _, f := range p.found {
		if !slices.ContainsFunc(p.group, func(y store.DefID) bool { return y.File == f.file }) {
			continue
		}
		path := p.r.Tree.Files[f.file].Path
		if !p.member && !isModule().Match(f.src) {
			return refused("", "%s is no module: what is at its top, every script can name", path)
		}
		if !p.member && bytes.Contains(f.src, []byte("exports")) && !bytes.Contains(f.src, []byte("export ")) {
			return refused("", "%s exports by assignments, which are not followed", path)
		}
		defined += p.namesakes(f)
		if !p.parametersKnown(f) {
			return refused("Edit it by hand.", "%s is declared as a parameter of the constructor", p.old)
		}
	}
	if !p.member && defined > 0 {
		return refused("", "another definition in the same file is called %s, too", p.old)
	}
	return nil
}

// namesakes counts the definitions at the top of a file that have the old name and are not renamed.
func (p *renaming) namesakes(f *scan) int {
	n := 0
	for i := range f.sites {
		s := &f.sites[i]
		if s.Name != p.old || s.Def < 0 || p.in[store.At(f.file, s.Def)] {
			continue
		}
		if d := p.r.Def(store.At(f.file, s.Def)); d.Parent < 0 && d.Owner == 0 {
			n++
		}
	}
	return n
}
