package code

import (
	"context"
	"time"
)

const (
	// maxSearch bounds the search for one question, which is to be answered within 5 s: what was found is put in order
	// and described after that.
	maxSearch = 4500 * time.Millisecond
	// lookEvery is the work between two looks at the time. A unit is a definition or a reference that is compared:
	// that many take less than a millisecond.
	lookEvery = 1 << 14
)

// clock ends the work of a question when its time is over: whoever goes through a list that the tree makes long asks
// it. A question that was ended so is answered with what was found until then.
type clock struct {
	ctx   context.Context
	work  int  // since the last look
	ended bool // once true, it stays so
	most  int  // the work after which it ends, whatever the time is; 0: only time ends it
	done  int  // the work until the last look, where most bounds it
}

// over notes so much work and reports whether the time is over.
func (c *clock) over(work int) bool {
	if c.work += work; c.work >= lookEvery {
		c.look()
	}
	return c.ended
}

// look reports whether the time is over now.
func (c *clock) look() bool {
	c.done += c.work
	c.work = 0
	c.ended = c.ended || c.ctx.Err() != nil || c.worn()
	return c.ended
}

// worn reports whether as much was done as may be.
func (c *clock) worn() bool { return c.most > 0 && c.done >= c.most }

// canceled is the reason why a question that ended is no longer asked; nil if only its time is over.
func canceled(ctx context.Context) error {
	if err := ctx.Err(); err != context.DeadlineExceeded {
		return err
	}
	return nil
}
