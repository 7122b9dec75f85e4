package syntax

// cReader reads C and C++.
type cReader struct {
	legacyCurly
	plus   bool
	class  int32 // the class whose body is read, or -1
	params [16]Sym
}

var (
	cDialect         = *newCDialect(false)
	cPlusPlusDialect = *newCDialect(true)
)

func newCDialect(plus bool) *dialect {
	legacyLists := map[word]string{
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
		legacyLists[wClass] = "class"
		legacyLists[wModule] = "namespace"
		legacyLists[wTemplate] = "template"
		legacyLists[wUsing] = "using"
		legacyLists[wOperator] = "operator"
		legacyLists[wFriend] = "friend"
		legacyLists[wPub] = "public private protected"
		legacyLists[wNew] = "new"
		legacyLists[wThis] = "this"
		legacyLists[wTypename] = "typename"
		legacyLists[wDel] = "delete"
		legacyLists[wTry] = "try"
		legacyLists[wCatch] = "catch"
		legacyLists[wThrow] = "throw co_return co_yield co_await"
		legacyLists[wValue] += " nullptr true false"
		legacyLists[wDecl] += " virtual explicit constexpr consteval constinit mutable noexcept final override"
		legacyLists[wSkip] += " decltype static_cast dynamic_cast reinterpret_cast const_cast alignof static_assert"
	}
	d := newDialect(words(legacyLists), "", "\"'#\\")
	d.special = cSpecialByte
	return d
}

func (r *legacy) readC(plus bool) {
	d := &cDialect
	if plus {
		d = &cPlusPlusDialect
	}
	r.lex(d)
	c := &cReader{legacyCurly: legacyCurly{legacy: r, angles: plus}, plus: plus, class: -1}
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
	body     int // the legacyCurly bracket of a function
	shape    int // 1 + the keyword struct, union, enum or class that a body follows
	members  int // the legacyCurly bracket of that body
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
					f.shape = i + 1
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
