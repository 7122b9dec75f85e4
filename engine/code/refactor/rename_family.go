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

// extend adds to the group what has to have the same name: versions of the definition for other systems, embedded
// fields of a type, and the methods that implement or override one another.
func (p *renaming) extend() error {
	y := p.group[0]
	d := p.r.Def(y)
	switch {
	case p.lang == syntax.Go && d.Kind.Type():
		p.embeddings(y)
	case p.lang == syntax.Go && d.Kind == syntax.Field:
		if p.isEmbedded(y) {
			return refused("Rename the type.", "%s is named by the type that it embeds", p.changes.Of.ID)
		}
	case d.Kind.Callable() && p.r.IsMember(y.File, d):
		return p.overrides()
	case p.lang != syntax.Go && p.r.IsMember(y.File, d):
		return p.overrides()
	case p.lang == syntax.JavaScript && d.Parent < 0:
		p.merged(y)
	}
	return nil
}

// merged adds the other definitions of that name at the top of a file of TypeScript, of which one is a type: they are
// one name, which imports bring together.
func (p *renaming) merged(y store.DefID) {
	if p.r.Tree.Files[y.File].Lang != syntax.TypeScript {
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

// embeddings adds the fields that embed the type y: they have its name.
func (p *renaming) embeddings(y store.DefID) {
	p.r.Mentioning(p.oldName, false, func(n int32) {
		if p.r.Tree.Files[n].Lang != syntax.Go {
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
func (p *renaming) isEmbedded(y store.DefID) bool {
	d := p.r.Def(y)
	typ := p.r.Tree.Lex.Text(d.Type)
	if typ != p.old && !strings.HasSuffix(typ, "."+p.old) {
		return false
	}
	src, err := p.r.Tree.Text(p.ctx, p.r.Tree.Files[y.File].Path)
	if err != nil || int(d.End) > len(src) || store.Digest(src) != p.r.Tree.Files[y.File].Digest {
		return true
	}
	after := bytes.TrimLeft(src[d.End:], " \t")
	return len(after) == 0 || bytes.IndexByte([]byte("\n;}`\"/["), after[0]) >= 0 || bytes.HasPrefix(after, []byte("\r\n"))
}

// overrides adds the methods that implement or override the definition, and those that it implements or overrides.
func (p *renaming) overrides() error {
	y := p.group[0]
	if p.lang == syntax.Go && p.r.Def(y).Owner != 0 {
		return p.concrete(y)
	}
	for k := 0; k < len(p.group); k++ {
		m := p.group[k]
		if why := p.askedFromOutside(m); why != "" {
			return refused("", "%s: %s", p.r.Tree.Symbol(m).ID, why)
		}
		if p.lang != syntax.Go {
			p.kin(m)
			continue
		}
		for over := range p.r.Over(m) {
			p.add(over)
		}
		for _, under := range p.r.Under(m) {
			p.add(under)
		}
		if p.r.Clock.Ended || len(p.group) > meaning.MaxSubtypes {
			return refused("", "too many methods implement or override %s", p.old)
		}
	}
	slices.SortStableFunc(p.group[1:], func(a, b store.DefID) int {
		if a.File != b.File {
			return p.r.Tree.ByPath(a.File, b.File)
		}
		return int(a.Def) - int(b.Def)
	})
	if p.lang == syntax.Go {
		return p.promoted()
	}
	return nil
}

// kin adds the members of that name in the types above and below, methods and fields alike.
func (p *renaming) kin(m store.DefID) {
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
}

// concrete refuses to rename the method of a type by which the type implements an interface.
func (p *renaming) concrete(y store.DefID) error {
	if p.exported {
		if why := p.askedFromOutside(y); why != "" {
			return refused("", "%s: %s", p.changes.Of.ID, why)
		}
	}
	for _, t := range p.r.TypesOf(y) {
		for _, u := range append(p.r.Subtypes(t), t) {
			for _, m := range p.r.Above(u, p.oldName) {
				return refused("Give "+p.r.Tree.Symbol(m).ID+" instead: all that implement it change with it.",
					"by %s, %s may implement an interface", p.changes.Of.ID, p.r.Tree.Lex.Text(p.r.Def(u).Name))
			}
		}
	}
	return nil
}

// promoted refuses where a type implements a renamed interface by a method that it has from what it embeds.
func (p *renaming) promoted() error {
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

// askedFromOutside says why code outside the tree may ask for a method; "" if none is known to.
func (p *renaming) askedFromOutside(y store.DefID) string {
	if p.lang != syntax.Go {
		return p.outsideBases(y)
	}
	if !p.exported {
		return ""
	}
	for _, t := range p.r.TypesOf(y) {
		for _, u := range append(p.r.Subtypes(t), t) {
			if name := p.libraryInterface(u); name != "" {
				return "the type has the methods of " + name + " of Go's library"
			}
			if p.embedsUnknown(u) {
				return p.r.Tree.Lex.Text(p.r.Def(u).Name) + " embeds a type that is not known here, which may have this method"
			}
		}
	}
	return ""
}

// embedsUnknown reports whether a type of Go embeds one of outside the tree: a method of its own may stand in the place
// of that one's, where an interface asks for it. What package sync has is embedded for its locks.
func (p *renaming) embedsUnknown(t store.DefID) bool {
	for _, u := range p.r.Tree.BasesIn(t.File) {
		if u.From == t.Def && p.r.Tree.Lex.Text(u.Qual) != "sync" && len(p.r.Resolve(t.File, &u)) == 0 {
			return true
		}
	}
	return false
}

// libraryInterface names an interface of Go's library that has the old name and all of whose methods the type t has.
func (p *renaming) libraryInterface(t store.DefID) string {
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

func (p *renaming) hasMethod(t store.DefID, name string) bool {
	if name == p.old {
		return true
	}
	y, ok := p.r.Tree.Lex.Find(name)
	return ok && len(p.r.TypeMembers(t, y)) > 0
}

func upper(name string) bool {
	first, _ := utf8.DecodeRuneInString(name)
	return unicode.IsUpper(first)
}

// onlyMember reports whether all members of that name in the package of an unexported one are renamed: then it does not
// matter of which type a value is.
func (p *renaming) onlyMember() bool {
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
func (p *renaming) foreignWords() error {
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
