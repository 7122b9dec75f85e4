package server

import (
	"context"
	"crypto/rand"
	"net/http"
	"sync"
	"time"
)

const ()

// An httpSession is a client of the older era between initialize and DELETE, or until it has been quiet for long.
type httpSession struct {
	h    *HTTP
	id   string
	peer *peer
	side sideStream
	idle *time.Timer
	kept tracks

	mu   sync.Mutex
	busy int
	over bool
}

func (h *HTTP) newSession(who, profile string) (*httpSession, *Error) {
	s := &httpSession{h: h, id: rand.Text()} // 130 bits
	s.kept.wait = h.o.Resume
	s.side = sideStream{s.kept.start(nil)}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.sessions) >= h.o.MaxSessions {
		return nil, errorf(codeBusy, "%d sessions are open: end one with DELETE, or come back later", len(h.sessions))
	}
	p, err := h.srv.join(&peer{id: s.id, principal: who, profile: profile, side: s.side})
	if err != nil {
		return nil, errorf(codeBusy, "%v", err)
	}
	s.peer = p
	s.idle = time.AfterFunc(h.srv.o.Idle, func() { s.expire() })
	h.sessions[s.id] = s
	return s, nil
}

// session is that of this principal at this path; another's is as none: who guesses an id must not learn that it is one.
func (h *HTTP) session(id, who, profile string) *httpSession {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.sessions[id]
	if s == nil || s.peer.principal != who || s.peer.profile != profile {
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
	s.peer.close()
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
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy++
	s.idle.Stop()
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.busy--; s.busy == 0 && !s.over {
			s.idle.Reset(s.h.srv.o.Idle)
		}
	}
}

func (s *httpSession) serve(q *http.Request, out *response, m *message) {
	defer s.use()()
	if s.resumes(m) {
		out.resume = &s.kept
	}
	s.peer.serveHTTP(q, out, m, s.h.drained)
}

// resumes tells whether the client knows how to come back to a stream.
func (s *httpSession) resumes(m *message) bool {
	s.peer.mu.Lock()
	defer s.peer.mu.Unlock()
	return m.Request() && s.peer.hello != nil && s.peer.hello.protocol >= resumable
}

// get is the stream of what belongs to no request, of which a client has one at a time, or with Last-Event-ID the one to which it comes
// back.
func (h *HTTP) get(w http.ResponseWriter, q *http.Request, who, profile string) {
	if !accepts(q).events {
		http.Error(w, "want Accept: text/event-stream", http.StatusNotAcceptable)
		return
	}
	if h.o.Stateless || q.Header.Get(headerSession) == "" {
		w.Header().Set("Allow", "POST")
		http.Error(w, "there is no stream without a session", http.StatusMethodNotAllowed)
		return
	}
	s := h.session(q.Header.Get(headerSession), who, profile)
	if s == nil {
		http.Error(w, "no such session", http.StatusNotFound)
		return
	}
	defer s.use()()
	t, after := s.kept.find(q.Header.Get(headerLast))
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
	case <-s.peer.life.Done():
	case <-h.drained:
	}
}

func (h *HTTP) delete(w http.ResponseWriter, q *http.Request, who, profile string) {
	s := h.session(q.Header.Get(headerSession), who, profile)
	if s == nil {
		http.Error(w, "no such session", http.StatusNotFound)
		return
	}
	h.end(s)
	w.WriteHeader(http.StatusNoContent)
}

// A sideStream carries what belongs to no request, and keeps some of it while no stream is open.
type sideStream struct{ *track }

func (s sideStream) send(_ context.Context, msg []byte) error {
	s.push(msg)
	return nil
}

func (s sideStream) reply(ctx context.Context, msg []byte) error { return s.send(ctx, msg) }
