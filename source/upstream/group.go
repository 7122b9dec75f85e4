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
	face  *tool.Session       // what the server is told of them
	asked func(*tool.Session) // the server asked: about this session, as far as anybody knows

	mu      sync.Mutex
	members []*tool.Session       // in the order in which they came
	running map[*tool.Session]int // calls that the server may ask about
	split   bool                  // only the first member goes on here
}

// newGroup is the group of a session and of all that are as it is.
func newGroup(first *tool.Session, asked func(*tool.Session)) *group {
	g := &group{asked: asked, running: map[*tool.Session]int{}}
	g.face = &tool.Session{
		Principal:    first.Principal,
		Roots:        first.Roots,
		Capabilities: first.Capabilities,
		Back:         g.back,
	}
	tool.Of(g.face, func() *group { return g })
	return g
}

// join takes a session in.
func (g *group) join(session *tool.Session) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !slices.Contains(g.members, session) {
		g.members = append(g.members, session)
	}
}

// groupOf is the group that a connection is made for; nil: none.
func groupOf(face *tool.Session) *group {
	if face == nil {
		return nil
	}
	return tool.Of(face, func() *group { return nil })
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
	g.asked(meant)
	return meant
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

// leaveTo has one of these sessions, or of the members, be the only one of the
// group: the first that takes it. false: none does.
func (g *group) leaveTo(first *tool.Session, takes func(*tool.Session) bool) bool {
	candidates := g.all()
	if first != nil {
		candidates = append([]*tool.Session{first}, candidates...)
	}
	i := slices.IndexFunc(candidates, takes)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.split, g.members = true, nil
	if i >= 0 {
		g.members = []*tool.Session{candidates[i]}
	}
	return i >= 0
}
