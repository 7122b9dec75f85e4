package code

import (
	"context"

	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// maxCheckWork bounds the search for what an edit broke, in units of a clock: who waits has just edited a file. It is
// a quarter of a second on a machine that does nothing else; where it does, the answer takes longer and is the same.
const maxCheckWork = 1 << 25

// An Unchecked error says why it is not known what an edit broke, or not all of it.
type Unchecked struct{ Why string }

// Error is the reason.
func (u *Unchecked) Error() string { return u.Why }

// unchecked is an error for a reason.
func unchecked(why string) error { return &Unchecked{why} }

// cut is why a look was ended early; nil: it was not.
func (b *breakage) cut(ctx context.Context) error {
	switch {
	case ctx.Err() != nil:
		return unchecked("the time was over")
	case b.was.Clock.Ended || b.now.Clock.Ended:
		return unchecked("too much of the tree would have to be looked at")
	}
	return nil
}

// versions are the file before the change, where it was there, and after it.
func (b *breakage) versions() []*store.File {
	out := []*store.File{b.now.s.tree.Files[b.n1]}
	if b.n0 >= 0 {
		out = append(out, b.was.s.tree.Files[b.n0])
	}
	return out
}

// whyNotRead says why nothing is known of a file; nil where it is none that is written by hand.
func whyNotRead(f *store.File) error {
	if f.Skipped == "" || f.Foreign || f.Skipped == syntax.Minified || f.Skipped == syntax.Binary {
		return nil
	}
	return unchecked("the file is not in the index: " + f.Skipped)
}
