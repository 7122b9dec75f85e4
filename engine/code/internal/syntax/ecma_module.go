package syntax

import "helve/engine/code/internal/syntax/internal/lex"

// maxImport bounds how far ahead the module of an import is looked for, in tokens.
const maxImport = 4096

// importStatement reads
//
//	import a, {b as c, type D} from "m"    import * as a from "m"    import "m"    import a = require("m")
//
// but no import("m") and no import.meta, which are expressions.
func (r *ecmaReader) importStatement() {
	if r.peekIs(1, '(') || r.peekIs(1, '.') {
		return
	}
	at := r.at
	r.next()
	if r.soft("type") && r.importsType() {
		r.next()
	}
	end := r.moduleAt()
	module := r.quotedOf(r.token(end))
	if module == 0 {
		r.at = at + 1
		return
	}
	add := func(name string, local Sym) {
		r.imported(at, ImportRow{Module: module, Name: r.names.InternString(name), Local: local})
	}
	if r.at == end {
		add("", 0)
	}
	for r.at < end {
		switch {
		case r.is('{'):
			r.importNames(module)
		case r.is('*'):
			add("*", r.peekSym(2))
			r.advance(3)
		case r.tok().Kind == lex.Name && !r.soft("from") && !r.soft("require"):
			name := "default"
			if r.peekIs(1, '=') {
				name = "*"
			}
			add(name, r.sym())
			r.next()
		default:
			r.next()
		}
	}
	r.at = end + 1
}

// importsType reports whether the type at the cursor is a word of the import, and not its name.
func (r *ecmaReader) importsType() bool {
	if r.peekName(1) {
		return !r.peekSoft(1, "from")
	}
	return r.peekIs(1, '{') || r.peekIs(1, '*')
}

// moduleAt is the place of the string that names the module, or of what ends an import without one.
func (r *ecmaReader) moduleAt() pos {
	look := r.cursor
	for look.more() && look.at < r.at+maxImport {
		t := look.tok()
		if t.Kind == lex.String || t.Is(';') || t.First && t.Word == lex.Import && look.at > r.at {
			break
		}
		look.next()
	}
	return look.at
}

// importNames reads {a, b as c, type D}.
func (r *ecmaReader) importNames(module Sym) {
	outer := r.open()
	for ; r.more(); r.next() {
		if r.soft("type") && r.peek(1).Kind == lex.Name {
			r.next()
		}
		if r.tok().Kind != lex.Name {
			continue
		}
		at := r.at
		row := ImportRow{Module: module, Name: r.sym(), Local: r.sym()}
		if r.peekSoft(1, "as") {
			row.Local = r.peekSym(2)
			r.advance(2)
		}
		r.imported(at, row)
	}
	r.shut(outer)
}

// export reads what is exported from elsewhere; else it passes the word, which says nothing about structure:
//
//	export * from "m"    export * as a from "m"    export {a as b} from "m"
func (r *ecmaReader) export() {
	at := r.at
	r.next()
	if r.soft("type") && r.peekIs(1, '{') {
		r.next()
	}
	switch {
	case r.skip('*'):
		row := ImportRow{Name: r.star()}
		if r.skipSoft("as") {
			row.Local = r.sym()
			r.next()
		}
		if r.skipSoft("from") {
			row.Module = r.quoted()
			r.next()
			r.imported(at, row)
			return
		}
	case r.is('{'):
		look := r.cursor
		look.skipBrackets()
		if look.skipSoft("from") {
			r.importNames(r.quotedOf(look.tok()))
			r.at = look.at + 1
			return
		}
	}
	r.at = at + 1
}
