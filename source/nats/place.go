package natsbus

import (
	"context"
	"slices"
	"time"

	"helve/internal/wire"
	"helve/tool"
)

const (
	// mostWaiting is how many calls may wait for a slot: those that come then are told to come later.
	mostWaiting = 1000
	// comeTime is how long a call waits for any worker that could take it.
	comeTime = 2 * time.Second
)

// A want is what a call needs of a worker.
type want struct {
	origin     string // of the tool
	definition string
	pin        *pin // the conversation; nil: none
	slot       bool // for a run: a free slot, which is taken
}

// A waiter is a call that waits for a worker.
type waiter struct {
	want
	got chan *member // has room for one
}

// place finds a worker, waits for one, and takes a slot of it if that is wanted. give gives it back.
func (p *Pool) place(ctx context.Context, w want, progress func(tool.Progress)) (*member, error) {
	mine := &waiter{w, make(chan *member, 1)}
	p.mu.Lock()
	if len(p.waiting) >= mostWaiting {
		p.mu.Unlock()
		return nil, tool.Errorf(tool.Busy, "%d calls wait for the workers of pool %s already", mostWaiting, p.o.Pool).
			WithHint("Call again later, or start more workers.")
	}
	p.waiting = append(p.waiting, mine)
	p.dispatch()
	p.mu.Unlock()
	select {
	case m := <-mine.got: // nearly every call
		return m, nil
	default:
	}
	return p.await(ctx, mine, progress)
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
		case m := <-mine.got:
			return m, nil
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
	case m := <-mine.got:
		p.release(m, mine.slot)
	default:
	}
}

// give gives a slot back.
func (p *Pool) give(m *member) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.release(m, true)
}

// release is give. mu is held.
func (p *Pool) release(m *member, slot bool) {
	if slot {
		m.mine--
		p.dispatch()
	}
}

// dispatch gives workers to those who wait, first come, first served. mu is held.
func (p *Pool) dispatch() {
	left := p.waiting[:0]
	for _, w := range p.waiting {
		m := p.choose(w.want)
		if m == nil {
			left = append(left, w)
			continue
		}
		if w.slot {
			m.mine++
		}
		w.got <- m
	}
	clear(p.waiting[len(left):])
	p.waiting = left
}

// choose is the worker that has the least to do of those that can take the call; nil: none can now. mu is held.
func (p *Pool) choose(w want) *member {
	if w.pin != nil && w.pin.instance != "" {
		m := p.members[w.pin.instance]
		if m != nil && (!m.Draining || !p.suits(w)) { // it may come back, and has what the conversation needs
			if p.fits(m, w) && !m.Draining && (!w.slot || m.mine < m.Slots) {
				return m
			}
			return nil
		}
	}
	var best *member
	for _, m := range p.members {
		if !p.fits(m, w) || m.Draining || w.slot && m.mine >= m.Slots {
			continue
		}
		if best == nil || less(m, best) {
			best = m
		}
	}
	if best != nil && w.pin != nil {
		w.pin.move(best.Instance)
	}
	return best
}

// suits tells whether a worker that does not drain could take the call. mu is held.
func (p *Pool) suits(w want) bool {
	for _, m := range p.members {
		if p.fits(m, w) && !m.Draining {
			return true
		}
	}
	return false
}

// less tells which of two workers has less to do: by our own count, which is right at this moment, then by what they say.
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
	var there, elsewhere, other int
	for _, m := range p.members {
		switch {
		case time.Since(m.heard) >= freshTime || m.Draining:
		case m.Workspace != p.o.Workspace:
			elsewhere++
		case p.sets[m.Set][w.origin] != w.definition:
			other++
		default:
			there++
		}
	}
	e := tool.Errorf(tool.Execution, "no worker of pool %s can take the call; nothing was done", p.o.Pool)
	switch {
	case !p.nc.IsConnected():
		return e.WithHint("The bus cannot be reached. Call again later.")
	case there > 0:
		return nil
	case other > 0:
		return e.WithHint("%d of them lack this tool, or have another definition of it: gateway and workers have to be of one version.", other)
	case elsewhere > 0:
		return e.WithHint("%d of them offer another workspace than %q: start one with helve worker --pool %s --workspace %s.",
			elsewhere, p.o.Workspace, p.o.Pool, p.o.Workspace)
	}
	return e.WithHint("Start one in the same workspace: helve worker --pool %s", p.o.Pool)
}

// A pin says which worker a conversation's calls go to: it has what was read there, lists, long outputs and commands in
// the background. Pool.mu guards it.
type pin struct {
	p        *Pool
	key      string
	instance string   // "": none yet
	had      []string // all that it ever had
	moved    bool     // since the last result: what a former worker kept is lost
}

func (p *pin) move(instance string) {
	if p.instance == instance {
		return
	}
	p.moved = p.moved || p.instance != ""
	p.instance = instance
	if !slices.Contains(p.had, instance) {
		p.had = append(p.had, instance)
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
		all.of[p] = &pin{p: p, key: wire.NewID()}
	}
	return all.of[p]
}

// closeTime is how long the end of a session waits for its worker.
const closeTime = 5 * time.Second

// Close ends the conversation at all workers that it had.
func (all *pins) Close() error {
	for p, mine := range all.of {
		p.mu.Lock()
		had := mine.had
		p.mu.Unlock()
		for _, instance := range had {
			p.closeAt(instance, mine.key)
		}
	}
	return nil
}

// closeAt has one worker close a session. One that is gone has closed it.
func (p *Pool) closeAt(instance, key string) {
	ctx, stop := context.WithTimeout(p.life, closeTime)
	defer stop()
	body := wire.Encode(wire.Session{Key: key, Gateway: p.id})
	_, err := p.nc.RequestWithContext(ctx, wire.Worker(instance, wire.VerbClose), body)
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
