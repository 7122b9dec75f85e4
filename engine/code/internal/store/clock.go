package store

import (
	"context"
	"time"
)

const (
	// MaxSearch bounds the search for one question, which is to be answered within 5 s: what was found is put in order
	// and described after that.
	MaxSearch = 4500 * time.Millisecond
	// LookEvery is the work between two looks at the time. A unit is a definition or a reference that is compared:
	// that many take less than a millisecond.
	LookEvery = 1 << 14
)

// Clock ends the work of a question when its time is over: whoever goes through a list that the tree makes long asks
// it. A question that was ended so is answered with what was found until then.
type Clock struct {
	Context context.Context
	work    int  // since the last look
	Ended   bool // once true, it stays so
	Most    int  // the work after which it ends, whatever the time is; 0: only time ends it
	done    int  // the work until the last look, where most bounds it
}

// Over notes so much work and reports whether the time is over.
func (c *Clock) Over(work int) bool {
	if c.work += work; c.work >= LookEvery {
		c.Look()
	}
	return c.Ended
}

// Look reports whether the time is over now.
func (c *Clock) Look() bool {
	c.done += c.work
	c.work = 0
	c.Ended = c.Ended || c.Context.Err() != nil || c.worn()
	return c.Ended
}

// worn reports whether as much was done as may be.
func (c *Clock) worn() bool { return c.Most > 0 && c.done >= c.Most }

// Canceled is the reason why a question that ended is no longer asked; nil if only its time is over.
func Canceled(ctx context.Context) error {
	if err := ctx.Err(); err != context.DeadlineExceeded {
		return err
	}
	return nil
}
