package natsbus

import (
	"sync"
	"time"

	"helve/internal/wire"
	"helve/tool"
)

// conversations know at which worker each of them is. The crew's lock guards that.
type conversations struct{ *crew }

// pins are those of one session, one for each pool.
type pins struct{ of map[*conversations]*pin }

// pinOf is the pin of a session; nil for calls without one.
func (c *conversations) pinOf(s *tool.Session) *pin {
	if s == nil {
		return nil
	}
	all := tool.Of(s, func() *pins { return &pins{of: map[*conversations]*pin{}} })
	c.mu.Lock()
	defer c.mu.Unlock()
	if all.of[c] == nil {
		mine := &pin{key: wire.NewID()}
		mine.last(s)
		all.of[c] = mine
	}
	return all.of[c]
}

const (
	// closeTime is how long the end of a session waits for its worker.
	closeTime = 2 * time.Second
	// brokenCloseTime is the same where the bus is gone. A worker that finds its gateway gone closes what it had.
	brokenCloseTime = 500 * time.Millisecond
)

// Close ends the conversation at all workers that it had.
func (all *pins) Close() error {
	var closing sync.WaitGroup // side by side: a worker that is gone keeps no other
	for c, mine := range all.of {
		c.mu.Lock()
		had := mine.had
		c.mu.Unlock()
		for _, instance := range had {
			closing.Go(func() { c.closeAt(instance, mine) })
		}
	}
	closing.Wait()
	return nil
}

// closeAt has one worker close a session. One that is gone has closed it.
func (c *conversations) closeAt(instance string, mine *pin) {
	ctx, stop := c.patient(closeTime, brokenCloseTime)
	defer stop()
	body := wire.Encode(wire.Session{Key: mine.key, Gateway: c.id, Lasting: mine.lasting != nil})
	_, err := c.requestOf(ctx, instance, wire.VerbClose, body)
	if err != nil && c.life.Err() == nil {
		c.o.Log.Debug("bus: a worker did not close a session", "instance", instance, "error", err)
	}
}

// movedNote is what the model reads after a conversation has another worker.
const movedNote = "[The worker that kept this conversation is gone, and another has taken over: " +
	"files count as unread, kept outputs (spill:…) and background commands are lost.]"

// tellMoved adds the note to the first result after a move.
func (c *conversations) tellMoved(mine *pin, res *tool.Result) {
	if mine == nil || res == nil {
		return
	}
	c.mu.Lock()
	moved := mine.moved
	mine.moved = false
	c.mu.Unlock()
	if moved {
		res.Parts = append(res.Parts, tool.Text(movedNote))
	}
}
