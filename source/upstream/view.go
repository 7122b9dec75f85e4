package upstream

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"helve/internal/rpc"
	"helve/tool"
)

// A view is the server's list as one session sees it, or as all sessions do
// whose clients can be asked nothing: what a server lists may depend on what
// its client can be asked for, and on its roots.
type view struct {
	src     *Source
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

func newView(s *Source, session *tool.Session) *view {
	v := &view{
		src:     s,
		session: session,
		where:   s.cfg.Dir,
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

// For is the server as a session sees it that has connections of its own: listed
// over that session's connection, with what its client can be asked for. nil
// where the session shares the common list, which is the Source itself. A
// registry that it is attached to closes it; the Source outlives it.
func (s *Source) For(session *tool.Session) tool.Source {
	if !s.separate(session) {
		return nil
	}
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

// separate tells that a session has connections of its own.
func (s *Source) separate(session *tool.Session) bool {
	return session != nil && (s.cfg.Share == shareNever || private(session))
}

// viewOf is the view that a session's connection lists for.
func (s *Source) viewOf(session *tool.Session) *view {
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

// allViews are the common one and those of sessions.
func (s *Source) allViews() []*view {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []*view{s.common}
	for _, v := range s.views {
		out = append(out, v)
	}
	return out
}

// Name is the server's.
func (v *view) Name() string { return v.src.cfg.Name }

// Close forgets the view. Its session's connection is the session's to end.
func (v *view) Close() error {
	v.src.mu.Lock()
	defer v.src.mu.Unlock()
	delete(v.src.views, v.session)
	return nil
}

// Tools lists the server's tools. The first listing takes the remembered list,
// if there is one, and starts nothing; it is ErrAway for a server that did not
// answer in its time shortly before. Each later one asks the server. A server
// that is not ready when ctx is done goes on starting, and a Watch tells when it
// is.
func (v *view) Tools(ctx context.Context) ([]tool.Tool, error) {
	if v.src.loops() { // what is remembered of it is what this process lists
		return nil, fmt.Errorf("mcp server %s: %w", v.src.cfg.Name, errLoop)
	}
	v.mu.Lock()
	first, fresh := !v.asked, v.fresh
	v.asked, v.fresh = true, false
	l := v.list
	v.mu.Unlock()
	if fresh {
		return v.tools(l), nil
	}
	if first && l == nil && !v.src.o.Fresh {
		if l = v.recall(); l != nil {
			v.take(l)
			if v.src.cfg.Eager && v.session == nil {
				v.stale()
			}
			return v.tools(l), nil
		}
		most, err := v.src.away(ctx)
		if err != nil {
			return nil, err
		}
		if most > 0 {
			var stop func()
			ctx, stop = context.WithTimeout(ctx, most)
			defer stop()
		}
	}
	l, err := v.read(ctx)
	if err != nil {
		return nil, err
	}
	return v.tools(l), nil
}

// take makes a listing the one in use. What a connection said of the server is
// newer than what is remembered.
func (v *view) take(l *listing) {
	v.mu.Lock()
	v.list = l
	v.mu.Unlock()
	v.src.mu.Lock()
	defer v.src.mu.Unlock()
	if v.src.about == nil {
		a := l.About
		v.src.about = &a
	}
}

// read asks the server for its list and remembers it.
func (v *view) read(ctx context.Context) (*listing, error) {
	select {
	case v.one <- struct{}{}:
		defer func() { <-v.one }()
	case <-ctx.Done():
		return nil, v.src.late(ctx.Err())
	}
	v.reading.Store(true)
	defer v.reading.Store(false)
	var l *listing
	known, typical := false, false
	start := time.Now()
	try := v.src.book().Try()
	err := v.src.with(ctx, v.session, func(c *conn) (err error) {
		l, known, err = c.relay.read(ctx, v, c)
		typical = c.typical()
		return err
	})
	v.src.ended(ctx, try, err)
	if err != nil {
		return nil, v.src.late(err)
	}
	v.take(l)
	if !known && typical {
		v.memorize(l)
	}
	if !known {
		v.src.wasListed(time.Since(start))
	}
	return l, nil
}

// ask reads the list over a connection.
func (v *view) ask(ctx context.Context, c *conn) (*listing, error) {
	ctx, stop := context.WithTimeout(ctx, v.src.givenUp())
	defer stop()
	l := &listing{Server: v.src.key, Where: v.where, About: c.about, At: time.Now()}
	silent := false // it declares nothing at all: it may have tools all the same
	if !c.about.can("tools") && c.about.Capabilities != nil {
		if silent = string(c.about.Capabilities) == "{}"; !silent {
			return l, nil
		}
	}
	p, err := c.all(ctx, "tools/list", "tools")
	refusal, refused := errors.AsType[*RPCError](err)
	if refused && silent && refusal.Code == rpc.CodeMethodNotFound {
		return l, nil
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("it shook hands, and %w within %v", errSlow, v.src.givenUp())
	}
	if err != nil {
		return nil, fmt.Errorf("mcp server %s: tools/list: %w", v.src.cfg.Name, err)
	}
	if p.note != "" {
		v.src.warn(p.note)
	}
	l.Tools = p.items
	return l, nil
}

// connected looks whether what is listed may be of another server than the one
// that a new connection leads to: another version of it, or the same elsewhere.
func (v *view) connected(a *About) {
	if v.reading.Load() {
		return
	}
	v.mu.Lock()
	l, asked := v.list, v.asked
	v.mu.Unlock()
	if l == nil {
		if asked { // those who listed it have left
			v.stale()
		}
		return
	}
	same := l.About.Name == a.Name && l.About.Version == a.Version && sameJSON(l.About.Capabilities, a.Capabilities)
	if !same || l.Where != v.where {
		v.stale()
	}
}

// sameJSON compares what one server says at two times: bytes, but for space.
func sameJSON(a, b json.RawMessage) bool {
	return strings.Join(strings.Fields(string(a)), "") == strings.Join(strings.Fields(string(b)), "")
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

// Watch follows the server until ctx is done: it reads the list again when the
// server says that it changed, or when it was not ready before, and calls
// changed when it is another one.
func (v *view) Watch(ctx context.Context, changed func()) {
	damp := damper{}
	retry := retryMin
	for first := true; ; first = false {
		var again <-chan time.Time
		if v.lacking() {
			again = time.After(v.untilTried(first, retry))
		}
		select {
		case <-ctx.Done():
			return
		case <-v.src.life.Done():
			return
		case <-v.dirt:
			if !damp.wait(ctx, v.dirt) {
				return
			}
		case <-again:
			if v.src.book().Away() != nil {
				continue
			}
		}
		if v.refresh(ctx, changed) == nil {
			retry = retryMin
		} else {
			retry = min(2*retry, retryMax)
		}
	}
}

// untilTried is how long to wait before a server that is not there is looked at again: one that was known to be away
// when it was followed first, and may be tried again, at once.
func (v *view) untilTried(first bool, retry time.Duration) time.Duration {
	known := v.src.book().Known()
	switch {
	case known == nil:
		return retry
	case !known.Due(time.Now()):
		return lookEvery
	case first:
		return 0
	}
	return retry
}

// lacking tells that a server should be up, or listed, and is not.
func (v *view) lacking() bool {
	v.mu.Lock()
	listed, asked := v.list != nil, v.asked
	v.mu.Unlock()
	if !listed {
		return asked
	}
	if !v.src.cfg.Eager || v.session != nil {
		return false
	}
	up, _ := v.src.Up()
	return !up
}

// refresh reads the list and tells of it if it is another one.
func (v *view) refresh(ctx context.Context, changed func()) error {
	ctx, stop := context.WithTimeout(ctx, v.src.givenUp())
	defer stop()
	after, err := v.read(ctx)
	if err != nil {
		if v.src.o.Log != nil && ctx.Err() == nil { // a server that stays away would be told of again and again
			v.src.o.Log.Info("the list could not be read", "server", v.src.cfg.Name, "error", err)
		}
		return err
	}
	defs, _ := v.src.definitions(after)
	now := signature(after, v.src.compare(byName(defs), true))
	v.mu.Lock()
	same := v.told == now
	v.fresh = !same
	v.mu.Unlock()
	if !same {
		changed()
	}
	return nil
}

// tools makes tools of a list, by name.
func (v *view) tools(l *listing) []tool.Tool {
	out, bad, changes := v.src.make(l, l.recalled && l.Where != v.where)
	v.mu.Lock()
	v.findings, v.changed, v.told = bad, changes, signature(l, changes)
	v.mu.Unlock()
	v.src.tell(bad, l.recalled)
	return out
}

// again has the next listing made from what was read last, without asking the
// server.
func (v *view) again() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.fresh = v.list != nil
}
