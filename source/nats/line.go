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

// A line is the calls that wait for workers, and the slots that calls have. The crew's lock guards it.
type line struct {
	*crew
	waiting []*waiter      // in the order in which they came
	holds   map[string]int // slots that somebody's calls have
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
func (l *line) errCrowded() error {
	return tool.Errorf(tool.Busy, "%d calls wait for the workers of pool %s already", l.o.Waiting, l.o.Pool).
		WithHint("Call again later, or start more workers.")
}

// place finds a worker, waits for one, and takes a slot of it if that is wanted. give gives it back.
func (l *line) place(ctx context.Context, w want, progress func(tool.Progress)) (*member, error) {
	mine := &waiter{w, make(chan placed, 1)}
	l.mu.Lock()
	if len(l.waiting) >= l.o.Waiting && !l.makeRoom(w.who) {
		l.mu.Unlock()
		return nil, l.errCrowded()
	}
	l.waiting = append(l.waiting, mine)
	l.dispatch()
	l.mu.Unlock()
	select {
	case got := <-mine.got: // nearly every call
		return got.m, got.err
	default:
	}
	return l.await(ctx, mine, progress)
}

// makeRoom sends away the last call of whoever has the most that wait, if that is more than who has: one who floods
// cannot keep the others out. mu is held.
func (l *line) makeRoom(who string) bool {
	count := map[string]int{}
	for _, w := range l.waiting {
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
	for i, w := range slices.Backward(l.waiting) {
		if w.who == most {
			l.waiting = slices.Delete(l.waiting, i, i+1)
			w.got <- placed{err: l.errCrowded()}
			return true
		}
	}
	return false
}

// await waits until the dispatcher gives a worker.
func (l *line) await(ctx context.Context, mine *waiter, progress func(tool.Progress)) (*member, error) {
	if progress != nil {
		progress(tool.Progress{Message: "waiting for a worker of pool " + l.o.Pool})
	}
	tick := time.NewTicker(comeTime)
	defer tick.Stop()
	for {
		select {
		case got := <-mine.got:
			return got.m, got.err
		case <-ctx.Done():
			l.leave(mine)
			return nil, ctx.Err()
		case <-tick.C:
		}
		if why := l.whyNone(mine.want); why != nil {
			l.leave(mine)
			return nil, why
		}
	}
}

// leave takes a waiter from the queue. What it was given meanwhile is given back.
func (l *line) leave(mine *waiter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = slices.DeleteFunc(l.waiting, func(w *waiter) bool { return w == mine })
	select {
	case got := <-mine.got:
		if got.m != nil && mine.slot {
			l.release(got.m, mine.want, false)
		}
	default:
	}
}

// take takes a slot. mu is held.
func (l *line) take(m *member, w want) {
	m.mine++
	l.holds[w.who]++
	if w.pin != nil && !l.roams(w) {
		w.pin.move(m.Instance)
	}
}

// give gives the slot back that a call had, and says how the call came out of it.
func (l *line) give(m *member, w want, how end, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch how {
	case ended:
		m.took += (took - m.took) / tookWeight
	case full:
		m.Running = max(m.Running, m.Slots) // until it says otherwise, others come first
	}
	l.release(m, w, how != full && how != notBegun)
}

// tookWeight is by which part a call changes how long calls are thought to take.
const tookWeight = 8

// release is give without a word on how long it took. mu is held.
func (l *line) release(m *member, w want, ran bool) {
	m.mine--
	l.holds[w.who]--
	if l.holds[w.who] == 0 {
		delete(l.holds, w.who)
	}
	if w.pin != nil {
		w.pin.left(m.Instance, ran)
	}
	l.dispatch()
}

// dispatch gives workers to those who wait: to whoever has the fewest slots, and to each in the order in which its
// calls came. mu is held.
func (l *line) dispatch() {
	for len(l.waiting) > 0 {
		i, m := l.next()
		if m == nil {
			return
		}
		w := l.waiting[i]
		l.waiting = slices.Delete(l.waiting, i, i+1)
		if w.pin != nil {
			w.pin.heard(m.Instance)
		}
		if w.slot {
			l.take(m, w.want)
		}
		w.got <- placed{m: m}
	}
}

// next is who is served now, and by whom; nil: nobody can be. mu is held.
func (l *line) next() (at int, by *member) {
	type kind struct{ who, origin, definition string }
	var hopeless map[kind]bool // of the calls without a conversation: the others may each have a worker of their own
	fewest, free := 0, l.anyFree()
	for i, w := range l.waiting {
		if w.slot && !free {
			continue // a thousand may wait: all would be looked at whenever another one comes
		}
		k := kind{w.who, w.origin, w.definition}
		if by != nil && l.holds[w.who] >= fewest || w.pin == nil && w.slot && hopeless[k] {
			continue
		}
		if m := l.choose(w.want); m != nil {
			at, by, fewest = i, m, l.holds[w.who]
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
func (l *line) anyFree() bool {
	for _, m := range l.members {
		if hasSlot(m) || hasRoom(m) {
			return true
		}
	}
	return false
}

// lost forgets a worker that does not answer. When it says that it lives it is there again.
func (l *line) lost(m *member) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.members[m.id] == m {
		l.drop(m.id)
	}
	l.dispatch()
}
