package code

import "slices"

// This file finds what implements interfaces of Go only together with what a type embeds.

// maxEmbedded bounds the types that are looked for inside others, for one method: each search goes through all files that
// mention the type.
const maxEmbedded = 128

// implementsInside reports whether the method called name of one of types is that of a type which embeds it and implements the
// interface i. left counts the searches down.
func (r *resolver) implementsInside(types []symbol, i symbol, name uint32, left *int) bool {
	for _, t := range types {
		if *left == 0 {
			return false
		}
		*left--
		if slices.ContainsFunc(r.subtypes(t), func(sub symbol) bool { return r.satisfies(sub, i) && r.promotes(sub, t, name) }) {
			return true
		}
	}
	return false
}

// promotes reports whether the type sub, which embeds t, has the method of t that is called name for its own.
func (r *resolver) promotes(sub, t symbol, name uint32) bool {
	return slices.ContainsFunc(r.typeMembers(sub, name), func(m symbol) bool { return slices.Contains(r.typesOf(m), t) })
}

// embedding are the types that embed an interface which asks for a method called name.
func (r *resolver) embedding(name uint32) []symbol {
	var list []symbol
	methods := r.interfaceMethods(name)
	for _, m := range methods[:min(len(methods), maxEmbedded)] {
		list = append(list, r.subtypes(symbol{m.file, r.def(m).parent})...)
	}
	return list
}

// interfacesAbove are the methods called name of interfaces that t implements, or a type that embeds t.
func (r *resolver) interfacesAbove(t symbol, name uint32) []symbol {
	var list []symbol
	left := maxEmbedded
	for _, m := range r.interfaceMethods(name) {
		i := symbol{m.file, r.def(m).parent}
		if i != t && (r.satisfies(t, i) || r.implementsInside([]symbol{t}, i, name, &left)) {
			list = append(list, m)
		}
	}
	return list
}
