package syntax

// cReader reads C and C++.
type cReader struct {
	curly
	plus   bool
	class  int32 // the class whose body is read, or -1
	params [16]Sym
}

var (
	cDialect         = *newCDialect(false)
	cPlusPlusDialect = *newCDialect(true)
)

func newCDialect(plus bool) *dialect {
	lists := map[word]string{
		wStruct: "struct", wUnion: "union", wEnum: "enum", wTypedef: "typedef", wExtern: "extern",
		wIf: "if", wElse: "else", wFor: "for", wWhile: "while", wDo: "do", wSwitch: "switch", wCase: "case", wDefault: "default",
		wReturn: "return", wBreak: "break continue", wGoto: "goto",
		wDecl: "static inline const volatile register restrict auto __inline __inline__ _Noreturn __extension__ __restrict " +
			"thread_local _Thread_local __always_inline noinline asmlinkage __init __exit",
		wPrim:      "void char short int long float double signed unsigned bool _Bool size_t ssize_t u8 u16 u32 u64 s8 s16 s32 s64 uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t",
		wAttribute: "__attribute__ __attribute __declspec _Alignas alignas __asm__ asm __asm",
		wSkip:      "sizeof typeof __typeof__ _Alignof defined",
		wValue:     "NULL",
	}
	if plus {
		lists[wClass] = "class"
		lists[wModule] = "namespace"
		lists[wTemplate] = "template"
		lists[wUsing] = "using"
		lists[wOperator] = "operator"
		lists[wFriend] = "friend"
		lists[wPub] = "public private protected"
		lists[wNew] = "new"
		lists[wThis] = "this"
		lists[wTypename] = "typename"
		lists[wDel] = "delete"
		lists[wTry] = "try"
		lists[wCatch] = "catch"
		lists[wThrow] = "throw co_return co_yield co_await"
		lists[wValue] += " nullptr true false"
		lists[wDecl] += " virtual explicit constexpr consteval constinit mutable noexcept final override"
		lists[wSkip] += " decltype static_cast dynamic_cast reinterpret_cast const_cast alignof static_assert"
	}
	d := newDialect(words(lists), "", "\"'#\\")
	d.special = cSpecialByte
	return d
}

func (r *reader) readC(plus bool) {
	d := &cDialect
	if plus {
		d = &cPlusPlusDialect
	}
	r.lex(d)
	c := &cReader{curly: curly{reader: r, angles: plus}, plus: plus, class: -1}
	c.local, c.nested = c.localDeclaration, c.insideBody
	if plus {
		c.closure = c.lambda
	}
	c.declarations(0, len(r.toks)-1)
}

// declarations reads the declarations of a file, namespace or class.
func (r *cReader) declarations(lo, hi int) {
	if !r.enter() {
		r.flat(lo, hi)
		return
	}
	mark := len(r.binds)
	for i := lo; i < hi; {
		i = max(r.declaration(i, hi), i+1)
	}
	r.unbind(mark)
	r.leave()
}

func (r *cReader) declaration(i, hi int) int {
	t := r.tok(i)
	if t.kind == tDirective {
		r.directive(i)
		return i + 1
	}
	if t.kind == tPunct {
		if t.ch == '{' {
			r.declarations(i+1, r.close(i, hi))
			return r.after(i, hi)
		}
		if t.ch == '[' { // an attribute
			return r.after(i, hi)
		}
		if t.ch != '~' && t.ch != opScope && t.ch != '*' {
			return i + 1
		}
	}
	switch t.word {
	case wExtern:
		if r.tok(i+1).kind == tString {
			if r.is(i+2, '{') {
				r.declarations(i+3, r.close(i+2, hi))
				return r.after(i+2, hi)
			}
			return i + 2
		}
	case wModule:
		return r.namespace(i, hi)
	case wTemplate:
		return r.template(i, hi)
	case wUsing:
		return r.using(i, hi)
	case wFriend:
		return r.semicolon(i, hi)
	case wPub:
		return i + 1
	}
	return r.general(i, hi)
}

// semicolon is the position behind the declaration at i.
func (r *cReader) semicolon(i, hi int) int {
	for ; i < hi; i++ {
		if r.is(i, ';') {
			return i + 1
		}
		if r.is(i, '{') || r.is(i, '(') || r.is(i, '[') {
			k := r.close(i, hi)
			if r.is(i, '{') && !r.is(k+1, ';') {
				return min(k+1, hi)
			}
			i = k
		}
	}
	return hi
}

func (r *cReader) namespace(i, hi int) int {
	from, name := i, 0
	for i++; i < hi && !r.is(i, '{') && !r.is(i, ';') && !r.is(i, '='); i++ {
		if r.name(i) {
			name = i
		}
	}
	if !r.is(i, '{') {
		return r.semicolon(i, hi)
	}
	inside := func() { r.declarations(i+1, r.close(i, hi)) }
	if name == 0 {
		inside()
		return r.after(i, hi)
	}
	d := r.define(Module, name, from)
	r.signature(d, i)
	r.within(d, inside)
	end := r.after(i, hi)
	r.finish(d, end)
	return end
}

// template binds the parameters in the angle brackets and reads what they are for.
func (r *cReader) template(i, hi int) int {
	i++
	if !r.is(i, '<') {
		return i
	}
	mark := len(r.binds)
	depth := 0
	for ; i < hi; i++ {
		if r.is(i, '<') {
			depth++
		} else if r.is(i, '>') {
			if depth--; depth == 0 {
				break
			}
		} else if r.is(i, '{') || r.is(i, ';') {
			return i
		} else if r.name(i) && (r.is(i+1, ',') || r.is(i+1, '>') || r.is(i+1, '=')) && depth == 1 {
			r.bind(r.sym(i), 0)
		}
	}
	if !r.enter() {
		return i + 1
	}
	i = r.declaration(i+1, hi)
	r.leave()
	r.unbind(mark)
	return i
}

// using reads "using X = Y;" and "using namespace X;".
func (r *cReader) using(i, hi int) int {
	if r.name(i+1) && r.is(i+2, '=') {
		d := r.define(Alias, i+1, i)
		start := len(r.expr)
		r.typeName(r.skipTypename(i+3, hi), hi)
		r.rows.Defs[d].Type = r.pop(start)
		end := r.semicolon(i, hi)
		r.finish(d, end)
		return end
	}
	end := r.semicolon(i, hi)
	start := len(r.expr)
	for k := i + 1; k < end; k++ {
		if r.name(k) {
			if len(r.expr) > start {
				r.expr = append(r.expr, '.')
			}
			r.expr = append(r.expr, r.text(k)...)
		}
	}
	row := ImportRow{Module: r.take(start), Line: r.lineOf(i)}
	if r.word(i+1) == wModule {
		row.Name = r.names.InternString("*")
	} else {
		row.Local = r.names.InternString(lastName(r.expr[start:]))
		row.Name = row.Local
	}
	r.expr = r.expr[:start]
	r.rows.Imports = append(r.rows.Imports, row)
	return end
}

func (r *cReader) skipTypename(i, hi int) int {
	for i < hi && (r.word(i) == wTypename || r.word(i) == wDecl || r.word(i) == wStruct || r.word(i) == wClass || r.word(i) == wEnum || r.word(i) == wUnion) {
		i++
	}
	return i
}

// found is what a look over a declaration found out: positions, 0 where absent.
type found struct {
	function int // the name before the parameters
	params   int // their opening bracket
	body     int // the curly bracket of a function
	shape    int // the keyword struct, union, enum or class that a body follows
	members  int // the curly bracket of that body
	end      int // the ; or = or , that ends the first declarator, or the end
	pointer  int // the name in (*name)
	macro    int // behind the call of a macro that no semicolon ends
}

// general reads a declaration that begins with neither a keyword nor a bracket of its own.
func (r *cReader) general(i, hi int) int {
	f := r.survey(i, hi)
	switch {
	case f.macro > 0:
		r.referTo(r.sym(f.function), 0, Call, f.function)
		r.scan(f.params+1, r.close(f.params, hi), false)
		return min(f.macro, hi)
	case f.members > 0:
		return r.shaped(i, hi, f)
	case f.body > 0:
		return r.function(i, hi, f)
	case f.function > 0:
		return r.prototype(i, hi, f)
	}
	return r.variables(i, hi, f)
}

// survey looks ahead over the declaration at i.
func (r *cReader) survey(i, hi int) found {
	var f found
	from, based := i, false
	for ; i < hi; i++ {
		t := r.tok(i)
		if t.kind == tName {
			switch t.word {
			case wStruct, wUnion, wEnum, wClass:
				if f.function == 0 {
					f.shape = i
				}
			case wAttribute, wSkip:
				if r.is(i+1, '(') {
					i = r.close(i+1, hi)
				}
			case wOperator:
				f.function = i
				for i++; i < hi && !r.is(i, '(') && !r.is(i, ';'); i++ {
				}
				if r.is(i, '(') && r.is(i+1, ')') && r.is(i+2, '(') {
					i += 2
				}
				f.params = i
				i = r.close(i, hi)
			}
			continue
		}
		if t.kind != tPunct {
			continue
		}
		switch t.ch {
		case ',':
			if based && f.function == 0 {
				continue // another base class
			}
			fallthrough
		case ';', '=':
			f.end = i
			return f
		case '}', ')':
			f.end = i
			return f
		case '[':
			i = r.close(i, hi)
		case '<':
			if k := r.angle(i, hi); r.plus && k > i {
				i = k - 1
			}
		case '(':
			if f = r.parameters(i, hi, f); f.end > 0 {
				return f
			}
			k := r.close(i, hi)
			if f.function == from && f.params == i && r.endsMacro(k+1, hi) {
				f.macro = k + 1
				return f
			}
			i = k
		case ':':
			based = f.shape > 0
			if f.function > 0 && r.plus {
				f.body = r.initialisers(i+1, hi)
				return f
			}
		case '{':
			switch {
			case f.function > 0:
				f.body = i
			case f.shape > 0:
				f.members = i
			default:
				f.end = i
			}
			return f
		}
	}
	f.end = hi
	return f
}

// parameters decides whether the round bracket at i holds the parameters of a function.
func (r *cReader) parameters(i, hi int, f found) found {
	before := r.tok(i - 1)
	switch {
	case before.kind == tName && before.word == noWord && i > 0:
		if f.function == 0 || r.macroLike(f.function) && !r.macroLike(i-1) {
			f.function, f.params = i-1, i
		}
	case f.function == 0 && (r.is(i+1, '*') || r.is(i+1, '^') || r.name(i+1) && r.is(i+2, opScope)):
		k := i + 1
		for k < hi && !r.name(k) && !r.is(k, ')') {
			k++
		}
		if r.name(k) && !r.is(k+1, '(') {
			f.pointer = k
		} else if r.name(k) { // a function that returns a function
			f.function, f.params = k, k+1
		}
	case f.function == 0 && r.is(i-1, '>') && r.plus: // f<T>(…)
		for k := i - 2; k > 0 && i-k < maxAngle; k-- {
			if r.is(k, '<') && r.name(k-1) {
				f.function, f.params = k-1, i
				break
			}
		}
	}
	return f
}

// macroLike reports whether the name at i looks like an annotation: FOO or __foo.
func (r *cReader) macroLike(i int) bool {
	b := r.text(i)
	if len(b) > 2 && b[0] == '_' && b[1] == '_' {
		return true
	}
	for _, c := range b {
		if c >= 'a' && c <= 'z' {
			return false
		}
	}
	return true
}

// endsMacro reports whether what stands at i cannot continue a function that began with its name: the call of a macro
// came before, without a semicolon.
func (r *cReader) endsMacro(i, hi int) bool {
	t := r.tok(i)
	if i >= hi || t.kind == tDirective {
		return true
	}
	return t.nl && t.kind == tName && t.word != wTry
}

// initialisers passes the initialisers of a constructor and answers the position of its body.
func (r *cReader) initialisers(i, hi int) int {
	for i < hi {
		for i < hi && !r.is(i, '(') && !r.is(i, '{') && !r.is(i, ';') {
			i++
		}
		i = r.after(i, hi)
		if r.is(i, opDots) {
			i++
		}
		if !r.is(i, ',') {
			return min(i, hi-1)
		}
		i++
	}
	return hi - 1
}

// function defines a function with a body.
func (r *cReader) function(i, hi int, f found) int {
	from := i
	if !r.is(f.body, '{') {
		return r.semicolon(f.params, hi)
	}
	d := r.functionNamed(f, from, hi)
	mark, this, class := len(r.binds), r.this, r.class
	end := r.close(f.body, hi)
	r.within(d, func() {
		start := len(r.expr)
		r.specifiers(from, f.function)
		r.rows.Defs[d].Type = r.pop(start)
		r.signature(d, r.closeSignature(f, hi))
		r.own(d)
		r.bindParams(f.params+1, r.close(f.params, hi))
		r.class = -1
		r.scan(r.after(f.params, hi), f.body, false)
		r.scan(f.body+1, end, true)
	})
	r.unbind(mark)
	r.this, r.class = this, class
	end = min(end+1, hi)
	r.finish(d, end)
	return end
}

func (r *cReader) closeSignature(f found, hi int) int {
	i := r.after(f.params, hi)
	for i < f.body && !r.is(i, ':') {
		i++
	}
	return i
}

// own tells what this means in the function d.
func (r *cReader) own(d int32) {
	def := &r.rows.Defs[d]
	switch {
	case def.Owner != 0:
		r.this = r.names.Text(def.Owner)
	case r.class >= 0:
		r.this = r.classPath(r.class)
	}
}

// functionNamed adds the definition of the function that f describes: X::f belongs to X, a macro that defines a
// function names it in its first argument.
func (r *cReader) functionNamed(f found, from, hi int) int32 {
	at := f.function
	kind := Function
	if r.class >= 0 {
		kind = Method
	}
	name := r.sym(at)
	switch {
	case r.word(at) == wOperator:
		name = r.names.Intern(r.src[r.tok(at).start:r.tok(f.params-1).end])
	case r.is(at-1, '~') && r.plus:
		at--
		name = r.names.Intern(r.src[r.tok(at).start:r.tok(at+1).end])
	}
	owner := r.qualifier(at, from)
	if owner != 0 {
		kind = Method
	}
	d := r.defineNamed(kind, name, f.function, from)
	r.rows.Defs[d].Owner = owner
	return d
}

// qualifier is the A.B of A::B::f, where f stands at i; 0: it has none.
func (r *cReader) qualifier(i, from int) Sym {
	if !r.plus || !r.is(i-1, opScope) {
		return 0
	}
	var parts []string
	for k := i - 1; k > from && r.is(k, opScope) && len(parts) < 8; {
		k--
		if r.is(k, '>') {
			for k > from && !r.is(k, '<') {
				k--
			}
			k--
		}
		if !r.name(k) {
			break
		}
		parts = append(parts, string(r.text(k)))
		k--
	}
	start := len(r.expr)
	for n := len(parts) - 1; n >= 0; n-- {
		r.expr = append(r.expr, parts[n]...)
		if n > 0 {
			r.expr = append(r.expr, '.')
		}
	}
	s := r.names.Intern(r.expr[start:])
	r.expr = r.expr[:start]
	return s
}

// prototype reads the declaration of a function without a body. It counts inside classes only: elsewhere the
// definition is what one looks for.
func (r *cReader) prototype(i, hi int, f found) int {
	end := r.statementEnd(f.params, hi)
	if r.class >= 0 && r.cur == r.class {
		d := r.functionNamed(f, i, hi)
		was := r.cur
		r.cur = d
		start := len(r.expr)
		r.specifiers(i, f.function)
		r.rows.Defs[d].Type = r.pop(start)
		r.cur = was
		r.finish(d, end)
		return end
	}
	start := len(r.expr)
	r.specifiers(i, f.function)
	r.expr = r.expr[:start]
	if f.function == i || r.macroLike(f.function) { // the call of a macro
		r.referTo(r.sym(f.function), 0, Call, f.function)
		r.scan(f.params+1, r.close(f.params, hi), false)
	}
	r.scan(r.after(f.params, hi), end, false)
	return end
}

// statementEnd is the position behind the next ; that stands outside brackets.
func (r *cReader) statementEnd(i, hi int) int {
	for ; i < hi; i++ {
		t := r.tok(i)
		if t.kind == tDirective {
			r.directive(i)
		}
		if t.kind != tPunct {
			continue
		}
		switch t.ch {
		case ';':
			return i + 1
		case '(', '[', '{':
			i = r.close(i, hi)
		case '}':
			return i
		}
	}
	return hi
}
