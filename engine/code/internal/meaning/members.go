package meaning

import (
	"slices"

	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// members find those of types, and the types of members.
type members struct {
	*evaluator
	known map[memberKey][]store.DefID
	bases map[store.DefID][]store.DefID
	lines map[store.DefID][]store.DefID // types with their bases
}

func newMembers(r *evaluator) members {
	return members{
		evaluator: r,
		known:     map[memberKey][]store.DefID{},
		bases:     map[store.DefID][]store.DefID{},
		lines:     map[store.DefID][]store.DefID{},
	}
}

// TypeMembers are the members y of type t: its own, else those of the nearest bases that have any.
func (r *members) TypeMembers(t store.DefID, y uint32) []store.DefID {
	key := memberKey{t, y}
	if list, ok := r.known[key]; ok || r.Clock.Over(1) {
		return list
	}
	r.known[key] = nil
	list := r.OwnMembers(t, y)
	if (len(list) == 0 || r.assignedOnly(list)) && r.depth < maxResolveDepth {
		r.depth++
		for _, b := range r.basesOf(t) {
			for _, s := range r.TypeMembers(b, y) {
				if !slices.Contains(list, s) {
					list = append(list, s)
				}
			}
		}
		if d := r.Def(t); len(list) == 0 && d.Kind == syntax.Alias && d.Type != 0 {
			list = r.aliasMembers(t, y)
		}
		r.depth--
	}
	r.known[key] = list
	return list
}

// aliasMembers are the members y of the type that t is another name for.
func (r *members) aliasMembers(t store.DefID, y uint32) []store.DefID {
	var list []store.DefID
	for _, u := range r.TypeOf(t).Symbols {
		if u != t && r.Def(u).Kind.Type() {
			list = append(list, r.TypeMembers(u, y)...)
		}
	}
	return list
}

// OwnMembers are the members y that type t itself has, in its body or outside it.
func (r *members) OwnMembers(t store.DefID, y uint32) []store.DefID {
	list := r.children(t, y)
	f, rules := r.Tree.Files[t.File], r.rules(t.File)
	if !rules.outside {
		return list
	}
	if len(list) == 0 && r.traits(t.File).Enumerators {
		list = r.enumerated(t, y)
	}
	name := r.Def(t).Name
	r.Mentioning(y, false, func(n int32) {
		g := r.Tree.Files[n]
		if store.Family(g.Lang) != store.Family(f.Lang) || rules.beside != nil && !rules.beside(f, g) {
			return
		}
		defs := r.DefsOf(n)
		r.Clock.Over(len(defs))
		another := rules.partial && n != t.File && g.Package == f.Package
		for i := range defs {
			if defs[i].Name != y {
				continue
			}
			m := store.At(n, int32(i))
			if r.ownedBy(m, name) || another && r.inBodyOf(m, name) {
				list = append(list, m)
			}
		}
	})
	return list
}

// ownedBy reports whether m says that it belongs to a type of this name, or of one that ends so: A.B.
func (r *members) ownedBy(m store.DefID, name uint32) bool {
	d := r.Def(m)
	return d.Owner != 0 && (d.Owner == name || r.endsWith(d.Owner, name)) && !r.Tree.Nameless(m)
}

// inBodyOf reports whether m stands in the body of a type of this name.
func (r *members) inBodyOf(m store.DefID, name uint32) bool {
	defs := r.DefsOf(m.File)
	p := defs[m.Def].Parent
	return p >= 0 && defs[p].Name == name && defs[p].Kind.Type()
}

// endsWith reports whether the dotted owner ends with name.
func (r *members) endsWith(owner, name uint32) bool {
	a, b := r.Tree.Lex.Text(owner), r.Tree.Lex.Text(name)
	return len(a) > len(b) && a[len(a)-len(b):] == b && a[len(a)-len(b)-1] == '.'
}

// children are the definitions named y directly inside s.
func (r *members) children(s store.DefID, y uint32) []store.DefID {
	var list []store.DefID
	defs := r.DefsOf(s.File)
	i := int(s.Def) + 1
	for ; i < len(defs); i++ {
		if defs[i].Parent == s.Def && defs[i].Name == y {
			list = append(list, store.At(s.File, int32(i)))
		}
		if defs[i].Start >= defs[s.Def].End && defs[i].Parent < s.Def {
			break
		}
	}
	r.Clock.Over(i - int(s.Def))
	return list
}

// ownerMembers are the members y of the type that owner names, as seen from file n.
func (r *members) ownerMembers(owner uint32, n int32, y uint32) []store.DefID {
	v := r.Value(owner, n, -1)
	var list []store.DefID
	for _, t := range v.Symbols {
		if r.Def(t).Kind.Type() {
			list = append(list, r.TypeMembers(t, y)...)
		}
	}
	return list
}

// withoutConstructors leaves out those that have their type's name: alone, the name means the type.
func (r *members) withoutConstructors(list []store.DefID) []store.DefID {
	is := func(y store.DefID) bool {
		d := r.Def(y)
		if !d.Kind.Callable() {
			return false
		}
		if d.Parent >= 0 && r.namesake(store.At(y.File, d.Parent), y) {
			return true
		}
		return d.Owner != 0 && (d.Owner == d.Name || r.endsWith(d.Owner, d.Name))
	}
	if !slices.ContainsFunc(list, is) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), is)
}

// basesOf are the types that t extends, embeds or implements.
func (r *members) basesOf(t store.DefID) []store.DefID {
	if list, ok := r.bases[t]; ok {
		return list
	}
	r.bases[t] = nil
	var list []store.DefID
	refs := r.Tree.BasesIn(t.File)
	first, _ := slices.BinarySearchFunc(refs, t.Def, func(u store.Ref, d int32) int { return int(u.From) - int(d) })
	for i := first; i < len(refs) && refs[i].From == t.Def; i++ {
		for _, b := range r.Resolve(t.File, &refs[i]) {
			for _, y := range r.typesNamed(b.DefID) {
				if y != t && !slices.Contains(list, y) {
					list = append(list, y)
				}
			}
		}
	}
	r.bases[t] = list
	return list
}

// namesake reports whether the member y of type t is a constructor that has the type's name: the name alone means the
// type, of which the constructor says nothing.
func (r *members) namesake(t, y store.DefID) bool {
	d := r.Def(y)
	return d.Kind.Callable() && d.Name == r.Def(t).Name
}

// enumerated are the members y of the enumerations in the type t, where they are named as its own.
func (r *members) enumerated(t store.DefID, y uint32) []store.DefID {
	var list []store.DefID
	defs := r.DefsOf(t.File)
	for i := int(t.Def) + 1; i < len(defs) && defs[i].Start < defs[t.Def].End; i++ {
		d := &defs[i]
		if d.Name == y && d.Kind == syntax.Member && d.Parent >= 0 && defs[d.Parent].Parent == t.Def {
			list = append(list, store.At(t.File, int32(i)))
		}
	}
	return list
}
