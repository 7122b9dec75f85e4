package server

import (
	"context"
	"crypto/rand"
	"net/http"
	"sync"
	"time"
)

const (
	// maxWaiting is how many messages wait for a client that has no stream open; the oldest are dropped.
	maxWaiting = 64
)

// An httpSession is a client of the older era between initialize and DELETE, or until it has been quiet for long.
type httpSession struct {
	h    *HTTP
	id   string
	peer *peer
	side *sideStream
	idle *time.Timer

	mu   sync.Mutex
	busy int
	over bool
}

func (h *HTTP) newSession(who, profile string) (*httpSession, *Error) {
	s := &httpSession{h: h, id: rand.Text(), side: &sideStream{}} // 130 bits
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
	s.peer.serveHTTP(q, out, m, s.h.drained)
}

// get is the stream of what belongs to no request. A client has one at a time.
func (h *HTTP) get(w http.ResponseWriter, q *http.Request, who, profile string) {
	if _, events := accepts(q); !events {
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
	out := newResponse(w, false, true, h.o.Alive)
	if !s.side.open(out) {
		http.Error(w, "a stream of this session is open already", http.StatusConflict)
		return
	}
	out.begin()
	defer out.end()
	defer s.side.close()
	select {
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
type sideStream struct {
	mu      sync.Mutex
	out     *response
	waiting [][]byte
}

func (s *sideStream) open(out *response) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.out != nil {
		return false
	}
	s.out = out
	out.mu.Lock()
	out.start()
	out.write([]byte(": open\n\n")) // proxies pass the headers on with the first bytes
	out.mu.Unlock()
	for _, m := range s.waiting {
		out.send(context.Background(), m) // a client that is gone comes back without them
	}
	s.waiting = nil
	return true
}

func (s *sideStream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out = nil
}

func (s *sideStream) send(ctx context.Context, msg []byte) error {
	s.mu.Lock()
	out := s.out
	if out == nil {
		if s.waiting = append(s.waiting, msg); len(s.waiting) > maxWaiting {
			s.waiting = s.waiting[1:]
		}
	}
	s.mu.Unlock()
	if out == nil {
		return nil
	}
	return out.send(ctx, msg)
}

func (s *sideStream) reply(ctx context.Context, msg []byte) error { return s.send(ctx, msg) }
