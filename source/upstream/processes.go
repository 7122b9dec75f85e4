package upstream

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"helve/internal/rpc"
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

	mu      sync.Mutex
	tenants map[tenant]bool
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
	return &Processes{perClient: perClient, all: all, tenants: map[tenant]bool{}}
}

// A tenant is a connection that may have a process.
type tenant interface {
	// owner is what the process is one of, and the client that has it alone; "": nobody has.
	owner() (of any, client string)
	// standing tells whether there is a process, or is to be one at once, and whether and since when nobody uses it.
	standing() (there, rests bool, since time.Time)
	// starts notes that the process has a place, although it is not there yet.
	starts(bool)
	// sleep ends the process, unless somebody uses it.
	sleep()
}

// add knows a tenant from then on.
func (p *Processes) add(t tenant) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tenants[t] = true
}

func (p *Processes) remove(t tenant) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.tenants, t)
}

// enter makes room for the process of a tenant, which waits for it until ctx is done. left must be called when it
// has started, or did not.
func (p *Processes) enter(ctx context.Context, t tenant) (left func(), err error) {
	if p == nil {
		return func() {}, nil
	}
	for {
		rested, full := p.room(t)
		switch {
		case full == nil:
			return func() { t.starts(false) }, nil
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

// room takes a place for a tenant, or says why there is none, and which process could make one; nil: all of them are
// at work.
func (p *Processes) room(t tenant) (rested tenant, full error) {
	p.entering.Lock()
	defer p.entering.Unlock()
	of, client := t.owner()
	p.mu.Lock()
	var all, same []tenant
	for other := range p.tenants {
		if there, _, _ := other.standing(); other == t || !there {
			continue
		}
		all = append(all, other)
		if theirs, who := other.owner(); theirs == of && who != "" && who == client {
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
	t.starts(true)
	return nil, nil
}

// longestRest is the tenant that nobody has used for longest; nil: all are in use.
func longestRest(tenants []tenant) tenant {
	var oldest tenant
	var since time.Time
	for _, t := range tenants {
		if _, rests, used := t.standing(); rests && (oldest == nil || used.Before(since)) {
			oldest, since = t, used
		}
	}
	return oldest
}
