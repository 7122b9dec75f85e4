package syntax

import (
	"sync"

	"helve/engine/code/internal/syntax/internal/lex"
)

// cReader reads C and C++.
type cReader struct {
	curly
	plus  bool  // C++
	class int32 // the class whose body is read, or noDef
}

var (
	cDialect         = sync.OnceValue(func() *lex.Dialect { return newCDialect(false) })
	cPlusPlusDialect = sync.OnceValue(func() *lex.Dialect { return newCDialect(true) })
)

func newCDialect(plus bool) *lex.Dialect {
	lists := map[lex.Word]string{
		lex.Struct: "struct", lex.Union: "union", lex.Enum: "enum", lex.Typedef: "typedef", lex.Extern: "extern",
		lex.If: "if", lex.Else: "else", lex.For: "for", lex.While: "while", lex.Do: "do",
		lex.Switch: "switch", lex.Case: "case", lex.Default: "default",
		lex.Return: "return", lex.Break: "break continue", lex.Goto: "goto",
		lex.Decl: "static inline const volatile register restrict auto __inline __inline__ _Noreturn __extension__ " +
			"__restrict thread_local _Thread_local __always_inline noinline asmlinkage __init __exit",
		lex.Prim: "void char short int long float double signed unsigned bool _Bool size_t ssize_t u8 u16 u32 u64 s8 s16 s32 s64 " +
			"uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t",
		lex.Attribute: "__attribute__ __attribute __declspec _Alignas alignas __asm__ asm __asm",
		lex.Skip:      "sizeof typeof __typeof__ _Alignof defined",
		lex.Value:     "NULL",
	}
	if plus {
		addCPlusPlus(lists)
	}
	d := lex.NewDialect(lex.NewKeywords(lists), "", "\"'#\\")
	d.Special = lex.CSpecialByte
	return d
}

func addCPlusPlus(lists map[lex.Word]string) {
	lists[lex.Class] = "class"
	lists[lex.Module] = "namespace"
	lists[lex.Template] = "template"
	lists[lex.Using] = "using"
	lists[lex.Operator] = "operator"
	lists[lex.Friend] = "friend"
	lists[lex.Pub] = "public private protected"
	lists[lex.New] = "new"
	lists[lex.This] = "this"
	lists[lex.Typename] = "typename"
	lists[lex.Del] = "delete"
	lists[lex.Try] = "try"
	lists[lex.Catch] = "catch"
	lists[lex.Throw] = "throw co_return co_yield co_await"
	lists[lex.Value] += " nullptr true false"
	lists[lex.Decl] += " virtual explicit constexpr consteval constinit mutable noexcept final override"
	lists[lex.Skip] += " decltype static_cast dynamic_cast reinterpret_cast const_cast alignof static_assert"
}

func (r *reader) readC(plus bool) {
	d := cDialect()
	if plus {
		d = cPlusPlusDialect()
	}
	r.lex(d)
	c := &cReader{curly: curly{reader: r, angles: plus}, plus: plus, class: noDef}
	c.language = c
	c.declarations()
}

// cKinds are the kinds of types by their keyword.
var cKinds = map[lex.Word]Kind{lex.Struct: Struct, lex.Union: Union, lex.Enum: Enum, lex.Class: Class}

// isShape reports whether w is the keyword of a type that has members.
func isShape(w lex.Word) bool {
	return w == lex.Struct || w == lex.Union || w == lex.Enum || w == lex.Class
}

// declarations reads the declarations of a file, namespace or class, up to the limit.
func (r *cReader) declarations() {
	if !r.enter() {
		r.flat()
		return
	}
	begin := r.beginScope()
	for r.more() {
		at := r.at
		r.oneDeclaration()
		r.past(at)
	}
	r.endScope(begin)
	r.leave()
}

// inside reads the declarations in the brackets at the cursor.
func (r *cReader) inside() {
	outer := r.open()
	r.declarations()
	r.shut(outer)
}

// oneDeclaration reads one declaration outside functions.
func (r *cReader) oneDeclaration() {
	switch t := r.tok(); {
	case t.Kind == lex.Directive:
		r.directive()
		r.next()
		return
	case t.Is('{'):
		r.inside()
		return
	case t.Is('['): // an attribute
		r.skipBrackets()
		return
	case t.Kind == lex.Punct && !t.Is('~') && !t.Is(lex.OpScope) && !t.Is('*'):
		r.next()
		return
	}
	switch r.word() {
	case lex.Extern:
		r.extern()
	case lex.Module:
		r.namespace()
	case lex.Template:
		r.template()
	case lex.Using:
		r.using()
	case lex.Friend:
		r.skipDeclaration()
	case lex.Pub:
		r.next()
	default:
		r.general()
	}
}

// extern reads extern "C" {…} and what is declared elsewhere.
func (r *cReader) extern() {
	if r.peek(1).Kind != lex.String {
		r.general()
		return
	}
	r.advance(2)
	if r.is('{') {
		r.inside()
	}
}

// skipDeclaration passes the declaration at the cursor with its semicolon or its body.
func (r *cReader) skipDeclaration() {
	for r.more() && !r.skip(';') {
		body := r.is('{')
		r.skipOne()
		if body && !r.is(';') {
			return
		}
	}
}

// namespace reads namespace a::b {…}; without a name, what stands in it belongs to what is around.
func (r *cReader) namespace() {
	from, name := r.at, noPos
	for r.next(); r.more() && !r.is('{') && !r.is(';') && !r.is('='); r.next() {
		if r.name() {
			name = r.at
		}
	}
	switch {
	case !r.is('{'):
		r.skipDeclaration()
	case name == noPos:
		r.inside()
	default:
		d := r.define(Module, name, from)
		r.signature(d)
		r.within(d, r.inside)
		r.finish(d)
	}
}

// template binds the parameters in template <typename T, int N> and reads what they are for.
func (r *cReader) template() {
	r.next()
	if !r.is('<') {
		return
	}
	begin := r.beginScope()
	defer r.endScope(begin)
	if !r.templateParams() || !r.enter() {
		return
	}
	r.oneDeclaration()
	r.leave()
}

// templateParams binds the names between the angle brackets at the cursor, and reports whether they are closed.
func (r *cReader) templateParams() bool {
	for depth := 0; r.more(); r.next() {
		switch {
		case r.is('<'):
			depth++
		case r.is('>'):
			if depth--; depth == 0 {
				r.next()
				return true
			}
		case r.is('{') || r.is(';'):
			return false
		case depth == 1 && r.name() && !r.peekIs(-1, '=') && (r.peekIs(1, ',') || r.peekIs(1, '>') || r.peekIs(1, '=')):
			r.bind(r.sym(), 0)
		case r.name() && !r.peekIs(-1, lex.OpScope) && !r.isLocal(r.sym()): // the type or default of one
			r.referName(r.sym(), Mention)
		}
	}
	r.next()
	return true
}

// using reads
//
//	using X = Y;    using namespace a::b;    using a::b::X;
func (r *cReader) using() {
	from := r.at
	if r.peekName(1) && r.peekIs(2, '=') {
		r.usingAlias(from)
		return
	}
	whole := r.peekWord(1) == lex.Module
	r.skipDeclaration()
	m, last := r.top(), noPos
	for p := from + 1; p < r.at; p++ {
		if !r.token(p).Name() {
			continue
		}
		if last != noPos {
			r.pushString(".")
		}
		r.pushText(r.textAt(p))
		last = p
	}
	row := ImportRow{Module: r.whole(m), Name: r.star()}
	if !whole {
		row.Name = r.symAt(last)
		row.Local = row.Name
	}
	r.drop(m)
	r.imported(from, row)
}

func (r *cReader) usingAlias(from pos) {
	r.next()
	d := r.define(Alias, r.at, from)
	r.advance(2)
	r.skipTypename()
	m := r.top()
	r.within(d, r.typeName)
	r.def(d).Type = r.pop(m)
	r.at = from
	r.skipDeclaration()
	r.finish(d)
}

// skipTypename passes words such as typename, const and struct before a type.
func (r *cReader) skipTypename() {
	for r.word() == lex.Typename || r.word() == lex.Decl || isShape(r.word()) {
		r.next()
	}
}

// general reads a declaration that begins with neither a keyword nor a bracket of its own.
func (r *cReader) general() {
	f := r.survey()
	switch {
	case f.macro:
		r.referAt(f.function, Call)
		r.at = f.params
		r.inBrackets()
	case f.members != noPos:
		r.shaped(f)
	case f.body != noPos:
		r.function(f)
	case f.function != noPos:
		r.prototype(f)
	default:
		r.variables(f)
	}
}
