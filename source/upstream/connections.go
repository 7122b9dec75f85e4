package upstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"helve/internal/rpc"
	"helve/tool"
)

// connections are those to one server: sessions whose clients can be asked nothing share those of their principals,
// groups share theirs, and all others have their own.
type connections struct {
	*server
	dialer *dialer
	life   context.Context

	mu     sync.Mutex
	shared map[string]*link    // by principal
	groups map[string]*sharing // by what the server is told of their sessions
	links  map[*link]bool      // all of them; nil: closed

	apart atomic.Bool // sessions whose clients can be asked share no connection any more
}

// A sharing is a group and its connection.
type sharing struct {
	*group
	link *link
}

func newConnections(d *dialer, life context.Context) *connections {
	return &connections{
		server: d.server,
		dialer: d,
		life:   life,
		shared: map[string]*link{},
		groups: map[string]*sharing{},
		links:  map[*link]bool{},
	}
}

// close ends every connection and returns when no process is left.
func (c *connections) close() {
	c.mu.Lock()
	links := c.links
	c.links, c.shared, c.groups = nil, nil, nil
	c.mu.Unlock()
	var wg sync.WaitGroup
	for l := range links {
		wg.Go(func() { l.Close() })
	}
	wg.Wait()
}

// all are the connections of everybody; false where they are closed.
func (c *connections) all() ([]*link, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Collect(maps.Keys(c.links)), c.links != nil
}

func (c *connections) newLink(session *tool.Session) (*link, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.links == nil {
		return nil, fmt.Errorf("%s: %w", c.cfg.Name, errClosed)
	}
	return c.makeLink(session), nil
}

// makeLink notes a link before it is used, so that Close finds it. c.mu is held.
func (c *connections) makeLink(session *tool.Session) *link {
	l := &link{by: c.dialer, session: session}
	l.life, l.end = context.WithCancel(c.life)
	c.links[l] = true
	if !c.remote() {
		c.o.Processes.add(l)
	}
	return l
}

// drop closes a link and forgets it.
func (c *connections) drop(l *link) {
	c.mu.Lock()
	delete(c.links, l)
	c.mu.Unlock()
	c.o.Processes.remove(l)
	l.Close()
}

// with runs f on the session's connection. Nothing that the server asks meanwhile is about it.
func (c *connections) with(ctx context.Context, session *tool.Session, f func(*conn) error) error {
	l, done, err := c.link(session)
	if err != nil {
		return err
	}
	defer done()
	return c.over(ctx, l, f)
}

// calling is with for what a server may ask about.
func (c *connections) calling(ctx context.Context, session *tool.Session, f func(*conn) error) error {
	for {
		l, done, err := c.link(session)
		if err != nil {
			return err
		}
		over, ok := l.group.begin(session)
		if !ok { // the server was split meanwhile
			done()
			continue
		}
		defer done()
		defer over()
		return c.over(ctx, l, f)
	}
}

// over runs f on a connection of a link, and on the next one where nothing that f sent went out: the server had just
// ended. What f sends after something went out must not be rpc.ErrUnsent.
func (c *connections) over(ctx context.Context, l *link, f func(*conn) error) error {
	patience, stop := context.WithTimeout(ctx, restTime)
	defer stop()
	for {
		k, release, err := l.use(ctx)
		if err != nil {
			return rpc.Unsent(fmt.Errorf("mcp server %s: %w", c.cfg.Name, err))
		}
		err = f(k)
		release()
		if !errors.Is(err, rpc.ErrUnsent) || !l.again(patience, k, err) {
			return err
		}
	}
}

// link is the connection of a session: that of its principal where its client
// can be asked nothing; that of a group where it can, and the server never
// asked; else its own. done must be called when the call is over.
func (c *connections) link(session *tool.Session) (l *link, done func(), err error) {
	switch {
	case session == nil && c.cfg.Share == shareNever:
		if l, err = c.newLink(nil); err != nil {
			return nil, nil, err
		}
		return l, func() { c.drop(l) }, nil
	case session == nil:
		l, err = c.sharedLink("")
	case c.separate(session):
		l, err = c.linkFor(session)
	default:
		l, err = c.sharedLink(session.Principal)
	}
	return l, func() {}, err
}

// linkFor is the connection of a session whose client can be asked, or that
// shares nothing. One of its own ends with the session.
func (c *connections) linkFor(session *tool.Session) (*link, error) {
	t := linksOf(session)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil, errSessionClosed
	}
	if l := t.links[c]; l != nil {
		return l, nil
	}
	if g := c.groupFor(session); g != nil {
		t.groups[g.group] = true
		return g.link, nil
	}
	l, err := c.newLink(session)
	if err == nil {
		t.links[c] = l
	}
	return l, err
}

// sharedLink is the connection that the sessions of one principal share. The one
// that was made for listing, for nobody, becomes that of the first principal
// that comes, and listing goes over any that there is: one process, not two.
func (c *connections) sharedLink(principal string) (*link, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.links == nil {
		return nil, fmt.Errorf("%s: %w", c.cfg.Name, errClosed)
	}
	if l := c.shared[principal]; l != nil {
		return l, nil
	}
	if l := c.shared[""]; l != nil {
		delete(c.shared, "")
		c.shared[principal] = l
		return l, nil
	}
	if principal == "" && len(c.shared) > 0 {
		first := slices.Min(slices.Collect(maps.Keys(c.shared)))
		return c.shared[first], nil
	}
	l := c.makeLink(nil)
	c.shared[principal] = l
	return l, nil
}

// noteFollowed remembers what a session follows: it ends with the session.
func (c *connections) noteFollowed(l *link, session *tool.Session, uri string) error {
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

// groupFor is the group of a session, which joins it; nil: it shares nothing.
func (c *connections) groupFor(session *tool.Session) *sharing {
	if c.cfg.Share == shareNever || c.apart.Load() {
		return nil
	}
	key := groupKey(session)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.links == nil || c.apart.Load() {
		return nil
	}
	g := c.groups[key]
	if g == nil {
		g = &sharing{}
		g.group = newGroup(session, func(meant *tool.Session) { c.part(g, meant) })
		g.link = c.makeLink(nil)
		g.link.group = g.group
		c.groups[key] = g
	}
	g.join(session)
	return g
}

// part has every session have a connection of its own from now on. Those of
// groups stay with one of them each, with what the server keeps there: with
// whoever was meant, else with the first that came.
func (c *connections) part(asked *sharing, meant *tool.Session) {
	c.apart.Store(true)
	c.mu.Lock()
	groups := c.groups
	c.groups = map[string]*sharing{}
	c.mu.Unlock()
	for _, g := range groups {
		first := meant
		if g != asked {
			first = nil
		}
		left := g.leaveTo(first, func(m *tool.Session) bool { return linksOf(m).adopt(c, g.link) })
		if !left { // nobody is there any more
			go c.drop(g.link)
		}
	}
}

// separate tells that a session has connections of its own.
func (c *connections) separate(session *tool.Session) bool {
	return session != nil && (c.cfg.Share == shareNever || private(session))
}

// up tells whether there is a shared connection, and why the last one ended.
func (c *connections) up() (bool, error) {
	c.mu.Lock()
	links := slices.Collect(maps.Values(c.shared))
	c.mu.Unlock()
	var last error
	for _, l := range links {
		up, err := l.state()
		if up {
			return true, nil
		}
		last = cmp.Or(last, err)
	}
	return false, last
}

// groupKey names what is the same for all of a group: whose they are, what the
// server is told that it may ask, and the roots.
func groupKey(session *tool.Session) string {
	parts := []string{session.Principal, string(declared(session))}
	for _, r := range session.Roots {
		parts = append(parts, r.Name, r.Path)
	}
	return strings.Join(parts, "\x00")
}
