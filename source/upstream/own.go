package upstream

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"helve/tool"
)

// A sessionLinks is what a session has of connections: its own, by source, and
// its part in those of others.
type sessionLinks struct {
	session *tool.Session

	mu      sync.Mutex
	links   map[*Source]*link
	groups  map[*group]bool
	follows map[*link]bool // over which it follows resources
	closed  bool
}

var errSessionClosed = errors.New("the session is closed")

func linksOf(session *tool.Session) *sessionLinks {
	return tool.Of(session, func() *sessionLinks {
		return &sessionLinks{
			session: session,
			links:   map[*Source]*link{},
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
	for s, l := range links {
		delete(follows, l)
		wg.Go(func() { s.drop(l) })
	}
	for l := range follows {
		l.forget(t.session)
	}
	wg.Wait()
	return nil
}

// link is the connection of a session: that of its principal where its client
// can be asked nothing; that of a group where it can, and the server never
// asked; else its own. done must be called when the call is over.
func (s *Source) link(session *tool.Session) (l *link, done func(), err error) {
	switch {
	case session == nil && s.cfg.Share == shareNever:
		if l, err = s.newLink(nil); err != nil {
			return nil, nil, err
		}
		return l, func() { s.drop(l) }, nil
	case session == nil:
		l, err = s.sharedLink("")
	case s.separate(session):
		l, err = s.linkFor(session)
	default:
		l, err = s.sharedLink(session.Principal)
	}
	return l, func() {}, err
}

// linkFor is the connection of a session whose client can be asked, or that
// shares nothing. One of its own ends with the session.
func (s *Source) linkFor(session *tool.Session) (*link, error) {
	t := linksOf(session)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil, errSessionClosed
	}
	if l := t.links[s]; l != nil {
		return l, nil
	}
	if g := s.groupFor(session); g != nil {
		t.groups[g] = true
		return g.link, nil
	}
	l, err := s.newLink(session)
	if err == nil {
		t.links[s] = l
	}
	return l, err
}

// adopt gives a session a connection for its own that it shared so far, unless
// it has one or is over.
func (t *sessionLinks) adopt(s *Source, l *link) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || t.links[s] != nil {
		return false
	}
	t.links[s] = l
	return true
}

// sharedLink is the connection that the sessions of one principal share. The one
// that was made for listing, for nobody, becomes that of the first principal
// that comes, and listing goes over any that there is: one process, not two.
func (s *Source) sharedLink(principal string) (*link, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.links == nil {
		return nil, fmt.Errorf("%s: %w", s.cfg.Name, errClosed)
	}
	if l := s.shared[principal]; l != nil {
		return l, nil
	}
	if l := s.shared[""]; l != nil {
		delete(s.shared, "")
		s.shared[principal] = l
		return l, nil
	}
	if principal == "" && len(s.shared) > 0 {
		first := slices.Min(slices.Collect(maps.Keys(s.shared)))
		return s.shared[first], nil
	}
	l := s.makeLink(nil)
	s.shared[principal] = l
	return l, nil
}

// noteFollowed remembers what a session follows: it ends with the session.
func (s *Source) noteFollowed(l *link, session *tool.Session, uri string) error {
	if session == nil {
		l.follows(nil, uri)
		return nil
	}
	t := linksOf(session)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return errSessionClosed
	}
	t.follows[l] = true
	l.follows(session, uri)
	return nil
}

// forget ends what a session follows. The server is told of what nobody else
// does, if it is there; that it does not answer is no matter.
func (l *link) forget(session *tool.Session) {
	l.mu.Lock()
	var over []string
	for uri, who := range l.followed {
		delete(who, session)
		if len(who) == 0 {
			over = append(over, uri)
			delete(l.followed, uri)
		}
	}
	c := l.conn
	if l.closed || len(over) == 0 {
		l.mu.Unlock()
		return
	}
	l.rest()
	l.wg.Add(1)
	l.mu.Unlock()
	go func() {
		defer l.wg.Done()
		if c == nil {
			return
		}
		ctx, stop := context.WithTimeout(c.Life(), endTime)
		defer stop()
		for _, uri := range over {
			if c.follow(ctx, uri, false) != nil {
				return
			}
		}
	}()
}

// Left says that the client of a session is gone, for now: its own connection
// ends, unless something runs over it. The next call makes it anew.
func (s *Source) Left(session *tool.Session) {
	if l := linksOf(session).own(s); l != nil {
		l.sleep()
	}
}

// Returned says that the client is back: what it follows is followed again.
func (s *Source) Returned(session *tool.Session) {
	l := linksOf(session).own(s)
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.followed) > 0 && l.conn == nil {
		_, _ = l.dialled() // what fails now the next call tells
	}
}

// own is a session's own connection to a server; nil: it has none.
func (t *sessionLinks) own(s *Source) *link {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.links[s]
}
