package syntax

// legacyCurly is what the readers of languages with curly brackets share: expressions and the statements of a body.
type legacyCurly struct {
	*legacy
	// local recognises a declaration of local variables at i, the start of a statement, binds them and answers the
	// position behind it; i: there is none.
	local func(i, hi int) int
	// nested recognises a definition inside a body, likewise.
	nested func(i, hi int) int
	// closure, which may be nil, reads a function without a name at i, where a value is expected, likewise.
	closure func(i, hi int) int
	// classBody, which may be nil, reads the body at i of a class without a name, behind new T(…).
	classBody func(i, hi int)
	making    bool   // typeName reads a type of which a value is made
	this      string // the path of the class around, for this, self and super
	angles    bool   // f<T>(x) calls a generic function
	lines     bool   // statements end with their line
}

// dialects of members: which operators lead from a value or type to its member.
var legacyMemberOps = [256]bool{'.': true, opArrow: true, opScope: true, opOptional: true}

// body reads the block in the legacyCurly brackets at i, with a scope of its own.
func (r *legacyCurly) body(i, hi int) int {
	end := r.close(i, hi)
	r.scan(i+1, end, true)
	return min(end+1, hi)
}

// scan reads statements, or in brackets expressions, between lo and hi. Bindings end with it.
func (r *legacyCurly) scan(lo, hi int, statements bool) {
	if !r.enter() {
		r.flat(lo, hi)
		return
	}
	mark, start := len(r.binds), len(r.expr)
	begins := statements
	for i := lo; i < hi; {
		t := r.tok(i)
		if r.lines && t.nl && statements {
			begins = true
		}
		if next := r.statement(i, hi, begins); next > i {
			i = next
			begins = statements && (r.endsStatement(i-1) || t.kind == tPunct && (t.ch == '#' || t.ch == '@'))
			continue
		}
		begins = t.kind == tPunct && (t.ch == ';' || t.ch == '{' || t.ch == '}' || t.ch == ':') && statements ||
			t.kind == tName && (t.word == wElse || t.word == wDo || t.word == wTry)
		i = max(r.step(i, hi), i+1)
		r.expr = r.expr[:start]
		if statements && r.is(i-1, '}') {
			begins = true
		}
	}
	r.unbind(mark)
	r.leave()
}

func (r *legacyCurly) endsStatement(i int) bool {
	return r.is(i, ';') || r.is(i, '}') || r.lines
}

// statement reads a definition or declaration at i, if one begins there.
func (r *legacyCurly) statement(i, hi int, begins bool) int {
	if next := r.nested(i, hi); next > i {
		return next
	}
	if begins {
		return r.local(i, hi)
	}
	return i
}

// step reads one expression, bracket or token.
func (r *legacyCurly) step(i, hi int) int {
	t := r.tok(i)
	if t.kind == tPunct {
		switch {
		case t.ch == '{':
			return r.body(i, hi)
		case t.ch == '(' || t.ch == '[':
			return r.value(i, hi)
		case legacyMemberOps[t.ch] && r.tok(i+1).kind == tName && i+1 < hi:
			start := len(r.expr)
			r.expr = append(r.expr, unknown...)
			return r.suffixes(i, hi, start)
		}
		return i + 1
	}
	if t.kind == tName && t.word == wFor && r.is(i+1, '(') {
		return r.forHeader(i+1, hi)
	}
	if t.kind == tName {
		return r.value(i, hi)
	}
	if t.kind == tString {
		r.holes(pos(i), r.this)
	}
	return i + 1
}

// forHeader reads the brackets of a for: what they declare holds for the statement behind them.
func (r *legacyCurly) forHeader(i, hi int) int {
	end := r.close(i, hi)
	mark := len(r.binds)
	k := max(r.local(i+1, end), i+1)
	for k < end {
		start := len(r.expr)
		if next := r.local(k, end); r.is(k-1, ';') && next > k {
			k = next
			continue
		}
		k = max(r.step(k, end), k+1)
		r.expr = r.expr[:start]
	}
	i = min(end+1, hi)
	if r.is(i, '{') {
		i = r.body(i, hi)
	} else { // one statement
		for i < hi && !r.is(i, ';') && !r.is(i, '}') && !r.is(i, '{') && r.word(i) != wFor {
			start := len(r.expr)
			i = max(r.step(i, hi), i+1)
			r.expr = r.expr[:start]
		}
	}
	r.unbind(mark)
	return i
}

// value reads a primary expression with its prefix operators and pushes what is known of its type.
func (r *legacyCurly) value(i, hi int) int {
	for i < hi {
		t := r.tok(i)
		if t.kind == tPunct && (t.ch == '&' || t.ch == '*' || t.ch == '!' || t.ch == '-' || t.ch == '+' || t.ch == '~') ||
			t.kind == tName && (t.word == wAwait || t.word == wMut || t.word == wRef || t.word == wTry || t.word == wReturn || t.word == wThrow || t.word == wDel) {
			i++
			continue
		}
		break
	}
	start := len(r.expr)
	if i >= hi {
		r.expr = append(r.expr, unknown...)
		return i
	}
	if r.closure != nil {
		if next := r.closure(i, hi); next > i {
			r.expr = append(r.expr[:start], unknown...)
			return next
		}
	}
	t := r.tok(i)
	switch {
	case t.kind == tName:
		i = r.head(i, hi)
	case t.kind == tPunct && t.ch == '(':
		i = r.parens(i, hi)
	case t.kind == tPunct && t.ch == '[':
		i = r.list(i, hi)
	case t.kind == tPunct && t.ch == '{':
		return r.object(i, hi)
	case t.kind == tString || t.kind == tNumber:
		if t.kind == tString {
			r.holes(pos(i), r.this)
		}
		r.expr = append(r.expr, unknown...)
		i++
	default:
		r.expr = append(r.expr, unknown...)
		return i
	}
	return r.suffixes(i, hi, start)
}

// object reads {…} in the place of a value.
func (r *legacyCurly) object(i, hi int) int {
	start := len(r.expr)
	i = r.body(i, hi)
	r.expr = append(r.expr[:start], unknown...)
	return i
}

// parens reads (x), a cast or the parameters of a lambda.
func (r *legacyCurly) parens(i, hi int) int {
	start := len(r.expr)
	end := r.close(i, hi)
	k := i + 1
	if r.enter() {
		k = r.value(i+1, end)
		r.leave()
	}
	keep := r.pop(start)
	if k < end && (r.word(k) == wAs || r.soft(k, "as")) {
		keep = 0
		k, keep = r.castTo(k+1, end)
	}
	if k < end && !r.is(k, opLogic) {
		keep = 0
	}
	r.scan(k, end, false)
	r.push(keep)
	return min(end+1, hi)
}

// castTo reads the type behind as.
func (r *legacyCurly) castTo(i, hi int) (int, Sym) {
	start := len(r.expr)
	if r.is(i, '?') || r.is(i, '!') {
		i++
	}
	i = r.typeName(i, hi)
	return i, r.pop(start)
}

// list reads [a, b] and pushes a list of the first element's type.
func (r *legacyCurly) list(i, hi int) int {
	start := len(r.expr)
	end := r.close(i, hi)
	k := i + 1
	if r.enter() {
		r.expr = append(r.expr, '[')
		k = r.value(i+1, end)
		r.leave()
	}
	switch {
	case len(r.expr) > start+1 && r.known(start+1):
		r.expr = append(r.expr, ']')
	default:
		r.expr = append(r.expr[:start], unknown...)
	}
	keep := len(r.expr)
	r.scan(k, end, false)
	r.expr = r.expr[:keep]
	return min(end+1, hi)
}

// head reads the name or keyword that begins an expression.
func (r *legacyCurly) head(i, hi int) int {
	switch r.word(i) {
	case noWord:
		return r.plain(i, hi)
	case wThis:
		r.pushThis("")
		return i + 1
	case wSuper:
		r.pushThis("^")
		return i + 1
	case wNew:
		return r.creation(i+1, hi)
	}
	r.expr = append(r.expr, unknown...)
	return i + 1
}

func (r *legacyCurly) pushThis(suffix string) {
	if r.this == "" {
		r.expr = append(r.expr, unknown...)
		return
	}
	r.expr = append(append(r.expr, r.this...), suffix...)
}

// plain reads a name.
func (r *legacyCurly) plain(i, hi int) int {
	name := r.sym(i)
	if b, ok := r.legacy.local(name); ok && b != name { // a name bound to itself is a definition in this function
		r.push(b)
		return i + 1
	}
	next := i + 1
	if r.angles && r.is(next, '<') {
		if k := r.angle(next, hi); k > next && (r.is(k, '(') || r.is(k, opScope) || r.is(k, '{')) {
			r.angleTypes(next, k)
			next = k
		}
	}
	use := Mention
	if r.is(next, '(') && next < hi {
		use = Call
	}
	r.referTo(name, 0, use, i)
	r.expr = append(r.expr, r.text(i)...)
	return next
}

// creation reads T(args) behind new.
func (r *legacyCurly) creation(i, hi int) int {
	r.making = true
	i = r.typeName(i, hi)
	r.making = false
	if r.is(i, '(') && i < hi {
		keep := len(r.expr)
		end := r.close(i, hi)
		r.scan(i+1, end, false)
		r.expr = r.expr[:keep]
		i = min(end+1, hi)
		if r.classBody != nil && r.is(i, '{') && i < hi {
			keep := len(r.expr)
			r.classBody(i, hi)
			r.expr = r.expr[:keep]
			i = r.after(i, hi)
		}
	}
	return i
}

// suffixes reads members, calls and indices behind a value whose expression begins at start.
func (r *legacyCurly) suffixes(i, hi, start int) int {
	for i < hi {
		t := r.tok(i)
		if t.kind != tPunct {
			return i
		}
		switch {
		case legacyMemberOps[t.ch]:
			next := r.member(i+1, hi, start)
			if next == i+1 {
				return i + 1
			}
			i = next
		case t.ch == '(' && (!t.nl || !r.lines):
			end := r.close(i, hi)
			keep := len(r.expr)
			r.scan(i+1, end, false)
			r.expr = append(r.expr[:keep], "()"...)
			i = min(end+1, hi)
		case t.ch == '[' && (!t.nl || !r.lines):
			end := r.close(i, hi)
			keep := len(r.expr)
			r.scan(i+1, end, false)
			r.expr = append(r.expr[:keep], "[]"...)
			i = min(end+1, hi)
		case (t.ch == '!' || t.ch == opNotNull || t.ch == '?') && !t.nl && r.postfix(i+1):
			i++
		default:
			return i
		}
	}
	return i
}

// postfix reports whether what stands before i was a postfix operator: x!.y, x?.y, x!!.y, f()?;
func (r *legacyCurly) postfix(i int) bool {
	t := r.tok(i)
	return t.kind == tPunct && (legacyMemberOps[t.ch] || t.ch == ';' || t.ch == ')' || t.ch == ',' || t.ch == '?' || t.ch == '[')
}

// member reads the name behind a dot.
func (r *legacyCurly) member(i, hi, start int) int {
	if r.is(i, '<') && r.angles { // Rust's turbofish
		if k := r.angle(i, hi); k > i {
			r.angleTypes(i, k)
			return k
		}
	}
	if r.is(i, '(') || r.is(i, '[') { // f?.(x), x?.[y]
		return i
	}
	if i >= hi || r.tok(i).kind != tName {
		return i
	}
	next := i + 1
	if r.angles && r.is(next, '<') {
		if k := r.angle(next, hi); k > next && (r.is(k, '(') || r.is(k, opScope)) {
			r.angleTypes(next, k)
			next = k
		}
	}
	use := Mention
	if r.is(next, '(') && next < hi || r.is(next, opScope) && r.is(next+1, '<') {
		use = Call
	}
	if w := r.word(i); w == wThis || w == wSuper || w == wAwait || w == wClass {
		return next
	}
	r.refer(i, start, use)
	r.expr = append(append(r.expr, '.'), r.text(i)...)
	return next
}
