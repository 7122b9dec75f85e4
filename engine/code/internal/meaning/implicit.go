package meaning

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// This file finds what implements interfaces where a type does so by having their methods, of its own or of what it
// embeds: it need not say so.

// maxEmbedded bounds the types that are looked for inside others, for one method: each search goes through all files
// that mention the type.
const maxEmbedded = 128

// implementsInside reports whether the method called name of one of types is that of a type which embeds it and
// implements the interface i. left counts the searches down.
func (r *dispatch) implementsInside(types []store.DefID, i store.DefID, name uint32, left *int) bool {
	for _, t := range types {
		if *left == 0 {
			return false
		}
		*left--
		for _, sub := range r.Subtypes(t) {
			if r.Satisfies(sub, i) && r.promotes(sub, t, name) {
				return true
			}
		}
	}
	return false
}

// promotes reports whether the type sub, which embeds t, has the method of t that is called name for its own.
func (r *dispatch) promotes(sub, t store.DefID, name uint32) bool {
	return slices.ContainsFunc(r.members.TypeMembers(sub, name), func(m store.DefID) bool {
		return slices.Contains(r.members.TypesOf(m), t)
	})
}

// embedding are the types that embed an interface which asks for a method called name.
func (r *dispatch) embedding(name uint32) []store.DefID {
	var list []store.DefID
	methods := r.interfaceMethods(name)
	for _, m := range methods[:min(len(methods), maxEmbedded)] {
		list = append(list, r.Subtypes(store.At(m.File, r.Def(m).Parent))...)
	}
	return list
}

// interfacesAbove are the methods called name of interfaces that t implements, or a type that embeds t.
func (r *dispatch) interfacesAbove(t store.DefID, name uint32) []store.DefID {
	var list []store.DefID
	left := maxEmbedded
	for _, m := range r.interfaceMethods(name) {
		i := store.At(m.File, r.Def(m).Parent)
		if i != t && (r.Satisfies(t, i) || r.implementsInside([]store.DefID{t}, i, name, &left)) {
			list = append(list, m)
		}
	}
	return list
}

// interfaceMethods are the methods called name of implicit interfaces.
func (r *dispatch) interfaceMethods(name uint32) []store.DefID {
	if list, ok := r.interfaces[name]; ok {
		return list
	}
	var list []store.DefID
	r.Mentioning(name, false, func(n int32) {
		if !r.rules(n).implicit {
			return
		}
		defs := r.DefsOf(n)
		r.Clock.Over(len(defs))
		for i := range defs {
			d := &defs[i]
			if d.Name != name || d.Parent < 0 || !d.Kind.Callable() {
				continue
			}
			if defs[d.Parent].Kind == syntax.Interface {
				list = append(list, store.At(n, int32(i)))
			}
		}
	})
	r.interfaces[name] = list
	return list
}

// Satisfies reports whether the type t has all methods of the interface i, by their names. What an interface of
// outside the tree asks for is not known.
func (r *dispatch) Satisfies(t, i store.DefID) bool {
	key := [2]store.DefID{t, i}
	if ok, known := r.satisfied[key]; known || r.Clock.Over(1) {
		return ok
	}
	r.satisfied[key] = false // an interface that embeds itself says nothing
	ok := r.Def(t).Kind != syntax.Interface && r.hasMethods(t, i)
	r.satisfied[key] = ok
	return ok
}

// hasMethods reports whether t has all that the interface i asks for, and i asks for any.
func (r *dispatch) hasMethods(t, i store.DefID) bool {
	any := false
	for _, name := range r.asksFor(i) {
		if r.Clock.Over(1) {
			return false
		}
		reached := func(m store.DefID) bool { return r.reaches(m, i, name) }
		if any = true; !slices.ContainsFunc(r.members.TypeMembers(t, name), reached) {
			return false
		}
	}
	for _, b := range r.members.basesOf(i) {
		if any = true; b != i && r.Def(b).Kind == syntax.Interface && !r.Satisfies(t, b) {
			return false
		}
	}
	return any
}

// asksFor are the names of the methods that the interface i itself asks for.
func (r *dispatch) asksFor(i store.DefID) []uint32 {
	var names []uint32
	defs := r.DefsOf(i.File)
	for k := int(i.Def) + 1; k < len(defs) && defs[k].Start < defs[i.Def].End; k++ {
		if d := &defs[k]; d.Parent == i.Def && d.Kind.Callable() {
			names = append(names, d.Name)
		}
	}
	return names
}

// reaches reports whether m can be the method that the interface i calls name: other packages' lower-case ones cannot.
func (r *dispatch) reaches(m, i store.DefID, name uint32) bool {
	first, _ := utf8.DecodeRuneInString(r.Tree.Lex.Text(name))
	return r.callable(m) && (unicode.IsUpper(first) || r.Tree.Files[m.File].Dir() == r.Tree.Files[i.File].Dir())
}

// implementations are the methods called name of types that satisfy the interface i.
func (r *dispatch) implementations(i store.DefID, name uint32) []store.DefID {
	var list []store.DefID
	left := maxEmbedded
	r.Mentioning(name, false, func(n int32) {
		if !r.rules(n).implicit {
			return
		}
		defs := r.DefsOf(n)
		r.Clock.Over(len(defs))
		for k := range defs {
			m := store.At(n, int32(k))
			if d := &defs[k]; d.Name != name || d.Owner == 0 || !d.Kind.Callable() {
				continue
			}
			if r.Clock.Over(1) {
				return
			}
			types := r.members.TypesOf(m)
			satisfies := func(t store.DefID) bool { return r.Satisfies(t, i) }
			if slices.ContainsFunc(types, satisfies) || r.implementsInside(types, i, name, &left) {
				list = append(list, m)
			}
		}
	})
	return list
}

// implementing are the types that have the methods of the interface i, of their own or by embedding.
func (r *dispatch) implementing(i store.DefID) []Arrow {
	if !r.rules(i.File).implicit || r.Def(i).Kind != syntax.Interface {
		return nil
	}
	method, ok := r.someMethod(i, maxEmbedding)
	if !ok {
		return nil
	}
	var list []Arrow
	seen := map[store.DefID]bool{}
	add := func(t store.DefID) {
		if d := r.Def(t); !seen[t] && d.Kind != syntax.Interface && r.Satisfies(t, i) {
			list = append(list, Arrow{t, syntax.Implement, d.Line, Confidence{Level: Unique}})
		}
		seen[t] = true
	}
	for _, m := range r.implementations(i, method) {
		for _, t := range r.members.TypesOf(m) {
			add(t)
			for _, sub := range r.Subtypes(t) {
				add(sub)
			}
		}
	}
	for _, t := range r.embedding(method) {
		add(t)
	}
	return list
}

// maxEmbedding bounds the interfaces inside interfaces that are looked at for a method.
const maxEmbedding = 8

// someMethod is the name of a method that the interface i asks for, of its own or of an embedded interface.
func (r *dispatch) someMethod(i store.DefID, depth int) (uint32, bool) {
	defs := r.DefsOf(i.File)
	for k := int(i.Def) + 1; k < len(defs) && defs[k].Start < defs[i.Def].End; k++ {
		if d := &defs[k]; d.Parent == i.Def && d.Kind.Callable() {
			return d.Name, true
		}
	}
	for _, b := range r.members.basesOf(i) {
		if depth == 0 || r.Def(b).Kind != syntax.Interface {
			continue
		}
		if name, ok := r.someMethod(b, depth-1); ok {
			return name, true
		}
	}
	return 0, false
}
