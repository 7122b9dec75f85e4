package natsbus

import (
	"context"
	"slices"
	"time"

	"helve/tool"
)

const (
	// DefaultWaiting is how many calls may wait for a slot, unless the pool's options say another number.
	DefaultWaiting = 1000
	// comeTime is how long a call waits for any worker that could take it.
	comeTime = 2 * time.Second
)

// A want is what a call needs of a worker.
type want struct {
	who        string // whose call it is: nobody waits behind all that another one wants
	origin     string // of the tool
	definition string
	pin        *pin // the conversation; nil: none
	apart      bool // only workers have the tool: where the conversation's has not, another one does it
	slot       bool // for a run: a free slot, which is taken
	bounced    bool // it waited at a worker, in vain: it takes a free slot only
}

// A waiter is a call that waits for a worker.
type waiter struct {
	want
	got chan placed // has room for one
}

// A placed call has a worker, or hears why not.
type placed struct {
	m   *member
	err error
}

// errCrowded is for calls that come when too many wait.
func (p *Pool) errCrowded() error {
	return tool.Errorf(tool.Busy, "%d calls wait for the workers of pool %s already", p.o.Waiting, p.o.Pool).
		WithHint("Call again later, or start more workers.")
}

// place finds a worker, waits for one, and takes a slot of it if that is wanted. give gives it back.
func (p *Pool) place(ctx context.Context, w want, progress func(tool.Progress)) (*member, error) {
	mine := &waiter{w, make(chan placed, 1)}
	p.mu.Lock()
	if len(p.waiting) >= p.o.Waiting && !p.makeRoom(w.who) {
		p.mu.Unlock()
		return nil, p.errCrowded()
	}
	p.waiting = append(p.waiting, mine)
	p.dispatch()
	p.mu.Unlock()
	select {
	case got := <-mine.got: // nearly every call
		return got.m, got.err
	default:
	}
	return p.await(ctx, mine, progress)
}

// makeRoom sends away the last call of whoever has the most that wait, if that is more than who has: one who floods
// cannot keep the others out. mu is held.
func (p *Pool) makeRoom(who string) bool {
	count := map[string]int{}
	for _, w := range p.waiting {
		count[w.who]++
	}
	most := who
	for other, n := range count {
		if n > count[most] {
			most = other
		}
	}
	if count[most] <= count[who]+1 {
		return false
	}
	for i, w := range slices.Backward(p.waiting) {
		if w.who == most {
			p.waiting = slices.Delete(p.waiting, i, i+1)
			w.got <- placed{err: p.errCrowded()}
			return true
		}
	}
	return false
}

// await waits until the dispatcher gives a worker.
func (p *Pool) await(ctx context.Context, mine *waiter, progress func(tool.Progress)) (*member, error) {
	if progress != nil {
		progress(tool.Progress{Message: "waiting for a worker of pool " + p.o.Pool})
	}
	tick := time.NewTicker(comeTime)
	defer tick.Stop()
	for {
		select {
		case got := <-mine.got:
			return got.m, got.err
		case <-ctx.Done():
			p.leave(mine)
			return nil, ctx.Err()
		case <-tick.C:
		}
		if why := p.whyNone(mine.want); why != nil {
			p.leave(mine)
			return nil, why
		}
	}
}

// leave takes a waiter from the queue. What it was given meanwhile is given back.
func (p *Pool) leave(mine *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting = slices.DeleteFunc(p.waiting, func(w *waiter) bool { return w == mine })
	select {
	case got := <-mine.got:
		if got.m != nil && mine.slot {
			p.release(got.m, mine.want, false)
		}
	default:
	}
}

// take takes a slot. mu is held.
func (p *Pool) take(m *member, w want) {
	m.mine++
	p.holds[w.who]++
	if w.pin != nil && !p.roams(w) {
		w.pin.move(m.Instance)
	}
}

// give gives the slot back that a call had, and says how the call came out of it.
func (p *Pool) give(m *member, w want, how end, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch how {
	case ended:
		m.took += (took - m.took) / tookWeight
	case full:
		m.Running = max(m.Running, m.Slots) // until it says otherwise, others come first
	}
	p.release(m, w, how != full && how != notBegun)
}

// tookWeight is by which part a call changes how long calls are thought to take.
const tookWeight = 8

// release is give without a word on how long it took. mu is held.
func (p *Pool) release(m *member, w want, ran bool) {
	m.mine--
	p.holds[w.who]--
	if p.holds[w.who] == 0 {
		delete(p.holds, w.who)
	}
	if w.pin != nil {
		w.pin.left(m.Instance, ran)
	}
	p.dispatch()
}

// dispatch gives workers to those who wait: to whoever has the fewest slots, and to each in the order in which its
// calls came. mu is held.
func (p *Pool) dispatch() {
	for len(p.waiting) > 0 {
		i, m := p.next()
		if m == nil {
			return
		}
		w := p.waiting[i]
		p.waiting = slices.Delete(p.waiting, i, i+1)
		if w.pin != nil {
			w.pin.heard(m.Instance)
		}
		if w.slot {
			p.take(m, w.want)
		}
		w.got <- placed{m: m}
	}
}

// next is who is served now, and by whom; nil: nobody can be. mu is held.
func (p *Pool) next() (at int, by *member) {
	type kind struct{ who, origin, definition string }
	var hopeless map[kind]bool // of the calls without a conversation: the others may each have a worker of their own
	fewest, free := 0, p.anyFree()
	for i, w := range p.waiting {
		if w.slot && !free {
			continue // a thousand may wait: all would be looked at whenever another one comes
		}
		k := kind{w.who, w.origin, w.definition}
		if by != nil && p.holds[w.who] >= fewest || w.pin == nil && w.slot && hopeless[k] {
			continue
		}
		if m := p.choose(w.want); m != nil {
			at, by, fewest = i, m, p.holds[w.who]
			continue
		}
		if hopeless == nil {
			hopeless = map[kind]bool{}
		}
		hopeless[k] = w.pin == nil && w.slot && !w.bounced
	}
	return at, by
}

// anyFree tells whether any worker could take another run. mu is held.
func (p *Pool) anyFree() bool {
	for _, m := range p.members {
		if hasSlot(m) || hasRoom(m) {
			return true
		}
	}
	return false
}
