package refactor

import (
	"slices"
	"strings"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// extend adds to the group what has to have the same name: versions of the definition for other systems, embedded
// fields of a type, and the methods that implement or override one another.
func (p *subject) extend() error {
	y := p.group[0]
	d := p.r.Def(y)
	switch {
	case p.lang == syntax.Go && d.Kind.Type():
		p.embeddings(y)
	case p.lang == syntax.Go && d.Kind == syntax.Field:
		if p.isEmbedded(y) {
			return refused("Rename the type.", "%s is named by the type that it embeds", p.id())
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

// overrides adds the methods that implement or override the definition, and those that it implements or overrides.
func (p *subject) overrides() error {
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
func (p *subject) kin(m store.DefID) {
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

// askedFromOutside says why code outside the tree may ask for a method; "" if none is known to.
func (p *subject) askedFromOutside(y store.DefID) string {
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
				return p.spelled(p.r.Def(u).Name) + " embeds a type that is not known here, which may have this method"
			}
		}
	}
	return ""
}

// outsideBases says why code outside the tree may call a method of a class.
func (p *subject) outsideBases(y store.DefID) string {
	for _, t := range p.ownersOf(y) {
		for _, u := range append(p.r.Subtypes(t), t) {
			if p.inheritsUnknown(u) && !strings.HasPrefix(p.old, "_") {
				return "what " + p.spelled(p.r.Def(u).Name) + " extends is not known here"
			}
		}
	}
	return ""
}

// inheritsUnknown reports whether a type has a base that is none of the tree's, or a base of it has. A base that is
// no type but a variable may be anything.
func (p *subject) inheritsUnknown(t store.DefID) bool {
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
			if !known && !harmlessBases[p.spelled(u.Name)] {
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
