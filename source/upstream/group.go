package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"

	"helve/internal/rpc"
	"helve/tool"
)

// shareNever is Config.Share of a server of which each session has its own.
const shareNever = "never"

// errWhose answers a question of which nobody knows whose call it is about.
var errWhose = rpc.Errorf(rpc.CodeInternal,
	"calls of several conversations run over this connection: nobody was asked; from the next call on each has its own")

// errNobodyHere says that nobody of a group has a call that runs.
var errNobodyHere = errors.New("no call of a conversation runs over this connection")

// A group is the sessions of one principal that share a connection although
// their clients can be asked: the server is told the same of each of them, and
// never asked. A server that asks does not say whose call it is about. Once it
// has asked, each session has a connection of its own; that of the group stays
// with whoever was meant.
type group struct {
	src  *Source
	key  string
	link *link
	face *tool.Session // what the server is told of them

	mu      sync.Mutex
	members []*tool.Session       // in the order in which they came
	running map[*tool.Session]int // calls that the server may ask about
	split   bool                  // only the first member goes on here
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

// groupFor is the group of a session, which joins it; nil: it shares nothing.
func (s *Source) groupFor(session *tool.Session) *group {
	if s.cfg.Share == shareNever || s.apart.Load() {
		return nil
	}
	key := groupKey(session)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.links == nil || s.apart.Load() {
		return nil
	}
	g := s.groups[key]
	if g == nil {
		g = &group{src: s, key: key, running: map[*tool.Session]int{}}
		g.face = &tool.Session{
			Principal:    session.Principal,
			Roots:        session.Roots,
			Capabilities: session.Capabilities,
			Back:         g.back,
		}
		tool.Of(g.face, func() *group { return g })
		g.link = s.makeLink(nil)
		g.link.group = g
		s.groups[key] = g
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if !slices.Contains(g.members, session) {
		g.members = append(g.members, session)
	}
	return g
}

// groupOf is the group that a connection is made for; nil: none.
func groupOf(face *tool.Session) *group {
	if face == nil {
		return nil
	}
	return tool.Of(face, func() *group { return nil })
}

// told is whose capabilities and roots the server is told.
func (l *link) told() *tool.Session {
	if l.group != nil {
		return l.group.face
	}
	return l.session
}

// leave takes a session out that is over.
func (g *group) leave(session *tool.Session) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.members = slices.DeleteFunc(g.members, func(m *tool.Session) bool { return m == session })
}

// begin notes a call that the server may ask about; over ends it. ok is false
// where the session has, or gets, a connection of its own. A nil group notes
// nothing.
func (g *group) begin(session *tool.Session) (over func(), ok bool) {
	if g == nil {
		return func() {}, true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.split && !slices.Contains(g.members, session) {
		return nil, false
	}
	g.running[session]++
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.running[session]--; g.running[session] == 0 {
			delete(g.running, session)
		}
	}, true
}

// meant is the session that a question of the server is about: that of the only
// calls that run, or the only one that there is; nil: nobody knows. The server is
// split from then on.
func (g *group) meant() *tool.Session {
	who := g.calling()
	if len(who) == 0 {
		who = g.all()
	}
	var meant *tool.Session
	if len(who) == 1 {
		meant = who[0]
	}
	g.src.part(g, meant)
	return meant
}

// part has every session have a connection of its own from now on. Those of
// groups stay with one of them each, with what the server keeps there: with
// whoever was meant, else with the first that came.
func (s *Source) part(asked *group, meant *tool.Session) {
	s.apart.Store(true)
	s.mu.Lock()
	groups := s.groups
	s.groups = map[string]*group{}
	s.mu.Unlock()
	for _, g := range groups {
		first := meant
		if g != asked {
			first = nil
		}
		g.settle(first)
	}
}

// settle leaves the connection to one session, if that has none of its own.
func (g *group) settle(first *tool.Session) {
	g.mu.Lock()
	candidates := slices.Clone(g.members)
	g.mu.Unlock()
	if first != nil {
		candidates = append([]*tool.Session{first}, candidates...)
	}
	i := slices.IndexFunc(candidates, func(m *tool.Session) bool { return linksOf(m).adopt(g.src, g.link) })
	g.mu.Lock()
	g.split, g.members = true, nil
	if i >= 0 {
		g.members = []*tool.Session{candidates[i]}
	}
	g.mu.Unlock()
	if i < 0 { // nobody is there any more
		go g.src.drop(g.link)
	}
}

// back is the Back of what the server is told of: a notification goes to those
// whose calls run, a question to the one that is meant.
func (g *group) back(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	if !strings.HasPrefix(method, rpc.NoticePrefix) {
		if s := g.meant(); s != nil {
			return s.Back(ctx, method, params)
		}
		return nil, errWhose
	}
	told := g.calling()
	if method != rpc.NoticeMessage {
		told = g.all()
	}
	err := errNobodyHere
	for _, s := range told {
		_, err = s.Back(ctx, method, params)
	}
	return nil, err
}

// calling are the sessions whose calls run.
func (g *group) calling() []*tool.Session {
	g.mu.Lock()
	defer g.mu.Unlock()
	var out []*tool.Session
	for s := range g.running {
		out = append(out, s)
	}
	return out
}

// all are the sessions of the group.
func (g *group) all() []*tool.Session {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.members)
}

// sessions are those behind a connection; nil is one of all whose clients can be
// asked nothing.
func (r *relay) sessions() []*tool.Session {
	if r.group == nil {
		return []*tool.Session{r.session}
	}
	return r.group.all()
}

// views are the lists that a connection tells of.
func (r *relay) views() []*view {
	var out []*view
	for _, s := range r.sessions() {
		out = append(out, r.src.viewOf(s))
	}
	return out
}

// A sharedList is what was listed over a connection, for all sessions that share
// it: a list that changed is read once, and not once for each.
type sharedList struct {
	one chan struct{} // a token: one reading at a time

	mu      sync.Mutex
	changes int
	last    *listing // nil: there is none, or it changed
}

// changed forgets the list.
func (l *sharedList) changed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changes++
	l.last = nil
}

func (l *sharedList) get() (last *listing, changes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last, l.changes
}

// keep keeps a list, unless it changed while it was read.
func (l *sharedList) keep(read *listing, changes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.changes == changes {
		l.last = read
	}
}

// read asks the server for its list. Where another session that shares the
// connection has read one that the view does not know, it is that: known.
func (r *relay) read(ctx context.Context, v *view, c *conn) (l *listing, known bool, err error) {
	if r.group == nil {
		l, err = v.ask(ctx, c)
		return l, false, err
	}
	select {
	case r.lists.one <- struct{}{}:
		defer func() { <-r.lists.one }()
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
	last, changes := r.lists.get()
	if last != nil && last != v.current() {
		return last, true, nil
	}
	l, err = v.ask(ctx, c)
	if err == nil {
		r.lists.keep(l, changes)
	}
	return l, false, err
}

// current is the list in use.
func (v *view) current() *listing {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.list
}
