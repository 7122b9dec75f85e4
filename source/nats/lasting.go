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

// Documents are what gateways that go on with one conversation have in common. Where a tool.Session's Store has these
// methods, too, the conversation is at the same worker whichever gateway its calls come through: the worker's name is a
// document. Update changes one as a whole, as helve.Documents says.
type Documents interface {
	Read(name string) ([]byte, error)
	Update(name string, change func(old []byte) ([]byte, error)) error
}

// A lasting pin is that of a conversation that other gateways go on with. Pool.mu guards what changes.
type lasting struct {
	place   Documents
	claimed string    // the worker that the place named when it was looked at
	looked  time.Time // when that was
}

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
func (p *Pool) document() string { return "worker-" + wire.Hash(p.o.Pool+"\n"+p.o.Workspace) }

// follow has a conversation's calls go where another gateway placed it.
func (p *Pool) follow(ctx context.Context, mine *pin) {
	if mine == nil || mine.lasting == nil {
		return
	}
	p.mu.Lock()
	due := time.Since(mine.looked) > lookTime
	mine.looked = time.Now()
	p.mu.Unlock()
	if !due {
		return
	}
	b, err := mine.place.Read(p.document())
	if err != nil {
		p.o.Log.Warn("bus: it is not known where a conversation is", "error", err)
		return
	}
	if instance := string(b); wire.ValidInstance(instance) {
		p.adopt(ctx, mine, instance)
	}
}

// adopt has the calls go to the worker where another gateway has the conversation, as soon as it is known here. One
// that is gone is left later, as if the conversation had been there through this gateway.
func (p *Pool) adopt(ctx context.Context, mine *pin, instance string) {
	p.mu.Lock()
	same, known := mine.claimed == instance, p.members[instance] != nil
	p.mu.Unlock()
	if same {
		return
	}
	if !known {
		p.meet(ctx, instance)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	mine.claimed = instance
	mine.instance, mine.runs, mine.settled = instance, 0, true
}

// meet waits until a worker that lives is known here.
func (p *Pool) meet(ctx context.Context, instance string) {
	ctx, stop := context.WithTimeout(ctx, meetTime)
	defer stop()
	if _, err := p.ping(ctx, instance, ""); err != nil {
		return
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		p.mu.Lock()
		known := p.members[instance] != nil
		p.mu.Unlock()
		if known {
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
func (p *Pool) claim(ctx context.Context, mine *pin, m *member) bool {
	if mine == nil || mine.lasting == nil {
		return true
	}
	p.mu.Lock()
	before := mine.claimed
	p.mu.Unlock()
	if before == m.id {
		return true
	}
	other := ""
	err := mine.place.Update(p.document(), func(old []byte) ([]byte, error) {
		other = ""
		if has := string(old); has != before && has != m.id && wire.ValidInstance(has) {
			other = has
			return old, nil
		}
		return []byte(m.id), nil
	})
	switch {
	case err != nil: // whoever comes through another gateway may have to read files again
		p.o.Log.Warn("bus: it cannot be said where a conversation is", "error", err)
	case other != "":
		p.adopt(ctx, mine, other)
		return false
	default:
		p.mu.Lock()
		defer p.mu.Unlock()
		mine.claimed, mine.looked = m.id, time.Now()
		mine.settled = mine.settled || mine.instance == m.id // it stays, even where its first call has to wait
	}
	return true
}
