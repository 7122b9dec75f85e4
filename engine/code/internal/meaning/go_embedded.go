package meaning

import (
	"slices"

	"helve/engine/code/internal/store"
)

// This file finds what implements interfaces of Go only together with what a type embeds.

// maxEmbedded bounds the types that are looked for inside others, for one method: each search goes through all files
// that mention the type.
const maxEmbedded = 128

// implementsInside reports whether the method called name of one of types is that of a type which embeds it and
// implements the interface i. left counts the searches down.
func (r *Resolver) implementsInside(types []store.DefID, i store.DefID, name uint32, left *int) bool {
	for _, t := range types {
		if *left == 0 {
			return false
		}
		*left--
		if slices.ContainsFunc(r.Subtypes(t), func(sub store.DefID) bool { return r.Satisfies(sub, i) && r.promotes(sub, t, name) }) {
			return true
		}
	}
	return false
}

// promotes reports whether the type sub, which embeds t, has the method of t that is called name for its own.
func (r *Resolver) promotes(sub, t store.DefID, name uint32) bool {
	return slices.ContainsFunc(r.TypeMembers(sub, name), func(m store.DefID) bool { return slices.Contains(r.TypesOf(m), t) })
}

// embedding are the types that embed an interface which asks for a method called name.
func (r *Resolver) embedding(name uint32) []store.DefID {
	var list []store.DefID
	methods := r.interfaceMethods(name)
	for _, m := range methods[:min(len(methods), maxEmbedded)] {
		list = append(list, r.Subtypes(store.At(m.File, r.Def(m).Parent))...)
	}
	return list
}

// interfacesAbove are the methods called name of interfaces that t implements, or a type that embeds t.
func (r *Resolver) interfacesAbove(t store.DefID, name uint32) []store.DefID {
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
