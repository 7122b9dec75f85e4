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

// fixedGo refuses what Go, its linker and its tests find by name.
func (p *subject) fixedGo(f *store.File, d *store.Def, to string) error {
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
func (p *subject) embeddings(y store.DefID) {
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
			if p.isEmbedded(f) && slices.Contains(p.r.TypeOf(f).Symbols, y) {
				p.add(f)
			}
		}
	})
}

// isEmbedded reports whether a field of Go has no name but that of its type.
func (p *subject) isEmbedded(y store.DefID) bool {
	d := p.r.Def(y)
	typ := p.spelled(d.Type)
	if typ != p.old && !strings.HasSuffix(typ, "."+p.old) {
		return false
	}
	src, err := p.r.Tree.Text(p.ctx, p.file(y.File).Path)
	if err != nil || int(d.End) > len(src) || store.Digest(src) != p.file(y.File).Digest {
		return true
	}
	after := bytes.TrimLeft(src[d.End:], " \t")
	return len(after) == 0 || bytes.IndexByte([]byte("\n;}`\"/["), after[0]) >= 0 || bytes.HasPrefix(after, []byte("\r\n"))
}

// concrete refuses to rename the method of a type by which the type implements an interface.
func (p *subject) concrete(y store.DefID) error {
	if p.exported {
		if why := p.askedFromOutside(y); why != "" {
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
func (p *subject) promoted() error {
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
func (p *project) embedsUnknown(t store.DefID) bool {
	for _, u := range p.r.Tree.BasesIn(t.File) {
		if u.From == t.Def && p.spelled(u.Qual) != "sync" && len(p.r.Resolve(t.File, &u)) == 0 {
			return true
		}
	}
	return false
}

// libraryInterface names an interface of Go's library that has the old name and all of whose methods the type t has.
func (p *subject) libraryInterface(t store.DefID) string {
	for line := range strings.SplitSeq(libraryInterfaces, "\n") {
		name, methods, _ := strings.Cut(line, ": ")
		list := strings.Fields(methods)
		if !slices.Contains(list, p.old) {
			continue
		}
		if !slices.ContainsFunc(list, func(m string) bool { return !p.hasMethod(t, m) }) {
			return name
		}
	}
	return ""
}

func (p *subject) hasMethod(t store.DefID, name string) bool {
	if name == p.old {
		return true
	}
	y, ok := p.r.Tree.Lex.Find(name)
	return ok && len(p.r.TypeMembers(t, y)) > 0
}

// onlyMember reports whether the subject is an unexported member in Go, and all members of that name in its package are
// meant: then it does not matter of which type a value is.
func (p *mentions) onlyMember() bool {
	if p.lang != syntax.Go || !p.member || p.exported {
		return false
	}
	for _, f := range p.found {
		for i := range f.sites {
			s := &f.sites[i]
			if s.Name != p.old {
				continue
			}
			if s.Nameless {
				return false
			}
			if s.Def < 0 || p.in[store.At(f.file, s.Def)] {
				continue
			}
			if y := (store.At(f.file, s.Def)); p.r.IsMember(f.file, p.r.Def(y)) {
				return false
			}
		}
	}
	return true
}

// foreignWords looks for the name in files of another kind that name Go's functions: those of its assembler.
func (p *mentions) foreignWords() error {
	if p.lang != syntax.Go || p.member {
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
func (p *judge) ruleOwner(f *scan) (ruling, string) {
	if !p.member && p.samePackage(f.file) && p.r.Def(p.group[0]).Kind.Type() {
		return meant, ""
	}
	return other, ""
}

// ruleNameless rules on a member of a type that has no name. A method of one may ask for the method that is renamed.
func (p *judge) ruleNameless() (ruling, string) {
	if p.member && p.r.Def(p.group[0]).Kind.Callable() {
		return doubt, "a type without a name has a method of this name"
	}
	return other, ""
}

// ruleKey rules on what stands before a colon in a literal of Go whose type is not known here.
func (p *judge) ruleKey(f *scan, s *syntax.Site) (ruling, string) {
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

// ruleMapKey rules on a key of a literal whose type has no such field.
func (p *judge) ruleMapKey(f *scan, s *syntax.Site, v meaning.Value, u *store.Ref) (ruling, string) {
	for _, y := range v.Symbols {
		if p.r.Def(y).Kind == syntax.Struct {
			return other, ""
		}
	}
	if p.member {
		return other, ""
	}
	return p.ruleBare(f, &syntax.Site{Name: s.Name, From: s.From}, &store.Ref{Name: u.Name, Use: u.Use, From: u.From, Line: u.Line})
}
