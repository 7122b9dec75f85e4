package syntax

import (
	"sync"

	"helve/engine/code/internal/syntax/internal/lex"
)

// pythonReader reads Python. Blocks are told by the columns of their lines.
type pythonReader struct {
	*reader
	// class is the class around the cursor, or noDef.
	class int32
	// members are the variables of the module and of classes: each is defined where it is first assigned.
	members map[member]int32
}

var pythonDialect = sync.OnceValue(newPythonDialect)

func newPythonDialect() *lex.Dialect {
	d := lex.NewDialect(lex.NewKeywords(map[lex.Word]string{
		lex.Func: "def", lex.Class: "class", lex.Lambda: "lambda", lex.Async: "async", lex.Await: "await",
		lex.Import: "import", lex.From: "from", lex.As: "as",
		lex.If: "if elif while assert", lex.Else: "else", lex.For: "for", lex.With: "with",
		lex.Try: "try", lex.Catch: "except", lex.Finally: "finally", lex.Throw: "raise",
		lex.Return: "return yield", lex.Skip: "pass break continue", lex.Del: "del", lex.Global: "global nonlocal",
		lex.In: "in", lex.Is: "is", lex.Not: "not", lex.Let: "and or",
		lex.Value: "None True False",
	}), "", "#\"'\\")
	d.Slashes = false
	d.Special = lex.PythonSpecial
	d.Outer = [2]lex.Word{lex.Func, lex.Class}
	return d
}

func (r *reader) readPython() {
	r.lex(pythonDialect())
	p := &pythonReader{reader: r, class: noDef, members: map[member]int32{}}
	p.suite(-1)
}

// column is the distance of the token at p from the start of its line, in bytes.
func (r *pythonReader) column(p pos) int {
	line := r.lineOf(p)
	return int(r.token(p).Start - r.lexer.Lines[line-1])
}

// suite reads statements up to a line that stands at col or further left.
func (r *pythonReader) suite(col int) {
	for r.more() {
		if r.tok().First && r.column(r.at) <= col {
			return
		}
		at := r.at
		r.statement()
		r.past(at)
	}
}

// block reads what follows the colon at the cursor, of a line that stands at col: statements on this line, or a suite
// below it.
func (r *pythonReader) block(col int) {
	r.skip(':')
	if r.tok().First {
		r.suite(col)
		return
	}
	for r.more() && !r.tok().First {
		at := r.at
		r.statement()
		r.past(at)
	}
}

// statement reads one statement. A compound one is read up to its colon: what is in its suite are the statements that
// follow.
func (r *pythonReader) statement() {
	from := r.at
	for r.is('@') { // the definition under them reads them
		r.skipLine()
	}
	r.skipWord(lex.Async)
	switch r.word() {
	case lex.Func:
		r.function(from)
	case lex.Class:
		r.classStatement(from)
	case lex.Import:
		r.next()
		r.importStatement()
	case lex.From:
		r.next()
		r.fromImport()
	case lex.For:
		r.next()
		r.loop()
	case lex.With:
		r.next()
		r.with()
	case lex.Catch:
		r.next()
		r.except()
	case lex.Return:
		r.next()
		r.returned()
	case lex.Global:
		r.globals()
	case lex.If, lex.Throw, lex.Del, lex.Else, lex.Try, lex.Finally, lex.Skip:
		r.next()
		r.exprList()
	default:
		if !r.skip(';') && !r.skip(':') {
			r.assignment()
		}
	}
}

// globals reads what stands behind global or nonlocal, up to the next line. Global names stand for what the module
// has: like a function in this one, each is bound to itself.
func (r *pythonReader) globals() {
	global := r.soft("global")
	for r.next(); r.more() && !r.tok().First; r.skipOne() {
		if global && r.name() {
			r.referName(r.sym(), Mention) // which may only be assigned to
			r.bind(r.sym(), r.sym())
		}
	}
}

// skipLine passes the tokens up to the next line.
func (r *pythonReader) skipLine() {
	r.next()
	for r.more() && !r.tok().First {
		r.skipOne()
	}
}

// discard reads an expression whose type nobody asks for.
func (r *pythonReader) discard() {
	m := r.top()
	r.expression(false)
	r.drop(m)
}

// exprList reads expressions separated by commas, from or as, up to the end of the line or past a colon.
func (r *pythonReader) exprList() {
	for r.more() && !r.endsList() {
		r.discard()
		if t := r.tok(); r.endsList() || t.Word != lex.From && t.Word != lex.As && t.Kind != lex.Punct {
			break
		}
		r.next()
	}
	r.skip(':')
}

func (r *pythonReader) endsList() bool { return r.tok().First || r.is(':') || r.is(';') }

// function reads
//
//	@decorator
//	async def name[T](self, a: A = x, *b, **c) -> R: …
//
// whose decorators begin at from; the cursor stands before def.
func (r *pythonReader) function(from pos) {
	r.next()
	if r.tok().Kind != lex.Name {
		return
	}
	kind, method := Function, r.class >= 0 && r.cur == r.class
	if method {
		kind = Method
	}
	d := r.defineBlock(kind, from, r.cur >= 0 && !method)
	begin, class := r.beginScope(), r.class
	r.within(d, func() {
		r.decorators(from)
		r.next()
		r.params(method)
		r.result(d)
		r.signature(d)
		if !method {
			r.class = noDef
		}
		r.inside(from)
	})
	r.class = class
	r.endScope(begin)
	r.finish(d)
}

// defineBlock defines the function or class whose name stands at the cursor. A local one stands for itself in the
// function around.
func (r *pythonReader) defineBlock(kind Kind, from pos, local bool) int32 {
	d := r.define(kind, r.at, from)
	if local {
		r.bind(r.sym(), r.sym())
	}
	return d
}

// inside reads the block of a definition that begins at from.
func (r *pythonReader) inside(from pos) {
	if !r.enter() {
		r.skipAll()
		return
	}
	r.block(r.column(from))
	r.leave()
}

// decorators reads those at from: what they use, the definition under them uses.
func (r *pythonReader) decorators(from pos) {
	was := r.at
	r.at = from
	for r.skip('@') {
		r.discard()
	}
	r.at = was
}

// result reads -> R.
func (r *pythonReader) result(d int32) {
	if r.skip(lex.OpArrow) {
		m := r.top()
		r.annotation()
		r.def(d).Type = r.pop(m)
	}
}

// params binds the parameters at the cursor. The first one of a method is an object of its class.
func (r *pythonReader) params(method bool) {
	if r.is('[') { // type parameters
		r.skipBrackets()
	}
	if !r.is('(') {
		return
	}
	outer := r.open()
	for first := method; r.more(); {
		if !r.name() { // a comma, * or **
			r.next()
			continue
		}
		name, m := r.sym(), r.top()
		r.next()
		switch {
		case r.skip(':'):
			r.annotation()
		case first:
			r.pushString(r.classPath(r.class))
		}
		t := r.pop(m)
		if r.skip('=') {
			r.expression(true)
			if value := r.pop(m); t == 0 {
				t = value
			}
		}
		r.bind(name, t)
		first = false
		r.skipTo(',')
	}
	r.shut(outer)
}

// classStatement reads
//
//	class Name[T](Base, pkg.Other, metaclass=M): …
func (r *pythonReader) classStatement(from pos) {
	r.next()
	if r.tok().Kind != lex.Name {
		return
	}
	d := r.defineBlock(Class, from, r.cur >= 0 && r.cur != r.class)
	class, begin := r.class, r.beginScope()
	r.within(d, func() {
		r.decorators(from)
		r.next()
		if r.is('[') {
			r.skipBrackets()
		}
		if r.is('(') {
			outer := r.open()
			for r.more() {
				r.base()
			}
			r.shut(outer)
		}
		r.signature(d)
		r.class = d
		r.inside(from)
	})
	r.class = class
	r.endScope(begin)
	r.finish(d)
}

// base reads one argument of a class statement: a base, or something else such as metaclass=M or a call that makes a
// base.
func (r *pythonReader) base() {
	m, from := r.top(), r.at
	r.qualifier()
	if r.name() && !r.peekIs(1, '=') && !r.peekIs(1, '(') {
		r.referMember(m, Inherit)
		r.next()
	} else {
		r.at = from
		r.keyword()
		r.expression(true)
	}
	r.drop(m)
	for r.more() && !r.is(',') {
		if r.is('[') || r.is('(') { // the arguments of a generic type
			r.inBrackets()
			continue
		}
		r.next()
	}
	r.next()
}

// keyword passes the name= of an argument, and reports whether there was one.
func (r *pythonReader) keyword() bool {
	if !r.name() || !r.peekIs(1, '=') {
		return false
	}
	r.next()
	r.next()
	return true
}

// inBrackets reads the arguments in the brackets at the cursor.
func (r *pythonReader) inBrackets() {
	outer := r.open()
	r.arguments()
	r.shut(outer)
}
