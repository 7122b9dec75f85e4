package meaning

import (
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// This file knows what makes values: a call of a type runs one of its constructors.

// constructed are the types that y makes values of; none if y is no constructor.
func (r *uses) constructed(y store.DefID) []store.DefID {
	d := r.Def(y)
	if !d.Kind.Callable() {
		return nil
	}
	if d.Kind == syntax.Constructor {
		if d.Parent >= 0 && r.Def(store.At(y.File, d.Parent)).Kind.Type() {
			return []store.DefID{store.At(y.File, d.Parent)}
		}
		return nil
	}
	rules := r.rules(y.File)
	if rules.constructors[r.Tree.Lex.Text(d.Name)] {
		return r.members.TypesOf(y)
	}
	if !rules.ownConstructor {
		return nil
	}
	var list []store.DefID
	for _, t := range r.members.TypesOf(y) {
		if r.Def(t).Name == d.Name {
			list = append(list, t)
		}
	}
	return list
}

// makers are the definitions that call a type which the constructor y makes values of. Where the type has several
// constructors, any of them may run.
func (r *uses) makers(y store.DefID) []Arrow {
	var list []Arrow
	for _, t := range r.constructed(y) {
		sure := Confidence{}
		if n := r.constructors(t, r.Def(y).Name); n > 1 {
			sure = Confidence{Level: Ambiguous, Of: n}
		}
		m := r.MentionsOf(r.Def(t).Name, store.Family(r.Tree.Files[t.File].Lang))
		for i := range m.List {
			at := &m.List[i]
			if at.Use != syntax.Call || r.Clock.Over(len(at.Targets)) {
				continue
			}
			for _, meant := range at.Targets {
				if meant.DefID != t {
					continue
				}
				to, ok := meant.Sure.Worse(sure), true
				if r.chosen != nil && r.chosen.chosen == y {
					to, ok = r.chosen.settle(at.File, &at.Ref, r.Tree.Lex.Text(at.Name), meant.Sure)
				}
				if ok {
					list = append(list, Arrow{store.At(at.File, at.From), at.Use, at.Line, to})
				}
			}
		}
	}
	return list
}

// constructors counts the constructors called name of type t, declarations that are defined elsewhere not counted.
func (r *uses) constructors(t store.DefID, name uint32) int {
	n, bodies := 0, 0
	for _, y := range r.members.OwnMembers(t, name) {
		if d := r.Def(y); d.Kind.Callable() {
			n++
			if d.Body < d.End {
				bodies++
			}
		}
	}
	if bodies > 0 {
		return bodies
	}
	return n
}
