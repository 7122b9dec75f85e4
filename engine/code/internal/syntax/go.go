package syntax

// goReader reads Go. Package go/parser would do, at three times the time and far more garbage; it is the oracle of
// this reader's tests instead.
type goReader struct {
	*reader
	switched Sym // the variable of the type switch around the present position
}

var goDialect = *newGoDialect()

func newGoDialect() *dialect {
	d := newDialect(words(map[word]string{
		wFunc: "func", wType: "type", wVar: "var", wConst: "const", wIf: "if", wElse: "else", wFor: "for", wSwitch: "switch",
		wSelect: "select", wCase: "case", wDefault: "default", wReturn: "return", wGo: "go", wDefer: "defer", wRange: "range",
		wMap: "map", wChan: "chan", wStruct: "struct", wInterface: "interface", wBreak: "break", wContinue: "continue",
		wGoto: "goto", wFallthrough: "fallthrough", wPackage: "package", wImport: "import",
		wPrim:    "bool string int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr float32 float64 complex64 complex128 byte rune any comparable",
		wValue:   "nil true false iota",
		wBuiltin: "error",
		wMake:    "make new",
		wAppend:  "append",
		wSkip:    "len cap panic",
	}), "\"'", "`")
	d.special = goSpecial
	d.outer = [2]word{wFunc, wType}
	return d
}

func (r *goReader) file() {
	end := len(r.toks) - 1
	for i := 0; i < end; {
		i = max(r.declaration(i, end), i+1)
	}
}

// declaration reads one declaration at i and answers where the next one begins.
func (r *goReader) declaration(i, hi int) int {
	switch r.word(i) {
	case wPackage:
		r.rows.Package = r.sym(i + 1)
		return i + 2
	case wImport:
		return r.group(i, hi, r.importSpec)
	case wFunc:
		return r.function(i, hi)
	case wType:
		return r.group(i, hi, r.typeSpec)
	case wVar:
		return r.group(i, hi, func(i, hi int) int { return r.valueSpec(Variable, i, hi) })
	case wConst:
		return r.group(i, hi, func(i, hi int) int { return r.valueSpec(Constant, i, hi) })
	}
	if k := r.tok(i); k.kind == tPunct && (k.ch == '{' || k.ch == '(') {
		return r.after(i, hi) // what is left of something that did not parse
	}
	return i + 1
}

// group reads the specs of a declaration at i, in brackets or alone.
func (r *goReader) group(i, hi int, spec func(i, hi int) int) int {
	if !r.is(i+1, '(') {
		return spec(i+1, hi)
	}
	end := r.close(i+1, hi)
	for k := i + 2; k < end; {
		k = max(spec(k, end), k+1)
	}
	return min(end+1, hi)
}

func (r *goReader) importSpec(i, hi int) int {
	local := r.sym(i)
	if local != 0 || r.is(i, '.') {
		i++
	}
	t := r.tok(i)
	if t.kind != tString || t.end-t.start < 2 {
		return i + 1
	}
	row := ImportRow{Module: r.names.Intern(r.src[t.start+1 : t.end-1]), Local: local, Line: r.lineOf(i)}
	if r.is(i-1, '.') {
		row.Name = r.names.InternString("*")
	} else if local == 0 {
		row.Local = r.names.InternString(importName(r.names.Text(row.Module)))
	}
	r.rows.Imports = append(r.rows.Imports, row)
	return i + 1
}

// importName guesses the name of the package at an import path: gopkg.in/yaml.v3 is yaml, x/y/v2 is y, go-z is z.
func importName(path string) string {
	last, rest := lastElement(path)
	if isVersion(last) && rest != "" {
		last, _ = lastElement(rest)
	}
	for i := range len(last) {
		if last[i] == '.' && i > 0 {
			last = last[:i]
			break
		}
	}
	if len(last) > 3 && last[:3] == "go-" {
		last = last[3:]
	}
	if n := len(last); n > 3 && last[n-3:] == "-go" {
		last = last[:n-3]
	}
	return last
}

func lastElement(path string) (last, rest string) {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' {
			return path[i+1:], path[:i]
		}
	}
	return path, ""
}

func isVersion(s string) bool {
	if len(s) < 2 || s[0] != 'v' {
		return false
	}
	for i := 1; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

func (r *goReader) function(i, hi int) int {
	from := i
	i++
	mark := len(r.binds)
	kind, owner := Function, Sym(0)
	receiver := 0
	if r.is(i, '(') {
		kind, receiver = Method, i
		i = r.after(i, hi)
	}
	if r.tok(i).kind != tName || r.word(i) == wFunc || r.word(i) == wType {
		return i
	}
	d := r.define(kind, i, from)
	r.within(d, func() {
		if receiver > 0 {
			owner = r.receiver(receiver, hi)
		}
		i = r.typeParams(i+1, hi)
		var results Sym
		i, results = r.signatureAt(i, hi)
		r.rows.Defs[d].Owner, r.rows.Defs[d].Type = owner, results
		r.signature(d, i)
		if r.is(i, '{') && !r.tok(i).nl {
			i = r.body(i, hi)
		}
	})
	r.finish(d, i)
	r.unbind(mark)
	return i
}

// receiver binds the receiver in the brackets at i and answers the name of its type.
func (r *goReader) receiver(i, hi int) Sym {
	end := r.close(i, hi)
	var names [2]Sym
	n := 0
	for k := i + 1; k < end; k++ {
		if r.is(k, '[') {
			for j := k + 1; j < r.close(k, end); j++ {
				if r.name(j) {
					r.bind(r.sym(j), 0)
				}
			}
			break
		}
		if r.tok(k).kind == tName && n < 2 {
			names[n] = r.sym(k)
			n++
		}
	}
	if n == 2 {
		r.bind(names[0], names[1])
		return names[1]
	}
	return names[0]
}

// typeParams binds the type parameters at i, if any, to their constraints.
func (r *goReader) typeParams(i, hi int) int {
	if !r.is(i, '[') {
		return i
	}
	end := r.close(i, hi)
	var pending []Sym
	for k := i + 1; k < end; {
		if r.name(k) && len(pending) < 64 {
			pending = append(pending, r.sym(k))
			r.bind(r.sym(k), 0)
		}
		k++
		if r.is(k, ',') {
			k++
			continue
		}
		start := len(r.expr)
		k = max(r.union(k, end), k)
		constraint := r.pop(start)
		for _, p := range pending {
			r.rebind(p, constraint)
		}
		pending = pending[:0]
		if r.is(k, ',') {
			k++
		}
	}
	return min(end+1, hi)
}

// union reads the types of a constraint, ~A | B; the expression is the first one.
func (r *goReader) union(i, hi int) int {
	start := len(r.expr)
	for n := 0; i < hi && !r.is(i, ',') && !r.is(i, ';'); n++ {
		from := len(r.expr)
		next := r.typ(i, hi)
		if n > 0 {
			r.expr = r.expr[:from]
		}
		if next == i {
			next++
		}
		i = next
		if !r.is(i, '|') {
			break
		}
		i++
		r.expr = append(r.expr[:start], unknown...) // a union has no methods
	}
	return i
}

// signatureAt reads parameters and results at i, and binds them. The results come as "A,B".
func (r *goReader) signatureAt(i, hi int) (int, Sym) {
	if !r.is(i, '(') {
		return i, 0
	}
	start := len(r.expr)
	r.params(i+1, r.close(i, hi), false)
	r.expr = r.expr[:start]
	i = r.after(i, hi)
	switch {
	case r.is(i, '(') && !r.tok(i).nl:
		r.params(i+1, r.close(i, hi), true)
		i = r.after(i, hi)
	case r.typeBegins(i) && !r.tok(i).nl:
		i = r.typ(i, hi)
	}
	var results Sym
	if len(r.expr)-start <= maxExpr && len(r.expr) > start {
		results = r.names.Intern(r.expr[start:])
	}
	r.expr = r.expr[:start]
	return i, results
}

// typeBegins reports whether a type can begin at i.
func (r *goReader) typeBegins(i int) bool {
	t := r.tok(i)
	switch t.kind {
	case tName:
		return t.word == noWord || t.word == wPrim || t.word == wBuiltin || t.word == wFunc || t.word == wMap || t.word == wChan ||
			t.word == wStruct || t.word == wInterface || t.word >= wMake
	case tPunct:
		return t.ch == '*' || t.ch == '[' || t.ch == '(' || t.ch == opRecv || t.ch == opDots || t.ch == '~'
	}
	return false
}

// params binds the parameters between lo and hi; when keep, it pushes their types, separated by commas.
func (r *goReader) params(lo, hi int, keep bool) {
	named := r.namedParams(lo, hi)
	var pending []Sym
	first := true
	emit := func(start int, count int) {
		t := string(r.expr[start:])
		r.expr = r.expr[:start]
		for range count {
			if !first && keep {
				r.expr = append(r.expr, ',')
			}
			first = false
			if keep {
				r.expr = append(r.expr, t...)
			}
		}
	}
	for i := lo; i < hi; {
		if named && r.tok(i).kind == tName && len(pending) < 64 {
			pending = append(pending, r.sym(i))
			i++
			if r.is(i, ',') {
				i++
				continue
			}
		}
		start := len(r.expr)
		i = max(r.typ(i, hi), i)
		if len(r.expr)-start > maxExpr {
			r.expr = append(r.expr[:start], unknown...)
		}
		var t Sym
		if r.known(start) {
			t = r.names.Intern(r.expr[start:])
		}
		for _, p := range pending {
			r.bind(p, t)
		}
		emit(start, max(len(pending), 1))
		pending = pending[:0]
		for i < hi && !r.is(i, ',') {
			i++
		}
		i++
	}
}

// namedParams reports whether the parameters between lo and hi have names: whether one of them is a name and a type.
func (r *goReader) namedParams(lo, hi int) bool {
	for i := lo; i < hi; i++ {
		begins := i == lo || r.is(i-1, ',')
		if begins && r.tok(i).kind == tName && i+1 < hi {
			if r.is(i+1, '[') {
				if k := r.after(i+1, hi); k < hi && !r.is(k, ',') {
					return true
				}
			} else if !r.is(i+1, ',') && !r.is(i+1, '.') && r.word(i) != wFunc && r.word(i) != wMap && r.word(i) != wChan &&
				r.word(i) != wStruct && r.word(i) != wInterface {
				return true
			}
		}
		if t := r.tok(i); t.kind == tPunct && (t.ch == '(' || t.ch == '[' || t.ch == '{') {
			i = r.close(i, hi)
		}
	}
	return false
}

func (r *goReader) typeSpec(i, hi int) int {
	if !r.name(i) {
		return i + 1
	}
	mark := len(r.binds)
	d := r.define(Alias, i, i)
	from := i
	if r.word(i-1) == wType {
		from = i - 1
		r.rows.Defs[d].Start = r.tok(from).start
	}
	if r.cur >= 0 { // a local type
		r.bind(r.sym(i), 0)
	}
	was := r.cur
	r.cur = d
	i++
	if r.is(i, '[') && r.generic(i, hi) {
		i = r.typeParams(i, hi)
	}
	if r.is(i, '=') {
		i++
	}
	i = r.typeBody(d, i, hi)
	r.cur = was
	r.finish(d, i)
	r.unbind(mark)
	if was >= 0 {
		r.bind(r.names.InternString(r.names.Text(r.rows.Defs[d].Name)), r.rows.Defs[d].Name)
	}
	return i
}

// generic tells type T[P any] from type T [N]int.
func (r *goReader) generic(i, hi int) bool {
	end := r.close(i, hi)
	if end == i+1 || !r.name(i+1) {
		return false
	}
	if r.is(i+2, ',') {
		return true
	}
	return i+2 < end && (r.typeBegins(i+2) || r.is(i+2, '~')) && r.typeBegins(end+1) || r.word(i+2) == wPrim || r.word(i+2) == wInterface
}
