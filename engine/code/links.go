package code

import (
	"context"

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
	n := s.number(path)
	if n < 0 {
		return nil, s.noFile(path)
	}
	r := s.resolver(ctx)
	var list []Link
	refs := s.refsOf(n)
	for i := range refs {
		u := &refs[i]
		for _, t := range r.resolve(n, u) {
			from := s.fileSymbol(n)
			if u.from >= 0 {
				from = s.symbol(symbol{n, u.from})
			}
			list = append(list, Link{from, s.symbol(t.symbol), u.use, int(u.line), t.sure})
			break
		}
	}
	return list, ctx.Err()
}
