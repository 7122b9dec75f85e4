package upstream

import (
	"errors"
	"sync"

	"helve/tool"
)

// A sessionLinks is what a session has of connections: its own, by source, and
// its part in those of others.
type sessionLinks struct {
	session *tool.Session

	mu      sync.Mutex
	links   map[*connections]*link
	groups  map[*group]bool
	follows map[*link]bool // over which it follows resources
	closed  bool
}

var errSessionClosed = errors.New("the session is closed")

func linksOf(session *tool.Session) *sessionLinks {
	return tool.Of(session, func() *sessionLinks {
		return &sessionLinks{
			session: session,
			links:   map[*connections]*link{},
			groups:  map[*group]bool{},
			follows: map[*link]bool{},
		}
	})
}

// Close ends its own connections, and its part in the others.
func (t *sessionLinks) Close() error {
	t.mu.Lock()
	links, groups, follows := t.links, t.groups, t.follows
	t.links, t.groups, t.follows, t.closed = nil, nil, nil, true
	t.mu.Unlock()
	for g := range groups {
		g.leave(t.session)
	}
	var wg sync.WaitGroup
	for c, l := range links {
		delete(follows, l)
		wg.Go(func() { c.drop(l) })
	}
	for l := range follows {
		l.forget(t.session)
	}
	wg.Wait()
	return nil
}

// adopt gives a session a connection for its own that it shared so far, unless
// it has one or is over.
func (t *sessionLinks) adopt(c *connections, l *link) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || t.links[c] != nil {
		return false
	}
	t.links[c] = l
	return true
}

// own is a session's own connection to a server; nil: it has none.
func (t *sessionLinks) own(c *connections) *link {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.links[c]
}
