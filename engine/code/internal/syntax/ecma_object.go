package syntax

import "helve/engine/code/internal/syntax/internal/lex"

// typedValue is the type that the declaration of a variable or field gives the value at a place.
type typedValue struct {
	at  pos
	typ Sym
}

// expressionOf reads the value of what is declared to have the type t; 0: nobody says.
func (r *ecmaReader) expressionOf(t Sym) {
	around := r.typed
	r.typed = typedValue{r.at, t}
	r.expression()
	r.typed = around
}

// endFunction ends the scope of a function. result is that of the function around it.
func (r *ecmaReader) endFunction(begin scope, result Sym) {
	r.endScope(begin)
	r.result = result
}

// objectMethod reads the method of an object whose name stands at name. Where the object is declared to be a T, it
// stands in for T's.
func (r *ecmaReader) objectMethod(name pos) {
	t, d := r.objectType(), int32(len(r.rows.Defs))
	r.namedFunction(Method, name, name)
	if r.cur >= 0 {
		r.standsIn(d, t)
	}
}

// objectType is the declared type of the object {…} around the cursor: of a variable or field, or of what the
// function around returns. 0: nothing says one.
func (r *ecmaReader) objectType() Sym {
	end := r.token(pos(len(r.view)))
	if !end.Is('}') {
		return 0
	}
	open := pos(end.Aux)
	before := r.token(open - 1)
	switch {
	case open == r.typed.at:
		return r.typed.typ
	case before.Word == lex.Return, before.Is('(') && r.token(open-2).Is(lex.OpFat):
		return r.result
	}
	return 0
}
