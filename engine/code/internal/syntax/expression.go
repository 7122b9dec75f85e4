package syntax

import (
	"bytes"
	"slices"
)

// expressions is the stack of symbolic expressions under construction, one behind the other in one buffer; the
// package's documentation shows it at work. Whoever reads an expression notes where it begins (top) and says at the
// end what becomes of it: it is dropped, popped as the type of a variable, or left for the caller.
type expressions struct {
	names *Names
	expr  []byte
}

// mark is where an expression begins in the buffer.
type mark int

// unknown is the expression of unknown type.
const unknown = "?"

// top is where the next expression will begin.
func (e *expressions) top() mark { return mark(len(e.expr)) }

// pushUnknown begins an expression of which nothing is known.
func (e *expressions) pushUnknown() { e.expr = append(e.expr, unknown...) }

// pushText begins an expression with a name, or continues one.
func (e *expressions) pushText(name []byte) { e.expr = append(e.expr, name...) }

// pushString is pushText for a string.
func (e *expressions) pushString(name string) { e.expr = append(e.expr, name...) }

// pushType begins an expression of the type s; the zero s is unknown.
func (e *expressions) pushType(s Sym) {
	if s == 0 {
		e.pushUnknown()
		return
	}
	e.expr = append(e.expr, e.names.Text(s)...)
}

// pushLocal begins an expression with a local name of the type s. Where that is not known, the name stands behind the
// mark of the unknown: it may tell more to who knows all types.
func (e *expressions) pushLocal(name, s Sym) {
	e.pushType(s)
	if s == 0 {
		e.expr = append(e.expr, e.names.Text(name)...)
	}
}

// pushFunc begins the expression of a function with these results.
func (e *expressions) pushFunc(results Sym) {
	e.expr = append(e.expr, '{')
	e.expr = append(e.expr, e.names.Text(results)...)
	e.expr = append(e.expr, '}')
}

// member goes on to the member name of the expression.
func (e *expressions) member(name []byte) {
	e.expr = append(e.expr, '.')
	e.expr = append(e.expr, name...)
}

// called goes on to the result of the expression.
func (e *expressions) called() { e.expr = append(e.expr, "()"...) }

// indexed goes on to an element of the expression.
func (e *expressions) indexed() { e.expr = append(e.expr, "[]"...) }

// element turns the expression from m on, if it is known, into an element of it: what a loop's variable is.
func (e *expressions) element(m mark) {
	if e.known(m) {
		e.indexed()
	}
}

// listOf turns the type from m on into a list of it. Of a list of what is unknown nothing is known either.
func (e *expressions) listOf(m mark) { e.wrap(m, '[', ']') }

// functionOf turns the type from m on into a function that returns it.
func (e *expressions) functionOf(m mark) {
	if !e.known(m) {
		e.drop(m)
		e.pushString("{}")
		return
	}
	e.wrap(m, '{', '}')
}

func (e *expressions) wrap(m mark, open, shut byte) {
	if !e.known(m) {
		e.forget(m)
		return
	}
	e.expr = append(e.expr, shut, shut)
	last := len(e.expr) - 1
	copy(e.expr[m+1:last], e.expr[m:])
	e.expr[m] = open
}

// replace puts what was pushed from next on in the place of the expression from m on.
func (e *expressions) replace(m, next mark) { e.expr = append(e.expr[:m], e.expr[next:]...) }

// drop removes all from m on.
func (e *expressions) drop(m mark) { e.expr = e.expr[:m] }

// forget replaces all from m on by the unknown expression.
func (e *expressions) forget(m mark) { e.expr = append(e.expr[:m], unknown...) }

// empty reports whether nothing was pushed since m.
func (e *expressions) empty(m mark) bool { return int(m) >= len(e.expr) }

// known reports whether the expression from m on says anything.
func (e *expressions) known(m mark) bool {
	return len(e.expr) > int(m) && e.expr[m] != '?' && len(e.expr)-int(m) <= maxExpr
}

// pop removes the expression from m on and answers it: 0 if nothing is known.
func (e *expressions) pop(m mark) Sym {
	var s Sym
	if e.known(m) {
		s = e.names.Intern(e.expr[m:])
	}
	e.expr = e.expr[:m]
	return s
}

// popText is pop for text that is no type, such as a dotted name.
func (e *expressions) popText(m mark) Sym {
	s := e.names.Intern(e.expr[m:])
	e.expr = e.expr[:m]
	return s
}

// whole is the expression from m on, which stays where it is.
func (e *expressions) whole(m mark) Sym {
	if !e.known(m) {
		return e.receiver(m)
	}
	return e.names.Intern(e.expr[m:])
}

// maxReceiver bounds the name of a receiver of unknown type.
const maxReceiver = 40

// receiver is the unknown expression from m on by its last name: ?c of c, ?d of c.d, ?d() of c.d(x), and ? alone
// where there is none.
func (e *expressions) receiver(m mark) Sym {
	from := int(m)
	if i := bytes.LastIndexByte(e.expr[m:], '.'); i >= 0 {
		from += i
	}
	if from+1 >= len(e.expr) || len(e.expr)-from > maxReceiver || e.expr[from+1] == '(' || e.expr[from+1] == '[' ||
		bytes.ContainsAny(e.expr[from+1:], "?{},^") {
		return e.names.InternString(unknown)
	}
	was := e.expr[from]
	e.expr[from] = '?' // in the place of the dot, or of the mark itself
	s := e.names.Intern(e.expr[from:])
	e.expr[from] = was
	return s
}

// lastName is the last part of a dotted name.
func lastName(expr []byte) string {
	for i := len(expr) - 1; i >= 0; i-- {
		if expr[i] == '.' {
			return string(expr[i+1:])
		}
	}
	return string(expr)
}

// scopes holds the local names around the present position and what is known of their types. A local name is never
// referred to: what it stands for is.
type scopes struct {
	binds []binding
	bound []int32 // by Sym: 1 + the index of its innermost binding
	watch *watcher
}

// binding is a local name and what is known of its type: a symbolic expression, or 0.
type binding struct {
	name, expr Sym
	outer      int32 // the binding of the same name that it hides, as in scopes.bound
}

// scope is how many names were bound when it began.
type scope int

// beginScope begins a scope. What it answers is for endScope.
func (s *scopes) beginScope() scope { return scope(len(s.binds)) }

// endScope forgets the names bound since the scope began.
func (s *scopes) endScope(begin scope) {
	for len(s.binds) > int(begin) {
		b := s.binds[len(s.binds)-1]
		s.bound[b.name] = b.outer
		s.binds = s.binds[:len(s.binds)-1]
	}
}

// bind makes name a local one of the given type; 0 is an unknown type.
func (s *scopes) bind(name, expr Sym) {
	if name == 0 || len(s.binds) >= maxBindings {
		return
	}
	for int(name) >= len(s.bound) {
		s.bound = append(s.bound, 0)
	}
	s.binds = append(s.binds, binding{name, expr, s.bound[name]})
	s.bound[name] = int32(len(s.binds))
}

// local finds what is known of the type of a local name.
func (s *scopes) local(name Sym) (expr Sym, ok bool) {
	if int(name) >= len(s.bound) || s.bound[name] == 0 {
		return 0, false
	}
	return s.binds[s.bound[name]-1].expr, true
}

// isLocal reports whether name is a local one.
func (s *scopes) isLocal(name Sym) bool {
	_, ok := s.local(name)
	return ok
}

// rebind changes what is known of a local name's type.
func (s *scopes) rebind(name, expr Sym) {
	if int(name) < len(s.bound) && s.bound[name] != 0 {
		s.binds[s.bound[name]-1].expr = expr
	}
}

// Site is one place where a file has a watched name as a token of its own, and what the reader made of it.
type Site struct {
	Name  string
	Start int // byte offset
	Line  int
	From  int32 // the innermost definition whose text holds it, or -1
	// Def is the definition that is named here, or -1.
	Def int32
	// Refs are the references that stand here: more than one where the reader was there twice.
	Refs []Ref
	// Owner: the receiver's type of a Go method. Key: what stands before a colon in a literal. Nameless: a member
	// of a type without a name.
	Owner, Key, Nameless, Label bool
	// Imported: an import brings this name. Before and After are the characters of the tokens around, where these
	// are punctuation; Dots says that one stands before.
	Imported, Dots, First bool
	Before, After         byte
}

// Bound is a local name.
type Bound struct {
	Name string
	From int32
}

// watcher notes where a reader meets some names.
type watcher struct {
	names []Sym
	sites map[pos]*Site
	binds []Bound
}

func (w *watcher) has(name Sym) bool { return w != nil && slices.Contains(w.names, name) }
