package code

import "helve/engine/code/internal/syntax"

// enumerated are the members y of the enumerations in the type t of C or C++: they are named as its own.
func (r *resolver) enumerated(t symbol, y uint32) []symbol {
	var list []symbol
	defs := r.defsOf(t.file)
	for i := int(t.def) + 1; i < len(defs) && defs[i].start < defs[t.def].end; i++ {
		d := &defs[i]
		if d.name == y && d.kind == syntax.Member && d.parent >= 0 && defs[d.parent].parent == t.def {
			list = append(list, symbol{t.file, int32(i)})
		}
	}
	return list
}

// indexes reports whether s is a type of C++ with an index operator of its own, or a value of one: x[i] is no x then.
func (r *resolver) indexes(s symbol) bool {
	if r.s.files[s.file].lang != syntax.CPlusPlus {
		return false
	}
	y, ok := r.s.lex.find("operator[]")
	if !ok {
		return false
	}
	if r.def(s).kind.Type() {
		return len(r.typeMembers(s, y)) > 0
	}
	if r.def(s).typ == 0 || r.depth >= maxResolveDepth {
		return false
	}
	r.depth++
	defer func() { r.depth-- }()
	v := r.typeOf(s)
	return v.kind == symbolValue && len(v.syms) > 0 && r.def(v.syms[0]).kind.Type() && r.indexes(v.syms[0])
}

// element is an element of v.
func (r *resolver) element(v value) value {
	switch v.kind {
	case listValue:
		return r.eval(v.inner, v.file, v.from)
	case symbolValue:
	default:
		return external
	}
	for _, s := range v.syms {
		d := r.def(s)
		if r.indexes(s) {
			return value{} // what it gives is that of a type parameter, most of the time
		}
		if d.kind.Callable() && r.s.files[s.file].lang == syntax.Go { // type arguments
			return v
		}
		if d.typ == 0 {
			if d.kind.Type() {
				return v // type arguments, or an index operator of its own
			}
			continue
		}
		w := r.typeOf(s)
		if w.kind == listValue || w.kind == symbolValue && r.depth < maxResolveDepth && !d.kind.Type() {
			r.depth++
			w = r.element(w)
			r.depth--
			return w
		}
		if d.kind.Type() {
			return v
		}
	}
	return value{}
}

// What methods of lists, of any language, give: an element, or a list of the same elements.
var (
	givesElement = set("at back begin cbegin dequeue element end find findLast first front get getFirst getLast last next peek poll " +
		"pop popleft popitem rbegin remove setdefault shift top")
	givesList = set("concat copy filter iter iterator reverse reversed slice sort sorted splice stream subList toList toSorted values")
)

// ofList is the method y of the list v.
func (r *resolver) ofList(v value, y uint32) value {
	switch name := r.s.lex.text(y); {
	case givesElement[name]:
		v.kind = funcValue
	case givesList[name]:
		v.kind, v.inner = funcValue, "["+v.inner+"]"
	default:
		return external
	}
	return v
}
