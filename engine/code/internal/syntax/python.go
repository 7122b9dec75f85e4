package syntax

// pythonReader reads Python. Blocks are told by the columns of their lines.
type pythonReader struct {
	*legacy
	class   int32           // the class around the present position, or -1
	members map[int64]int32 // definitions by class and name: a field is defined where it is first assigned
}

var pythonDialect = *newPythonDialect()

func newPythonDialect() *dialect {
	d := newDialect(words(map[word]string{
		wFunc: "def", wClass: "class", wIf: "if elif while assert", wElse: "else", wFor: "for", wReturn: "return yield", wImport: "import",
		wFrom: "from", wAs: "as", wIn: "in", wIs: "is", wNot: "not", wLambda: "lambda", wWith: "with", wTry: "try", wCatch: "except",
		wFinally: "finally", wThrow: "raise", wAsync: "async", wAwait: "await", wValue: "None True False",
		wSkip: "pass break continue", wDel: "del", wGlobal: "global nonlocal", wLet: "and or",
	}), "", "#\"'\\")
	d.slashes = false
	d.special = pythonSpecial
	d.outer = [2]word{wFunc, wClass}
	return d
}

func (r *pythonReader) file() {
	r.class = -1
	r.suite(0, len(r.toks)-1, -1)
}

// column is the distance of token i from the start of its line, in bytes.
func (r *pythonReader) column(i int) int {
	line := r.lineOf(i)
	return int(r.tok(i).start - r.lexer.lines[line-1])
}

// suite reads statements up to a line that stands at col or further left.
func (r *pythonReader) suite(i, hi, col int) int {
	for first := true; i < hi; first = false {
		if t := r.tok(i); t.nl && !first && r.column(i) <= col || t.nl && first && col >= 0 && r.column(i) <= col {
			return i
		}
		i = max(r.statement(i, hi), i+1)
	}
	return i
}

// block reads what follows the colon at i, of a line that stands at col.
func (r *pythonReader) block(i, hi, col int) int {
	if r.is(i, ':') {
		i++
	}
	if r.tok(i).nl {
		return r.suite(i, hi, col)
	}
	for i < hi && !r.tok(i).nl {
		i = max(r.statement(i, hi), i+1)
	}
	return i
}

func (r *pythonReader) statement(i, hi int) int {
	from := i
	for r.is(i, '@') { // read by decorators
		i = r.lineEnd(i, hi)
	}
	async := r.word(i) == wAsync
	if async {
		i++
	}
	switch r.word(i) {
	case wFunc:
		return r.function(i, from, hi)
	case wClass:
		return r.classAt(i, from, hi)
	case wImport:
		return r.imports(i+1, hi)
	case wFrom:
		return r.fromImport(i+1, hi)
	case wFor:
		return r.loop(i+1, hi)
	case wWith:
		return r.with(i+1, hi)
	case wCatch:
		return r.except(i+1, hi)
	case wReturn:
		return r.returned(i+1, hi)
	case wGlobal:
		return r.lineEnd(i, hi)
	case wIf, wThrow, wDel, wElse, wTry, wFinally, wSkip:
		return r.list(i+1, hi)
	}
	if r.is(i, ';') || r.is(i, ':') {
		return i + 1
	}
	return r.assignment(i, hi)
}

// lineEnd passes the tokens up to the next line.
func (r *pythonReader) lineEnd(i, hi int) int {
	for i++; i < hi && !r.tok(i).nl; i++ {
		if t := r.tok(i); t.kind == tPunct && (t.ch == '(' || t.ch == '[' || t.ch == '{') {
			i = r.close(i, hi)
		}
	}
	return i
}

func (r *pythonReader) discard(i, hi int) int {
	start := len(r.expr)
	i = r.expression(i, hi, false)
	r.expr = r.expr[:start]
	return i
}

// list reads expressions separated by commas, up to the end of the line or a colon.
func (r *pythonReader) list(i, hi int) int {
	for i < hi && !r.tok(i).nl && !r.is(i, ':') && !r.is(i, ';') {
		i = max(r.discard(i, hi), i)
		if t := r.tok(i); t.kind == tPunct && t.ch != ':' && t.ch != ';' && !t.nl || t.word == wFrom || t.word == wAs {
			i++
			continue
		}
		break
	}
	if r.is(i, ':') {
		i++
	}
	return i
}

func (r *pythonReader) function(i, from, hi int) int {
	col := r.column(from)
	if r.tok(i+1).kind != tName {
		return i + 1
	}
	kind := Function
	method := r.class >= 0 && r.cur == r.class
	if method {
		kind = Method
	}
	d := r.define(kind, i+1, from)
	if r.cur >= 0 && !method {
		r.bind(r.sym(i+1), r.sym(i+1))
	}
	mark, class := len(r.binds), r.class
	r.within(d, func() {
		r.decorators(from, hi)
		i = r.params(i+2, hi, method)
		i = r.result(d, i, hi)
		r.signature(d, i)
		r.class = -1
		if method {
			r.class = class
		}
		if r.enter() {
			i = r.block(i, hi, col)
			r.leave()
		} else {
			i = hi
		}
	})
	r.class = class
	r.unbind(mark)
	r.finish(d, i)
	return i
}

// decorators reads those at i: what they use, the definition under them uses.
func (r *pythonReader) decorators(i, hi int) {
	for r.is(i, '@') {
		i = r.discard(i+1, hi)
	}
}

// result reads -> T.
func (r *pythonReader) result(d int32, i, hi int) int {
	if r.is(i, opArrow) {
		start := len(r.expr)
		i = r.annotation(i+1, hi)
		r.rows.Defs[d].Type = r.pop(start)
	}
	return i
}

// params binds the parameters at i. The first one of a method is an object of its class.
func (r *pythonReader) params(i, hi int, method bool) int {
	if r.is(i, '[') { // type parameters
		i = r.after(i, hi)
	}
	if !r.is(i, '(') {
		return i
	}
	end := r.close(i, hi)
	first := method
	for k := i + 1; k < end; {
		if !r.name(k) {
			k++
			continue
		}
		name := r.sym(k)
		k++
		start := len(r.expr)
		if r.is(k, ':') {
			k = r.annotation(k+1, end)
		} else if first {
			r.expr = append(r.expr, r.classPath(r.class)...)
		}
		t := r.pop(start)
		if r.is(k, '=') {
			k = r.expression(k+1, end, true)
			if d := r.pop(start); t == 0 {
				t = d
			}
		}
		r.bind(name, t)
		first = false
		for k < end && !r.is(k, ',') {
			k++
		}
	}
	return min(end+1, hi)
}

func (r *pythonReader) classAt(i, from, hi int) int {
	col := r.column(from)
	if r.tok(i+1).kind != tName {
		return i + 1
	}
	d := r.define(Class, i+1, from)
	if r.cur >= 0 && r.cur != r.class {
		r.bind(r.sym(i+1), r.sym(i+1))
	}
	class, mark := r.class, len(r.binds)
	r.within(d, func() {
		r.decorators(from, hi)
		i += 2
		if r.is(i, '[') {
			i = r.after(i, hi)
		}
		if r.is(i, '(') {
			r.bases(i+1, r.close(i, hi))
			i = r.after(i, hi)
		}
		r.signature(d, i)
		r.class = d
		if r.enter() {
			i = r.block(i, hi, col)
			r.leave()
		} else {
			i = hi
		}
	})
	r.class = class
	r.unbind(mark)
	r.finish(d, i)
	return i
}

// bases reads the arguments of a class statement.
func (r *pythonReader) bases(i, hi int) {
	for i < hi {
		start := len(r.expr)
		last := i
		for r.name(last) && r.is(last+1, '.') && r.name(last+2) && last+2 < hi {
			r.expr = append(append(r.expr, r.text(last)...), '.')
			last += 2
		}
		if n := len(r.expr); n > start {
			r.expr = r.expr[:n-1]
		}
		if r.name(last) && !r.is(last+1, '=') && !r.is(last+1, '(') {
			r.refer(last, start, Inherit)
			last++
		} else {
			if r.name(i) && r.is(i+1, '=') {
				i += 2
			}
			last = r.expression(i, hi, true)
		}
		r.expr = r.expr[:start]
		i = max(last, i)
		for i < hi && !r.is(i, ',') {
			if r.is(i, '[') || r.is(i, '(') {
				r.arguments(i+1, r.close(i, hi))
				i = r.close(i, hi)
			}
			i++
		}
		i++
	}
}

func (r *legacy) readPython() {
	r.lex(&pythonDialect)
	(&pythonReader{legacy: r, members: map[int64]int32{}}).file()
}
