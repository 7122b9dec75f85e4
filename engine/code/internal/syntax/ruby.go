package syntax

import (
	"sync"

	"helve/engine/code/internal/syntax/internal/lex"
)

// rubyReader reads Ruby. A block begins with a keyword and ends with end.
type rubyReader struct {
	*reader
	class  int32           // the class or module whose body is read, or noDef
	this   string          // its path, for self and for fields
	fields map[member]bool // those that are defined
}

var rubyDialect = sync.OnceValue(newRubyDialect)

func newRubyDialect() *lex.Dialect {
	d := lex.NewDialect(lex.NewKeywords(map[lex.Word]string{
		lex.Func: "def", lex.Class: "class", lex.Module: "module", lex.End: "end", lex.Begin: "begin",
		lex.If: "if unless", lex.While: "while until", lex.For: "for", lex.In: "in", lex.Switch: "case", lex.Do: "do",
		lex.Else: "else elsif when rescue ensure then", lex.Return: "return yield break next redo retry",
		lex.This: "self", lex.Super: "super", lex.Value: "nil true false __FILE__ __LINE__",
		lex.Let: "and or not", lex.Alias: "alias undef",
	}), "'", "\"#=<%?!`:")
	d.Class['@'] = lex.BeginsName
	d.Slashes = false
	d.Regex, d.RegexLines = true, true
	d.Special = lex.RubySpecial
	return d
}

func (r *reader) readRuby() {
	r.lex(rubyDialect())
	b := &rubyReader{reader: r, class: noDef, fields: map[member]bool{}}
	b.statements()
}

// statements reads up to the end that closes them, before which the cursor then stands, or up to the limit.
func (r *rubyReader) statements() {
	if !r.enter() {
		r.flat()
		return
	}
	for r.more() && r.word() != lex.End {
		r.statement()
	}
	r.leave()
}

// block reads statements with the end that closes them.
func (r *rubyReader) block() {
	r.statements()
	if r.more() {
		r.skipWord(lex.End)
	}
}

// statement reads a definition, what ends with end, or an expression.
func (r *rubyReader) statement() {
	switch r.word() {
	case lex.Func:
		r.function()
		return
	case lex.Class, lex.Module:
		if !r.peekIs(-1, '.') {
			r.typeAt()
			return
		}
	case lex.Begin, lex.Switch:
		r.next()
		r.block()
		return
	case lex.If, lex.While, lex.For:
		r.conditional()
		return
	case lex.Do:
		r.doBlock()
		return
	}
	r.oneExpression()
}

// oneExpression reads an expression, and at least one token.
func (r *rubyReader) oneExpression() {
	at := r.at
	r.expression()
	r.past(at)
}

// doBlock reads do |a, b| … end.
func (r *rubyReader) doBlock() {
	begin := r.beginScope()
	r.next()
	r.blockParams()
	r.block()
	r.endScope(begin)
}

// blockParams binds |a, b|.
func (r *rubyReader) blockParams() {
	if !r.skip('|') {
		return
	}
	for r.more() && !r.is('|') && !r.tok().First {
		if r.name() {
			r.bind(r.sym(), 0)
		}
		r.next()
	}
	if r.more() {
		r.next()
	}
}

// conditional reads if, unless, while, until and for: with a block where they begin a statement or a value, and by
// the word alone behind a statement.
func (r *rubyReader) conditional() {
	opens, loop := r.opensBlock(), r.word() != lex.If
	r.next()
	if !opens {
		return
	}
	for first := r.at; r.more() && (r.at == first || !r.tok().First); { // the condition
		if r.word() == lex.Do && loop || r.soft("then") || r.is(';') {
			r.next()
			break
		}
		r.oneExpression()
	}
	r.block()
}

// opensBlock tells the word at the cursor, which begins a statement or a value, from one behind a statement.
func (r *rubyReader) opensBlock() bool {
	before := r.peek(-1)
	switch {
	case before.Is('.'):
		return false
	case r.tok().First || r.at == 0:
		return true
	case before.Kind == lex.Punct:
		return !before.Closes()
	}
	return before.Word == lex.Else || before.Word == lex.Do || before.Word == lex.Begin
}

// function reads def.
func (r *rubyReader) function() {
	from := r.at
	r.next()
	kind := Function
	if r.class != noDef {
		kind = Method
	}
	if r.peekIs(1, '.') || r.peekIs(1, lex.OpScope) { // def self.x, def X::x
		kind = Method
		r.advance(2)
	}
	if !r.more() {
		return
	}
	name := r.at
	d := r.defineAs(kind, r.methodName(), name, from)
	begin := r.beginScope()
	r.within(d, func() { r.functionRest(d) })
	r.endScope(begin)
	r.finish(d)
}

// methodName passes the name of a method, which may be an operator, or a setter.
func (r *rubyReader) methodName() Sym {
	name, start := r.sym(), r.tok().Start
	r.next()
	switch {
	case name == 0: // def []=, def -@
		for r.tok().Kind == lex.Punct && !r.is('(') && r.joined() {
			r.next()
		}
		if r.is('@') || r.joined() && r.tok().Kind == lex.Name && r.text()[0] == '@' {
			r.next()
		}
	case r.is('=') && r.joined() && (r.peekIs(1, '(') || r.peekName(1)): // def x=(value)
		r.next()
	default:
		return name
	}
	return r.names.Intern(r.src[start:r.peek(-1).End])
}

// joined reports whether the token at the cursor follows the one before without a blank.
func (r *rubyReader) joined() bool { return r.tok().Start == r.peek(-1).End }

// isCapital reports whether a name that begins with c is that of a constant or class.
func isCapital(c byte) bool { return c >= 'A' && c <= 'Z' }

// functionRest reads parameters and body.
func (r *rubyReader) functionRest(d int32) {
	if r.is('(') {
		outer := r.open()
		r.params()
		r.shut(outer)
	} else if !r.is('=') {
		outer := r.until(r.lineEnd())
		r.params()
		r.widen(outer)
	}
	r.signature(d)
	if !r.is('=') || r.tok().First {
		r.block()
		return
	}
	for first := r.at; r.more() && (r.at == first || !r.tok().First); { // def x = value
		r.oneExpression()
	}
}

// lineEnd is the place of the first token that belongs to no statement of this line.
func (r *rubyReader) lineEnd() pos {
	look := r.cursor
	for look.more() && !look.tok().First && !look.is(';') {
		look.next()
	}
	return look.at
}

// params binds the parameters up to the limit, and passes them.
func (r *rubyReader) params() {
	for first := r.at; r.more(); r.next() {
		if r.name() && (r.at == first || r.peekIs(-1, ',') || r.peekIs(-1, '*') || r.peekIs(-1, '&')) {
			r.bind(r.sym(), 0)
		}
	}
}

// typeAt reads a class or module.
func (r *rubyReader) typeAt() {
	from, kind := r.at, Class
	if r.word() == lex.Module {
		kind = Module
	}
	r.next()
	if r.is('<') { // class << self
		for first := r.at; r.more() && (r.at == first || !r.tok().First); {
			r.next()
		}
		r.block()
		return
	}
	for r.peekIs(1, lex.OpScope) && r.peekName(2) {
		r.advance(2)
	}
	if !r.name() {
		r.at = from + 1
		return
	}
	d := r.define(kind, r.at, from)
	was, class, this := r.cur, r.class, r.this
	r.cur, r.class, r.this = d, d, r.classPath(d)
	r.next()
	if r.is('<') && r.peekName(1) {
		r.next()
		r.base()
	}
	r.signature(d)
	r.block()
	r.cur, r.class, r.this = was, class, this
	r.finish(d)
}
