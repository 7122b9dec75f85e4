package meaning

import (
	"helve/engine/code/internal/store"
)

// indexes reports whether s is a type with an index operator of its own, or a value of one: x[i] is no x then.
func (r *evaluator) indexes(s store.DefID) bool {
	name := r.rules(s.File).indexed
	if name == "" {
		return false
	}
	y, ok := r.Tree.Lex.Find(name)
	if !ok {
		return false
	}
	if r.Def(s).Kind.Type() {
		return len(r.members.TypeMembers(s, y)) > 0
	}
	if r.Def(s).Type == 0 || r.depth >= maxResolveDepth {
		return false
	}
	r.depth++
	defer func() { r.depth-- }()
	v := r.TypeOf(s)
	return v.Kind == SymbolValue && len(v.Symbols) > 0 && r.Def(v.Symbols[0]).Kind.Type() && r.indexes(v.Symbols[0])
}

// element is an element of v.
func (r *evaluator) element(v Value) Value {
	switch v.Kind {
	case listValue:
		return r.Eval(v.inner, v.file, v.from)
	case SymbolValue:
	default:
		return external
	}
	for _, s := range v.Symbols {
		d := r.Def(s)
		if r.indexes(s) {
			return Value{} // what it gives is that of a type parameter, most of the time
		}
		if d.Kind.Callable() && r.rules(s.File).typeArguments {
			return v
		}
		if d.Type == 0 {
			if d.Kind.Type() {
				return v // type arguments, or an index operator of its own
			}
			continue
		}
		w := r.TypeOf(s)
		if w.Kind == listValue || w.Kind == SymbolValue && r.depth < maxResolveDepth && !d.Kind.Type() {
			r.depth++
			w = r.element(w)
			r.depth--
			return w
		}
		if d.Kind.Type() {
			return v
		}
	}
	return Value{}
}

// What methods of lists, of any language, give: an element, or a list of the same elements.
var (
	givesElement = WordSet("at back begin cbegin dequeue element end find findLast first front get getFirst " +
		"getLast last next peek poll pop popleft popitem rbegin remove setdefault shift top")
	givesList = WordSet("concat copy filter iter iterator reverse reversed slice sort sorted splice stream subList " +
		"toList toSorted values")
)

// ofList is the method y of the list v.
func (r *evaluator) ofList(v Value, y uint32) Value {
	switch name := r.Tree.Lex.Text(y); {
	case givesElement[name]:
		v.Kind = funcValue
	case givesList[name]:
		v.Kind, v.inner = funcValue, "["+v.inner+"]"
	default:
		return external
	}
	return v
}
