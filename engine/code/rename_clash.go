package code

import (
	"slices"
	"strings"
	"unicode"

	"helve/engine/code/internal/syntax"
)

// keywords that no definition can have as its name.
var (
	goWords = set("break case chan const continue default defer else fallthrough for func go goto if import interface map package " +
		"range return select struct switch type var")
	pythonWords = set("False None True and as assert async await break class continue def del elif else except finally for from global " +
		"if import in is lambda nonlocal not or pass raise return try while with yield")
	scriptWords = set("arguments await break case catch class const continue debugger default delete do else enum eval export extends " +
		"false finally for function if implements import in instanceof interface let new null package private protected public return " +
		"static super switch this throw true try typeof undefined var void while with yield any boolean never number object string " +
		"symbol unknown constructor")
)

// badName says why a text cannot be a name, "" if it can.
func (p *renaming) badName(name string) string {
	for i, c := range name {
		letter := c == '_' || unicode.IsLetter(c) || c == '$' && p.lang == syntax.JavaScript
		if !letter && (i == 0 || !unicode.IsDigit(c)) {
			return "is no name"
		}
	}
	words := map[syntax.Language]map[string]bool{syntax.Go: goWords, syntax.Python: pythonWords, syntax.JavaScript: scriptWords}
	switch {
	case name == "" || name == "_":
		return "is no name"
	case words[p.lang][name]:
		return "is a word of the language"
	case p.lang == syntax.Go && goOwn[name]:
		return "is a name of Go's own"
	}
	return ""
}

// collisions finds what has the new name where that would change what either of the two means.
func (p *renaming) collisions() {
	if p.lang == syntax.Go && upper(p.old) && !upper(p.to) {
		p.hidden()
	}
	if p.member {
		p.memberCollisions()
	} else {
		p.topCollisions()
	}
	for _, b := range p.bare {
		p.captured(b)
	}
}

// hidden refuses to make private what other packages use.
func (p *renaming) hidden() {
	for _, f := range p.found {
		if len(f.edits) > 0 && !p.samePackage(f.file) {
			p.clash(f.file, 1, "another package uses it, and %s is not exported", p.to)
		}
	}
}

// captured finds a local name around a place that would take the new name's meaning.
func (p *renaming) captured(b site) {
	if p.member && p.lang == syntax.Go {
		return // its declaration, and the keys of literals
	}
	for _, local := range b.in.binds {
		if local.Name != p.to {
			continue
		}
		if local.From < 0 || p.outermost(b.in.file, local.From) == p.outermost(b.in.file, b.From) {
			p.clash(b.in.file, b.Line, "a local name is called %s", p.to)
			return
		}
	}
}

// outermost is the definition around d that stands in none.
func (p *renaming) outermost(n, d int32) int32 {
	defs := p.r.defsOf(n)
	for d >= 0 && d < int32(len(defs)) && defs[d].parent >= 0 {
		d = defs[d].parent
	}
	return d
}

// topCollisions finds other definitions, imports and uses of the new name wherever the definition can be named alone.
func (p *renaming) topCollisions() {
	for _, f := range p.found {
		if !p.samePackage(f.file) && !p.brings(f) {
			continue
		}
		for i := range f.sites {
			p.topCollision(f, &f.sites[i])
		}
		for _, b := range f.binds {
			if b.Name == p.to && b.From < 0 {
				p.clash(f.file, 1, "a name at the top of the file")
			}
		}
	}
	for n, f := range p.r.s.files {
		if f == nil || family(f.lang) != p.lang || !p.samePackage(int32(n)) {
			continue
		}
		for _, m := range p.r.s.importsOf(int32(n)) {
			if p.r.s.lex.text(m.local) == p.to {
				p.clash(int32(n), int(m.line), "an import is called %s", p.to)
			}
		}
	}
}

// brings reports whether the new name will stand alone somewhere in a file.
func (p *renaming) brings(f *scan) bool {
	for _, b := range p.bare {
		if b.in == f {
			return true
		}
	}
	return false
}

func (p *renaming) topCollision(f *scan, s *syntax.Site) {
	if s.Name != p.to || s.Dots || s.Key || s.Label || s.Nameless {
		return
	}
	if s.Def >= 0 {
		if d := p.r.def(symbol{f.file, s.Def}); d.parent < 0 && d.owner == 0 {
			p.clash(f.file, s.Line, "%s is defined here", p.to)
		}
		return
	}
	for _, u := range s.Refs {
		if u.Qualifier == 0 {
			p.clash(f.file, s.Line, "%s means something else here", p.to)
			return
		}
	}
	if s.Imported {
		p.clash(f.file, s.Line, "an import is called %s", p.to)
	}
}

// memberCollisions finds members of the new name in the types that have the definition, and in those that extend or
// embed them.
func (p *renaming) memberCollisions() {
	y, known := p.r.s.lex.find(p.to)
	if !known {
		return
	}
	for _, m := range p.group {
		for _, t := range p.ownersOf(m) {
			for _, u := range append(p.r.subtypes(t), t) {
				for _, other := range p.r.typeMembers(u, y) {
					p.clash(other.file, int(p.r.def(other).line), "%s has it already", p.r.s.lex.text(p.r.def(u).name))
				}
				if p.inheritsUnknown(u) && p.usesNew() {
					name := p.r.s.lex.text(p.r.def(u).name)
					p.clash(u.file, int(p.r.def(u).line), "what %s extends is not known here, and %s is used", name, p.to)
				}
			}
		}
	}
}

// usesNew reports whether the new name is used as a member anywhere that was looked at.
func (p *renaming) usesNew() bool {
	for _, f := range p.found {
		for i := range f.sites {
			if s := &f.sites[i]; s.Name == p.to && s.Dots {
				return true
			}
		}
	}
	return false
}

// ownersOf are the types that have a member, methods and fields alike.
func (p *renaming) ownersOf(y symbol) []symbol {
	d := p.r.def(y)
	if d.parent >= 0 && p.r.def(symbol{y.file, d.parent}).kind.Type() {
		return []symbol{{y.file, d.parent}}
	}
	return p.r.typesOf(y)
}

// inheritsUnknown reports whether a type has a base that is none of the tree's, or a base of it has. A base that is no type
// but a variable may be anything.
func (p *renaming) inheritsUnknown(t symbol) bool {
	seen := map[symbol]bool{}
	for list := []symbol{t}; len(list) > 0 && len(seen) <= maxSubtypes; {
		t, list = list[0], list[1:]
		if seen[t] {
			continue
		}
		seen[t] = true
		for _, u := range p.r.s.basesIn(t.file) {
			if u.from != t.def {
				continue
			}
			bases := p.r.resolve(t.file, &u)
			known := slices.ContainsFunc(bases, func(b target) bool { return p.lang == syntax.Go || p.r.def(b.symbol).kind.Type() })
			if !known && !harmlessBases[p.r.s.lex.text(u.name)] {
				return true
			}
			for _, b := range bases {
				if p.lang != syntax.Go {
					list = append(list, b.symbol)
				}
			}
		}
	}
	return false
}

// harmlessBases have no members that a class could meet by accident.
var harmlessBases = set("object Exception ABC Protocol Generic Enum NamedTuple TypedDict error Error")

// outsideBases says why code outside the tree may call a method of a class.
func (p *renaming) outsideBases(y symbol) string {
	for _, t := range p.ownersOf(y) {
		for _, u := range append(p.r.subtypes(t), t) {
			if p.inheritsUnknown(u) && !strings.HasPrefix(p.old, "_") {
				return "what " + p.r.s.lex.text(p.r.def(u).name) + " extends is not known here"
			}
		}
	}
	return ""
}
