package meaning

import (
	"slices"
	"strings"

	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// This file finds the types that members belong to, and members that are not simply in the body of their type: what a
// base defines and a method assigns, what stands in a type inside another one, classes that a field holds.

// assignedOnly reports whether all of list are fields that only assignments in methods define: a base may have
// defined them before.
func (r *members) assignedOnly(list []store.DefID) bool {
	return !slices.ContainsFunc(list, func(y store.DefID) bool { return !r.assignedIn(y) })
}

// assignedIn reports whether y is a field that a method defines: self.y = …, this.y = ….
func (r *members) assignedIn(y store.DefID) bool {
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
func (r *members) ownersMembers(m store.DefID, y uint32) []store.DefID {
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
func (r *members) typesNamed(y store.DefID) []store.DefID {
	d := r.Def(y)
	if d.Kind.Type() {
		return []store.DefID{y}
	}
	if d.Kind.Callable() || d.Type == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(r.TypeOf(y).Symbols), func(t store.DefID) bool {
		return !r.Def(t).Kind.Type()
	})
}

// TypesOf are the types that the method y belongs to.
func (r *members) TypesOf(y store.DefID) []store.DefID {
	d := r.Def(y)
	switch {
	case !d.Kind.Callable() && !r.promised(y) || d.Kind == syntax.Constructor:
		return nil
	case r.Tree.Nameless(y):
		bases, _, _ := r.basesNamed(y)
		return bases
	case d.Owner != 0:
		var list []store.DefID
		for _, t := range r.Value(d.Owner, y.File, -1).Symbols {
			if r.Def(t).Kind.Type() {
				list = append(list, t)
			}
		}
		return list
	case d.Parent >= 0 && r.Def(store.At(y.File, d.Parent)).Kind.Type():
		return []store.DefID{store.At(y.File, d.Parent)}
	}
	return nil
}

// promised reports whether y is a property of an interface: a method may be what it promises.
func (r *members) promised(y store.DefID) bool {
	d := r.Def(y)
	if d.Kind != syntax.Field || d.Parent < 0 || !r.rules(y.File).promises {
		return false
	}
	return r.Def(store.At(y.File, d.Parent)).Kind == syntax.Interface
}

// ownerTypes are the types that the member m belongs to, whatever it is.
func (r *members) ownerTypes(m store.DefID) []store.DefID {
	d := r.Def(m)
	if d.Owner == 0 {
		if d.Parent >= 0 && r.Def(store.At(m.File, d.Parent)).Kind.Type() {
			return []store.DefID{store.At(m.File, d.Parent)}
		}
		return nil
	}
	var list []store.DefID
	for _, t := range r.Value(d.Owner, m.File, -1).Symbols {
		if r.Def(t).Kind.Type() {
			list = append(list, t)
		}
	}
	return list
}

// withBases are the type t and what it extends, directly or not.
func (r *members) withBases(t store.DefID) []store.DefID {
	if list, ok := r.lines[t]; ok {
		return list
	}
	list := []store.DefID{t}
	for k := 0; k < len(list) && len(list) < maxMeanings && !r.Clock.Over(1); k++ {
		for _, b := range r.basesOf(list[k]) {
			if !slices.Contains(list, b) {
				list = append(list, b)
			}
		}
	}
	r.lines[t] = list
	return list
}

// basesNamed are the types that the owner of the nameless y names, and how surely; outside: the tree does not have
// one of them.
func (r *members) basesNamed(y store.DefID) (types []store.DefID, sure Confidence, outside bool) {
	d := *r.Def(y)
	for _, name := range strings.Split(r.Tree.Lex.Text(d.Owner), ",") {
		v := r.Eval(name, y.File, d.Parent)
		if v.Kind != SymbolValue {
			outside = true
			continue
		}
		one := Confidence{Level: v.Level}
		if n := len(v.Symbols); n > 1 {
			one = Confidence{Level: Ambiguous, Of: n}
		}
		sure = sure.Worse(one)
		for _, b := range v.Symbols[:min(len(v.Symbols), maxMeanings)] {
			for _, t := range r.typesNamed(b) {
				if !slices.Contains(types, t) {
					types = append(types, t)
				}
			}
		}
	}
	return types, sure, outside
}

// namelessMembers are the members called name that a nameless method can name alone: those of its own class first,
// then of its bases.
func (r *members) namelessMembers(m store.DefID, name uint32) []store.DefID {
	d := *r.Def(m)
	var list []store.DefID
	if d.Parent >= 0 {
		list = slices.DeleteFunc(r.children(store.At(m.File, d.Parent), name), func(y store.DefID) bool {
			return r.Def(y).Owner != d.Owner
		})
	}
	if len(list) > 0 {
		return list
	}
	bases, _, _ := r.basesNamed(m)
	for _, b := range bases {
		list = append(list, r.TypeMembers(b, name)...)
	}
	return list
}
