package upstream

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	rawjson "helve/internal/json"
	"helve/tool"
)

// lists are what a server lists: for all whose clients can be asked nothing, and for each session that has connections
// of its own.
type lists struct {
	*server
	calls     *connections
	approvals *approvals
	tools     *maker
	life      context.Context
	common    *view // of all who share one

	mu    sync.Mutex
	views map[*tool.Session]*view // nil: closed

	// What State tells of them.
	listedAt time.Time
	listTook time.Duration
}

var _ listener = (*lists)(nil)

// A view is the server's list as one session sees it, or as all sessions do
// whose clients can be asked nothing: what a server lists may depend on what
// its client can be asked for, and on its roots.
type view struct {
	*server
	of      *lists
	session *tool.Session // nil: shared
	asks    string        // names what the server is told that the client can be asked for; "" for nothing
	where   string        // the folders that the server is told of

	dirt    chan struct{} // holds one token when the list may have changed
	one     chan struct{} // a token: one reading of the list at a time
	reading atomic.Bool
	skills  promises

	mu       sync.Mutex
	list     *listing           // in use; nil: nothing was listed yet
	fresh    bool               // the list was read for whoever asks next
	asked    bool               // the first listing is over
	findings []Finding          // of the last listing
	changed  map[string]*Change // of the last listing
	told     string             // what the last listing came to, for Watch
}

var (
	_ tool.Source  = (*view)(nil)
	_ tool.Watcher = (*view)(nil)
)

func newView(of *lists, session *tool.Session) *view {
	v := &view{
		server:  of.server,
		of:      of,
		session: session,
		where:   of.cfg.Dir,
		dirt:    make(chan struct{}, 1),
		one:     make(chan struct{}, 1),
	}
	if session == nil {
		return v
	}
	if asks := declared(session); string(asks) != "{}" {
		sum := sha256.Sum256(asks)
		v.asks = hex.EncodeToString(sum[:8])
	}
	for _, r := range session.Roots {
		v.where += "\x00" + r.Path
	}
	return v
}

// apart is the view of a session that has connections of its own, made when it is first wanted.
func (s *lists) apart(session *tool.Session) *view {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.views[session]; v != nil {
		return v
	}
	v := newView(s, session)
	if s.views != nil {
		s.views[session] = v
	}
	return v
}

// view is the one that a session's connection lists for.
func (s *lists) view(session *tool.Session) *view {
	if session == nil {
		return s.common
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.views[session]; v != nil {
		return v
	}
	return s.common
}

// all are the common one and those of sessions.
func (s *lists) all() []*view {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []*view{s.common}
	for _, v := range s.views {
		out = append(out, v)
	}
	return out
}

// every are the lists in use, and those remembered of sessions whose clients
// can be asked for more: they have tools that the common list has not.
func (s *lists) every() []*listing {
	var out []*listing
	for _, v := range s.all() {
		v.mu.Lock()
		if v.list != nil {
			out = append(out, v.list)
		}
		v.mu.Unlock()
	}
	if len(out) == 0 || s.o.CacheDir == "" {
		return out
	}
	files, _ := filepath.Glob(filepath.Join(s.o.CacheDir, "mcp-"+s.key+"-*.json")) // a fixed pattern
	for _, f := range files {
		if l := s.stored(filepath.Base(f)); l != nil && strings.HasPrefix(l.Where, s.cfg.Dir) {
			out = append(out, l)
		}
	}
	return out
}

// connected has those look who list over a connection that was made.
func (s *lists) connected(session *tool.Session, a *About) { s.view(session).connected(a) }

// changed tells those who list over a connection that the server's list may be another one.
func (s *lists) changed(session *tool.Session) { s.view(session).stale() }

// wasListed notes what reading the list took.
func (s *lists) wasListed(took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listedAt, s.listTook = time.Now(), took
}

// names are those of all the server's tools, chosen or not; false where no list is known.
func (s *lists) names() ([]string, bool) {
	l := s.common.current()
	if l == nil {
		l = s.common.recall()
	}
	if l == nil {
		return nil, false
	}
	var out []string
	for _, raw := range l.Tools {
		name, ok := rawjson.String(rawjson.Get(raw, "name"))
		if ok {
			out = append(out, name)
		}
	}
	return out, true
}

// forget forgets the views of sessions.
func (s *lists) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.views = nil
}

// Name is the server's.
func (v *view) Name() string { return v.cfg.Name }

// Close forgets the view. Its session's connection is the session's to end.
func (v *view) Close() error {
	v.of.mu.Lock()
	defer v.of.mu.Unlock()
	delete(v.of.views, v.session)
	return nil
}

// current is the list in use.
func (v *view) current() *listing {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.list
}

// change is that of one tool's definition in the list as it was last made into tools; nil: there is none.
func (v *view) change(tool string) *Change {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.changed[tool]
}

// listed tells whether there is a list in use.
func (v *view) listed() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.list != nil
}

// stale says that the list may have changed.
func (v *view) stale() {
	select {
	case v.dirt <- struct{}{}:
	default:
	}
}

// again has the next listing made from what was read last, without asking the
// server.
func (v *view) again() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.fresh = v.list != nil
}

// lastListed is when the list was read from the server last, and what that took.
func (s *lists) lastListed() (at time.Time, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.listedAt, s.listTook
}

// wrong is what was wrong with the definitions when they were last listed.
func (v *view) wrong() []Finding {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.findings)
}
