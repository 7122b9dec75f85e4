package natsbus

import (
	"context"
	"time"

	"helve/internal/wire"
	"helve/tool"
)

const (
	// lookTime is for how long a gateway goes by what it last saw of where a conversation is. Only a worker that is
	// gone, or goes, loses one, and most gateways find that out by themselves.
	lookTime = time.Second
	// meetTime is how long a worker that lives may take to be known here: it says that it does every second.
	meetTime = 3 * time.Second
	// mostConflicts is how often a call gives way to another gateway that placed its conversation meanwhile.
	mostConflicts = 5
)

// last has a pin be that of a conversation that other gateways have, too, if it is.
func (mine *pin) last(s *tool.Session) {
	place, ok := s.Store.(Documents)
	if !ok {
		return
	}
	mine.lasting = &lasting{place: place}
	mine.key = wire.Sum([]byte(s.Principal + "\n" + s.ID)) // the ID is nothing for a bus
}

// document is the name of the one that says where a conversation is.
func (c *conversations) document() string { return "worker-" + wire.Hash(c.o.Pool+"\n"+c.o.Workspace) }

// follow has a conversation's calls go where another gateway placed it.
func (c *conversations) follow(ctx context.Context, mine *pin) {
	if mine == nil || mine.lasting == nil {
		return
	}
	c.mu.Lock()
	due := time.Since(mine.looked) > lookTime
	mine.looked = time.Now()
	c.mu.Unlock()
	if !due {
		return
	}
	b, err := mine.place.Read(c.document())
	if err != nil {
		c.o.Log.Warn("bus: it is not known where a conversation is", "error", err)
		return
	}
	if instance := string(b); wire.ValidInstance(instance) {
		c.adopt(ctx, mine, instance)
	}
}

// adopt has the calls go to the worker where another gateway has the conversation, as soon as it is known here. One
// that is gone is left later, as if the conversation had been there through this gateway.
func (c *conversations) adopt(ctx context.Context, mine *pin, instance string) {
	c.mu.Lock()
	same, known := mine.claimed == instance, c.members[instance] != nil
	c.mu.Unlock()
	if same {
		return
	}
	if !known {
		c.meet(ctx, instance)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	mine.claimed = instance
	mine.instance, mine.runs, mine.settled = instance, 0, true
}

// meet waits until a worker that lives is known here.
func (c *conversations) meet(ctx context.Context, instance string) {
	ctx, stop := context.WithTimeout(ctx, meetTime)
	defer stop()
	if _, err := c.ping(ctx, instance, ""); err != nil {
		return
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if c.has(instance) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// claim says to the other gateways that a conversation is at a worker. It is false where one of them said another
// meanwhile: then the calls go there.
func (c *conversations) claim(ctx context.Context, mine *pin, m *member) bool {
	if mine == nil || mine.lasting == nil {
		return true
	}
	c.mu.Lock()
	before := mine.claimed
	c.mu.Unlock()
	if before == m.id {
		return true
	}
	other := ""
	err := mine.place.Update(c.document(), func(old []byte) ([]byte, error) {
		other = ""
		if has := string(old); has != before && has != m.id && wire.ValidInstance(has) {
			other = has
			return old, nil
		}
		return []byte(m.id), nil
	})
	switch {
	case err != nil: // whoever comes through another gateway may have to read files again
		c.o.Log.Warn("bus: it cannot be said where a conversation is", "error", err)
	case other != "":
		c.adopt(ctx, mine, other)
		return false
	default:
		c.mu.Lock()
		defer c.mu.Unlock()
		mine.claimed, mine.looked = m.id, time.Now()
		mine.settled = mine.settled || mine.instance == m.id // it stays, even where its first call has to wait
	}
	return true
}
