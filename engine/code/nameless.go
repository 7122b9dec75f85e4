package code

import (
	"slices"
	"strings"

	"helve/engine/code/internal/syntax"
)

// This file knows the methods of classes that have no name, and of objects that are declared to be of a type: what they stand in for.

// basesNamed are the types that the owner of the nameless y names, and how surely; outside: the tree does not have one of them.
func (r *resolver) basesNamed(y symbol) (types []symbol, sure Confidence, outside bool) {
	d := *r.def(y)
	for _, name := range strings.Split(r.s.lex.text(d.owner), ",") {
		v := r.eval(name, y.file, d.parent)
		if v.kind != symbolValue {
			outside = true
			continue
		}
		one := Confidence{Level: v.level}
		if n := len(v.syms); n > 1 {
			one = Confidence{Level: Ambiguous, Of: n}
		}
		sure = sure.worse(one)
		for _, b := range v.syms[:min(len(v.syms), maxMeanings)] {
			for _, t := range r.typesNamed(b) {
				if !slices.Contains(types, t) {
					types = append(types, t)
				}
			}
		}
	}
	return types, sure, outside
}

// hasNameless reports whether classes without a name are known in a language.
func hasNameless(l syntax.Language) bool {
	switch family(l) {
	case syntax.Java, syntax.JavaScript, syntax.PHP:
		return true
	}
	return false
}

// namelessUnder are the methods of nameless classes that stand in for y, whose types are known with all below them.
func (r *resolver) namelessUnder(y symbol) []symbol {
	if !hasNameless(r.s.files[y.file].lang) {
		return nil
	}
	types := slices.Clone(r.typesOf(y))
	for _, t := range types {
		types = append(types, r.subtypes(t)...)
	}
	if len(types) == 0 {
		return nil
	}
	var list []symbol
	name, lang := r.def(y).name, family(r.s.files[y.file].lang)
	r.mentioning(name, false, func(n int32) {
		if family(r.s.files[n].lang) != lang {
			return
		}
		defs := r.defsOf(n)
		r.clock.over(len(defs))
		for i := range defs {
			m := symbol{n, int32(i)}
			if defs[i].name != name || m == y || !r.s.nameless(m) {
				continue
			}
			bases, _, _ := r.basesNamed(m)
			if slices.ContainsFunc(bases, func(b symbol) bool { return slices.Contains(types, b) }) {
				list = append(list, m)
			}
		}
	})
	return list
}

// namelessMembers are the members called name that a nameless method can name alone: those of its own class first, then of its bases.
func (r *resolver) namelessMembers(m symbol, name uint32) []symbol {
	d := *r.def(m)
	var list []symbol
	if d.parent >= 0 {
		list = slices.DeleteFunc(r.children(symbol{m.file, d.parent}, name), func(y symbol) bool { return r.def(y).owner != d.owner })
	}
	if len(list) > 0 {
		return list
	}
	bases, _, _ := r.basesNamed(m)
	for _, b := range bases {
		list = append(list, r.typeMembers(b, name)...)
	}
	return list
}
