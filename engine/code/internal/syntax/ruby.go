package syntax

// rubyReader reads Ruby. A block begins with a keyword and ends with end.
type rubyReader struct {
	*legacy
	class  int32
	this   string
	fields map[int64]bool
}

var rubyDialect = *newRubyDialect()

func newRubyDialect() *dialect {
	d := newDialect(words(map[word]string{
		wFunc: "def", wClass: "class", wModule: "module", wEnd: "end", wBegin: "begin", wIf: "if unless", wWhile: "while until", wFor: "for",
		wSwitch: "case", wDo: "do", wElse: "else elsif when rescue ensure then", wThis: "self", wSuper: "super", wReturn: "return yield break next redo retry",
		wValue: "nil true false __FILE__ __LINE__", wLet: "and or not", wIn: "in", wAlias: "alias undef",
	}), "'", "\"#=<%?!`:")
	d.class['@'] = cName
	d.slashes = false
	d.regex, d.regexLines = true, true
	d.special = rubySpecial
	return d
}

func (r *legacy) readRuby() {
	r.lex(&rubyDialect)
	b := &rubyReader{legacy: r, class: -1, fields: map[int64]bool{}}
	b.block(0, len(r.toks)-1)
}

// block reads statements up to the end that closes them, and answers the position of that end.
func (r *rubyReader) block(i, hi int) int {
	if !r.enter() {
		return r.flat(i, hi)
	}
	defer r.leave()
	for i < hi {
		switch r.word(i) {
		case wEnd:
			return i
		case wFunc:
			i = r.function(i, hi)
			continue
		case wClass, wModule:
			if !r.is(i-1, '.') {
				i = r.typeAt(i, hi)
				continue
			}
		case wBegin, wSwitch:
			i = r.ended(r.block(i+1, hi), hi)
			continue
		case wIf, wWhile, wFor:
			i = r.conditional(i, hi)
			continue
		case wDo:
			mark := len(r.binds)
			i = r.ended(r.block(r.blockParams(i+1), hi), hi)
			r.unbind(mark)
			continue
		}
		i = max(r.expression(i, hi), i+1)
	}
	return hi
}

// ended is the position behind the end at i.
func (r *rubyReader) ended(i, hi int) int {
	if r.word(i) == wEnd {
		i++
	}
	return min(i, hi)
}

// conditional reads if, unless, while, until and for: with a block when they begin a statement or a value.
func (r *rubyReader) conditional(i, hi int) int {
	t, before := r.tok(i), r.tok(i-1)
	opens := t.nl || i == 0 || before.kind == tPunct && before.ch != ')' && before.ch != ']' && before.ch != '}' ||
		before.word == wElse || before.word == wDo || before.word == wBegin
	if !opens || r.is(i-1, '.') {
		return i + 1
	}
	loop := r.word(i) != wIf
	i++
	line := i
	for i < hi && (i == line || !r.tok(i).nl) { // the condition
		if r.word(i) == wDo && loop || r.soft(i, "then") || r.is(i, ';') {
			i++
			break
		}
		i = max(r.expression(i, hi), i+1)
	}
	return r.ended(r.block(i, hi), hi)
}

// blockParams binds |a, b| at i.
func (r *rubyReader) blockParams(i int) int {
	if !r.is(i, '|') {
		return i
	}
	for i++; !r.is(i, '|') && r.tok(i).kind != tEnd && !r.tok(i).nl; i++ {
		if r.name(i) {
			r.bind(r.sym(i), 0)
		}
	}
	return i + 1
}

func (r *rubyReader) function(i, hi int) int {
	from := i
	name := i + 1
	owner := false
	if r.is(name+1, '.') || r.is(name+1, opScope) { // def self.x, def X::x
		name += 2
		owner = true
	}
	kind := Function
	if r.class >= 0 || owner {
		kind = Method
	}
	symbol := r.sym(name)
	k := name + 1
	if symbol == 0 {
		for k < hi && r.tok(k).kind == tPunct && !r.is(k, '(') && r.tok(k).start == r.tok(k-1).end { // def []=
			k++
		}
		if r.is(k, '@') || r.tok(k).kind == tName && r.src[r.tok(k).start] == '@' && r.tok(k).start == r.tok(k-1).end { // def -@
			k++
		}
		symbol = r.names.Intern(r.src[r.tok(name).start:r.tok(k-1).end])
	} else if r.is(k, '=') && r.tok(k).start == r.tok(name).end && (r.is(k+1, '(') || r.name(k+1)) {
		symbol = r.names.Intern(r.src[r.tok(name).start:r.tok(k).end]) // a setter
		k++
	}
	d := r.defineNamed(kind, symbol, name, from)
	mark := len(r.binds)
	r.within(d, func() {
		end := k
		if r.is(k, '(') {
			end = r.close(k, hi)
			r.params(k+1, end)
			k = r.after(k, hi)
		} else if !r.tok(k).nl {
			for end < hi && !r.tok(end).nl && !r.is(end, ';') {
				end++
			}
			if !r.is(k, '=') {
				r.params(k, end)
				k = end
			}
		}
		r.signature(d, k)
		if r.is(k, '=') && !r.tok(k).nl { // def x = value
			for line := k; k < hi && (k == line || !r.tok(k).nl); {
				k = max(r.expression(k, hi), k+1)
			}
			return
		}
		k = r.ended(r.block(k, hi), hi)
	})
	r.unbind(mark)
	r.finish(d, k)
	return k
}

func (r *rubyReader) params(lo, hi int) {
	for k := lo; k < hi; k++ {
		if r.name(k) && (k == lo || r.is(k-1, ',') || r.is(k-1, '*') || r.is(k-1, '&')) {
			r.bind(r.sym(k), 0)
		}
	}
}

func (r *rubyReader) typeAt(i, hi int) int {
	from, kind := i, Class
	if r.word(i) == wModule {
		kind = Module
	}
	k := i + 1
	if r.is(k, '<') { // class << self
		for line := k; k < hi && (k == line || !r.tok(k).nl); k++ {
		}
		return r.ended(r.block(k, hi), hi)
	}
	for r.is(k+1, opScope) && r.name(k+2) {
		k += 2
	}
	if !r.name(k) {
		return i + 1
	}
	d := r.define(kind, k, from)
	was, class, this := r.cur, r.class, r.this
	r.cur, r.class, r.this = d, d, r.classPath(d)
	k++
	if r.is(k, '<') && r.name(k+1) {
		k = r.base(k+1, hi)
	}
	r.signature(d, k)
	k = r.ended(r.block(k, hi), hi)
	r.cur, r.class, r.this = was, class, this
	r.finish(d, k)
	return k
}
