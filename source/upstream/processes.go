package upstream

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"helve/internal/rpc"
	"helve/tool"
)

const (
	// DefaultPerClient is how many processes of one server a client may have of
	// its own: as many conversations as a person follows at a time.
	DefaultPerClient = 4
	// DefaultProcesses is how many processes of servers there may be in all: those
	// of Node take some 60 MB each.
	DefaultProcesses = 64

	// roomEvery is how often a server that waits for room looks whether another
	// one rests.
	roomEvery = 50 * time.Millisecond
)

// Processes bounds the processes of the servers that are started here. Where
// there is no room for one more, the one that has rested for longest is ended;
// whoever it belonged to gets another one with the next call. It is for all
// sources of a workspace, and safe for concurrent use; nil bounds nothing.
type Processes struct {
	perClient, all int

	entering sync.Mutex // one decision at a time

	mu    sync.Mutex
	links map[*link]bool
}

// NewProcesses makes bounds: of one server for one client, which is a principal
// and the name that the client gives itself, and in all. 0 means the defaults.
func NewProcesses(perClient, all int) *Processes {
	if perClient <= 0 {
		perClient = DefaultPerClient
	}
	if all <= 0 {
		all = DefaultProcesses
	}
	return &Processes{perClient: perClient, all: all, links: map[*link]bool{}}
}

// add knows a link from then on, if it leads to a process.
func (p *Processes) add(l *link) {
	if p == nil || l.src.Remote() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.links[l] = true
}

func (p *Processes) remove(l *link) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.links, l)
}

// enter makes room for the process of a link. left must be called when it has
// started, or did not.
func (p *Processes) enter(l *link) (left func(), err error) {
	if p == nil || l.src.Remote() {
		return func() {}, nil
	}
	ctx, stop := context.WithTimeoutCause(l.life, l.src.cfg.StartTimeout, rpc.ErrLate)
	defer stop()
	for {
		rested, full := p.room(l)
		switch {
		case full == nil:
			return func() { l.starts(false) }, nil
		case rested != nil:
			rested.sleep()
			continue
		}
		select {
		case <-time.After(roomEvery):
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), rpc.ErrLate) {
				return nil, full
			}
			return nil, errClosed
		}
	}
}

// room takes a place for a link, or says why there is none, and which process could make one; nil: all of them are at
// work.
func (p *Processes) room(l *link) (rested *link, full error) {
	p.entering.Lock()
	defer p.entering.Unlock()
	p.mu.Lock()
	var all, same []*link
	for other := range p.links {
		if other == l || !other.there() {
			continue
		}
		all = append(all, other)
		if other.src == l.src && other.client() != "" && other.client() == l.client() {
			same = append(same, other)
		}
	}
	p.mu.Unlock()
	switch {
	case len(same) >= p.perClient:
		return longestRest(same), fmt.Errorf("%d processes of it work for this client already: "+
			"call again later, or raise limits.server_processes_per_client", p.perClient)
	case len(all) >= p.all:
		return longestRest(all), fmt.Errorf("%d processes of servers are at work already: "+
			"call again later, or raise limits.server_processes", p.all)
	}
	l.starts(true)
	return nil, nil
}

// longestRest is the link that nobody has used for longest; nil: all are in use.
func longestRest(links []*link) *link {
	var oldest *link
	var since time.Time
	for _, l := range links {
		if used, rests := l.atRest(); rests && (oldest == nil || used.Before(since)) {
			oldest, since = l, used
		}
	}
	return oldest
}

// client is whose own connection this is; "": nobody's alone.
func (l *link) client() string {
	s := l.session
	if l.group != nil {
		s = l.group.alone()
	}
	if s == nil {
		return ""
	}
	return s.Principal + "\x00" + s.Client
}

// starts notes that the process has a place, although it is not there yet.
func (l *link) starts(is bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.starting = is
}

// there tells whether there is a process, or is to be one at once.
func (l *link) there() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.starting || l.conn != nil || l.ending > 0
}

// atRest tells since when nobody uses the process, if that is so.
func (l *link) atRest() (since time.Time, rests bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.used, l.users == 0 && l.conn != nil && !l.closed
}

// alone is the session that a group's connection was left to; nil: the group
// shares it.
func (g *group) alone() *tool.Session {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.split || len(g.members) == 0 {
		return nil
	}
	return g.members[0]
}
