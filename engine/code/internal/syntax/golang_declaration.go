package syntax

import "helve/engine/code/internal/syntax/internal/lex"

func (r *reader) readGo() {
	r.lex(goDialect())
	g := &goReader{reader: r}
	for g.more() {
		at := g.at
		g.declaration()
		g.past(at)
	}
}

// declaration reads one declaration at the top of a file.
func (r *goReader) declaration() {
	switch r.word() {
	case lex.Package:
		r.next()
		r.rows.Package = r.sym()
		r.next()
	case lex.Import:
		r.group(r.importSpec)
	case lex.Func:
		r.function()
	case lex.Type:
		r.group(r.typeSpec)
	case lex.Var:
		r.group(func() { r.valueSpec(Variable) })
	case lex.Const:
		r.group(func() { r.valueSpec(Constant) })
	default:
		r.skipOne() // what is left of something that did not parse
	}
}

// function reads
//
//	func (s *Server[T]) Serve[U any](r io.Reader) (n int, err error) { … }
func (r *goReader) function() {
	from, begin := r.at, r.beginScope()
	defer r.endScope(begin)
	r.next()
	kind, owner := Function, Sym(0)
	if r.is('(') {
		kind = Method
		owner = r.receiver()
	}
	if r.tok().Kind != lex.Name || r.word() == lex.Func || r.word() == lex.Type {
		return
	}
	d := r.define(kind, r.at, from)
	r.next()
	r.within(d, func() {
		r.typeParams()
		results := r.parameters()
		r.def(d).Owner, r.def(d).Type = owner, results
		r.signature(d)
		if r.is('{') && !r.tok().First {
			r.body()
		}
	})
	r.finish(d)
}

// receiver binds what stands in the brackets at the cursor, (s *Server[T]), and answers the name of the type.
func (r *goReader) receiver() Sym {
	outer := r.open()
	defer r.shut(outer)
	var names [2]Sym
	n := 0
	last := r.at
	for ; r.more() && !r.is('['); r.next() {
		if r.tok().Kind == lex.Name && n < len(names) {
			names[n], last = r.sym(), r.at
			n++
		}
	}
	if s := r.site(last); s != nil {
		s.Owner = true
	}
	if r.is('[') {
		r.bindNames()
	}
	if n < len(names) { // the receiver has no name
		return names[0]
	}
	r.bind(names[0], names[1])
	return names[1]
}

// typeSpec reads what stands behind type:
//
//	Name[P any] struct { … }    Name = other.Name    Name []Other
func (r *goReader) typeSpec() {
	if !r.name() {
		r.next()
		return
	}
	begin, from, name := r.beginScope(), r.at, r.sym()
	if r.peekWord(-1) == lex.Type { // one that stands in no group
		from--
	}
	d := r.define(Alias, r.at, from)
	local := r.cur >= 0
	if local {
		r.bind(name, 0)
	}
	r.next()
	r.within(d, func() {
		if r.is('[') && r.generic() {
			r.typeParams()
		}
		r.skip('=')
		r.typeBody(d)
	})
	r.finish(d)
	r.endScope(begin)
	if local { // it stands for itself
		r.bind(name, name)
	}
}

// parameters reads parameters and results, binds them and answers the results as "A,B":
//
//	(a, b int, c ...T) (n int, err error)    (A, B) R
func (r *goReader) parameters() (results Sym) {
	if !r.is('(') {
		return 0
	}
	m := r.top()
	r.paramList(false)
	r.drop(m)
	switch {
	case r.tok().First:
	case r.is('('):
		r.paramList(true)
	case beginsGoType(r.tok()):
		r.typ()
	}
	if size := len(r.expr) - int(m); size > 0 && size <= maxExpr {
		results = r.names.Intern(r.expr[m:])
	}
	r.drop(m)
	return results
}

// paramList binds the parameters in the brackets at the cursor; when keep, it pushes their types, separated by commas.
func (r *goReader) paramList(keep bool) {
	outer := r.open()
	named := r.hasNames()
	for first := true; r.more(); first = false {
		base := len(r.pending)
		if named {
			r.paramNames(base)
		}
		if keep && !first {
			r.pushString(",")
		}
		m := r.top()
		r.typ()
		if len(r.expr)-int(m) > maxExpr {
			r.forget(m)
		}
		r.bindPending(base, m)
		if keep {
			r.repeat(m, len(r.pending)-base)
		} else {
			r.drop(m)
		}
		r.pending = r.pending[:base]
		r.skipTo(',')
		r.next()
	}
	r.shut(outer)
}

// paramNames reads a, b before their type.
func (r *goReader) paramNames(base int) {
	for r.tok().Kind == lex.Name && len(r.pending)-base < maxNames {
		r.pending = append(r.pending, r.sym())
		r.next()
		if !r.skip(',') {
			return
		}
	}
}

// bindPending binds the names pending since base to the type from m on.
func (r *goReader) bindPending(base int, m mark) {
	if len(r.pending) == base {
		return
	}
	var t Sym
	if r.known(m) {
		t = r.names.Intern(r.expr[m:])
	}
	for _, name := range r.pending[base:] {
		r.bind(name, t)
	}
}

// repeat makes count of the expression from m on, separated by commas: the types of a, b int.
func (r *goReader) repeat(m mark, count int) {
	size := len(r.expr) - int(m)
	for range count - 1 {
		r.pushString(",")
		r.pushText(r.expr[int(m) : int(m)+size])
	}
}

// hasNames reports whether the parameters up to the limit have names: whether one of them is a name and a type.
func (r *goReader) hasNames() bool {
	look := r.cursor
	for ; look.more(); look.next() {
		if look.namesParam() {
			return true
		}
		look.skipTo(',')
	}
	return false
}

// namesParam tells the name and type at the cursor from a type alone. List[T] is a type, list []T a name and one.
func (c cursor) namesParam() bool {
	t, after := c.tok(), c.peek(1)
	if t.Kind != lex.Name || after == c.stop {
		return false
	}
	if after.Is('[') {
		c.next()
		c.skipBrackets()
		return c.more() && !c.is(',')
	}
	switch t.Word {
	case lex.Func, lex.Map, lex.Chan, lex.Struct, lex.Interface:
		return false
	}
	return !after.Is(',') && !after.Is('.')
}

// valueSpec reads one line of a var or const declaration: the names, then their type, their values or both.
func (r *goReader) valueSpec(kind Kind) {
	if r.cur >= 0 {
		r.localValues()
		return
	}
	from, first := r.at, int32(len(r.rows.Defs))
	for r.tok().Kind == lex.Name {
		r.define(kind, r.at, from)
		r.next()
		if !r.skip(',') {
			break
		}
	}
	defs := r.rows.Defs[first:]
	if len(defs) == 0 {
		r.next()
		return
	}
	var types valueTypes
	r.within(first, func() { r.values(len(defs), &types) })
	for n := range defs {
		d := first + int32(n)
		r.def(d).Type = types.of(n)
		r.finish(d)
	}
}

// localValues reads one line of a var or const declaration in a function.
func (r *goReader) localValues() {
	base := len(r.pending)
	r.paramNames(base)
	var types valueTypes
	r.values(len(r.pending)-base, &types)
	for n, name := range r.pending[base:] {
		r.bind(name, types.of(n))
	}
	r.pending = r.pending[:base]
}

// valueTypes are the types of the names of one declaration.
type valueTypes struct {
	declared Sym    // the one that stands there, for all of them
	values   [8]Sym // those of the values; of more of them nothing is remembered
}

// of is the type of name n; 0: it is not known.
func (t *valueTypes) of(n int) Sym {
	if t.declared != 0 || n >= len(t.values) {
		return t.declared
	}
	return t.values[n]
}

func (t *valueTypes) set(n int, value Sym) {
	if n < len(t.values) {
		t.values[n] = value
	}
}

// values reads "T", "T = x, y" or "= x, y" for count names and tells their types.
func (r *goReader) values(count int, types *valueTypes) {
	if beginsGoType(r.tok()) && !r.tok().First {
		m := r.top()
		r.typ()
		types.declared = r.pop(m)
	}
	if r.skip('=') {
		r.valueList(count, types, false)
	}
}
