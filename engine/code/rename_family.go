package code

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"helve/engine/code/internal/syntax"
)

// extend adds to the group what has to have the same name: versions of the definition for other systems, embedded
// fields of a type, and the methods that implement or override one another.
func (p *renaming) extend() error {
	y := p.group[0]
	d := p.r.def(y)
	switch {
	case p.lang == syntax.Go && d.kind.Type():
		p.embeddings(y)
	case p.lang == syntax.Go && d.kind == syntax.Field:
		if p.isEmbedded(y) {
			return refused("Rename the type.", "%s is named by the type that it embeds", p.changes.Of.ID)
		}
	case d.kind.Callable() && p.r.isMember(y.file, d):
		return p.overrides()
	case p.lang != syntax.Go && p.r.isMember(y.file, d):
		return p.overrides()
	case p.lang == syntax.JavaScript && d.parent < 0:
		p.merged(y)
	}
	return nil
}

// merged adds the other definitions of that name at the top of a file of TypeScript, of which one is a type: they are one name,
// which imports bring together.
func (p *renaming) merged(y symbol) {
	if p.r.s.files[y.file].lang != syntax.TypeScript {
		return
	}
	var list []symbol
	types := 0
	for i := range p.r.defsOf(y.file) {
		z := symbol{y.file, int32(i)}
		if d := p.r.def(z); d.name == p.oldName && d.parent < 0 && d.owner == 0 {
			list = append(list, z)
			if d.kind == syntax.Interface || d.kind == syntax.Alias {
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
func (p *renaming) embeddings(y symbol) {
	p.r.mentioning(p.oldName, false, func(n int32) {
		if p.r.s.files[n].lang != syntax.Go {
			return
		}
		defs := p.r.defsOf(n)
		for i := range defs {
			if d := &defs[i]; d.name != p.oldName || d.kind != syntax.Field || d.typ == 0 {
				continue
			}
			f := symbol{n, int32(i)}
			if p.isEmbedded(f) && slices.Contains(p.r.typeOf(f).syms, y) {
				p.add(f)
			}
		}
	})
}

// isEmbedded reports whether a field of Go has no name but that of its type.
func (p *renaming) isEmbedded(y symbol) bool {
	d := p.r.def(y)
	typ := p.r.s.lex.text(d.typ)
	if typ != p.old && !strings.HasSuffix(typ, "."+p.old) {
		return false
	}
	src, err := p.r.s.text(p.ctx, p.r.s.files[y.file].Path)
	if err != nil || int(d.end) > len(src) || digest(src) != p.r.s.files[y.file].digest {
		return true
	}
	after := bytes.TrimLeft(src[d.end:], " \t")
	return len(after) == 0 || bytes.IndexByte([]byte("\n;}`\"/["), after[0]) >= 0 || bytes.HasPrefix(after, []byte("\r\n"))
}

// overrides adds the methods that implement or override the definition, and those that it implements or overrides.
func (p *renaming) overrides() error {
	y := p.group[0]
	if p.lang == syntax.Go && p.r.def(y).owner != 0 {
		return p.concrete(y)
	}
	for k := 0; k < len(p.group); k++ {
		m := p.group[k]
		if why := p.askedFromOutside(m); why != "" {
			return refused("", "%s: %s", p.r.s.symbol(m).ID, why)
		}
		if p.lang != syntax.Go {
			p.kin(m)
			continue
		}
		for over := range p.r.over(m) {
			p.add(over)
		}
		for _, under := range p.r.under(m) {
			p.add(under)
		}
		if p.r.clock.ended || len(p.group) > maxSubtypes {
			return refused("", "too many methods implement or override %s", p.old)
		}
	}
	slices.SortStableFunc(p.group[1:], func(a, b symbol) int {
		if a.file != b.file {
			return p.r.s.byPath(a.file, b.file)
		}
		return int(a.def) - int(b.def)
	})
	if p.lang == syntax.Go {
		return p.promoted()
	}
	return nil
}

// kin adds the members of that name in the types above and below, methods and fields alike.
func (p *renaming) kin(m symbol) {
	for _, t := range p.ownersOf(m) {
		for _, over := range p.r.above(t, p.oldName) {
			p.add(over)
		}
		for _, sub := range p.r.subtypes(t) {
			for _, under := range p.r.ownMembers(sub, p.oldName) {
				p.add(under)
			}
		}
	}
}

// concrete refuses to rename the method of a type by which the type implements an interface.
func (p *renaming) concrete(y symbol) error {
	if p.exported {
		if why := p.askedFromOutside(y); why != "" {
			return refused("", "%s: %s", p.changes.Of.ID, why)
		}
	}
	for _, t := range p.r.typesOf(y) {
		for _, u := range append(p.r.subtypes(t), t) {
			for _, m := range p.r.above(u, p.oldName) {
				return refused("Give "+p.r.s.symbol(m).ID+" instead: all that implement it change with it.",
					"by %s, %s may implement an interface", p.changes.Of.ID, p.r.s.lex.text(p.r.def(u).name))
			}
		}
	}
	return nil
}

// promoted refuses where a type implements a renamed interface by a method that it has from what it embeds.
func (p *renaming) promoted() error {
	var interfaces []symbol
	for _, m := range p.group {
		if d := p.r.def(m); d.parent >= 0 {
			interfaces = append(interfaces, symbol{m.file, d.parent})
		}
	}
	var bad error
	p.r.mentioning(p.oldName, false, func(n int32) {
		defs := p.r.defsOf(n)
		for k := range defs {
			m := symbol{n, int32(k)}
			if d := &defs[k]; d.name != p.oldName || d.owner == 0 || !d.kind.Callable() || p.in[m] || bad != nil {
				continue
			}
			for _, t := range p.r.typesOf(m) {
				for _, u := range p.r.subtypes(t) {
					for _, i := range interfaces {
						if p.r.satisfies(u, i) {
							bad = refused("", "%s implements the interface by %s, which it embeds",
								p.r.s.symbol(u).ID, p.r.s.symbol(m).ID)
						}
					}
				}
			}
		}
	})
	return bad
}

// askedFromOutside says why code outside the tree may ask for a method; "" if none is known to.
func (p *renaming) askedFromOutside(y symbol) string {
	if p.lang != syntax.Go {
		return p.outsideBases(y)
	}
	if !p.exported {
		return ""
	}
	for _, t := range p.r.typesOf(y) {
		for _, u := range append(p.r.subtypes(t), t) {
			if name := p.libraryInterface(u); name != "" {
				return "the type has the methods of " + name + " of Go's library"
			}
			if p.embedsUnknown(u) {
				return p.r.s.lex.text(p.r.def(u).name) + " embeds a type that is not known here, which may have this method"
			}
		}
	}
	return ""
}

// embedsUnknown reports whether a type of Go embeds one of outside the tree: a method of its own may stand in the place
// of that one's, where an interface asks for it. What package sync has is embedded for its locks.
func (p *renaming) embedsUnknown(t symbol) bool {
	for _, u := range p.r.s.basesIn(t.file) {
		if u.from == t.def && p.r.s.lex.text(u.qual) != "sync" && len(p.r.resolve(t.file, &u)) == 0 {
			return true
		}
	}
	return false
}

// libraryInterface names an interface of Go's library that has the old name and all of whose methods the type t has.
func (p *renaming) libraryInterface(t symbol) string {
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

func (p *renaming) hasMethod(t symbol, name string) bool {
	if name == p.old {
		return true
	}
	y, ok := p.r.s.lex.find(name)
	return ok && len(p.r.typeMembers(t, y)) > 0
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
			if s.Def < 0 || p.in[symbol{f.file, s.Def}] {
				continue
			}
			if y := (symbol{f.file, s.Def}); p.r.isMember(f.file, p.r.def(y)) {
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
	listing, err := p.r.s.source.Files(p.ctx)
	if err != nil {
		return err
	}
	for _, e := range listing.Files {
		if !strings.HasSuffix(e.Path, ".s") || dirOf(e.Path) != p.home {
			continue
		}
		src, err := p.r.s.text(p.ctx, e.Path)
		if err != nil {
			return err
		}
		if bytes.Contains(src, []byte("·"+p.old)) {
			p.open = append(p.open, Place{e.Path, 1, "assembler names it"})
		}
	}
	return nil
}
