package server

import (
	"sync"
	"time"
)

// A presence knows whether a client is there by its requests and streams. Its
// methods are safe for concurrent use. The zero value never finds that one is
// gone: after and tell say when and whom.
type presence struct {
	after time.Duration
	tell  func(there bool) // does not wait; one call is over before the next begins

	mu     sync.Mutex
	busy   int  // requests and streams that run
	broken bool // a stream broke, and nothing came since
	gone   bool // that was told
	over   bool
	timer  *time.Timer
}

// come notes a request or a stream of the client, until leave.
func (p *presence) come() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busy++
	p.broken = false
	p.stop()
	if p.gone {
		p.gone = false
		p.tell(true)
	}
}

func (p *presence) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busy--
	p.wait()
}

// lost notes that the stream that runs broke: the client did not end it.
func (p *presence) lost() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.broken = true
}

// wait begins to wait for the client. p.mu is held.
func (p *presence) wait() {
	if p.busy == 0 && p.broken && !p.over && p.tell != nil {
		p.stop()
		p.timer = time.AfterFunc(p.after, p.miss)
	}
}

// stop ends the waiting. p.mu is held.
func (p *presence) stop() {
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
}

// miss finds that the client did not come back.
func (p *presence) miss() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.busy > 0 || !p.broken || p.over {
		return
	}
	p.gone = true
	p.tell(false)
}

// end ends the waiting for good.
func (p *presence) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	p.stop()
}

// A lineUp is what is to be told of a client, in the order in which it came about: of what waits only the last counts.
// The zero value is ready.
type lineUp struct {
	mu      sync.Mutex
	telling bool // somebody is at it
	there   bool // what counts
	pending bool // it was not told yet
}

// put notes what is to be told, and tells whether somebody has to begin to tell.
func (l *lineUp) put(there bool) (begin bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	begin = !l.telling
	l.telling, l.there, l.pending = true, there, true
	return begin
}

// next is what is to be told now. ok is false when there is nothing more: whoever told is done.
func (l *lineUp) next() (there, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	there, ok = l.there, l.pending
	l.pending = false
	l.telling = ok
	return there, ok
}

// there tells the upstreams whether the client of a conversation is there, one thing after the other. It does not wait
// for them.
func (c *conversation) there(is bool) {
	if !c.presence.put(is) {
		return
	}
	c.start(func() {
		for is, ok := c.presence.next(); ok; is, ok = c.presence.next() {
			c.tellPresence(is)
		}
	})
}

func (c *conversation) tellPresence(there bool) {
	c.opening.Lock()
	s := c.session
	c.opening.Unlock()
	if s == nil {
		return
	}
	for _, u := range c.srv.o.Upstreams() {
		p, ok := u.(Presence)
		switch {
		case !ok:
		case there:
			p.Returned(s)
		default:
			p.Left(s)
		}
	}
}
