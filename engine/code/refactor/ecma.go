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

// ecma is JavaScript and TypeScript.
type ecma struct{ importing }

// scriptWords are those that no definition can have as its name.
var scriptWords = meaning.WordSet("arguments await break case catch class const continue debugger default delete do else enum eval " +
	"export extends false finally for function if implements import in instanceof interface let new null " +
	"package private protected public return static super switch this throw true try typeof undefined var " +
	"void while with yield any boolean never number object string symbol unknown constructor")

func (ecma) badName(name string) string { return notNamed(name, "$", scriptWords) }

// public reports whether the file belongs to a package that can be published, and exports the definition.
func (ecma) public(p *subject, f *store.File) bool {
	src, err := p.r.Tree.Text(p.ctx, f.Path)
	if err != nil || p.local {
		return false
	}
	top := p.r.Def(store.At(p.group[0].File, p.outermost(p.group[0].File, p.group[0].Def)))
	line := src[lineStart(src, int(top.Start)):top.Start]
	return strings.Contains(string(line), "export") && p.below(f, "package.json", "\"private\": true")
}

// written gives a property a value of the old name, and a value the property that it had.
func (ecma) written(p *subject, f *scan, s *syntax.Site, to string) (text string, alone bool) {
	key := p.member && isProperty(f, s)
	switch {
	case key && shortKey(s):
		to += ": " + p.old
	case !key && shorthand(f, s):
		to = p.old + ": " + to
	}
	return to, !s.Dots && !key
}

// fixed refuses what JavaScript finds by name, and what is only declared in a file.
func (ecma) fixed(p *subject, f *store.File, d *store.Def, _ string) error {
	if d.Owner != 0 {
		for _, t := range p.r.Value(d.Owner, p.group[0].File, -1).Symbols {
			if owner := p.r.Def(t); holdsValue(owner) {
				return byHand("%s is put into %s: a type may ask for it", p.old, p.spelled(owner.Name))
			}
		}
	}
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

// extend adds the members that override one another, and what is one name with the subject.
func (l ecma) extend(p *subject) error {
	if y := p.group[0]; !p.r.IsMember(y.File, p.r.Def(y)) && p.r.Def(y).Parent < 0 {
		l.merged(p, y)
		return nil
	}
	return l.importing.extend(p)
}

// merged adds the other definitions of that name at the top of a file of TypeScript, of which one is a type: they are
// one name, which imports bring together.
func (ecma) merged(p *subject, y store.DefID) {
	if p.file(y.File).Lang != syntax.TypeScript {
		return
	}
	var list []store.DefID
	types := 0
	for i := range p.r.DefsOf(y.File) {
		z := store.At(y.File, int32(i))
		if d := p.r.Def(z); d.Name == p.oldName && d.Parent < 0 && d.Owner == 0 {
			list = append(list, z)
			if onlyTypes(d.Kind) {
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
func (ecma) literal(p *subject, f *scan, s *syntax.Site) bool {
	if !p.member || s.Def < 0 || p.in[store.At(f.file, s.Def)] {
		return false
	}
	parent := p.r.Def(store.At(f.file, s.Def)).Parent
	if parent < 0 {
		return false
	}
	kind := p.r.Def(store.At(f.file, parent))
	return holdsValue(kind) || kind.Kind.Callable()
}

// isModule tells a module from a script by a statement that only modules have.
var isModule = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\s*(export|import)\b|\brequire\(|\bmodule\.exports\b|\bexports\.`)
})

// hazards refuses definitions whose uses cannot all be seen, for how their file passes them on.
func (l ecma) hazards(p *mentions) error {
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
		if !l.parametersKnown(p, f) {
			return byHand("%s is declared as a parameter of the constructor", p.old)
		}
	}
	if !p.member && defined > 0 {
		return refused("", "another definition in the same file is called %s, too", p.old)
	}
	return nil
}

// parametersKnown reports whether every definition that a file has in brackets is such a field.
func (l ecma) parametersKnown(p *mentions, f *scan) bool {
	for i := range f.sites {
		s := &f.sites[i]
		if s.Def < 0 || !p.in[store.At(f.file, s.Def)] {
			continue
		}
		open := bracketAround(f.src, s.Start)
		if open < 0 || f.src[open] != '(' {
			continue
		}
		made := l.constructorOf(p.project, f.file, s)
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
func (ecma) constructorOf(p *project, n int32, s *syntax.Site) int32 {
	defs := p.r.DefsOf(n)
	field := &defs[s.Def]
	if field.Kind != syntax.Field {
		return -1
	}
	for i := range defs {
		d := &defs[i]
		list := piece{int(d.Start), int(d.Body)}
		if d.Kind == syntax.Constructor && d.Parent == field.Parent && list.holds(s.Start) {
			return int32(i)
		}
	}
	return -1
}

// parameterOf reports whether a name stands alone in a constructor that declares the field by a parameter.
func (ecma) parameterOf(p *mentions, f *scan, s *syntax.Site) bool {
	return !s.Dots && s.Def < 0 && slices.ContainsFunc(p.made, func(c store.DefID) bool {
		return c.File == f.file && p.holds(f.file, c.Def, s.From)
	})
}

// ruleParameter rules on such a name: it is the parameter, unless something else in the constructor is called like it.
func (ecma) ruleParameter(p *judge, f *scan, s *syntax.Site) (ruling, string) {
	binds := 0
	for _, b := range f.binds {
		for _, c := range p.made {
			if b.Name == p.old && c.File == f.file && p.holds(f.file, c.Def, b.From) {
				binds++
			}
		}
	}
	// In the type of a function.
	declares := strings.IndexByte("(,", s.Before) >= 0 && strings.IndexByte(":?", s.After) >= 0
	if binds > 1 || declares || s.Label {
		return doubt, "the constructor may have another local name that is called like it"
	}
	return meant, ""
}

// unread rules on a token of JavaScript that is no reference, definition or import.
func (l ecma) unread(p *judge, f *scan, s *syntax.Site) (ruling, string) {
	property := s.First || strings.IndexByte("{,;", s.Before) >= 0
	typed := strings.IndexByte(":?", s.After) >= 0
	switch {
	case p.member:
		return l.unreadMember(f, s)
	case !p.samePackage(f.file) && !p.mentionsImport(f):
		return other, ""
	case property && (typed || s.After == '('), s.Before == '(' && typed:
		return other, "" // a property, or a parameter of a function type
	case l.inType(p.mentions, f, s):
		return p.ruleBare(f, s, &store.Ref{Name: p.oldName, Use: syntax.Mention, From: s.From, Line: int32(s.Line)})
	}
	return doubt, "this place was not understood"
}

// unreadMember is unread for the name of a member. What stands alone is none: a parameter, or a word of the language,
// as in import type.
func (ecma) unreadMember(f *scan, s *syntax.Site) (ruling, string) {
	parameter := s.Before == '(' || s.Before == ','
	if parameter && f.src[max(bracketAround(f.src, s.Start), 0)] == '(' || strings.IndexByte(":(?=,};<!", s.After) < 0 {
		return other, ""
	}
	return doubt, "this place was not understood"
}

// special rules on properties, and on parameters that declare a field.
func (l ecma) special(p *judge, f *scan, s *syntax.Site) (what ruling, why string, ok bool) {
	switch {
	case l.literal(p.subject, f, s), p.member && isProperty(f, s):
		what, why = l.ruleProperty(p, f, s)
	case l.parameterOf(p.mentions, f, s):
		what, why = l.ruleParameter(p, f, s)
	default:
		return other, "", false
	}
	return what, why, true
}

// bare rules on a name that stands alone.
func (l ecma) bare(p *judge, f *scan, s *syntax.Site, found meaning.Found) (ruling, string) {
	if slices.ContainsFunc(found.Value.Symbols, p.noScope) {
		return doubt, "it may mean a member of what is around it"
	}
	return l.importing.bare(p, f, s, found)
}

func (ecma) property(f *scan, s *syntax.Site) bool            { return isProperty(f, s) }
func (ecma) outside(p *subject, n, _ int32, expr string) bool { return p.importedOnly(n, expr) }

// loose is so of values whose type has bases of outside the tree, too, where the module may be one of them.
func (l ecma) loose(p *subject, f *scan, y store.DefID) bool {
	return p.member || !p.r.Def(y).Kind.Type() && p.r.Def(y).Type == 0 && l.passes(p, f)
}

// hides finds what brings the name in a way that is not followed: a text, or an import.
func (l ecma) hides(p *mentions, f *scan) {
	if p.member {
		p.hidesCode(f, f.seen.Live+f.seen.Quoted)
		return
	}
	p.hidesCode(f, f.seen.Live)
	if p.names(f) {
		l.loadsUnnamed(p, f)
	}
	l.importsSeen(p, f)
}

// loadsUnnamed finds imports of the subject's module that give it no name.
func (ecma) loadsUnnamed(p *mentions, f *scan) {
	for _, m := range p.r.Tree.ImportsOf(f.file) {
		if m.Local != 0 || m.Name != 0 {
			continue
		}
		v := p.r.Module(m.Module, f.file)
		if v.Kind == meaning.ModuleValue && p.among(p.r.ModuleMember(v, p.oldName).Symbols) != other {
			p.unsure(f, int(m.Line), "the module is loaded without a name")
		}
	}
}

// passes reports whether a file has the definition's module as a value: it can be a part of another
// one, as in { inner: module } and { ...module }.
func (ecma) passes(p *subject, f *scan) bool {
	if p.member {
		return false
	}
	for _, m := range p.r.Tree.ImportsOf(f.file) {
		if m.Local == 0 {
			continue
		}
		v := p.r.ImportValue(m, f.file)
		if v.Kind == meaning.ModuleValue && p.among(p.r.ModuleMember(v, p.oldName).Symbols) != other {
			return true
		}
	}
	return false
}

// beforeType are words behind which the name of a type or value stands.
var beforeType = meaning.WordSet("is extends implements keyof typeof as satisfies new unique")

// inType reports whether a name that the reader passed by is surely meant as what its scope says: a part of a type,
// or a value. Names of parameters, keys and type parameters are not.
func (l ecma) inType(p *mentions, f *scan, s *syntax.Site) bool {
	if s.Dots || slices.ContainsFunc(f.sites, func(o syntax.Site) bool { return l.declaresType(p, &o) }) {
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

// declaresType reports whether a name may be that of a type parameter: <name>, infer name.
func (ecma) declaresType(p *mentions, s *syntax.Site) bool {
	if s.Name != p.old || s.Def >= 0 || len(s.Refs) > 0 || s.Dots || s.Imported {
		return false
	}
	opens := s.Before == '<' || s.Before == ',' || s.First || s.Before == 0
	return opens && (s.After == 0 || s.After == '>' || s.After == ',' || s.After == '=')
}
