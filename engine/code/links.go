package code

import (
	"context"

	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// Link is one reference of a file, resolved.
type Link struct {
	From Symbol // the definition around the reference; the file itself where there is none
	To   Symbol
	Use  syntax.Use
	Line int // of the first reference of this kind in From
	Sure Confidence
}

// Links answers what every definition of the file at path uses: of each reference the likeliest meaning.
func (s *Snapshot) Links(ctx context.Context, path string) ([]Link, error) {
	n := s.tree.Number(path)
	if n < 0 {
		return nil, s.noFile(path)
	}
	r := newResolver(ctx, s)
	var list []Link
	refs := s.tree.RefsOf(n)
	for i := range refs {
		u := &refs[i]
		for _, t := range r.Resolve(n, u) {
			from := s.tree.FileSymbol(n)
			if u.From >= 0 {
				from = s.tree.Symbol(store.At(n, u.From))
			}
			list = append(list, Link{from, s.tree.Symbol(t.DefID), u.Use, int(u.Line), t.Sure})
			break
		}
	}
	return list, ctx.Err()
}

// Overrides answers the methods that a call of the method called name may run instead of it: those that implement it,
// if it is an interface's, or override it. Nearest first.
func (s *Snapshot) Overrides(ctx context.Context, name string) ([]Symbol, error) {
	ctx, cancel := context.WithTimeout(ctx, store.MaxSearch)
	defer cancel()
	r := newResolver(ctx, s)
	group, _, err := r.Only(name)
	if err != nil {
		return nil, err
	}
	var list []Symbol
	for _, y := range group {
		for _, m := range r.Under(y) {
			list = append(list, s.tree.Symbol(m))
		}
	}
	return list, store.Canceled(ctx)
}
