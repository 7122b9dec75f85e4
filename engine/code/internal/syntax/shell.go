package syntax

import (
	"bytes"
	"sync"

	"helve/engine/code/internal/syntax/internal/lex"
)

var shellDialect = sync.OnceValue(newShellDialect)

func newShellDialect() *lex.Dialect {
	d := lex.NewDialect(lex.NewKeywords(map[lex.Word]string{
		lex.Func: "function", lex.If: "if then elif else fi", lex.For: "for while until do done",
		lex.Switch: "case esac in select",
		lex.Return: "return exit break continue shift", lex.Decl: "local export declare readonly typeset",
		lex.Use: "source",
	}), "", "#\\\"'$<`")
	d.Class['$'], d.Class['-'] = lex.BeginsSpecial, lex.BeginsName
	d.Slashes = false
	d.Special = lex.ShellSpecial
	return d
}

// shellReader defines functions and variables, and refers to the commands that begin a statement.
type shellReader struct{ *reader }

func (r *reader) readShell() {
	r.lex(shellDialect())
	shellReader{r}.commands()
}

// commands reads statements up to the limit.
func (r shellReader) commands() {
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
func (r shellReader) inCommands() {
	outer := r.open()
	r.commands()
	r.shut(outer)
}

// command reads what begins a statement, a block, or one token.
func (r shellReader) command() {
	t := r.tok()
	switch {
	case t.Kind == lex.Name || t.Is('.'):
		r.firstWord()
	case t.Is('{') || t.Is('('):
		r.inCommands()
	default:
		r.next()
	}
}

// firstWord reads a word, with all that belongs to it where it begins a statement.
func (r shellReader) firstWord() {
	t, from := r.tok(), r.at
	switch {
	case t.Word == lex.Func && r.peekName(1):
		r.next()
		r.function(from)
	case !r.beginsCommand():
		r.next()
	case t.Name() && r.peekIs(1, '(') && r.peekIs(2, ')'):
		r.function(from)
	case t.Name():
		r.commandName()
		r.next()
	case t.Word == lex.Use || t.Is('.'):
		r.source()
	default:
		r.next()
	}
}

// beginsCommand reports whether the token at the cursor begins a statement.
func (r shellReader) beginsCommand() bool {
	if r.tok().First || r.at == 0 {
		return true
	}
	before := r.peek(-1)
	if before.Kind != lex.Punct {
		return before.Word == lex.If || before.Word == lex.For
	}
	switch before.Char {
	case ';', '|', lex.OpLogic, '(', '{', '&', '!', '`', ')':
		return true
	}
	return false
}

// commandName reads the name that begins a statement: the variable that it sets, or a command. The name of a folder is
// neither.
func (r shellReader) commandName() {
	behind := r.peek(1)
	joined := behind.Start == r.tok().End
	switch {
	case behind.Is(lex.OpAssign):
	case behind.Is('='):
		if joined && r.cur == noDef {
			r.define(Variable, r.at, r.at)
		}
	case !behind.Is('/') || !joined:
		r.referName(r.sym(), Call)
	}
}

// function reads a function, which begins at from, and whose name stands at the cursor.
func (r shellReader) function(from pos) {
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

// source reads the file that source, or a dot, brings.
func (r shellReader) source() {
	at := r.at
	r.next()
	if !r.more() || r.tok().First {
		return
	}
	start := r.tok().Start
	end := start
	for int(end) < len(r.src) && r.src[end] > ' ' && r.src[end] != ';' {
		end++
	}
	module := bytes.Trim(r.src[start:end], "\"'")
	r.imported(at, ImportRow{Module: r.names.Intern(module), Name: r.star()})
	for r.more() && !r.tok().First {
		r.next()
	}
}
