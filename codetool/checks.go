package codetool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"helve/engine/code"
)

const (
	// catchUpFiles is how many changed files are read before the look at a change: a few milliseconds each, at most. A
	// model that has just edited a file waits for no more.
	catchUpFiles = 64
	// checkCeiling ends what no bound on work did, on a machine that does not get on. No answer that is there in time
	// on an idle machine depends on it.
	checkCeiling = 5 * time.Second
)

// A Check is called after a change of a file. It names what the change broke, a line each: path:line: message; and says
// why it may not have found all of that, "" if it has.
type Check func(context.Context) (broke []string, unchecked string)

// Broken is called before the file at path, relative to the folder, is changed; what it returns is called after that.
// It is nil where no tool has needed the index yet: nothing is started for it.
func (x *Index) Broken(ctx context.Context, path string) Check {
	o := x.working()
	if o == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(x.ceiling, checkCeiling))
	defer cancel()
	s, err := o.index.SnapshotWithin(ctx, catchUpFiles)
	if err != nil {
		return func(context.Context) ([]string, string) { return nil, whyUnchecked(err) }
	}
	before := s.Checkpoint(ctx, path)
	if ctx.Err() != nil {
		return func(context.Context) ([]string, string) { return nil, timeOver }
	}
	return func(ctx context.Context) ([]string, string) {
		ctx, cancel := context.WithTimeout(ctx, cmp.Or(x.ceiling, checkCeiling))
		defer cancel()
		return o.check(ctx, before, path)
	}
}

// check looks at what a change broke.
func (o *opened) check(ctx context.Context, before *code.Checkpoint, path string) (broke []string, unchecked string) {
	o.tree.Touch(path)
	s, err := o.index.SnapshotWithin(ctx, catchUpFiles)
	if err != nil {
		return nil, whyUnchecked(err)
	}
	found, err := before.Broken(ctx, s)
	for _, p := range found {
		broke = append(broke, p.String())
	}
	if err != nil {
		unchecked = whyUnchecked(err)
	}
	return broke, unchecked
}

const timeOver = "the time was over"

// whyUnchecked says in words why a change was not looked at.
func whyUnchecked(err error) string {
	if u, ok := errors.AsType[*code.Unchecked](err); ok {
		return u.Why
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return timeOver
	case errors.Is(err, code.ErrBuilding):
		return fmt.Sprintf("the index of code reads more than %d files that are new or changed", catchUpFiles)
	}
	return err.Error()
}
