package code

import (
	"strings"

	"helve/engine/code/internal/syntax"
)

// valueKind says what is known of an expression's value.
type valueKind uint8

const (
	unknownValue  valueKind = iota
	externalValue           // something outside the tree
	symbolValue             // a definition, or a value of the type that it defines
	moduleValue             // a package or module: its files, and in syms what it is as a whole: module.exports = Name
	listValue               // a list of inner
	funcValue               // a function whose results are inner
)

// value is what an expression evaluates to.
type value struct {
	kind  valueKind
	syms  []symbol
	files []int32
	inner string // an expression at file and from
	file  int32
	from  int32
	level Level
	// outside: an import says so, of an external value. Of other external values nothing is known.
	outside bool
}

var external = value{kind: externalValue}

// value evaluates the expression with number y in file n, inside definition from.
func (r *resolver) value(y uint32, n, from int32) value {
	key := place{y, n, from}
	if v, ok := r.values[key]; ok {
		return v
	}
	if r.depth >= maxResolveDepth || r.clock.over(1) {
		return value{}
	}
	r.values[key] = value{} // an expression that depends on itself says nothing
	r.depth++
	v := r.expression(y, n, from)
	r.depth--
	r.values[key] = v
	return v
}

// expression is eval of the expression with number y: a single name needs no search for its number.
func (r *resolver) expression(y uint32, n, from int32) value {
	text := r.s.lex.text(y)
	if text == "" || r.depth >= maxResolveDepth || identEnd(text, 0) < len(text) {
		return r.eval(text, n, from)
	}
	return r.named(y, n, from)
}

// named is the value of a name.
func (r *resolver) named(y uint32, n, from int32) value {
	f := r.lookup(y, n, from)
	v := f.v
	v.level = max(v.level, f.level)
	return v
}

// eval evaluates an expression; see syntax.Reference.
func (r *resolver) eval(expr string, n, from int32) value {
	if expr == "" || r.depth >= maxResolveDepth {
		return value{}
	}
	var v value
	i := 0
	switch expr[0] {
	case '?':
		return value{}
	case '[', '{':
		i = closing(expr, 0)
		if i <= 1 {
			return value{}
		}
		kind := listValue
		if expr[0] == '{' {
			kind = funcValue
		}
		v = value{kind: kind, inner: expr[1 : i-1], file: n, from: from}
	default:
		i = identEnd(expr, 0)
		y, ok := r.s.lex.find(expr[:i])
		if !ok {
			return external
		}
		v = r.named(y, n, from)
	}
	for i < len(expr) && v.kind != unknownValue && v.kind != externalValue {
		v, i = r.evalStep(v, expr, i)
	}
	if v.kind == externalValue && i < len(expr) && contextual(expr[i:]) {
		return value{} // what a function of outside gives to those that it takes is not known
	}
	if v.outside && strings.Contains(expr, "()") && untyped(r.s.files[n].lang) {
		v.outside = false // a function of outside may give back what it was given: copy(x)
	}
	return v
}

// untyped reports whether a function of a language need not say what it returns.
func untyped(l syntax.Language) bool {
	return l == syntax.Python || l == syntax.PHP || l == syntax.Ruby || l == syntax.JavaScript
}

// evalStep applies the step at i.
func (r *resolver) evalStep(v value, expr string, i int) (value, int) {
	level := v.level
	r.depth++
	defer func() { r.depth-- }()
	if r.depth > maxResolveDepth {
		return value{}, len(expr)
	}
	switch expr[i] {
	case '.':
		end := identEnd(expr, i+1)
		y, ok := r.s.lex.find(expr[i+1 : end])
		if !ok || end == i+1 {
			return external, len(expr)
		}
		v = r.step(v, y)
		v.level = max(v.level, level)
		return v, max(end, i+1)
	case '(':
		if i+4 < len(expr) && expr[i+1] != ')' {
			v = r.parameterOf(v, expr[i+1], int(expr[i+3]-'0'))
			v.level = max(v.level, level)
			return v, i + 5
		}
		which := 0
		i += 2
		if i < len(expr) && expr[i] >= '0' && expr[i] <= '9' {
			which = int(expr[i] - '0')
			i++
		}
		v = r.called(v, which)
		v.level = max(v.level, level)
		return v, i
	case '[':
		v = r.element(v)
		v.level = max(v.level, level)
		return v, i + 2
	case '^':
		var up value
		for _, y := range v.syms {
			up.syms = append(up.syms, r.basesOf(y)...)
		}
		if len(up.syms) == 0 {
			return external, len(expr)
		}
		up.kind, up.level = symbolValue, level
		return up, i + 1
	}
	return value{}, len(expr)
}

func identEnd(s string, i int) int {
	for i < len(s) {
		switch s[i] {
		case '.', '(', '[', ']', '{', '}', '^', ',', '?':
			return i
		}
		i++
	}
	return i
}

// closing is the offset behind the bracket that closes the one at i, or 0.
func closing(s string, i int) int {
	depth := 0
	for ; i < len(s); i++ {
		switch s[i] {
		case '[', '{', '(':
			depth++
		case ']', '}', ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// part is the n-th of the expressions that commas separate in s.
func part(s string, n int) string {
	depth, start := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '[', '{', '(':
			depth++
		case ']', '}', ')':
			depth--
		case ',', ';': // what stands behind a semicolon is no result: see parameterOf
			if depth == 0 {
				if n == 0 {
					return s[start:i]
				}
				if s[i] == ';' {
					return ""
				}
				n--
				start = i + 1
			}
		}
	}
	if n > 0 {
		return ""
	}
	return s[start:]
}

// step is the member y of v.
func (r *resolver) step(v value, y uint32) value {
	switch v.kind {
	case moduleValue:
		if len(v.syms) == 0 {
			return r.moduleMember(v, y)
		}
		// What the file imports for itself is no member of what it exports as the whole of it.
		if w := r.step(value{kind: symbolValue, syms: v.syms}, y); w.kind == symbolValue {
			return w
		}
		return r.moduleMember(v, y)
	case symbolValue:
		var out value
		for _, s := range v.syms[:min(len(v.syms), maxMeanings)] {
			w := r.memberOf(s, y)
			if w.kind == symbolValue {
				out.kind = symbolValue
				out.syms = append(out.syms, w.syms...)
				out.level = max(out.level, w.level)
			} else if out.kind == unknownValue {
				out.kind = w.kind
			}
		}
		return out
	case listValue:
		return r.ofList(v, y)
	}
	return external
}

// maxMeanings bounds the definitions that an ambiguous name before a dot is followed through.
const maxMeanings = 16

// memberOf is the member y of the value or type s.
func (r *resolver) memberOf(s symbol, y uint32) value {
	key := memberKey{s, y}
	if v, ok := r.steps[key]; ok || r.clock.over(1) {
		return v
	}
	r.steps[key] = value{} // a type that leads to itself says nothing
	v := r.findMember(s, y)
	r.steps[key] = v
	return v
}

func (r *resolver) findMember(s symbol, y uint32) value {
	d := r.def(s)
	switch {
	case d.kind.Type():
		if list := r.typeMembers(s, y); len(list) > 0 {
			return value{kind: symbolValue, syms: list}
		}
		return external
	case d.kind == syntax.Module:
		if list := r.children(s, y); len(list) > 0 {
			return value{kind: symbolValue, syms: list}
		}
		return r.sameModule(s, y)
	case d.typ == 0:
		return value{}
	}
	v := r.typeOf(s)
	if r.depth >= maxResolveDepth {
		return value{}
	}
	r.depth++
	defer func() { r.depth-- }()
	return r.step2(v, y)
}

// step2 is step on the type of a variable: what is not known stays unknown.
func (r *resolver) step2(v value, y uint32) value {
	if v.kind == unknownValue {
		return v
	}
	return r.step(v, y)
}

// sameModule looks for y in the other parts of a namespace.
func (r *resolver) sameModule(s symbol, y uint32) value {
	name := r.def(s).name
	var list []symbol
	r.mentioning(y, false, func(n int32) {
		defs := r.defsOf(n)
		r.clock.over(len(defs))
		for i := range defs {
			d := &defs[i]
			if d.name != y || d.parent < 0 {
				continue
			}
			around := &defs[d.parent]
			if d.kind == syntax.Member && around.parent >= 0 && family(r.s.files[n].lang) == syntax.C {
				around = &defs[around.parent] // members of an enumeration are named as its own
			}
			if around.name == name || defs[d.parent].name == name {
				list = append(list, symbol{n, int32(i)})
			}
		}
	})
	if len(list) == 0 {
		return external
	}
	return value{kind: symbolValue, syms: list, level: SamePackage}
}

// typeOf is the type of the variable, field or function s: for a function, its first result.
func (r *resolver) typeOf(s symbol) value {
	d := r.def(s)
	if d.typ == 0 {
		return value{}
	}
	from := d.parent
	if d.kind.Callable() {
		from = s.def
		if first := part(r.s.lex.text(d.typ), 0); len(first) < len(r.s.lex.text(d.typ)) {
			return r.eval(first, s.file, from)
		}
	}
	return r.value(d.typ, s.file, from)
}

// called is result number which of calling v.
func (r *resolver) called(v value, which int) value {
	switch v.kind {
	case funcValue:
		return r.eval(part(v.inner, which), v.file, v.from)
	case symbolValue:
	case moduleValue: // what it is as a whole, if that has a name
		if len(v.syms) == 0 {
			return external
		}
	default:
		return external
	}
	var out value
	for _, s := range v.syms[:min(len(v.syms), maxMeanings)] {
		w := r.result(s, which)
		if w.kind == moduleValue && len(w.syms) > 0 {
			w.kind = symbolValue
		}
		if w.kind == symbolValue {
			out.syms = append(out.syms, w.syms...)
		}
		if out.kind != symbolValue {
			syms := out.syms
			out = w
			out.syms = syms
			if w.kind == symbolValue {
				out.syms = w.syms
			}
		}
		if len(out.syms) >= maxTargets {
			break
		}
	}
	return out
}

// result is result number which of calling s.
func (r *resolver) result(s symbol, which int) value {
	d := r.def(s)
	switch {
	case d.kind == syntax.Alias && d.typ != 0 && r.s.files[s.file].lang == syntax.Go:
		if v := r.value(d.typ, s.file, d.parent); v.kind == funcValue {
			return r.called(v, which)
		}
		return value{kind: symbolValue, syms: []symbol{s}}
	case d.kind.Type():
		return value{kind: symbolValue, syms: []symbol{s}}
	case d.typ == 0:
		return value{}
	case d.kind == syntax.Constructor:
		return value{kind: symbolValue, syms: []symbol{{s.file, d.parent}}}
	case d.kind.Callable():
		return r.eval(part(r.s.lex.text(d.typ), which), s.file, s.def)
	}
	v := r.typeOf(s)
	if r.depth >= maxResolveDepth || v.kind == unknownValue {
		return value{}
	}
	r.depth++
	defer func() { r.depth-- }()
	return r.called(v, which)
}
