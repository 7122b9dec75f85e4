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

// fixedScript refuses what JavaScript finds by name, and what is only declared in a file.
func (p *subject) fixedScript(f *store.File, d *store.Def) error {
	switch {
	case strings.HasSuffix(f.Path, ".d.ts"):
		return refused("", "%s only declares what stands elsewhere", f.Path)
	case p.old == "constructor" || p.old == "default":
		return p.meaningFrom("JavaScript")
	case scriptWords[p.old] && d.Parent < 0 && d.Owner == 0: // never, any: a value may be called so
		return byHand("%s is a type of TypeScript, too", p.old)
	}
	return nil
}

// merged adds the other definitions of that name at the top of a file of TypeScript, of which one is a type: they are
// one name, which imports bring together.
func (p *subject) merged(y store.DefID) {
	if p.file(y.File).Lang != syntax.TypeScript {
		return
	}
	var list []store.DefID
	types := 0
	for i := range p.r.DefsOf(y.File) {
		z := store.At(y.File, int32(i))
		if d := p.r.Def(z); d.Name == p.oldName && d.Parent < 0 && d.Owner == 0 {
			list = append(list, z)
			if d.Kind == syntax.Interface || d.Kind == syntax.Alias {
				types++
			}
		}
	}
	if types == 0 || len(list) != 2 {
		return
	}
	for _, z := range list {
		p.add(z)
	}
}

// literal reports whether a definition is the key of a literal that a variable of JavaScript holds: a type may ask
// for it.
func (p *subject) literal(f *scan, s *syntax.Site) bool {
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

// isModule tells a module from a script by a statement that only modules have.
var isModule = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\s*(export|import)\b|\brequire\(|\bmodule\.exports\b|\bexports\.`)
})

// scriptHazards refuses definitions whose uses cannot all be seen, for how their file passes them on.
func (p *mentions) scriptHazards() error {
	if p.lang != syntax.JavaScript {
		return nil
	}
	defined := 0
	for _, f := range p.found {
		if !slices.ContainsFunc(p.group, func(y store.DefID) bool { return y.File == f.file }) {
			continue
		}
		path := p.file(f.file).Path
		if !p.member && !isModule().Match(f.src) {
			return refused("", "%s is no module: what is at its top, every script can name", path)
		}
		if !p.member && bytes.Contains(f.src, []byte("exports")) && !bytes.Contains(f.src, []byte("export ")) {
			return refused("", "%s exports by assignments, which are not followed", path)
		}
		defined += p.namesakes(f)
		if !p.parametersKnown(f) {
			return byHand("%s is declared as a parameter of the constructor", p.old)
		}
	}
	if !p.member && defined > 0 {
		return refused("", "another definition in the same file is called %s, too", p.old)
	}
	return nil
}

// parametersKnown reports whether every definition that a file has in brackets is such a field.
func (p *mentions) parametersKnown(f *scan) bool {
	for i := range f.sites {
		s := &f.sites[i]
		if s.Def < 0 || !p.in[store.At(f.file, s.Def)] {
			continue
		}
		open := bracketAround(f.src, s.Start)
		if open < 0 || f.src[open] != '(' {
			continue
		}
		made := p.constructorOf(f.file, s)
		if made < 0 && p.member {
			return false
		}
		if made >= 0 && !slices.Contains(p.made, store.At(f.file, made)) {
			p.made = append(p.made, store.At(f.file, made))
		}
	}
	return true
}

// constructorOf is the constructor whose parameter declares the field that is named at a place, or -1.
func (p *project) constructorOf(n int32, s *syntax.Site) int32 {
	defs := p.r.DefsOf(n)
	field := &defs[s.Def]
	if field.Kind != syntax.Field {
		return -1
	}
	for i := range defs {
		d := &defs[i]
		if d.Kind == syntax.Constructor && d.Parent == field.Parent && int(d.Start) <= s.Start && s.Start < int(d.Body) {
			return int32(i)
		}
	}
	return -1
}

// parameterOf reports whether a name stands alone in a constructor that declares the field by a parameter.
func (p *mentions) parameterOf(f *scan, s *syntax.Site) bool {
	return !s.Dots && s.Def < 0 && slices.ContainsFunc(p.made, func(c store.DefID) bool {
		return c.File == f.file && p.holds(f.file, c.Def, s.From)
	})
}

// ruleParameter rules on such a name: it is the parameter, unless something else in the constructor is called like it.
func (p *judge) ruleParameter(f *scan, s *syntax.Site) (ruling, string) {
	binds := 0
	for _, b := range f.binds {
		for _, c := range p.made {
			if b.Name == p.old && c.File == f.file && p.holds(f.file, c.Def, b.From) {
				binds++
			}
		}
	}
	declares := (s.Before == '(' || s.Before == ',') && (s.After == ':' || s.After == '?') // in the type of a function
	if binds > 1 || declares || s.Label {
		return doubt, "the constructor may have another local name that is called like it"
	}
	return meant, ""
}

// ruleUnreadScript rules on a token of JavaScript that is no reference, definition or import.
func (p *judge) ruleUnreadScript(f *scan, s *syntax.Site) (ruling, string) {
	property := s.Before == '{' || s.Before == ',' || s.Before == ';' || s.First
	parameter := s.Before == '(' || s.Before == ','
	switch {
	case p.member && parameter && f.src[max(bracketAround(f.src, s.Start), 0)] == '(':
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
func (p *subject) outsideScript(n int32, expr string) bool {
	if !p.member {
		return true
	}
	root := expr[:meaning.IdentEnd(expr, 0)]
	if root == "" || strings.ContainsAny(expr, "([") {
		return false // what others call back or hold may be the tree's
	}
	return slices.ContainsFunc(p.r.Tree.ImportsOf(n), func(m store.ImportRow) bool { return p.spelled(m.Local) == root }) ||
		strings.IndexByte(expr, '.') < 0
}

// beforeType are words behind which the name of a type or value stands.
var beforeType = meaning.WordSet("is extends implements keyof typeof as satisfies new unique")

// inType reports whether a name that the reader passed by is surely meant as what its scope says: a part of a type,
// or a value. Names of parameters, keys and type parameters are not.
func (p *mentions) inType(f *scan, s *syntax.Site) bool {
	if s.Dots || slices.ContainsFunc(f.sites, p.mayDeclareType) {
		return false
	}
	switch {
	case s.After == '.', s.Before == '=', s.Before == '|', s.Before == '&':
		return true
	case s.Before == ':':
		return strings.IndexByte("?:(", s.After) < 0
	case s.After == '[':
		return s.Before == ',' || s.Before == '['
	}
	return s.Before == 0 && beforeType[nameBefore(f.src, s.Start)]
}

// mayDeclareType reports whether a name may be that of a type parameter: <name>, infer name.
func (p *mentions) mayDeclareType(s syntax.Site) bool {
	if s.Name != p.old || s.Def >= 0 || len(s.Refs) > 0 || s.Dots || s.Imported {
		return false
	}
	opens := s.Before == '<' || s.Before == ',' || s.First || s.Before == 0
	return opens && (s.After == 0 || s.After == '>' || s.After == ',' || s.After == '=')
}
