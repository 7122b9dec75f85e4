package syntax

import (
	"strings"
	"sync"

	"helve/engine/code/internal/syntax/internal/lex"
)

// pushThis pushes the class around. With ^ behind it, its bases are meant.
func (r *curly) pushThis(suffix string) {
	if r.this == "" {
		r.pushUnknown()
		return
	}
	r.pushString(r.this)
	r.pushString(suffix)
}

// maxAngle bounds how far ahead the end of type arguments is looked for, in tokens.
const maxAngle = 96

// angleEnd is the place behind the type arguments <…> at the cursor, or the cursor's own when the < there compares:
// when something stands behind it that no type has.
func (r *reader) angleEnd() pos { return r.angleEndAt(r.at) }

func (r *reader) angleEndAt(at pos) pos {
	limit := min(pos(len(r.view)), at+maxAngle)
	depth := 0
	for p := at; p < limit; p = r.behind(p, limit) {
		t := &r.view[p]
		switch {
		case t.Is('<'):
			depth++
		case t.Is('>'):
			if depth--; depth == 0 {
				return p + 1
			}
		case r.noType(t):
			return at
		}
	}
	return at
}

// noType reports whether t cannot stand between angle brackets.
func (r *reader) noType(t *lex.Token) bool {
	switch t.Kind {
	case lex.Punct:
		switch t.Char {
		case ')', ']', '}', ';', lex.OpLogic, lex.OpAssign, '/', '%', lex.OpDefine:
			return true
		case '+':
			return !r.bounds
		}
	case lex.String:
		return t.Char != '\'' && t.Char != '"'
	}
	return false
}

// skipAngles passes the type arguments at the cursor, and reports whether there were any.
func (r *reader) skipAngles() bool {
	if !r.is('<') {
		return false
	}
	end := r.angleEnd()
	if end == r.at {
		return false
	}
	r.at = end
	return true
}

// angleTypes refers to the types in the type arguments at the cursor, which go up to end, and passes them.
func (r *reader) angleTypes(end pos) {
	outer := r.until(end)
	for r.next(); r.more(); r.next() {
		if !r.name() || r.peekIs(-1, '.') || r.peekIs(-1, lex.OpScope) || r.isLocal(r.sym()) {
			continue
		}
		r.referName(r.sym(), Mention)
		if isPathDot(r.peek(1)) && r.peekName(2) {
			m := r.top()
			r.qualifier()
			r.referMember(m, Mention)
			r.drop(m)
		}
	}
	r.widen(outer)
}

// typeName reads a dotted type name with its arguments and pushes it.
func (r *curly) typeName() {
	m, use := r.top(), Mention
	if r.making {
		use, r.making = Call, false
	}
	for r.is('&') || r.is('*') || r.is('(') && r.peekIs(1, ')') || r.isRooted() {
		r.next()
	}
	switch {
	case r.tok().Kind != lex.Name:
		r.pushUnknown()
		return
	case r.word() == lex.This:
		r.pushThis("")
		r.next()
		return
	case r.word() != lex.NoWord:
		r.pushUnknown()
		r.next()
		return
	}
	name := r.sym()
	if r.inNamespace() {
		r.namespace()
		r.referMember(m, use)
		r.member(r.text())
	} else if b, ok := r.local(name); ok && b != name { // a name bound to itself is a definition in this function
		r.pushType(b)
	} else {
		if isMemberOp(r.peek(1)) {
			r.referName(name, Mention)
		} else {
			r.referName(name, use)
		}
		r.pushText(r.text())
	}
	r.next()
	for (r.is('.') || r.is(lex.OpScope)) && r.peekName(1) {
		r.next()
		if r.peekIs(1, '.') || r.peekIs(1, lex.OpScope) {
			r.referMember(m, Mention)
		} else {
			r.referMember(m, use)
		}
		r.member(r.text())
		r.next()
	}
	if r.is('<') {
		r.container(m)
	}
}

// curlyGenerics are the collections of the libraries of all these languages, and the types that merely wrap one.
var curlyGenerics = sync.OnceValue(func() *genericTypes {
	return &genericTypes{
		list: nameSet("Array ReadonlyArray Set ReadonlySet IterableIterator List Vec VecDeque ArrayList Collection Iterable Iterator Stream vector list deque set " +
			"IEnumerable IList HashSet BTreeSet LinkedList MutableList Sequence unordered_set Deque Queue IReadOnlyList " +
			"ICollection MutableSet SmallVec " + curlyMaps),
		last: nameSet(curlyMaps),
		wrapper: nameSet("Promise Readonly Partial Required Box Rc Arc Option Result RefCell Mutex RwLock Cell Pin Optional " +
			"unique_ptr shared_ptr weak_ptr Task Nullable Lazy Future Cow CompletableFuture AtomicReference WeakReference " +
			"Ref RefMut optional ValueTask NonNullable Exclude Extract Omit Pick Awaited"),
	}
})

const curlyMaps = "Map Record HashMap BTreeMap map unordered_map Dictionary IDictionary MutableMap TreeMap ConcurrentHashMap " +
	"LinkedHashMap WeakMap"

// container reads the type arguments at the cursor. The generic type from m on becomes a list when it is one of the
// usual collections, and its argument when it merely wraps one.
func (r *curly) container(m mark) {
	end := r.angleEnd()
	if end == r.at {
		return
	}
	from := r.at
	name := lastName(r.expr[m:])
	r.angleTypes(end)
	if !curlyGenerics().list[name] && !curlyGenerics().wrapper[name] || !r.enter() {
		return
	}
	argument := r.top()
	r.at = r.argument(name, from, end)
	outer := r.until(end - 1)
	r.typeName()
	r.widen(outer)
	r.at = end
	r.generic(curlyGenerics(), name, m, argument)
	r.leave()
}

// argument is the place of the argument that counts among those between two angle brackets, of the generic type
// called name.
func (r *curly) argument(name string, from, end pos) pos {
	at := from + 1
	if curlyGenerics().last[name] {
		for p := at; p < end; p++ {
			if r.token(p).Is(',') {
				at = p + 1
			}
		}
	}
	return at
}

// genericTypes says what the generic types of a language's library mean to somebody who asks for members.
type genericTypes struct {
	wrapper  map[string]bool // Optional[T] is T
	list     map[string]bool // Sequence[T] is [T]
	function map[string]bool // Callable[…, T] is {T}
	last     map[string]bool // of Map<K, V>, V is meant
}

// nameSet is the set of the words in list.
func nameSet(list string) map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(list) {
		set[name] = true
	}
	return set
}

// generic replaces the expression from m on, the generic type called name and, from argument on, its argument, by
// what it means. Of a type that is not listed, or of an unknown argument, the type itself stays.
func (e *expressions) generic(g *genericTypes, name string, m, argument mark) {
	text := e.expr[argument:]
	if len(text) == 0 || string(text) == unknown {
		e.drop(argument)
		return
	}
	switch {
	case g.wrapper[name]:
		e.replace(m, argument)
	case g.list[name]:
		e.replace(m, argument)
		e.listOf(m)
	case g.function[name]:
		e.replace(m, argument)
		e.functionOf(m)
	default:
		e.drop(argument)
	}
}

// basesBetween are the dotted names of types from one place up to another, without their arguments, separated by
// commas.
func (r *reader) basesBetween(from, to pos) Sym {
	m, behind := r.top(), r.at
	for r.at = from; r.at < to; {
		switch {
		case r.skipSoft("implements") || r.skipSoft("by") || r.skipAngles():
		case r.name():
			if !r.empty(m) {
				r.pushString(",")
			}
			r.dottedName()
		default:
			r.skipOne()
		}
	}
	r.at = behind
	return r.pop(m)
}

// dottedName passes a.b.c and pushes it.
func (r *reader) dottedName() {
	m := r.top()
	r.qualifier()
	if !r.empty(m) {
		r.pushString(".")
	}
	r.pushText(r.text())
	r.next()
}

// inNamespace reports whether the name at the cursor of a file of PHP is that of a namespace, with a name of it
// behind: A\B.
func (r *curly) inNamespace() bool {
	return r.used != nil && r.name() && r.peekIs(1, '\\') && r.peekName(2)
}

// isRooted reports whether the backslash before the whole name of something in PHP stands at the cursor: \A\B.
func (r *curly) isRooted() bool { return r.used != nil && r.is('\\') && r.peekName(1) }

// namespace passes the A\B\ of A\B\c and pushes its whole name, with a backslash behind it and no dots in it, as a
// namespace is one name: what A means is in the imports, else A stands in the namespace of the file, unless a
// backslash stands before it.
func (r *curly) namespace() {
	first := string(r.text())
	switch path, imported := r.used[first]; {
	case r.peekIs(-1, '\\'):
	case imported:
		first = strings.ReplaceAll(path, ".", "\\")
	case r.rows.Package != 0:
		first = strings.ReplaceAll(r.names.Text(r.rows.Package), ".", "\\") + "\\" + first
	}
	r.pushString(first)
	r.pushString("\\")
	for r.advance(2); r.peekIs(1, '\\') && r.peekName(2); r.advance(2) {
		r.pushText(r.text())
		r.pushString("\\")
	}
}

// base refers to the base type at the cursor and passes it with its type arguments.
func (r *reader) base() {
	if (r.peekIs(1, '.') || r.peekIs(1, lex.OpScope)) && !r.isLocal(r.sym()) {
		r.referName(r.sym(), Mention)
	}
	r.qualified(Inherit)
	r.typeArguments()
}

// qualified refers to the name at the cursor, which may stand behind others with dots, and passes it.
func (r *reader) qualified(use Use) {
	m := r.top()
	r.qualifier()
	r.referMember(m, use)
	r.drop(m)
	r.next()
}

// typeArguments reads those at the cursor, if there are any.
func (r *reader) typeArguments() {
	if r.is('<') {
		if end := r.angleEnd(); end > r.at {
			r.angleTypes(end)
		}
	}
}
