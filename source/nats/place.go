package natsbus

import (
	"context"
	"slices"
	"sync"
	"time"

	"helve/internal/wire"
	"helve/tool"
)

// choose is the worker that has the least to do of those that can take the call; nil: none can now. mu is held. Where
// all are at work it is one at which the call may wait.
func (p *Pool) choose(w want) *member {
	if m := p.chooseIf(w, hasSlot); m != nil || !w.slot || w.bounced {
		return m
	}
	return p.chooseIf(w, hasRoom)
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
func (p *Pool) chooseIf(w want, free func(*member) bool) *member {
	if w.pin != nil && w.pin.instance != "" && !p.roams(w) {
		m := p.members[w.pin.instance]
		if m != nil && (!p.leaves(m) || !p.suits(w)) { // it may come back, and has what the conversation needs
			if p.fits(m, w) && !p.leaves(m) && (!w.slot || free(m)) {
				return m
			}
			return nil
		}
	}
	var best *member
	for _, m := range p.members {
		if !p.fits(m, w) || p.leaves(m) || w.slot && !free(m) {
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
func (p *Pool) roams(w want) bool {
	if !w.apart || w.pin == nil {
		return false
	}
	m := p.members[w.pin.instance]
	return m != nil && p.sets[m.Set] != nil && p.sets[m.Set][w.origin] != w.definition
}

// suits tells whether a worker that gets new calls could take the call. mu is held.
func (p *Pool) suits(w want) bool {
	for _, m := range p.members {
		if p.fits(m, w) && !p.leaves(m) {
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
func (p *Pool) fits(m *member, w want) bool {
	return m.Workspace == p.o.Workspace &&
		time.Since(m.heard) < freshTime &&
		p.sets[m.Set][w.origin] == w.definition
}

// whyNone tells why no worker could take a call, even one that has nothing to do; nil: some could.
func (p *Pool) whyNone(w want) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var there, elsewhere, other, shut int
	for _, m := range p.members {
		switch {
		case time.Since(m.heard) >= freshTime || m.Draining:
		case m.Workspace != p.o.Workspace:
			elsewhere++
		case p.sets[m.Set][w.origin] != w.definition:
			other++
		case p.leaves(m):
			shut++
		default:
			there++
		}
	}
	e := p.none()
	switch {
	case !p.nc.IsConnected():
		return p.unreachable()
	case there > 0:
		return nil
	case other > 0:
		return e.WithHint("%d of them lack this tool, or have another definition of it: gateway and workers have to be of one version.", other)
	case shut > 0:
		return e.WithHint("%d of them offer a workspace that another worker claimed with --exclusive: start them with it, too.", shut)
	case elsewhere > 0:
		return e.WithHint("%d of them offer another workspace than %q: start one with helve worker --pool %s --workspace %s.",
			elsewhere, p.o.Workspace, p.o.Pool, p.o.Workspace)
	}
	return e.WithHint("Start one in the same workspace: helve worker --pool %s", p.o.Pool)
}

func (p *Pool) none() *tool.Error {
	return tool.Errorf(tool.Execution, "no worker of pool %s can take the call; nothing was done", p.o.Pool)
}

func (p *Pool) unreachable() error {
	return p.none().WithHint("The bus cannot be reached. Call again later.")
}

// A pin says which worker a conversation's calls go to: it has what was read there, lists, long outputs and commands in
// the background. Pool.mu guards it.
type pin struct {
	p        *Pool
	key      string
	instance string   // "": none yet
	runs     int      // how many of its calls have a slot there
	settled  bool     // one of them was run there: from now on what it knows is there
	had      []string // all that ever heard of it
	moved    bool     // since the last result: what a former worker kept is lost
	*lasting          // nil: no other gateway has the conversation
}

// heard notes that a worker was asked about a call, and knows the conversation. Pool.mu is held.
func (p *pin) heard(instance string) {
	if !slices.Contains(p.had, instance) {
		p.had = append(p.had, instance)
	}
}

// move has the calls go to a worker from now on. Pool.mu is held.
func (p *pin) move(instance string) {
	p.runs++
	if p.instance == instance {
		return
	}
	p.moved = p.moved || p.settled
	p.instance, p.runs, p.settled = instance, 1, false
}

// left notes that a call is not at a worker any more. One that could not take the first has nothing of the
// conversation: another one can. Pool.mu is held.
func (p *pin) left(instance string, ran bool) {
	if p.instance != instance {
		return
	}
	p.runs--
	p.settled = p.settled || ran
	if p.runs == 0 && !p.settled {
		p.instance = ""
	}
}

// pins are those of one session, one for each pool.
type pins struct{ of map[*Pool]*pin }

// pinOf is the pin of a session; nil for calls without one.
func (p *Pool) pinOf(s *tool.Session) *pin {
	if s == nil {
		return nil
	}
	all := tool.Of(s, func() *pins { return &pins{of: map[*Pool]*pin{}} })
	p.mu.Lock()
	defer p.mu.Unlock()
	if all.of[p] == nil {
		mine := &pin{p: p, key: wire.NewID()}
		mine.last(s)
		all.of[p] = mine
	}
	return all.of[p]
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
	for p, mine := range all.of {
		p.mu.Lock()
		had := mine.had
		p.mu.Unlock()
		for _, instance := range had {
			closing.Go(func() { p.closeAt(instance, mine) })
		}
	}
	closing.Wait()
	return nil
}

// closeAt has one worker close a session. One that is gone has closed it.
func (p *Pool) closeAt(instance string, mine *pin) {
	patience := closeTime
	if !p.nc.IsConnected() {
		patience = brokenCloseTime
	}
	ctx, stop := context.WithTimeout(p.life, patience)
	defer stop()
	body := wire.Encode(wire.Session{Key: mine.key, Gateway: p.id, Lasting: mine.lasting != nil})
	_, err := p.requestOf(ctx, instance, wire.VerbClose, body)
	if err != nil && p.life.Err() == nil {
		p.o.Log.Debug("bus: a worker did not close a session", "instance", instance, "error", err)
	}
}

// movedNote is what the model reads after a conversation has another worker.
const movedNote = "[The worker that kept this conversation is gone, and another has taken over: " +
	"files count as unread, kept outputs (spill:…) and background commands are lost.]"

// tellMoved adds the note to the first result after a move.
func (p *Pool) tellMoved(mine *pin, res *tool.Result) {
	if mine == nil || res == nil {
		return
	}
	p.mu.Lock()
	moved := mine.moved
	mine.moved = false
	p.mu.Unlock()
	if moved {
		res.Parts = append(res.Parts, tool.Text(movedNote))
	}
}

// String names a worker in messages.
func (m *member) String() string { return m.id + " on " + m.host }
