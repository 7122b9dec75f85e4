package server

import (
	"context"
	"crypto/rand"
	"net/http"
	"sync"
	"time"

	"helve/internal/rpc"
)

// An httpSession is a client of the session protocol between initialize and
// DELETE, or until it has been quiet for long.
type httpSession struct {
	h     *HTTP
	id    string
	began time.Time
	conn  *connection
	side  sideStream
	idle  *time.Timer
	kept  tracks
	seen  presence

	mu   sync.Mutex
	busy int
	over bool
}

// newSession opens a session for an initialize. Sessions are bounded, as each may
// hold processes and connections.
func (h *HTTP) newSession(who, profile string) (*httpSession, *rpc.Error) {
	s := &httpSession{h: h, began: time.Now(), id: rand.Text()} // 130 bits: nobody guesses it
	s.kept.wait = h.o.Resume
	s.side = sideStream{s.kept.start(nil)}
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := len(h.sessions); n >= h.o.MaxSessions {
		return nil, rpc.Errorf(
			rpc.CodeBusy,
			"%d sessions are open: end one with DELETE, or come back later",
			n,
		)
	}
	c, err := h.srv.connect(connect{id: s.id, principal: who, profile: profile}, s.side)
	if err != nil {
		return nil, rpc.Errorf(rpc.CodeBusy, "%v", err)
	}
	s.conn = c
	s.seen.after, s.seen.tell = h.srv.o.Gone, c.there
	s.idle = time.AfterFunc(h.srv.o.Idle, s.expire)
	h.sessions[s.id] = s
	return s, nil
}

// session is that of this principal at this path. Another's is as none: who
// guesses an id must not learn that it is one.
func (h *HTTP) session(id, who, profile string) *httpSession {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.sessions[id]
	if s == nil || s.conn.conf.principal != who || s.conn.conf.profile != profile {
		return nil
	}
	return s
}

// end closes a session.
func (h *HTTP) end(s *httpSession) {
	h.mu.Lock()
	delete(h.sessions, s.id)
	h.mu.Unlock()
	s.mu.Lock()
	s.over = true
	s.idle.Stop()
	s.mu.Unlock()
	s.seen.end()
	s.conn.close()
}

// expire ends a session that nobody used.
func (s *httpSession) expire() {
	s.mu.Lock()
	busy := s.busy > 0 || s.over
	s.mu.Unlock()
	if !busy {
		s.h.end(s)
	}
}

// use keeps the session from expiring until the returned function is called.
func (s *httpSession) use() (done func()) {
	s.seen.come()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy++
	s.idle.Stop()
	return func() {
		s.seen.leave()
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.busy--; s.busy == 0 && !s.over {
			s.idle.Reset(s.h.srv.o.Idle)
		}
	}
}

func (s *httpSession) serve(q *http.Request, out *response, m *rpc.Message) {
	defer s.use()()
	if m.Request() && s.conn.protocol() >= resumable {
		out.resume = &s.kept
	}
	s.conn.serveHTTP(q, out, m, s.h.drained)
}

// get is the stream of what belongs to no request, of which a client has one at
// a time, or with Last-Event-ID the one to which it comes back.
func (h *HTTP) get(w http.ResponseWriter, q *http.Request, who, profile string) {
	if !accepts(q).events {
		http.Error(w, "want Accept: text/event-stream", http.StatusNotAcceptable)
		return
	}
	if h.o.Stateless || q.Header.Get(rpc.HeaderSession) == "" {
		w.Header().Set("Allow", "POST")
		http.Error(w, "there is no stream without a session", http.StatusMethodNotAllowed)
		return
	}
	s := h.session(q.Header.Get(rpc.HeaderSession), who, profile)
	if s == nil {
		http.Error(w, "no such session", http.StatusNotFound)
		return
	}
	defer s.use()()
	t, after := s.kept.find(q.Header.Get(rpc.HeaderLast))
	if t == nil { // nothing to come back to, or no longer
		t, after = s.side.track, -1
	}
	out := newResponse(w, taken{events: true}, h.o.Alive)
	if !t.attach(out, after) {
		http.Error(w, "a stream of this session is open already", http.StatusConflict)
		return
	}
	out.begin()
	defer out.end()
	defer t.detach(out)
	select {
	case <-t.ended:
	case <-q.Context().Done():
		s.seen.lost()
	case <-s.conn.Done():
	case <-h.drained:
	}
}

func (h *HTTP) delete(w http.ResponseWriter, q *http.Request, who, profile string) {
	s := h.session(q.Header.Get(rpc.HeaderSession), who, profile)
	if s == nil {
		http.Error(w, "no such session", http.StatusNotFound)
		return
	}
	h.end(s)
	w.WriteHeader(http.StatusNoContent)
}

// A sideStream carries what belongs to no request, and keeps some of it while
// no stream is open.
type sideStream struct{ *track }

var _ rpc.Out = sideStream{}

func (s sideStream) Send(_ context.Context, m *rpc.Message) error {
	s.push(m)
	return nil
}

func (s sideStream) Answer(ctx context.Context, m *rpc.Message) error { return s.Send(ctx, m) }
