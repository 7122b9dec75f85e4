package meaning

import (
	"slices"
	"strings"

	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// This file finds members where they are not simply in the body of their type: what a base defines and a method
// assigns, what stands in a type inside another one, classes that a field holds.

// assignedOnly reports whether all of list are fields that only assignments in methods define: a base may have
// defined them before.
func (r *Resolver) assignedOnly(list []store.DefID) bool {
	return !slices.ContainsFunc(list, func(y store.DefID) bool { return !r.assignedIn(y) })
}

// assignedIn reports whether y is a field that a method defines: self.y = …, this.y = ….
func (r *Resolver) assignedIn(y store.DefID) bool {
	if !r.rules(y.File).assigned {
		return false
	}
	defs := r.DefsOf(y.File)
	d := &defs[y.Def]
	if d.Kind != syntax.Field {
		return false
	}
	for k := y.Def - 1; k > d.Parent; k-- { // what stands before it in the class
		if around := &defs[k]; around.Parent == d.Parent && around.Kind.Callable() {
			return around.End > d.Start
		}
	}
	return false
}

// ownersMembers are the members y of the type that the owner of m names, or else of the types around that: A.B, then A.
func (r *Resolver) ownersMembers(m store.DefID, y uint32) []store.DefID {
	if r.Tree.Nameless(m) {
		return r.namelessMembers(m, y)
	}
	for owner := r.Def(m).Owner; ; {
		if list := r.ownerMembers(owner, m.File, y); len(list) > 0 {
			return list
		}
		text := r.Tree.Lex.Text(owner)
		around, ok := r.Tree.Lex.Find(text[:max(strings.LastIndexByte(text, '.'), 0)])
		if !ok || around == 0 {
			return nil
		}
		owner = around
	}
}

// typesNamed are the types that y means where a base is expected: itself, or the class that a variable or field holds.
func (r *Resolver) typesNamed(y store.DefID) []store.DefID {
	d := r.Def(y)
	if d.Kind.Type() {
		return []store.DefID{y}
	}
	if d.Kind.Callable() || d.Type == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(r.TypeOf(y).Symbols), func(t store.DefID) bool { return !r.Def(t).Kind.Type() })
}
