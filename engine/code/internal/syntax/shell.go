package syntax

import (
	"bytes"
	"sync"
)

var shellDialect = sync.OnceValue(newShellDialect)

func newShellDialect() *dialect {
	d := newDialect(words(map[word]string{
		wFunc: "function", wIf: "if then elif else fi", wFor: "for while until do done", wSwitch: "case esac in select",
		wReturn: "return exit break continue shift", wDecl: "local export declare readonly typeset", wUse: "source",
	}), "", "#\\\"'$<`")
	d.class['$'], d.class['-'] = cSpecial, cName
	d.slashes = false
	d.special = shellSpecial
	return d
}

// readShell defines functions and variables, and refers to the commands that begin a statement.
func (r *reader) readShell() {
	r.lex(shellDialect())
	r.commands()
}

// commands reads statements up to the limit.
func (r *reader) commands() {
	if !r.enter() {
		r.flat()
		return
	}
	for r.more() {
		r.command()
	}
	r.leave()
}

// inCommands reads the statements in the brackets at the cursor.
func (r *reader) inCommands() {
	outer := r.open()
	r.commands()
	r.shut(outer)
}

// command reads what begins a statement, a block, or one token.
func (r *reader) command() {
	t := r.tok()
	switch {
	case t.kind == tName || t.is('.'):
		r.shellWord()
	case t.is('{') || t.is('('):
		r.inCommands()
	default:
		r.next()
	}
}

// shellWord reads a word, with all that belongs to it where it begins a statement.
func (r *reader) shellWord() {
	t, from := r.tok(), r.at
	switch {
	case t.word == wFunc && r.peekName(1):
		r.next()
		r.shellFunction(from)
	case !r.beginsCommand():
		r.next()
	case t.name() && r.peekIs(1, '(') && r.peekIs(2, ')'):
		r.shellFunction(from)
	case t.name():
		r.shellName()
		r.next()
	case t.word == wUse || t.is('.'):
		r.shellSource()
	default:
		r.next()
	}
}

// beginsCommand reports whether the token at the cursor begins a statement.
func (r *reader) beginsCommand() bool {
	if r.tok().nl || r.at == 0 {
		return true
	}
	before := r.peek(-1)
	if before.kind != tPunct {
		return before.word == wIf || before.word == wFor
	}
	switch before.ch {
	case ';', '|', opLogic, '(', '{', '&', '!', '`', ')':
		return true
	}
	return false
}

// shellName reads the name that begins a statement: the variable that it sets, or a command. The name of a folder is
// neither.
func (r *reader) shellName() {
	behind := r.peek(1)
	joined := behind.start == r.tok().end
	switch {
	case behind.is(opAssign):
	case behind.is('='):
		if joined && r.cur == noDef {
			r.define(Variable, r.at, r.at)
		}
	case !behind.is('/') || !joined:
		r.referName(r.sym(), Call)
	}
}

// shellFunction reads a function, which begins at from, and whose name stands at the cursor.
func (r *reader) shellFunction(from pos) {
	name := r.at
	r.next()
	if r.is('(') {
		r.skipBrackets()
	}
	if !r.is('{') && !r.is('(') {
		return
	}
	d := r.define(Function, name, from)
	r.signature(d)
	r.within(d, r.inCommands)
	r.finish(d)
}

// shellSource reads the file that source, or a dot, brings.
func (r *reader) shellSource() {
	at := r.at
	r.next()
	if !r.more() || r.tok().nl {
		return
	}
	start := r.tok().start
	end := start
	for int(end) < len(r.src) && r.src[end] > ' ' && r.src[end] != ';' {
		end++
	}
	module := bytes.Trim(r.src[start:end], "\"'")
	r.imported(at, ImportRow{Module: r.names.Intern(module), Name: r.star()})
	for r.more() && !r.tok().nl {
		r.next()
	}
}
