package meaning

import (
	"slices"

	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// Lookup finds what the name y, standing alone, means in definition from of file n: the innermost scope that has it.
func (r *Resolver) Lookup(y uint32, n, from int32) Found {
	key := nameKey{y, n, from}
	if f, ok := r.names[key]; ok {
		return f
	}
	r.names[key] = Found{Value: external}
	f := r.find(y, n, from)
	r.names[key] = f
	return f
}

func symbols(list []store.DefID, level Level) Found {
	return Found{Value{Kind: SymbolValue, Symbols: list, Level: level}, level}
}

func (r *Resolver) find(y uint32, n, from int32) Found {
	if r.Clock.Over(1) {
		return Found{Value: external}
	}
	rules := r.rules(n)
	if rules.namedFirst != nil {
		if f, ok := rules.namedFirst(r, y, n); ok {
			return f
		}
	}
	if from >= 0 {
		if f, ok := r.importedInside(y, n, from); ok {
			return f
		}
		if list := r.enclosing(y, n, from); len(list) > 0 {
			return symbols(list, Exact)
		}
		return r.Lookup(y, n, -1) // what stands around all definitions is the same for all
	}
	if list := r.withoutMethods(r.topLevel(y, n), rules); len(list) > 0 {
		return symbols(list, Exact)
	}
	if f, ok := r.imported(y, n); ok {
		return f
	}
	if list := r.SamePackage(y, n); len(list) > 0 {
		return symbols(list, SamePackage)
	}
	if f, ok := r.wildcards(y, n); ok {
		return f
	}
	if rules.namedLast != nil {
		if f, ok := rules.namedLast(r, y, n); ok {
			return f
		}
	}
	if rules.unbound {
		if list := r.anywhere(y, n); len(list) > 0 {
			return symbols(list, Unique)
		}
	}
	if r.typeParameter(y, n) {
		return Found{}
	}
	return Found{Value: external}
}

// typeParameter reports whether a name that nothing in the tree has may be a type parameter, whose members are not
// known: by custom it is one capital letter, and perhaps a digit.
func (r *Resolver) typeParameter(y uint32, n int32) bool {
	if !r.rules(n).typeParameters {
		return false
	}
	text := r.Tree.Lex.Text(y)
	return len(text) > 0 && len(text) <= 2 && text[0] >= 'A' && text[0] <= 'Z' &&
		(len(text) == 1 || text[1] >= '0' && text[1] <= '9')
}

// enclosing looks in the scopes around from.
func (r *Resolver) enclosing(y uint32, n, from int32) []store.DefID {
	defs := r.DefsOf(n)
	rules := r.rules(n)
	for p := from; p >= 0; p = defs[p].Parent {
		d := &defs[p]
		switch {
		case d.Kind.Type():
			if !rules.implicitThis && (!rules.bodyScope || p != from) {
				continue
			}
			if list := r.scope(store.At(n, p), y, rules); len(list) > 0 {
				return list
			}
			if d.Name == y && rules.implicitThis { // its constructors have its name, too
				return []store.DefID{store.At(n, p)}
			}
		case d.Owner != 0 && rules.implicitThis:
			if list := r.withoutConstructors(r.ownersMembers(store.At(n, p), y)); len(list) > 0 {
				return list
			}
			fallthrough
		default:
			list := r.withoutMethods(r.children(store.At(n, p), y), rules)
			if d.Kind == syntax.Module { // what a namespace holds of a class is named through the class
				list = slices.DeleteFunc(list, func(y store.DefID) bool { return r.Def(y).Owner != 0 && r.callable(y) })
			}
			if len(list) > 0 {
				return list
			}
		}
	}
	return nil
}

// withoutMethods leaves out the methods of objects, {call(x) {…}}, where these have no name that stands alone: inside
// of one its name means what is around the object.
func (r *Resolver) withoutMethods(list []store.DefID, rules *Rules) []store.DefID {
	if len(list) == 0 || !rules.objectMethods {
		return list
	}
	return slices.DeleteFunc(list, func(y store.DefID) bool { return r.Def(y).Kind == syntax.Method })
}

// topLevel looks at the top of file n.
func (r *Resolver) topLevel(y uint32, n int32) []store.DefID {
	defs := r.DefsOf(n)
	r.Clock.Over(len(defs))
	var list []store.DefID
	for i := range defs {
		if d := &defs[i]; d.Name == y && d.Parent < 0 && d.Owner == 0 {
			list = append(list, store.At(n, int32(i)))
		}
	}
	if len(list) == 0 && r.rules(n).enumerators {
		for i := range defs {
			if d := &defs[i]; d.Name == y && d.Kind == syntax.Member {
				list = append(list, store.At(n, int32(i)))
			}
		}
	}
	return list
}

// scope are the members y of the type t that can be named alone inside it: those of its bases cannot where only its
// body is the scope.
func (r *Resolver) scope(t store.DefID, y uint32, rules *Rules) []store.DefID {
	if rules.bodyScope {
		return r.children(t, y)
	}
	return r.withoutConstructors(r.TypeMembers(t, y))
}

// withoutConstructors leaves out those that have their type's name: alone, the name means the type.
func (r *Resolver) withoutConstructors(list []store.DefID) []store.DefID {
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

// children are the definitions named y directly inside s.
func (r *Resolver) children(s store.DefID, y uint32) []store.DefID {
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
func (r *Resolver) ownerMembers(owner uint32, n int32, y uint32) []store.DefID {
	v := r.Value(owner, n, -1)
	var list []store.DefID
	for _, t := range v.Symbols {
		if r.Def(t).Kind.Type() {
			list = append(list, r.TypeMembers(t, y)...)
		}
	}
	return list
}

// TypeMembers are the members y of type t: its own, else those of the nearest bases that have any.
func (r *Resolver) TypeMembers(t store.DefID, y uint32) []store.DefID {
	key := memberKey{t, y}
	if list, ok := r.members[key]; ok || r.Clock.Over(1) {
		return list
	}
	r.members[key] = nil
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
	r.members[key] = list
	return list
}

// aliasMembers are the members y of the type that t is another name for.
func (r *Resolver) aliasMembers(t store.DefID, y uint32) []store.DefID {
	var list []store.DefID
	for _, u := range r.TypeOf(t).Symbols {
		if u != t && r.Def(u).Kind.Type() {
			list = append(list, r.TypeMembers(u, y)...)
		}
	}
	return list
}

// OwnMembers are the members y that type t itself has, in its body or outside it.
func (r *Resolver) OwnMembers(t store.DefID, y uint32) []store.DefID {
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
		for i := range defs {
			if d := &defs[i]; d.Name == y && d.Owner != 0 && (d.Owner == name || r.endsWith(d.Owner, name)) && !r.Tree.Nameless(store.At(n, int32(i))) {
				list = append(list, store.At(n, int32(i)))
			} else if d.Name == y && n != t.File && rules.partial && d.Parent >= 0 && defs[d.Parent].Name == name && defs[d.Parent].Kind.Type() && g.Package == f.Package {
				list = append(list, store.At(n, int32(i)))
			}
		}
	})
	return list
}

// endsWith reports whether the dotted owner ends with name.
func (r *Resolver) endsWith(owner, name uint32) bool {
	a, b := r.Tree.Lex.Text(owner), r.Tree.Lex.Text(name)
	return len(a) > len(b) && a[len(a)-len(b):] == b && a[len(a)-len(b)-1] == '.'
}

// basesOf are the types that t extends, embeds or implements.
func (r *Resolver) basesOf(t store.DefID) []store.DefID {
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

// SamePackage looks in the other files of the package of file n.
func (r *Resolver) SamePackage(y uint32, n int32) []store.DefID {
	same := r.rules(n).samePackage
	if same == nil {
		return nil
	}
	f := r.Tree.Files[n]
	return r.top(y, func(g *store.File) bool { return same(f, g) })
}

// top are the definitions named y at the top of the files that keep allows; namespaces do not count as a level.
func (r *Resolver) top(y uint32, keep func(*store.File) bool) []store.DefID {
	var list []store.DefID
	r.Tree.Marked(y, store.MarkOuter, func(n int32) {
		if !r.Clock.Over(1) && keep(r.Tree.Files[n]) {
			list = r.topOf(list, y, n)
		}
	})
	return list
}

func (r *Resolver) topOf(list []store.DefID, y uint32, n int32) []store.DefID {
	defs := r.DefsOf(n)
	r.Clock.Over(len(defs))
	for i := range defs {
		d := &defs[i]
		if d.Name == y && d.Owner == 0 && (d.Parent < 0 || defs[d.Parent].Kind == syntax.Module) {
			list = append(list, store.At(n, int32(i)))
		}
	}
	return list
}

// anywhere looks through the whole project.
func (r *Resolver) anywhere(y uint32, n int32) []store.DefID {
	lang := store.Family(r.Tree.Files[n].Lang)
	list := r.top(y, func(g *store.File) bool { return store.Family(g.Lang) == lang })
	if len(list) == 0 && r.traits(n).Enumerators {
		r.Tree.Marked(y, store.MarkOuter, func(m int32) {
			if r.Clock.Ended {
				return
			}
			defs := r.DefsOf(m)
			r.Clock.Over(len(defs))
			for i := range defs {
				if d := &defs[i]; d.Name == y && d.Kind == syntax.Member && store.Family(r.Tree.Files[m].Lang) == lang {
					list = append(list, store.At(m, int32(i)))
				}
			}
		})
	}
	return r.linked(list, n)
}

// linked leaves out definitions that only their own file can name.
func (r *Resolver) linked(list []store.DefID, n int32) []store.DefID {
	if len(list) < 2 {
		return list
	}
	out := list[:0:0]
	for _, s := range list {
		private := r.rules(s.File).private
		if s.File != n && private != nil && private(r.Tree.Files[s.File], r.Def(s)) {
			continue
		}
		out = append(out, s)
	}
	return out
}
