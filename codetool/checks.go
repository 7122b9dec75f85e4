package codetool

import (
	"context"
	"time"
)

const (
	// beforeTime bounds the look at the index before a change, and checkTime the search for what it broke. Who waits
	// is a model that has just edited a file.
	beforeTime = 50 * time.Millisecond
	checkTime  = 250 * time.Millisecond
)

// Broken is called before the file at path, relative to the folder, is changed. What it returns is called after the
// change and names what that broke, a line each: path:line: message. It is nil where the index is not at work, or is
// being built: nothing is started for it.
func (x *Index) Broken(ctx context.Context, path string) func(context.Context) []string {
	o := x.working()
	if o == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, beforeTime)
	defer cancel()
	s, err := o.index.Snapshot(ctx)
	if err != nil {
		return nil
	}
	before := s.Checkpoint(ctx, path)
	if ctx.Err() != nil {
		return nil
	}
	return func(ctx context.Context) []string {
		ctx, cancel := context.WithTimeout(ctx, checkTime)
		defer cancel()
		o.tree.Touch(path)
		s, err := o.index.Snapshot(ctx)
		if err != nil {
			return nil
		}
		var lines []string
		for _, p := range before.Broken(ctx, s) {
			lines = append(lines, p.String())
		}
		return lines
	}
}
