package code

import (
	"bytes"
	"math"
	"regexp"
	"sync"

	"helve/engine/code/internal/syntax"
)

// changedCalls looks for calls of functions that take another number of arguments now.
func (b *breakage) changedCalls(src []byte) {
	if b.now.s.files[b.n1].lang == syntax.JavaScript {
		return // it takes any number
	}
	now := b.now.s.acceptedIn(b.n1, src)
	texts := &overload{r: b.was, texts: map[int32][][]byte{}}
	for d := range b.was.s.defsOf(b.n0) {
		y := symbol{b.n0, int32(d)}
		name := b.was.s.qualified(y)
		old, known := b.accepts[name]
		a, still := now[name]
		if !known || !still || old == a {
			continue
		}
		last := b.was.s.lex.text(b.was.def(y).name)
		b.each(y, func(n int32, u *ref) {
			count, ok := texts.arguments(n, int(u.line), last)
			if u.use != syntax.Call || !ok || !old.takes(count) || a.takes(count) {
				return
			}
			b.add(b.was.s.files[n].Path, int(u.line), "%s is called with %d arguments and takes %s", last, count, a)
		})
	}
}

// acceptedIn are the numbers of arguments that the callables of file n take, by their qualified names: those with one
// definition, whose parameters can be counted.
func (s *Snapshot) acceptedIn(n int32, src []byte) map[string]accepted {
	out, twice := map[string]accepted{}, map[string]bool{}
	for i, d := range s.defsOf(n) {
		if !d.kind.Callable() || d.kind == syntax.Constructor {
			continue
		}
		name := s.qualified(symbol{n, int32(i)})
		if _, ok := out[name]; ok {
			twice[name] = true
		}
		if d.start >= 0 && d.start <= d.body && int(d.body) <= len(src) {
			if a, ok := acceptedBy(src[d.start:d.body], s.lex.text(d.name), s.files[n].lang, d.kind == syntax.Method); ok {
				out[name] = a
			}
		}
	}
	for name := range twice {
		delete(out, name)
	}
	return out
}

// acceptedBy counts the parameters in the head of a function; false: they cannot be counted.
func acceptedBy(head []byte, name string, lang syntax.Language, method bool) (accepted, bool) {
	at := callOf(head, name)
	if at < 0 {
		return accepted{}, false
	}
	list, end := separated(head[at:])
	if end == 0 {
		return accepted{}, false
	}
	if lang == syntax.Python && method {
		if len(list) == 0 || bytes.Contains(head[:at], []byte("staticmethod")) {
			return accepted{}, false
		}
		list = list[1:] // the object or the class
	}
	a := accepted{}
	for _, p := range list {
		switch {
		case len(p) == 0:
			return accepted{}, false
		case lang == syntax.Python && (p[0] == '*' || p[0] == '/'):
			return accepted{}, false
		case bytes.Contains(p, []byte("...")):
			a.most = math.MaxInt32
			return a, true
		case bytes.IndexByte(p, '=') >= 0 || optional().Match(p):
		default:
			a.least++
		}
		a.most++
	}
	return a, true
}

// optional is a parameter of TypeScript that may be left out.
var optional = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[\w\s]+\?`)
})

// pythonOwn are the names that Python has without an import.
var pythonOwn = set("abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex " +
	"copyright credits delattr dict dir divmod enumerate eval exec exit filter float format frozenset getattr globals hasattr hash help hex " +
	"id input int isinstance issubclass iter len license list locals map max memoryview min next object oct open ord pow print " +
	"property quit range repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip reveal_type " +
	"Ellipsis NotImplemented WindowsError unicode basestring long xrange")
