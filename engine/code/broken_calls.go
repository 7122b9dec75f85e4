package code

import (
	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// changedCalls looks for calls of functions that take another number of arguments now.
func (b *breakage) changedCalls(src []byte) {
	if b.rules().AnyArguments {
		return
	}
	now := b.now.s.acceptedIn(b.n1, src)
	texts := b.was.Calls()
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
			const format = "%s is called with %d arguments and takes %s"
			b.add(b.was.s.tree.Files[n].Path, int(u.Line), format, last, count, a)
		})
	}
}

// acceptedIn are the numbers of arguments that the callables of file n take, by their qualified names: those with one
// definition, whose parameters can be counted.
func (s *Snapshot) acceptedIn(n int32, src []byte) map[string]meaning.Accepted {
	out, twice := map[string]meaning.Accepted{}, map[string]bool{}
	rules := meaning.RulesOf(s.tree.Files[n].Lang)
	for i, d := range s.tree.DefsOf(n) {
		if !d.Kind.Callable() || d.Kind == syntax.Constructor {
			continue
		}
		name := s.tree.Qualified(store.At(n, int32(i)))
		if _, ok := out[name]; ok {
			twice[name] = true
		}
		if d.Start >= 0 && d.Start <= d.Body && int(d.Body) <= len(src) {
			if a, ok := rules.Accepts(src[d.Start:d.Body], s.tree.Lex.Text(d.Name), d.Kind == syntax.Method); ok {
				out[name] = a
			}
		}
	}
	for name := range twice {
		delete(out, name)
	}
	return out
}
