package syntax

// bindParams binds the parameters between lo and hi.
func (r *cReader) bindParams(lo, hi int) {
	for i := lo; i < hi; {
		next := r.commaEnd(i, hi)
		stop := i
		for stop < next && !r.is(stop, '=') && !r.is(stop, '[') {
			stop++
		}
		name := 0
		for k := i; k < stop; k++ {
			switch {
			case r.is(k, '<') && r.plus:
				k = max(r.angle(k, stop)-1, k)
			case r.is(k, '(') && r.is(k+1, '*') && r.name(k+2):
				name = k + 2
				k = stop
			case r.name(k):
				name = k
			}
		}
		start := len(r.expr)
		r.specifiers(i, max(name, i))
		t := r.pop(start)
		if name > i {
			r.bind(r.sym(name), t)
		}
		if r.is(stop, '=') {
			r.scan(stop+1, next, false)
		}
		i = next + 1
	}
}

// insideBody reads directives and local types.
func (r *cReader) insideBody(i, hi int) int {
	t := r.tok(i)
	if t.kind == tDirective {
		r.directive(i)
		return i + 1
	}
	switch t.word {
	case wStruct, wUnion, wEnum, wClass:
		if k := r.bodyOf(i, hi); k > 0 {
			was := r.class
			r.class = -1
			k = r.shaped(i, hi, found{shape: i, members: k})
			r.class = was
			return k
		}
	case wUsing:
		return r.semicolon(i, hi)
	case wSkip:
		return r.castOperator(i, hi)
	}
	if t.kind == tPunct && t.ch == '[' && r.plus {
		return r.lambda(i, hi)
	}
	if t.kind == tName && t.word == noWord && r.is(i+1, ':') && !r.is(i-1, '?') && (t.nl || r.is(i-1, ';')) && !r.is(i+1, opScope) {
		return i + 2 // a label
	}
	return i
}

// bodyOf is the position of the legacyCurly bracket of the type at i, or 0.
func (r *cReader) bodyOf(i, hi int) int {
	for k := i + 1; k < hi && k < i+32; k++ {
		if r.is(k, '{') {
			return k
		}
		if t := r.tok(k); t.kind == tPunct && t.ch != ':' && t.ch != opScope && t.ch != ',' && t.ch != '<' && t.ch != '>' || r.is(k, ',') && !r.plus {
			return 0
		}
	}
	return 0
}

// castOperator reads the type in static_cast<T>(x) and sizeof(T).
func (r *cReader) castOperator(i, hi int) int {
	if r.is(i+1, '<') {
		if k := r.angle(i+1, hi); k > i+1 {
			r.angleTypes(i+1, k)
			return k
		}
	}
	return i + 1
}

// lambda reads [captures](parameters) {…}.
func (r *cReader) lambda(i, hi int) int {
	if !r.is(i, '[') {
		return i
	}
	k := r.after(i, hi)
	if i > 0 && (r.tok(i-1).kind == tName && r.word(i-1) == noWord || r.is(i-1, ')') || r.is(i-1, ']')) {
		return i
	}
	if !r.is(k, '(') && !r.is(k, '{') {
		return i
	}
	mark := len(r.binds)
	if r.is(k, '(') {
		r.bindParams(k+1, r.close(k, hi))
		k = r.after(k, hi)
	}
	for k < hi && !r.is(k, '{') && !r.is(k, ';') && !r.is(k, ')') {
		k++
	}
	if r.is(k, '{') {
		k = r.body(k, hi)
	}
	r.unbind(mark)
	return k
}

// localDeclaration binds "T x", "struct T *x = y, z" and "for (auto &x : xs)".
func (r *cReader) localDeclaration(i, hi int) int {
	from, shape := i, false
	for i < hi && r.tok(i).kind == tName && (r.word(i) == wDecl || r.word(i) == wTypename) {
		i++
	}
	if w := r.word(i); w == wStruct || w == wUnion || w == wEnum || w == wClass {
		i++
		shape = true
	}
	auto := i > from && !shape && string(r.text(i-1)) == "auto"
	for auto && i < hi && (r.is(i, '*') || r.is(i, '&') || r.is(i, opLogic)) {
		i++
	}
	t := r.tok(i)
	if t.kind != tName || t.word != noWord && t.word != wPrim && i == from {
		return from
	}
	name, stop := r.declared(i, hi, shape || i > from)
	if auto && t.word == noWord {
		name, stop = i, i+1
	}
	if name == 0 {
		return from
	}
	start := len(r.expr)
	r.specifiers(i, name)
	typ := r.pop(start)
	return r.declaredNames(name, stop, hi, typ)
}

// declared finds the name that the declaration whose type begins at i declares, and what follows that.
func (r *cReader) declared(i, hi int, sure bool) (name, stop int) {
	k := i
	if r.word(k) == wPrim {
		for k < hi && (r.word(k) == wPrim || r.word(k) == wDecl) {
			k++
		}
	} else {
		k++
		for r.plus && k < hi {
			if r.is(k, opScope) && r.name(k+1) {
				k += 2
			} else if r.is(k, '<') {
				end := r.angle(k, hi)
				if end == k {
					return 0, 0
				}
				k = end
			} else {
				break
			}
		}
	}
	for k < hi && (r.is(k, '*') || r.is(k, '&') || r.is(k, opLogic) && r.plus || r.word(k) == wDecl) {
		k++
	}
	for k+1 < hi && r.name(k) && r.name(k+1) && r.macroWord(k) {
		k++
	}
	if !r.name(k) || k >= hi {
		return 0, 0
	}
	switch t := r.tok(k + 1); {
	case k+1 >= hi:
		return k, k + 1
	case t.kind == tPunct && (t.ch == '=' || t.ch == ';' || t.ch == ',' || t.ch == '[' || t.ch == ':' || r.plus && (t.ch == '(' || t.ch == '{')):
		return k, k + 1
	case t.kind == tName && r.macroLike(k+1):
		return k, k + 1
	}
	return 0, 0
}

// declaredNames binds name and those behind it, and reads their values.
func (r *cReader) declaredNames(name, i, hi int, typ Sym) int {
	for {
		sym := r.sym(name)
		for i < hi && r.is(i, '[') {
			r.scan(i+1, r.close(i, hi), false)
			i = r.after(i, hi)
		}
		t := typ
		switch {
		case r.is(i, '='):
			var v Sym
			i, v = r.assigned(i+1, hi)
			if t == 0 {
				t = v
			}
		case r.is(i, ':'):
			start := len(r.expr)
			i = r.value(i+1, hi)
			if r.known(start) {
				r.expr = append(r.expr, "[]"...)
			}
			if v := r.pop(start); t == 0 {
				t = v
			}
		case r.is(i, '(') || r.is(i, '{'):
			r.scan(i+1, r.close(i, hi), false)
			i = r.after(i, hi)
		}
		r.bind(sym, t)
		if i >= hi || !r.is(i, ',') {
			return i
		}
		k := i + 1
		for k < hi && r.is(k, '*') {
			k++
		}
		if !r.name(k) || !(r.is(k+1, '=') || r.is(k+1, ',') || r.is(k+1, ';') || r.is(k+1, '[')) {
			return i
		}
		name, i = k, k+1
	}
}

// directive reads #define and #include.
func (r *cReader) directive(i int) {
	t := r.tok(i)
	line := r.src[t.start:t.end]
	k := 1
	for k < len(line) && (line[k] == ' ' || line[k] == '\t') {
		k++
	}
	from := k
	for k < len(line) && line[k] >= 'a' && line[k] <= 'z' || k < len(line) && line[k] == '_' {
		k++
	}
	word := string(line[from:k])
	for k < len(line) && (line[k] == ' ' || line[k] == '\t') {
		k++
	}
	if word != "define" {
		r.include(i, line[k:])
		return
	}
	class := &r.lexer.dialect.class
	end := k
	for end < len(line) && (class[line[end]] == cName || class[line[end]] == cDigit) {
		end++
	}
	if end == k {
		return
	}
	was := r.cur
	r.cur = -1
	d := r.defineNamed(Macro, r.names.Intern(line[k:end]), i, i)
	def := &r.rows.Defs[d]
	def.Body, def.End = t.start+int32(end), t.end
	if def.End-def.Start > 64 {
		def.EndLine = lineAt(r.lexer.lines, t.end-1)
	}
	r.cur = d
	r.macroBody(line, end, i)
	r.cur = was
}

func (r *cReader) include(i int, rest []byte) {
	if len(rest) < 3 {
		return
	}
	shut := rest[0]
	if shut == '<' {
		shut = '>'
	} else if shut != '"' {
		return
	}
	for k := 1; k < len(rest); k++ {
		if rest[k] == shut {
			r.rows.Imports = append(r.rows.Imports, ImportRow{Module: r.names.Intern(rest[1:k]), Name: r.names.InternString("*"), Line: r.lineOf(i)})
			return
		}
	}
}

// macroBody refers to the names in a macro's replacement, which is not cut into tokens.
func (r *cReader) macroBody(line []byte, k, at int) {
	class := &r.lexer.dialect.class
	params := r.params[:0]
	if k < len(line) && line[k] == '(' {
		for k++; k < len(line) && line[k] != ')'; {
			end := k
			for end < len(line) && class[line[end]] == cName || end < len(line) && class[line[end]] == cDigit {
				end++
			}
			if end > k && len(params) < cap(params) {
				params = append(params, r.names.Intern(line[k:end]))
			}
			k = max(end, k+1)
		}
	}
	for k < len(line) {
		switch c := line[k]; {
		case class[c] == cName:
			end := k + 1
			for end < len(line) && (class[line[end]] == cName || class[line[end]] == cDigit) {
				end++
			}
			r.macroName(line, k, end, at, params)
			k = end
		case class[c] == cDigit:
			for k < len(line) && (class[line[k]] == cName || class[line[k]] == cDigit) {
				k++
			}
		case c == '"' || c == '\'':
			for k++; k < len(line) && line[k] != c; k++ {
				if line[k] == '\\' {
					k++
				}
			}
			k++
		case c == '/' && k+1 < len(line) && line[k+1] == '*':
			k = find(line, k+2, "*/")
		default:
			k++
		}
	}
}

func (r *cReader) macroName(line []byte, k, end, at int, params []Sym) {
	h := HashBytes(line[k:end])
	if r.lexer.dialect.words.find(line[k:end], h) != noWord {
		return
	}
	name := r.names.intern(line[k:end], h)
	for _, p := range params {
		if p == name {
			return
		}
	}
	use, q := Mention, Sym(0)
	if end < len(line) && line[end] == '(' {
		use = Call
	}
	if k > 0 && (line[k-1] == '.' || k > 1 && line[k-1] == '>' && line[k-2] == '-') {
		q = r.names.InternString(unknown)
	}
	r.referTo(name, q, use, at)
}
