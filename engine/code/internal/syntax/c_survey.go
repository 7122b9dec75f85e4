package syntax

import "helve/engine/code/internal/syntax/internal/lex"

// found is what a look over a declaration found out. A place is noPos where there is nothing of the kind.
type found struct {
	function pos  // the name before the parameters
	params   pos  // their opening bracket
	body     pos  // the curly bracket of a function
	shape    pos  // the keyword struct, union, enum or class that a body follows
	members  pos  // the curly bracket of that body
	end      pos  // the ; or = or , that ends the first declarator, or the end
	pointer  pos  // the name in (*name)
	macro    bool // it is the call of a macro that no semicolon ends
}

var nothingFound = found{noPos, noPos, noPos, noPos, noPos, noPos, noPos, false}

// surveyor looks over a declaration: C says only in the middle of one, or at its end, what it declares.
type surveyor struct {
	c     *cReader
	look  cursor
	from  pos
	based bool // base classes are being named
	found
}

// survey looks ahead over the declaration at the cursor.
func (r *cReader) survey() found {
	s := surveyor{c: r, look: r.cursor, from: r.at, found: nothingFound}
	for s.look.more() {
		var done bool
		if s.look.tok().Kind == lex.Name {
			s.keyword()
		} else {
			done = s.punctuation()
		}
		if done {
			return s.found
		}
		s.look.next()
	}
	s.end = pos(len(s.look.view))
	return s.found
}

// keyword looks at a word. It stops at the last token that it passed.
func (s *surveyor) keyword() {
	switch w := s.look.word(); {
	case isShape(w):
		if s.function == noPos {
			s.shape = s.look.at
		}
	case w == lex.Attribute || w == lex.Skip:
		if s.look.peekIs(1, '(') {
			s.look.next()
			s.look.at = s.look.closing()
		}
	case w == lex.Operator:
		s.operator()
	}
}

// operator looks at operator+(…) and operator()(…).
func (s *surveyor) operator() {
	s.function = s.look.at
	for s.look.next(); s.look.more() && !s.look.is('(') && !s.look.is(';'); s.look.next() {
	}
	if s.look.is('(') && s.look.peekIs(1, ')') && s.look.peekIs(2, '(') {
		s.look.advance(2)
	}
	s.params = s.look.at
	s.look.at = s.look.closing()
}

// punctuation looks at an operator or bracket, and reports whether nothing more has to be known. It stops at the last
// token that it passed.
func (s *surveyor) punctuation() (done bool) {
	t := s.look.tok()
	if t.Kind != lex.Punct {
		return false
	}
	switch t.Char {
	case ';', '=', '}', ')':
		s.end = s.look.at
		return true
	case ',':
		if s.based && s.function == noPos { // another base class
			return false
		}
		s.end = s.look.at
		return true
	case '{':
		s.curlyBracket()
		return true
	case '(':
		return s.roundBracket()
	case '[':
		s.look.at = s.look.closing()
	case '<':
		if end := s.c.angleEndAt(s.look.at); s.c.plus && end > s.look.at {
			s.look.at = end - 1
		}
	case ':':
		s.based = s.shape != noPos
		if s.function != noPos && s.c.plus {
			s.body = s.afterInitialisers()
			return true
		}
	}
	return false
}

func (s *surveyor) curlyBracket() {
	switch {
	case s.function != noPos:
		s.body = s.look.at
	case s.shape != noPos:
		s.members = s.look.at
	default:
		s.end = s.look.at
	}
}

// roundBracket looks at what may be parameters, and reports whether it is the arguments of a macro.
func (s *surveyor) roundBracket() (done bool) {
	open := s.look.at
	s.parameters()
	s.look.at = s.look.closing()
	if s.function == s.from && s.params == open && s.endsMacro() {
		s.macro = true
		return true
	}
	return false
}

// parameters decides whether the round bracket holds the parameters of a function: f(…), (*f)(…), f<T>(…), X::*f.
func (s *surveyor) parameters() {
	open, named := s.look.at, s.function != noPos
	switch before := s.look.peek(-1); {
	case before.Name():
		if !named && s.annotates() || named && isMemberOp(s.c.token(open-2)) { // MACRO(f)->Range(1, 8);
			return
		}
		if !named || s.c.macroLike(s.function) && !s.c.macroLike(open-1) {
			s.function, s.params = open-1, open
		}
	case named:
	case s.look.peekIs(1, '*') || s.look.peekIs(1, '^') || s.look.peekName(1) && s.look.peekIs(2, lex.OpScope):
		s.pointerName()
	case s.c.plus && before.Is('>'):
		s.templateName()
	}
}

// pointerName finds the name in (*name): a variable or, when parameters follow it, a function that returns one.
func (s *surveyor) pointerName() {
	look := s.look
	for look.next(); look.more() && !look.name() && !look.is(')'); look.next() {
	}
	if !look.name() {
		return
	}
	if look.peekIs(1, '(') {
		s.function, s.params = look.at, look.at+1
		return
	}
	s.pointer = look.at
}

// templateName finds the f of f<T>(…).
func (s *surveyor) templateName() {
	open := s.look.at
	for p := open - 2; p > 0 && open-p < maxAngle; p-- {
		if s.c.token(p).Is('<') && s.c.token(p-1).Name() {
			s.function, s.params = p-1, open
			return
		}
	}
}

// annotates reports whether the name before the bracket is an annotation behind the name of a variable: int n
// GUARDED_BY(m);
func (s *surveyor) annotates() bool {
	open := s.look.at
	if !s.c.plus || open < 3 || !s.c.macroLike(open-1) || !s.c.token(open-2).Name() {
		return false
	}
	t, after := s.c.token(open-3), s.c.token(s.look.closing()+1)
	typed := t.Kind == lex.Name || t.Is('*') || t.Is('>') || t.Is('&')
	return typed && (after.Is(';') || after.Is('='))
}

// endsMacro reports whether what stands behind the bracket that was passed cannot continue a function that began with
// its name: the call of a macro came before, without a semicolon.
func (s *surveyor) endsMacro() bool {
	t := s.look.peek(1)
	if t == s.look.stop || t.Kind == lex.Directive {
		return true
	}
	return t.First && t.Kind == lex.Name && t.Word != lex.Try
}

// afterInitialisers is the place of the body behind the initialisers of a constructor: : a(b), c{d} {…}.
func (s *surveyor) afterInitialisers() pos {
	look := s.look
	last := pos(len(look.view)) - 1
	for look.next(); look.more(); look.next() {
		for look.more() && !look.is('(') && !look.is('{') && !look.is(';') {
			look.next()
		}
		look.skipBrackets()
		look.skip(lex.OpDots)
		if !look.is(',') {
			return min(look.at, last)
		}
	}
	return last
}

// macroLike reports whether the name at p looks like an annotation: FOO or __foo.
func (r *reader) macroLike(p pos) bool {
	text := r.textAt(p)
	if len(text) > 2 && text[0] == '_' && text[1] == '_' {
		return true
	}
	for _, c := range text {
		if c >= 'a' && c <= 'z' {
			return false
		}
	}
	return true
}
