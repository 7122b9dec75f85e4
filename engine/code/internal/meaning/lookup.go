package meaning

import (
	"slices"

	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// scopes find what names mean that stand alone.
type scopes struct {
	*evaluator
	names map[nameKey]Found
}

type nameKey struct {
	name       uint32
	file, from int32
}

// Lookup finds what the name y, standing alone, means in definition from of file n: the innermost scope that has it.
func (r *scopes) Lookup(y uint32, n, from int32) Found {
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

func (r *scopes) find(y uint32, n, from int32) Found {
	if r.Clock.Over(1) {
		return Found{Value: external}
	}
	rules := r.rules(n)
	if rules.namedFirst != nil {
		if f, ok := rules.namedFirst(r.evaluator, y, n); ok {
			return f
		}
	}
	if from >= 0 {
		if f, ok := r.modules.importedInside(y, n, from); ok {
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
	if f, ok := r.modules.imported(y, n); ok {
		return f
	}
	if list := r.SamePackage(y, n); len(list) > 0 {
		return symbols(list, SamePackage)
	}
	if f, ok := r.modules.wildcards(y, n); ok {
		return f
	}
	if rules.namedLast != nil {
		if f, ok := rules.namedLast(r.evaluator, y, n); ok {
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
func (r *scopes) typeParameter(y uint32, n int32) bool {
	if !r.rules(n).typeParameters {
		return false
	}
	text := r.Tree.Lex.Text(y)
	return len(text) > 0 && len(text) <= 2 && text[0] >= 'A' && text[0] <= 'Z' &&
		(len(text) == 1 || text[1] >= '0' && text[1] <= '9')
}

// enclosing looks in the scopes around from.
func (r *scopes) enclosing(y uint32, n, from int32) []store.DefID {
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
			if list := r.members.withoutConstructors(r.members.ownersMembers(store.At(n, p), y)); len(list) > 0 {
				return list
			}
			fallthrough
		default:
			list := r.withoutMethods(r.members.children(store.At(n, p), y), rules)
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
func (r *scopes) withoutMethods(list []store.DefID, rules *Rules) []store.DefID {
	if len(list) == 0 || !rules.objectMethods {
		return list
	}
	return slices.DeleteFunc(list, func(y store.DefID) bool { return r.Def(y).Kind == syntax.Method })
}

// topLevel looks at the top of file n.
func (r *scopes) topLevel(y uint32, n int32) []store.DefID {
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
func (r *scopes) scope(t store.DefID, y uint32, rules *Rules) []store.DefID {
	if rules.bodyScope {
		return r.members.children(t, y)
	}
	return r.members.withoutConstructors(r.members.TypeMembers(t, y))
}

// SamePackage looks in the other files of the package of file n.
func (r *scopes) SamePackage(y uint32, n int32) []store.DefID {
	same := r.rules(n).samePackage
	if same == nil {
		return nil
	}
	f := r.Tree.Files[n]
	return r.top(y, func(g *store.File) bool { return same(f, g) })
}

// top are the definitions named y at the top of the files that keep allows; namespaces do not count as a level.
func (r *scopes) top(y uint32, keep func(*store.File) bool) []store.DefID {
	var list []store.DefID
	r.Tree.Marked(y, store.MarkOuter, func(n int32) {
		if !r.Clock.Over(1) && keep(r.Tree.Files[n]) {
			list = r.topOf(list, y, n)
		}
	})
	return list
}

func (r *scopes) topOf(list []store.DefID, y uint32, n int32) []store.DefID {
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
func (r *scopes) anywhere(y uint32, n int32) []store.DefID {
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
func (r *scopes) linked(list []store.DefID, n int32) []store.DefID {
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
