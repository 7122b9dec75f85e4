package meaning

import (
	"strings"

	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// valueKind says what is known of an expression's value.
type valueKind uint8

const (
	UnknownValue  valueKind = iota
	ExternalValue           // something outside the tree
	SymbolValue             // a definition, or a value of the type that it defines
	ModuleValue             // a package or module: its files, and in syms what it is as a whole: module.exports = Name
	listValue               // a list of inner
	funcValue               // a function whose results are inner
)

// Value is what an expression evaluates to.
type Value struct {
	Kind    valueKind
	Symbols []store.DefID
	Files   []int32
	inner   string // an expression at file and from
	file    int32
	from    int32
	Level   Level
	// outside: an import says so, of an external value. Of other external values nothing is known.
	outside bool
}

var external = Value{Kind: ExternalValue}

// Value evaluates the expression with number y in file n, inside definition from.
func (r *evaluator) Value(y uint32, n, from int32) Value {
	key := place{y, n, from}
	if v, ok := r.values[key]; ok {
		return v
	}
	if r.depth >= maxResolveDepth || r.Clock.Over(1) {
		return Value{}
	}
	r.values[key] = Value{} // an expression that depends on itself says nothing
	r.depth++
	v := r.expression(y, n, from)
	r.depth--
	r.values[key] = v
	return v
}

// expression is eval of the expression with number y: a single name needs no search for its number.
func (r *evaluator) expression(y uint32, n, from int32) Value {
	text := r.Tree.Lex.Text(y)
	if text == "" || r.depth >= maxResolveDepth || IdentEnd(text, 0) < len(text) {
		return r.Eval(text, n, from)
	}
	return r.named(y, n, from)
}

// named is the value of a name.
func (r *evaluator) named(y uint32, n, from int32) Value {
	f := r.scopes.Lookup(y, n, from)
	v := f.Value
	v.Level = max(v.Level, f.Level)
	return v
}

// Eval evaluates an expression; see syntax.Reference.
func (r *evaluator) Eval(expr string, n, from int32) Value {
	if expr == "" || r.depth >= maxResolveDepth {
		return Value{}
	}
	var v Value
	i := 0
	switch expr[0] {
	case '?':
		return Value{}
	case '[', '{':
		i = closing(expr, 0)
		if i <= 1 {
			return Value{}
		}
		kind := listValue
		if expr[0] == '{' {
			kind = funcValue
		}
		v = Value{Kind: kind, inner: expr[1 : i-1], file: n, from: from}
	default:
		i = IdentEnd(expr, 0)
		y, ok := r.Tree.Lex.Find(expr[:i])
		if !ok {
			return external
		}
		v = r.named(y, n, from)
	}
	for i < len(expr) && v.Kind != UnknownValue && v.Kind != ExternalValue {
		v, i = r.evalStep(v, expr, i)
	}
	if v.Kind == ExternalValue && i < len(expr) && contextual(expr[i:]) {
		return Value{} // what a function of outside gives to those that it takes is not known
	}
	if v.outside && strings.Contains(expr, "()") && r.rules(n).untyped {
		v.outside = false // a function of outside may give back what it was given: copy(x)
	}
	return v
}

// evalStep applies the step at i.
func (r *evaluator) evalStep(v Value, expr string, i int) (Value, int) {
	level := v.Level
	r.depth++
	defer func() { r.depth-- }()
	if r.depth > maxResolveDepth {
		return Value{}, len(expr)
	}
	switch expr[i] {
	case '.':
		end := IdentEnd(expr, i+1)
		y, ok := r.Tree.Lex.Find(expr[i+1 : end])
		if !ok || end == i+1 {
			return external, len(expr)
		}
		v = r.Step(v, y)
		v.Level = max(v.Level, level)
		return v, max(end, i+1)
	case '(':
		if i+4 < len(expr) && expr[i+1] != ')' {
			v = r.parameterOf(v, expr[i+1], int(expr[i+3]-'0'))
			v.Level = max(v.Level, level)
			return v, i + 5
		}
		which := 0
		i += 2
		if i < len(expr) && expr[i] >= '0' && expr[i] <= '9' {
			which = int(expr[i] - '0')
			i++
		}
		v = r.called(v, which)
		v.Level = max(v.Level, level)
		return v, i
	case '[':
		v = r.element(v)
		v.Level = max(v.Level, level)
		return v, i + 2
	case '^':
		var up Value
		for _, y := range v.Symbols {
			up.Symbols = append(up.Symbols, r.members.basesOf(y)...)
		}
		if len(up.Symbols) == 0 {
			return external, len(expr)
		}
		up.Kind, up.Level = SymbolValue, level
		return up, i + 1
	}
	return Value{}, len(expr)
}

// Step is the member y of v.
func (r *evaluator) Step(v Value, y uint32) Value {
	switch v.Kind {
	case ModuleValue:
		if len(v.Symbols) == 0 {
			return r.modules.ModuleMember(v, y)
		}
		// What the file imports for itself is no member of what it exports as the whole of it.
		if w := r.Step(Value{Kind: SymbolValue, Symbols: v.Symbols}, y); w.Kind == SymbolValue {
			return w
		}
		return r.modules.ModuleMember(v, y)
	case SymbolValue:
		var out Value
		for _, s := range v.Symbols[:min(len(v.Symbols), maxMeanings)] {
			w := r.MemberOf(s, y)
			if w.Kind == SymbolValue {
				out.Kind = SymbolValue
				out.Symbols = append(out.Symbols, w.Symbols...)
				out.Level = max(out.Level, w.Level)
			} else if out.Kind == UnknownValue {
				out.Kind = w.Kind
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

// MemberOf is the member y of the value or type s.
func (r *evaluator) MemberOf(s store.DefID, y uint32) Value {
	key := memberKey{s, y}
	if v, ok := r.steps[key]; ok || r.Clock.Over(1) {
		return v
	}
	r.steps[key] = Value{} // a type that leads to itself says nothing
	v := r.findMember(s, y)
	r.steps[key] = v
	return v
}

func (r *evaluator) findMember(s store.DefID, y uint32) Value {
	d := r.Def(s)
	switch {
	case d.Kind.Type():
		if list := r.members.TypeMembers(s, y); len(list) > 0 {
			return Value{Kind: SymbolValue, Symbols: list}
		}
		return external
	case d.Kind == syntax.Module:
		if list := r.members.children(s, y); len(list) > 0 {
			return Value{Kind: SymbolValue, Symbols: list}
		}
		return r.sameModule(s, y)
	case d.Type == 0:
		return Value{}
	}
	v := r.TypeOf(s)
	if r.depth >= maxResolveDepth {
		return Value{}
	}
	r.depth++
	defer func() { r.depth-- }()
	return r.step2(v, y)
}

// step2 is step on the type of a variable: what is not known stays unknown.
func (r *evaluator) step2(v Value, y uint32) Value {
	if v.Kind == UnknownValue {
		return v
	}
	return r.Step(v, y)
}

// sameModule looks for y in the other parts of a namespace.
func (r *evaluator) sameModule(s store.DefID, y uint32) Value {
	name := r.Def(s).Name
	var list []store.DefID
	r.Mentioning(y, false, func(n int32) {
		defs := r.DefsOf(n)
		r.Clock.Over(len(defs))
		for i := range defs {
			d := &defs[i]
			if d.Name != y || d.Parent < 0 {
				continue
			}
			around := &defs[d.Parent]
			if d.Kind == syntax.Member && around.Parent >= 0 && r.traits(n).Enumerators {
				around = &defs[around.Parent] // members of an enumeration are named as its own
			}
			if around.Name == name || defs[d.Parent].Name == name {
				list = append(list, store.At(n, int32(i)))
			}
		}
	})
	if len(list) == 0 {
		return external
	}
	return Value{Kind: SymbolValue, Symbols: list, Level: SamePackage}
}

// TypeOf is the type of the variable, field or function s: for a function, its first result.
func (r *evaluator) TypeOf(s store.DefID) Value {
	d := r.Def(s)
	if d.Type == 0 {
		return Value{}
	}
	from := d.Parent
	if d.Kind.Callable() {
		from = s.Def
		if first := Part(r.Tree.Lex.Text(d.Type), 0); len(first) < len(r.Tree.Lex.Text(d.Type)) {
			return r.Eval(first, s.File, from)
		}
	}
	return r.Value(d.Type, s.File, from)
}

// called is result number which of calling v.
func (r *evaluator) called(v Value, which int) Value {
	switch v.Kind {
	case funcValue:
		return r.Eval(Part(v.inner, which), v.file, v.from)
	case SymbolValue:
	case ModuleValue: // what it is as a whole, if that has a name
		if len(v.Symbols) == 0 {
			return external
		}
	default:
		return external
	}
	var out Value
	for _, s := range v.Symbols[:min(len(v.Symbols), maxMeanings)] {
		w := r.result(s, which)
		if w.Kind == ModuleValue && len(w.Symbols) > 0 {
			w.Kind = SymbolValue
		}
		if w.Kind == SymbolValue {
			out.Symbols = append(out.Symbols, w.Symbols...)
		}
		if out.Kind != SymbolValue {
			syms := out.Symbols
			out = w
			out.Symbols = syms
			if w.Kind == SymbolValue {
				out.Symbols = w.Symbols
			}
		}
		if len(out.Symbols) >= store.MaxTargets {
			break
		}
	}
	return out
}

// result is result number which of calling s.
func (r *evaluator) result(s store.DefID, which int) Value {
	d := r.Def(s)
	switch {
	case d.Kind == syntax.Alias && d.Type != 0 && r.rules(s.File).functionTypes:
		if v := r.Value(d.Type, s.File, d.Parent); v.Kind == funcValue {
			return r.called(v, which)
		}
		return Value{Kind: SymbolValue, Symbols: []store.DefID{s}}
	case d.Kind.Type():
		return Value{Kind: SymbolValue, Symbols: []store.DefID{s}}
	case d.Type == 0:
		return Value{}
	case d.Kind == syntax.Constructor:
		return Value{Kind: SymbolValue, Symbols: []store.DefID{store.At(s.File, d.Parent)}}
	case d.Kind.Callable():
		return r.Eval(Part(r.Tree.Lex.Text(d.Type), which), s.File, s.Def)
	}
	v := r.TypeOf(s)
	if r.depth >= maxResolveDepth || v.Kind == UnknownValue {
		return Value{}
	}
	r.depth++
	defer func() { r.depth-- }()
	return r.called(v, which)
}
