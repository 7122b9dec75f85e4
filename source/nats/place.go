package natsbus

import (
	"time"

	"helve/internal/wire"
)

// choose is the worker that has the least to do of those that can take the call; nil: none can now. mu is held. Where
// all are at work it is one at which the call may wait.
func (c *crew) choose(w want) *member {
	if m := c.chooseIf(w, hasSlot); m != nil || !w.slot || w.bounced {
		return m
	}
	return c.chooseIf(w, hasRoom)
}

// hasSlot tells whether a worker has a slot for another run of ours.
func hasSlot(m *member) bool { return m.mine < m.Slots }

// briefTime is how long the calls of a worker take at which others may wait: theirs is the slot soon.
const briefTime = 20 * time.Millisecond

// hasRoom tells whether a run may wait at a worker. It is there then when one ends: the slot does not stand empty for
// the time of a trip.
func hasRoom(m *member) bool {
	return m.took > 0 && m.took < briefTime && m.mine < m.Slots+wire.Room(m.Slots)
}

// chooseIf is choose among the workers that are free. mu is held.
func (c *crew) chooseIf(w want, free func(*member) bool) *member {
	if w.pin != nil && w.pin.instance != "" && !c.roams(w) {
		m := c.members[w.pin.instance]
		if m != nil && (!c.leaves(m) || !c.suits(w)) { // it may come back, and has what the conversation needs
			if c.fits(m, w) && !c.leaves(m) && (!w.slot || free(m)) {
				return m
			}
			return nil
		}
	}
	var best *member
	for _, m := range c.members {
		if !c.fits(m, w) || c.leaves(m) || w.slot && !free(m) {
			continue
		}
		if best == nil || less(m, best) {
			best = m
		}
	}
	return best
}

// roams tells whether a call goes elsewhere than to the worker of its conversation, which stays there: that one
// lives, and has not the tool. mu is held.
func (c *crew) roams(w want) bool {
	if !w.apart || w.pin == nil {
		return false
	}
	m := c.members[w.pin.instance]
	return m != nil && c.sets[m.Set] != nil && c.sets[m.Set][w.origin] != w.definition
}

// suits tells whether a worker that gets new calls could take the call. mu is held.
func (c *crew) suits(w want) bool {
	for _, m := range c.members {
		if c.fits(m, w) && !c.leaves(m) {
			return true
		}
	}
	return false
}

// less tells which of two workers has less to do: by our own count, which is right at this moment, then by what they
// say.
func less(a, b *member) bool {
	if a.mine != b.mine {
		return a.mine < b.mine
	}
	if a.Running != b.Running {
		return a.Running < b.Running
	}
	if a.Sessions != b.Sessions {
		return a.Sessions < b.Sessions
	}
	return a.Instance < b.Instance
}

// fits tells whether a worker lives and has the tool as we know it. mu is held.
func (c *crew) fits(m *member, w want) bool {
	return m.Workspace == c.o.Workspace &&
		time.Since(m.heard) < freshTime &&
		c.sets[m.Set][w.origin] == w.definition
}

// whyNone tells why no worker could take a call, even one that has nothing to do; nil: some could.
func (c *crew) whyNone(w want) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var there, elsewhere, other, shut int
	for _, m := range c.members {
		switch {
		case time.Since(m.heard) >= freshTime || m.Draining:
		case m.Workspace != c.o.Workspace:
			elsewhere++
		case c.sets[m.Set][w.origin] != w.definition:
			other++
		case c.leaves(m):
			shut++
		default:
			there++
		}
	}
	e := c.none()
	switch {
	case !c.nc.IsConnected():
		return c.unreachable()
	case there > 0:
		return nil
	case other > 0:
		return e.WithHint("%d of them lack this tool, or have another definition of it: "+
			"gateway and workers have to be of one version.", other)
	case shut > 0:
		return e.WithHint("%d of them offer a workspace that another worker claimed with --exclusive: "+
			"start them with it, too.", shut)
	case elsewhere > 0:
		return e.WithHint("%d of them offer another workspace than %q: "+
			"start one with helve worker --pool %s --workspace %s.", elsewhere, c.o.Workspace, c.o.Pool, c.o.Workspace)
	}
	return e.WithHint("Start one in the same workspace: helve worker --pool %s", c.o.Pool)
}
