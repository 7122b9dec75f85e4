package code

import (
	"bytes"
	"math"
	"regexp"
	"sync"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// changedCalls looks for calls of functions that take another number of arguments now.
func (b *breakage) changedCalls(src []byte) {
	if b.now.s.tree.Files[b.n1].Lang == syntax.JavaScript {
		return // it takes any number
	}
	now := b.now.s.acceptedIn(b.n1, src)
	texts := &meaning.Overload{Resolver: b.was.Resolver, Texts: map[int32][][]byte{}}
	for d := range b.was.s.tree.DefsOf(b.n0) {
		y := store.At(b.n0, int32(d))
		name := b.was.s.tree.Qualified(y)
		old, known := b.accepts[name]
		a, still := now[name]
		if !known || !still || old == a {
			continue
		}
		last := b.was.s.tree.Lex.Text(b.was.Def(y).Name)
		b.each(y, func(n int32, u *store.Ref) {
			count, ok := texts.Arguments(n, int(u.Line), last)
			if u.Use != syntax.Call || !ok || !old.Takes(count) || a.Takes(count) {
				return
			}
			b.add(b.was.s.tree.Files[n].Path, int(u.Line), "%s is called with %d arguments and takes %s", last, count, a)
		})
	}
}

// acceptedIn are the numbers of arguments that the callables of file n take, by their qualified names: those with one
// definition, whose parameters can be counted.
func (s *Snapshot) acceptedIn(n int32, src []byte) map[string]meaning.Accepted {
	out, twice := map[string]meaning.Accepted{}, map[string]bool{}
	for i, d := range s.tree.DefsOf(n) {
		if !d.Kind.Callable() || d.Kind == syntax.Constructor {
			continue
		}
		name := s.tree.Qualified(store.At(n, int32(i)))
		if _, ok := out[name]; ok {
			twice[name] = true
		}
		if d.Start >= 0 && d.Start <= d.Body && int(d.Body) <= len(src) {
			if a, ok := acceptedBy(src[d.Start:d.Body], s.tree.Lex.Text(d.Name), s.tree.Files[n].Lang, d.Kind == syntax.Method); ok {
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
func acceptedBy(head []byte, name string, lang syntax.Language, method bool) (meaning.Accepted, bool) {
	at := meaning.CallOf(head, name)
	if at < 0 {
		return meaning.Accepted{}, false
	}
	list, end := meaning.Separated(head[at:])
	if end == 0 {
		return meaning.Accepted{}, false
	}
	if lang == syntax.Python && method {
		if len(list) == 0 || bytes.Contains(head[:at], []byte("staticmethod")) {
			return meaning.Accepted{}, false
		}
		list = list[1:] // the object or the class
	}
	a := meaning.Accepted{}
	for _, p := range list {
		switch {
		case len(p) == 0:
			return meaning.Accepted{}, false
		case lang == syntax.Python && (p[0] == '*' || p[0] == '/'):
			return meaning.Accepted{}, false
		case bytes.Contains(p, []byte("...")):
			a.Most = math.MaxInt32
			return a, true
		case bytes.IndexByte(p, '=') >= 0 || optional().Match(p):
		default:
			a.Least++
		}
		a.Most++
	}
	return a, true
}

// optional is a parameter of TypeScript that may be left out.
var optional = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[\w\s]+\?`)
})

// pythonOwn are the names that Python has without an import.
var pythonOwn = meaning.WordSet("abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex " +
	"copyright credits delattr dict dir divmod enumerate eval exec exit filter float format frozenset getattr globals hasattr hash help hex " +
	"id input int isinstance issubclass iter len license list locals map max memoryview min next object oct open ord pow print " +
	"property quit range repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip reveal_type " +
	"Ellipsis NotImplemented WindowsError unicode basestring long xrange")
