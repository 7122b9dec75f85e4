package natsbus

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"helve/internal/visible"
	"helve/internal/wire"
)

const (
	// freshTime is how long after its last word a worker gets calls: it says that it lives every second.
	freshTime = 3 * time.Second
	// forgetTime is after how long without a word it is forgotten.
	forgetTime = 10 * time.Second
	// mostMembers is how many workers a pool may have.
	mostMembers = 20_000
	// mostSets is how many sets of definitions are kept: there is one for each version that runs, and for each set of
	// tools of their own that workers have.
	mostSets = 1000
	// mostAsking is how many calls a worker is asked to understand or show at once: half of what it does, since it
	// may be asked twice. What comes then waits here: a worker that gets more than it can answer is taken to be gone.
	mostAsking = 128
)

// A crew is the workers of a pool as this gateway knows them. What waits for them, where conversations are, and their
// own tools go by it, under its lock.
type crew struct {
	*bus

	mu      sync.Mutex
	members map[string]*member
	alone   map[string]bool             // those of them that have claimed our workspace
	sets    map[string]wire.Definitions // by their names
	gone    map[string]*parted          // workers that have not been gone for long, by their names
	stale   bool                        // one went since the pool's own tools were listed
}

func newCrew(b *bus) *crew {
	c := &crew{
		bus:     b,
		members: map[string]*member{},
		alone:   map[string]bool{},
		sets:    map[string]wire.Definitions{},
		gone:    map[string]*parted{},
	}
	if b.o.Claimed {
		c.alone[notHeard] = true
	}
	return c
}

// A member is a worker as the pool knows it. id, host and asking do not change; crew.mu guards the rest.
type member struct {
	id, host string
	asking   chan struct{} // has a place for each call that it is asked about
	wire.Member
	heard    time.Time
	mine     int           // runs that this gateway gave it
	took     time.Duration // what its calls take, about
	set      string        // of its definitions, the last that is known
	fetching bool          // its definitions
	fetched  time.Time     // when they were asked for last
}

// String names a worker in messages.
func (m *member) String() string { return m.id + " on " + m.host }

// A parted worker may come back: its tools are listed for a while.
type parted struct {
	set   string
	since time.Time
}

// A Member is a worker and what is to be known of it.
type Member struct {
	wire.Member
	Mine int // runs of this gateway
}

// told are the workers that the pool knows, by their names.
func (c *crew) told() []Member {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []Member
	for _, m := range c.members {
		out = append(out, Member{m.Member, m.mine})
	}
	slices.SortFunc(out, func(a, b Member) int { return cmp.Compare(a.Instance, b.Instance) })
	return out
}

// notHeard stands for a worker that has claimed our workspace and was not heard of yet. No instance is called so.
const notHeard = ""

// heard notes what a worker said of itself; nil: there are too many. mu is held.
func (c *crew) heard(told *wire.Member) *member {
	known := c.members[told.Instance]
	switch {
	case known == nil && len(c.members) >= mostMembers:
		return nil
	case known == nil:
		known = &member{id: told.Instance, host: visible.Text(told.Host), asking: make(chan struct{}, mostAsking)}
		c.members[told.Instance] = known
	}
	known.Member, known.heard = *told, time.Now()
	if told.Alone && told.Workspace == c.o.Workspace {
		c.alone[told.Instance] = true
		delete(c.alone, notHeard)
	}
	return known
}

// drop forgets a worker. mu is held.
func (c *crew) drop(instance string) {
	if m := c.members[instance]; m != nil {
		c.part(m)
		delete(c.members, instance)
		delete(c.alone, instance)
	}
}

// part notes that a worker went. mu is held.
func (c *crew) part(m *member) {
	if c.o.OwnTools && m.set != "" && len(c.gone) < mostMembers {
		c.gone[m.id] = &parted{m.set, time.Now()}
		c.stale = true
	}
}

// keepSet keeps the definitions that a worker told. mu is held.
func (c *crew) keepSet(instance, set string, defs wire.Definitions) {
	if len(c.sets) >= mostSets {
		c.forgetSets()
	}
	c.sets[set] = defs
	if m := c.members[instance]; m != nil {
		m.set = set
	}
}

// forgetSets forgets the definitions that no worker has, and all where that is not enough. mu is held.
func (c *crew) forgetSets() {
	used := map[string]bool{}
	for _, m := range c.members {
		used[m.set], used[m.Set] = true, true
	}
	for _, g := range c.gone {
		used[g.set] = true
	}
	for set := range c.sets {
		if !used[set] {
			delete(c.sets, set)
		}
	}
	if len(c.sets) >= mostSets {
		clear(c.sets)
	}
}

// has tells whether a worker is known.
func (c *crew) has(instance string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.members[instance] != nil
}

// keeps tells whether a worker is known still, and no other came under its name.
func (c *crew) keeps(m *member) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.members[m.id] == m
}

// leaves tells whether a worker gets no new calls: it drains, or another one has claimed our workspace. mu is held.
func (c *crew) leaves(m *member) bool { return m.Draining || len(c.alone) > 0 && !m.Alone }

// expire forgets those of which nothing was heard for long. mu is held.
func (c *crew) expire() {
	for id, m := range c.members {
		if time.Since(m.heard) > forgetTime {
			c.drop(id)
		}
	}
}
