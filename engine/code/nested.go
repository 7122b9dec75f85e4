package code

import (
	"slices"
	"strings"

	"helve/engine/code/internal/syntax"
)

// This file finds members where they are not simply in the body of their type: what a base defines and a method
// assigns, what stands in a type inside another one, classes that a field holds.

// assignedOnly reports whether all of list are fields that only assignments in methods define: a base may have
// defined them before.
func (r *resolver) assignedOnly(list []symbol) bool {
	return !slices.ContainsFunc(list, func(y symbol) bool { return !r.assignedIn(y) })
}

// assignedIn reports whether y is a field of Python or JavaScript that a method defines: self.y = …, this.y = ….
func (r *resolver) assignedIn(y symbol) bool {
	lang := family(r.s.files[y.file].lang)
	if lang != syntax.Python && lang != syntax.JavaScript {
		return false
	}
	defs := r.defsOf(y.file)
	d := &defs[y.def]
	if d.kind != syntax.Field {
		return false
	}
	for k := y.def - 1; k > d.parent; k-- { // what stands before it in the class
		if around := &defs[k]; around.parent == d.parent && around.kind.Callable() {
			return around.end > d.start
		}
	}
	return false
}

// ownersMembers are the members y of the type that the owner of m names, or else of the types around that: A.B, then A.
func (r *resolver) ownersMembers(m symbol, y uint32) []symbol {
	if r.s.nameless(m) {
		return r.namelessMembers(m, y)
	}
	for owner := r.def(m).owner; ; {
		if list := r.ownerMembers(owner, m.file, y); len(list) > 0 {
			return list
		}
		text := r.s.lex.text(owner)
		around, ok := r.s.lex.find(text[:max(strings.LastIndexByte(text, '.'), 0)])
		if !ok || around == 0 {
			return nil
		}
		owner = around
	}
}

// typesNamed are the types that y means where a base is expected: itself, or the class that a variable or field holds.
func (r *resolver) typesNamed(y symbol) []symbol {
	d := r.def(y)
	if d.kind.Type() {
		return []symbol{y}
	}
	if d.kind.Callable() || d.typ == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(r.typeOf(y).syms), func(t symbol) bool { return !r.def(t).kind.Type() })
}
