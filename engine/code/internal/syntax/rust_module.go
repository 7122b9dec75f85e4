package syntax

import "helve/engine/code/internal/syntax/internal/lex"

// module reads mod a {…}, and mod a; which imports a file.
func (r *rustReader) module() {
	at, from := r.at, r.start()
	r.next()
	if !r.name() {
		return
	}
	if !r.peekIs(1, '{') {
		module := r.names.InternString("self." + string(r.text()))
		r.imported(at, ImportRow{Module: module, Local: r.sym()})
		r.next()
		return
	}
	d := r.define(Module, r.at, from)
	r.next()
	r.signature(d)
	r.within(d, r.body)
	r.finish(d)
}

// use reads use a::b::{c, d as e, f::*};
func (r *rustReader) use() {
	r.next()
	end := r.at
	for end < pos(len(r.view)) && !r.view[end].Is(';') { // also that in a bracket which is not closed
		end++
	}
	outer := r.until(end)
	r.useTree("", 0)
	r.widen(outer)
	r.at = end
	r.skip(';')
}

// maxUse bounds how deep the brackets of use may nest.
const maxUse = 16

// useTree reads one tree of names behind prefix, up to the limit.
func (r *rustReader) useTree(prefix string, level int) {
	if level > maxUse {
		return
	}
	path, at := prefix, noPos
	for ; r.more(); r.next() {
		switch t := r.tok(); {
		case t.Word == lex.As:
			r.useName(path, r.peekSym(1), at)
			return
		case t.Kind == lex.Name:
			path, at = dotted(path, r.text()), r.at
		case t.Is('{'):
			r.useList(path, level+1)
			return
		case t.Is('*'):
			r.imported(r.at, ImportRow{Module: r.names.InternString(path), Name: r.star()})
			return
		}
	}
	if at != noPos {
		r.useName(path, r.symAt(at), at)
	}
}

// dotted is path.name, or name alone.
func dotted(path string, name []byte) string {
	if path == "" {
		return string(name)
	}
	return path + "." + string(name)
}

// useList reads {a, b::c} behind prefix.
func (r *rustReader) useList(prefix string, level int) {
	outer := r.open()
	for r.more() {
		end := r.find(',', r.at, pos(len(r.view)))
		list := r.until(end)
		r.useTree(prefix, level)
		r.widen(list)
		r.at = end + 1
	}
	r.shut(outer)
}

// useName imports what path names as local; the name stands at the place at. a::{self} is a.
func (r *rustReader) useName(path string, local Sym, at pos) {
	if at == noPos {
		return
	}
	module, name := r.split(path)
	if string(r.textAt(at)) == "self" {
		module, name = r.split(r.names.Text(module))
		if local == r.symAt(at) {
			local = name
		}
	}
	r.imported(at, ImportRow{Module: module, Name: name, Local: local})
}
