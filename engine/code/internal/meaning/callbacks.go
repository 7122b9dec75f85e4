package meaning

import (
	"strings"

	"helve/engine/code/internal/store"
)

// parameterOf is what parameter n of the function is that a call of v takes as its argument number which: what the
// parameter of v is declared to take. The type of a definition says that behind its results: R;0=A,?,B.
func (r *evaluator) parameterOf(v Value, which byte, n int) Value {
	if v.Kind != SymbolValue {
		return Value{}
	}
	for _, s := range v.Symbols[:min(len(v.Symbols), maxMeanings)] {
		if r.Def(s).Kind.Type() {
			w := r.madeFrom(s)
			if w.Kind != SymbolValue {
				continue
			}
			s = w.Symbols[0]
		}
		d := r.Def(s)
		if d.Type == 0 || !d.Kind.Callable() {
			continue
		}
		_, types, ok := strings.Cut(r.Tree.Lex.Text(d.Type), ";"+string(which)+"=")
		if !ok {
			continue
		}
		types, _, _ = strings.Cut(types, ";")
		if w := r.Eval(Part(types, n), s.File, s.Def); w.Kind == SymbolValue {
			return w
		}
	}
	return Value{}
}

// madeFrom is the constructor of the type t, where such have a name.
func (r *evaluator) madeFrom(t store.DefID) Value {
	name := r.rules(t.File).constructor
	if name == "" {
		return Value{}
	}
	y, ok := r.Tree.Lex.Find(name)
	if !ok {
		return Value{}
	}
	list := r.members.TypeMembers(t, y)
	if len(list) == 0 {
		return Value{}
	}
	return Value{Kind: SymbolValue, Symbols: list}
}

// contextual reports whether an expression, or the rest of one, goes by way of a parameter of a function that is
// given to another.
func contextual(expr string) bool {
	i := strings.IndexByte(expr, '(')
	return i >= 0 && i+1 < len(expr) && expr[i+1] != ')'
}
