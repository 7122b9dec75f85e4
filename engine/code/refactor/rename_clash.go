package refactor

import (
	"slices"
	"strings"
	"unicode"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// keywords that no definition can have as its name.
var (
	goWords = meaning.WordSet("break case chan const continue default defer else fallthrough for func go goto if import interface map package " +
		"range return select struct switch type var")
	pythonWords = meaning.WordSet("False None True and as assert async await break class continue def del elif else except finally for from global " +
		"if import in is lambda nonlocal not or pass raise return try while with yield")
	scriptWords = meaning.WordSet("arguments await break case catch class const continue debugger default delete do else enum eval export extends " +
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
	case p.lang == syntax.Go && meaning.GoNames[name]:
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
	defs := p.r.DefsOf(n)
	for d >= 0 && d < int32(len(defs)) && defs[d].Parent >= 0 {
		d = defs[d].Parent
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
	for n, f := range p.r.Tree.Files {
		if f == nil || store.Family(f.Lang) != p.lang || !p.samePackage(int32(n)) {
			continue
		}
		for _, m := range p.r.Tree.ImportsOf(int32(n)) {
			if p.r.Tree.Lex.Text(m.Local) == p.to {
				p.clash(int32(n), int(m.Line), "an import is called %s", p.to)
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
		if d := p.r.Def(store.At(f.file, s.Def)); d.Parent < 0 && d.Owner == 0 {
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
	y, known := p.r.Tree.Lex.Find(p.to)
	if !known {
		return
	}
	for _, m := range p.group {
		for _, t := range p.ownersOf(m) {
			for _, u := range append(p.r.Subtypes(t), t) {
				for _, other := range p.r.TypeMembers(u, y) {
					p.clash(other.File, int(p.r.Def(other).Line), "%s has it already", p.r.Tree.Lex.Text(p.r.Def(u).Name))
				}
				if p.inheritsUnknown(u) && p.usesNew() {
					name := p.r.Tree.Lex.Text(p.r.Def(u).Name)
					p.clash(u.File, int(p.r.Def(u).Line), "what %s extends is not known here, and %s is used", name, p.to)
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
func (p *renaming) ownersOf(y store.DefID) []store.DefID {
	d := p.r.Def(y)
	if d.Parent >= 0 && p.r.Def(store.At(y.File, d.Parent)).Kind.Type() {
		return []store.DefID{store.At(y.File, d.Parent)}
	}
	return p.r.TypesOf(y)
}

// inheritsUnknown reports whether a type has a base that is none of the tree's, or a base of it has. A base that is
// no type but a variable may be anything.
func (p *renaming) inheritsUnknown(t store.DefID) bool {
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
			known := slices.ContainsFunc(bases, func(b meaning.Target) bool { return p.lang == syntax.Go || p.r.Def(b.DefID).Kind.Type() })
			if !known && !harmlessBases[p.r.Tree.Lex.Text(u.Name)] {
				return true
			}
			for _, b := range bases {
				if p.lang != syntax.Go {
					list = append(list, b.DefID)
				}
			}
		}
	}
	return false
}

// harmlessBases have no members that a class could meet by accident.
var harmlessBases = meaning.WordSet("object Exception ABC Protocol Generic Enum NamedTuple TypedDict error Error")

// outsideBases says why code outside the tree may call a method of a class.
func (p *renaming) outsideBases(y store.DefID) string {
	for _, t := range p.ownersOf(y) {
		for _, u := range append(p.r.Subtypes(t), t) {
			if p.inheritsUnknown(u) && !strings.HasPrefix(p.old, "_") {
				return "what " + p.r.Tree.Lex.Text(p.r.Def(u).Name) + " extends is not known here"
			}
		}
	}
	return ""
}
