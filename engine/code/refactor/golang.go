package refactor

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// golang is Go.
type golang struct{ common }

// goWords are those that no definition can have as its name.
var goWords = meaning.WordSet("break case chan const continue default defer else fallthrough for func go goto if import interface " +
	"map package range return select struct switch type var")

func (golang) badName(name string) string {
	if why := notNamed(name, "", goWords); why != "" || !meaning.GoNames[name] {
		return why
	}
	return "is a name of Go's own"
}

func (golang) visible(name string) (exported, private bool) { return upper(name), !upper(name) }
func (golang) grouped(k syntax.Kind) bool                   { return k == syntax.Constant || k == syntax.Variable }

// written leaves the declarations of members, and keys of literals, to the rule for members.
func (golang) written(p *subject, _ *scan, s *syntax.Site, to string) (string, bool) {
	return to, !s.Dots && !p.member
}

func (golang) imports() bool                     { return false }
func (golang) samePackage(f, g *store.File) bool { return g.Dir() == f.Dir() && g.Package == f.Package }

// hides finds nothing but code in texts: what Go imports are packages.
func (golang) hides(p *mentions, f *scan) { p.hidesCode(f, f.seen.Live) }

// loose is never so: what an embedded type of outside has is none of the tree's.
func (golang) loose(*subject, *scan, store.DefID) bool { return false }

// outside reports whether an expression that leads out of the tree stays there: what it gives cannot be a value of the
// tree's types, as it could be where code of others is generic.
func (golang) outside(p *subject, n, from int32, expr string) bool {
	return p.leaves(n, from, expr, maxOutside)
}

func (golang) public(p *subject, f *store.File) bool {
	return p.spelled(f.Package) != "main" && !strings.Contains("/"+f.Dir()+"/", "/internal/")
}

// extend adds embedded fields of a type, and the methods that implement one another.
func (l golang) extend(p *subject) error {
	y := p.group[0]
	d := p.r.Def(y)
	switch {
	case d.Kind.Type():
		l.embeddings(p, y)
	case d.Kind == syntax.Field && l.isEmbedded(p, y):
		return refused("Rename the type.", "%s is named by the type that it embeds", p.id())
	case d.Kind.Callable() && p.r.IsMember(y.File, d):
		return l.overrides(p)
	}
	return nil
}

// overrides adds the methods that implement that of an interface, and those that it implements.
func (l golang) overrides(p *subject) error {
	if y := p.group[0]; p.r.Def(y).Owner != 0 {
		return l.concrete(p, y)
	}
	err := p.spread(func(m store.DefID) string { return l.asked(p, m) }, func(m store.DefID) error {
		for over := range p.r.Over(m) {
			p.add(over)
		}
		for _, under := range p.r.Under(m) {
			p.add(under)
		}
		if p.r.Clock.Ended || len(p.group) > meaning.MaxSubtypes {
			return refused("", "too many methods implement or override %s", p.old)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return l.promoted(p)
}

// asked says why code outside the tree may ask for a method; "" if none is known to.
func (l golang) asked(p *subject, y store.DefID) string {
	if !p.exported {
		return ""
	}
	for _, t := range p.r.TypesOf(y) {
		for _, u := range append(p.r.Subtypes(t), t) {
			if name := l.libraryInterface(p, u); name != "" {
				return "the type has the methods of " + name + " of Go's library"
			}
			if l.embedsUnknown(p.project, u) {
				return p.spelled(p.r.Def(u).Name) + " embeds a type that is not known here, which may have this method"
			}
		}
	}
	return ""
}

// inheritsUnknown reports whether a type embeds one that is none of the tree's.
func (golang) inheritsUnknown(p *project, t store.DefID) bool {
	return slices.ContainsFunc(p.r.Tree.BasesIn(t.File), func(u store.Ref) bool {
		return u.From == t.Def && len(p.r.Resolve(t.File, &u)) == 0 && !harmlessBases[p.spelled(u.Name)]
	})
}

// special rules on the type before a method, and on members of types that have no name.
func (l golang) special(p *judge, f *scan, s *syntax.Site) (what ruling, why string, ok bool) {
	switch {
	case s.Label || s.Def >= 0 && len(s.Refs) == 0:
		return other, "", false
	case s.Owner:
		what, why = l.ruleOwner(p, f)
		return what, why, true
	case s.Nameless:
		what, why = l.ruleNameless(p)
		return what, why, true
	}
	return other, "", false
}

// bare rules on a name that stands alone.
func (golang) bare(p *judge, f *scan, s *syntax.Site, found meaning.Found) (ruling, string) {
	what, why := p.ruleFound(s, found)
	if what == other && !p.member && p.samePackage(f.file) && !otherMeaning(found) {
		return doubt, "it was not found what this means"
	}
	return what, why
}

// otherMeaning reports whether a lookup found something: a local type, a package, a definition.
func otherMeaning(f meaning.Found) bool {
	switch f.Value.Kind {
	case meaning.SymbolValue, meaning.ModuleValue:
		return true
	}
	return f.Value.Kind == meaning.ExternalValue && f.Level == meaning.Imported
}

// unread rules on a token that the reader of Go passed by.
func (l golang) unread(p *judge, f *scan, s *syntax.Site) (ruling, string) {
	switch {
	case s.Key:
		return l.ruleKey(p, f)
	case !p.member && p.samePackage(f.file):
		return doubt, "this place was not understood"
	}
	return other, ""
}

func isGoTest(name string) string {
	for _, prefix := range []string{"Test", "Benchmark", "Example", "Fuzz"} {
		if strings.HasPrefix(name, prefix) {
			return prefix
		}
	}
	return ""
}

func upper(name string) bool {
	first, _ := utf8.DecodeRuneInString(name)
	return unicode.IsUpper(first)
}

// fixed refuses what Go, its linker and its tests find by name.
func (golang) fixed(p *subject, f *store.File, d *store.Def, to string) error {
	function := d.Kind == syntax.Function
	top := d.Owner == 0 && d.Parent < 0
	switch {
	case top && (p.old == "main" || p.old == "init"), p.old == "_":
		return p.meaningFrom("Go")
	case f.Test && function && isGoTest(p.old) != isGoTest(to):
		return refused("", "go test would take %s and %s for different things", p.old, to)
	case function && d.Body >= d.End:
		return refused("", "%s has no body here: it is linked by its name", p.old)
	}
	return nil
}

// embeddings adds the fields that embed the type y: they have its name.
func (l golang) embeddings(p *subject, y store.DefID) {
	p.r.Mentioning(p.oldName, false, func(n int32) {
		if p.file(n).Lang != syntax.Go {
			return
		}
		defs := p.r.DefsOf(n)
		for i := range defs {
			if d := &defs[i]; d.Name != p.oldName || d.Kind != syntax.Field || d.Type == 0 {
				continue
			}
			f := store.At(n, int32(i))
			if l.isEmbedded(p, f) && slices.Contains(p.r.TypeOf(f).Symbols, y) {
				p.add(f)
			}
		}
	})
}

// isEmbedded reports whether a field of Go has no name but that of its type.
func (golang) isEmbedded(p *subject, y store.DefID) bool {
	d := p.r.Def(y)
	typ := p.spelled(d.Type)
	if typ != p.old && !strings.HasSuffix(typ, "."+p.old) {
		return false
	}
	src, err := p.r.Tree.Text(p.ctx, p.file(y.File).Path)
	if err != nil || int(d.End) > len(src) || store.Digest(src) != p.file(y.File).Digest {
		return true
	}
	after := string(bytes.TrimLeft(src[d.End:], " \t"))
	return after == "" || strings.IndexByte("\n;}`\"/[", after[0]) >= 0 || strings.HasPrefix(after, "\r\n")
}

// concrete refuses to rename the method of a type by which the type implements an interface.
func (l golang) concrete(p *subject, y store.DefID) error {
	if p.exported {
		if why := l.asked(p, y); why != "" {
			return refused("", "%s: %s", p.id(), why)
		}
	}
	for _, t := range p.r.TypesOf(y) {
		for _, u := range append(p.r.Subtypes(t), t) {
			for _, m := range p.r.Above(u, p.oldName) {
				return refused("Give "+p.r.Tree.Symbol(m).ID+" instead: all that implement it change with it.",
					"by %s, %s may implement an interface", p.id(), p.spelled(p.r.Def(u).Name))
			}
		}
	}
	return nil
}

// promoted refuses where a type implements a renamed interface by a method that it has from what it embeds.
func (golang) promoted(p *subject) error {
	var interfaces []store.DefID
	for _, m := range p.group {
		if d := p.r.Def(m); d.Parent >= 0 {
			interfaces = append(interfaces, store.At(m.File, d.Parent))
		}
	}
	var bad error
	p.r.Mentioning(p.oldName, false, func(n int32) {
		defs := p.r.DefsOf(n)
		for k := range defs {
			m := store.At(n, int32(k))
			if d := &defs[k]; d.Name != p.oldName || d.Owner == 0 || !d.Kind.Callable() || p.in[m] || bad != nil {
				continue
			}
			for _, t := range p.r.TypesOf(m) {
				for _, u := range p.r.Subtypes(t) {
					for _, i := range interfaces {
						if p.r.Satisfies(u, i) {
							bad = refused("", "%s implements the interface by %s, which it embeds",
								p.r.Tree.Symbol(u).ID, p.r.Tree.Symbol(m).ID)
						}
					}
				}
			}
		}
	})
	return bad
}

// embedsUnknown reports whether a type of Go embeds one of outside the tree: a method of its own may stand in the place
// of that one's, where an interface asks for it. What package sync has is embedded for its locks.
func (golang) embedsUnknown(p *project, t store.DefID) bool {
	for _, u := range p.r.Tree.BasesIn(t.File) {
		if u.From == t.Def && p.spelled(u.Qual) != "sync" && len(p.r.Resolve(t.File, &u)) == 0 {
			return true
		}
	}
	return false
}

// libraryInterface names an interface of Go's library that has the old name and all of whose methods the type t has.
func (l golang) libraryInterface(p *subject, t store.DefID) string {
	for line := range strings.SplitSeq(libraryInterfaces, "\n") {
		name, methods, _ := strings.Cut(line, ": ")
		list := strings.Fields(methods)
		if !slices.Contains(list, p.old) {
			continue
		}
		if !slices.ContainsFunc(list, func(m string) bool { return !l.hasMethod(p, t, m) }) {
			return name
		}
	}
	return ""
}

func (golang) hasMethod(p *subject, t store.DefID, name string) bool {
	if name == p.old {
		return true
	}
	y, ok := p.r.Tree.Lex.Find(name)
	return ok && len(p.r.TypeMembers(t, y)) > 0
}

// words looks for the name in files of another kind that names Go's functions: those of its assembler.
func (golang) words(p *mentions) error {
	if p.member {
		return nil
	}
	listing, err := p.r.Tree.Source.Files(p.ctx)
	if err != nil {
		return err
	}
	for _, e := range listing.Files {
		if !strings.HasSuffix(e.Path, ".s") || store.DirOf(e.Path) != p.home {
			continue
		}
		src, err := p.r.Tree.Text(p.ctx, e.Path)
		if err != nil {
			return err
		}
		if bytes.Contains(src, []byte("·"+p.old)) {
			p.open = append(p.open, place(e.Path, 1, "assembler names it"))
		}
	}
	return nil
}

// ruleOwner rules on the type before a method of Go: it is one of its own package.
func (golang) ruleOwner(p *judge, f *scan) (ruling, string) {
	if !p.member && p.samePackage(f.file) && p.r.Def(p.group[0]).Kind.Type() {
		return meant, ""
	}
	return other, ""
}

// ruleNameless rules on a member of a type that has no name. A method of one may ask for the method that is renamed.
func (golang) ruleNameless(p *judge) (ruling, string) {
	if p.member && p.r.Def(p.group[0]).Kind.Callable() {
		return doubt, "a type without a name has a method of this name"
	}
	return other, ""
}

// ruleKey rules on what stands before a colon in a literal of Go whose type is not known here.
func (golang) ruleKey(p *judge, f *scan) (ruling, string) {
	switch {
	case p.member && p.r.Def(p.group[0]).Kind != syntax.Field:
		return other, ""
	case p.member && p.alone && p.samePackage(f.file):
		return doubt, "the type of the literal is not known"
	case p.member && p.canReach(f.file):
		return doubt, "the type of the literal is not known"
	case !p.member && p.samePackage(f.file):
		return doubt, "the type of the literal is not known: it may be a key or a field"
	}
	return other, ""
}
