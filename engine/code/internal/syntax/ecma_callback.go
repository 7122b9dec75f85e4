package syntax

import (
	"strconv"

	"helve/engine/code/internal/syntax/internal/lex"
)

// maxCallback bounds how far back the call is looked for of which a function without a name is an argument, in tokens.
const maxCallback = 256

// maxCallbackPlace is the first place of an argument or parameter that is not told: one digit says it.
const maxCallbackPlace = 10

// callbackAt is the callback that begins at p, in TypeScript.
func (r *ecmaReader) callbackAt(p pos) callback {
	if r.documented {
		return callback{}
	}
	for p > 0 && (r.token(p-1).Word == lex.Func || r.token(p-1).Is('*') || string(r.textAt(p-1)) == "async") {
		p--
	}
	argument, depth := 0, 0
	for k := p - 1; k > 0 && k > p-maxCallback; k-- {
		switch t := r.token(k); {
		case t.Closes():
			depth++
		case t.Is('(') && depth == 0:
			return callback{of: r.callee(k), argument: argument}
		case t.Is('(') || t.Is('[') || t.Is('{'):
			depth--
		case t.Is(',') && depth == 0:
			argument++
		case k == p-1: // it is a part of an argument
			return callback{}
		}
		if depth < 0 {
			return callback{}
		}
	}
	return callback{}
}

// callee is the name before the bracket at p, f or new T<A>; 0: something else stands there.
func (r *ecmaReader) callee(p pos) Sym {
	p--
	for depth, k := 0, p; r.token(p).Is('>') && k > 0 && k > p-maxAngle; k-- {
		if t := r.token(k); t.Is('>') {
			depth++
		} else if t.Is('<') {
			if depth--; depth == 0 {
				p = k - 1
				break
			}
		}
	}
	if p < 1 || !r.token(p).Name() || r.token(p-1).Is('.') || r.token(p-1).Is(lex.OpOptional) {
		return 0
	}
	name := r.symAt(p)
	if _, local := r.local(name); local {
		return 0
	}
	return name
}

// contextual is what the callback whose parameters are read says of the next one.
func (r *ecmaReader) contextual() Sym {
	c := &r.callback
	at := c.next
	c.next++
	if c.of == 0 || c.argument >= maxCallbackPlace || at >= maxCallbackPlace {
		return 0
	}
	return r.names.InternString(r.names.Text(c.of) + "(" + strconv.Itoa(c.argument) + "," + strconv.Itoa(at) + ")")
}

// noteCallback notes what the type at from says, which goes up to the cursor, if parameter n takes a function: the
// types of the parameters of that. They stand behind what the function results in:
//
//	R;0=A,?,B;2=C
func (r *ecmaReader) noteCallback(n int, from pos) {
	look := r.between(from, r.at)
	if n >= maxCallbackPlace || !look.is('(') {
		return
	}
	behind := look
	behind.skipBrackets()
	if !behind.is(lex.OpFat) {
		return
	}
	look.open()
	types, known := "", false
	for places := 0; look.more() && places <= maxCallbackPlace; places++ { // one of them may be this
		typ := r.parameterTypeAt(&look)
		if typ != "this" {
			types += typ + ","
			known = known || typ != "?"
		}
		for look.more() && !look.is(',') {
			if look.is('<') {
				look.at = max(r.angleEndAt(look.at), look.at+1)
				continue
			}
			look.skipOne()
		}
		look.next()
	}
	if known {
		r.callbacks += ";" + strconv.Itoa(n) + "=" + types
	}
}

// parameterTypeAt is the name of the type of the parameter at the cursor of a function type: "?" where it is no mere
// name, and "this" for the parameter of that name, which no function has.
func (r *ecmaReader) parameterTypeAt(look *cursor) string {
	if look.soft("this") || look.word() == lex.This {
		return "this"
	}
	if !look.name() {
		return "?"
	}
	colon := 1
	if look.peekIs(1, '?') {
		colon = 2
	}
	if !look.peekIs(colon, ':') || !look.peekName(colon+1) {
		return "?"
	}
	name, after := look.peek(colon+1), look.peek(colon+2)
	text := string(r.src[name.Start:name.End])
	if ecmaPrimitives()[text] || r.isLocal(r.symOf(name)) || !after.Is(',') && !after.Is('<') && !after.Closes() && after.Kind != lex.EOF {
		return "?"
	}
	return text
}

// typeCallbacks adds what the parameters of the definition d take as functions to its type.
func (r *ecmaReader) typeCallbacks(d int32, callbacks string) {
	if d >= 0 && callbacks != "" {
		def := r.def(d)
		text := ""
		if def.Type != 0 {
			text = r.names.Text(def.Type)
		}
		def.Type = r.names.InternString(text + callbacks)
	}
}
