package code

import "helve/engine/code/internal/syntax"

// This file knows what makes values: a call of a type runs one of its constructors.

// constructed are the types that y makes values of; none if y is no constructor.
func (r *resolver) constructed(y symbol) []symbol {
	d := r.def(y)
	if !d.kind.Callable() {
		return nil
	}
	f := r.s.files[y.file]
	if d.kind == syntax.Constructor {
		if d.parent >= 0 && r.def(symbol{y.file, d.parent}).kind.Type() {
			return []symbol{{y.file, d.parent}}
		}
		return nil
	}
	switch f.lang {
	case syntax.CPlusPlus, syntax.C:
	case syntax.Python, syntax.Ruby:
		if name := r.s.lex.text(d.name); name != "__init__" && name != "initialize" {
			return nil
		}
		return r.typesOf(y)
	default:
		return nil
	}
	var list []symbol
	for _, t := range r.typesOf(y) {
		if r.def(t).name == d.name {
			list = append(list, t)
		}
	}
	return list
}

// namesake reports whether the member y of type t is a constructor that has the type's name: the name alone means the
// type, of which the constructor says nothing.
func (r *resolver) namesake(t, y symbol) bool {
	d := r.def(y)
	return d.kind.Callable() && d.name == r.def(t).name
}

// makers are the definitions that call a type which the constructor y makes values of. Where the type has several
// constructors, any of them may run.
func (r *resolver) makers(y symbol) []arrow {
	var list []arrow
	for _, t := range r.constructed(y) {
		sure := Confidence{}
		if n := r.constructors(t, r.def(y).name); n > 1 {
			sure = Confidence{Level: Ambiguous, Of: n}
		}
		m := r.mentionsOf(r.def(t).name, family(r.s.files[t.file].lang))
		for i := range m.list {
			at := &m.list[i]
			if at.use != syntax.Call || r.clock.over(len(at.targets)) {
				continue
			}
			for _, meant := range at.targets {
				if meant.symbol != t {
					continue
				}
				to, ok := meant.sure.worse(sure), true
				if r.chosen != nil && r.chosen.chosen == y {
					to, ok = r.chosen.settle(at.file, &at.ref, r.s.lex.text(at.name), meant.sure)
				}
				if ok {
					list = append(list, arrow{symbol{at.file, at.from}, at.use, at.line, to})
				}
			}
		}
	}
	return list
}

// constructors counts the constructors called name of type t, declarations that are defined elsewhere not counted.
func (r *resolver) constructors(t symbol, name uint32) int {
	n, bodies := 0, 0
	for _, y := range r.ownMembers(t, name) {
		if d := r.def(y); d.kind.Callable() {
			n++
			if d.body < d.end {
				bodies++
			}
		}
	}
	if bodies > 0 {
		return bodies
	}
	return n
}
