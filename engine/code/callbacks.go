package code

import (
	"strings"

	"helve/engine/code/internal/syntax"
)

// parameterOf is what parameter n of the function is that a call of v takes as its argument number which: what the parameter of v
// is declared to take. The type of a definition says that behind its results: R;0=A,?,B.
func (r *resolver) parameterOf(v value, which byte, n int) value {
	if v.kind != symbolValue {
		return value{}
	}
	for _, s := range v.syms[:min(len(v.syms), maxMeanings)] {
		if r.def(s).kind.Type() {
			w := r.madeFrom(s)
			if w.kind != symbolValue {
				continue
			}
			s = w.syms[0]
		}
		d := r.def(s)
		if d.typ == 0 || !d.kind.Callable() {
			continue
		}
		_, types, ok := strings.Cut(r.s.lex.text(d.typ), ";"+string(which)+"=")
		if !ok {
			continue
		}
		types, _, _ = strings.Cut(types, ";")
		if w := r.eval(part(types, n), s.file, s.def); w.kind == symbolValue {
			return w
		}
	}
	return value{}
}

// madeFrom is the constructor of the type t of TypeScript.
func (r *resolver) madeFrom(t symbol) value {
	y, ok := r.s.lex.find("constructor")
	if !ok || family(r.s.files[t.file].lang) != syntax.JavaScript {
		return value{}
	}
	list := r.typeMembers(t, y)
	if len(list) == 0 {
		return value{}
	}
	return value{kind: symbolValue, syms: list}
}

// contextual reports whether an expression, or the rest of one, goes by way of a parameter of a function that is given to another.
func contextual(expr string) bool {
	i := strings.IndexByte(expr, '(')
	return i >= 0 && i+1 < len(expr) && expr[i+1] != ')'
}
