package server

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"helve/tool"
)

// maxRooms bounds the conversations of clients without protocol sessions.
const maxRooms = 1000

// A roomKey tells conversations without a protocol session apart: one token and profile, and clients that can be asked for the same.
type roomKey struct{ principal, profile, capabilities string }

// A room is one conversation: its kit, its session, what was listed, what runs.
type room struct {
	srv    *Server
	key    *roomKey // nil: the room of one peer
	client Client

	opening sync.Mutex
	kit     *tool.Kit // nil before it is open
	session *tool.Session
	lists   lists
	routes  routes

	life context.Context
	end  context.CancelFunc
	wg   sync.WaitGroup // the watch, parked calls

	mu        sync.Mutex
	active    []*request // those that may be asked about, oldest first
	listeners map[*listener]bool
	parked    map[string]*run
	users     int // peers
	idle      *time.Timer
	closed    bool
}

func (s *Server) newRoom(p *peer, h *hello) *room {
	r := &room{srv: s, listeners: map[*listener]bool{}, parked: map[string]*run{}}
	r.life, r.end = context.WithCancel(context.Background())
	r.client = Client{ID: p.id, Principal: p.principal, Profile: p.profile, Name: h.name, Version: h.version, Protocol: h.protocol,
		Capabilities: h.capabilities, Back: r.back}
	if r.client.ID == "" {
		r.client.ID = rand.Text()
	}
	return r
}

// roomFor is the room of a peer that has none yet: its own, or for a client without a protocol session the one that it shares with
// itself. The caller holds p.mu.
func (s *Server) roomFor(p *peer, h *hello) *room {
	if !p.shared {
		r := s.newRoom(p, h)
		r.enter(p)
		return r
	}
	key := roomKey{p.principal, p.profile, string(h.capabilities)}
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.rooms[key]
	if r == nil {
		s.evict()
		r = s.newRoom(p, h)
		r.key = &key
		if !s.closed { // the peer closes the room itself otherwise
			s.rooms[key] = r
		}
	}
	r.enter(p)
	return r
}

// evict makes place for one more room by ending one that nobody uses. s.mu is held.
func (s *Server) evict() {
	if len(s.rooms) < maxRooms {
		return
	}
	for k, r := range s.rooms {
		r.mu.Lock()
		unused := r.users == 0 && len(r.parked) == 0
		r.mu.Unlock()
		if unused {
			delete(s.rooms, k)
			s.wg.Go(r.close)
			return
		}
	}
}

func (r *room) enter(*peer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.users++
	if r.idle != nil {
		r.idle.Stop()
		r.idle = nil
	}
}

// leave lets a room without users end after a while.
func (r *room) leave(*peer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.users--
	if r.users == 0 && r.key != nil && !r.closed {
		r.idle = time.AfterFunc(r.srv.o.Idle, r.expire)
	}
}

func (r *room) expire() {
	r.srv.mu.Lock()
	r.mu.Lock()
	busy := r.users > 0 || r.closed || r.srv.rooms[*r.key] != r
	r.mu.Unlock()
	if !busy {
		delete(r.srv.rooms, *r.key)
		r.srv.wg.Add(1)
	}
	r.srv.mu.Unlock()
	if !busy {
		defer r.srv.wg.Done()
		r.close()
	}
}

// ready opens the kit, once.
func (r *room) ready(ctx context.Context) error {
	r.opening.Lock()
	defer r.opening.Unlock()
	if r.kit != nil {
		return nil
	}
	if r.life.Err() != nil {
		return errGone
	}
	kit, session, err := r.srv.open(ctx, r.client)
	if err != nil {
		return err
	}
	if session == nil {
		session = &tool.Session{ID: r.client.ID, Principal: r.client.Principal, Capabilities: r.client.Capabilities, Back: r.client.Back}
	}
	r.kit, r.session = kit, session
	if !r.srv.o.Static {
		seen := r.listing().digest
		r.wg.Go(func() { r.watch(seen) })
	}
	return nil
}

// close ends the conversation: what is parked is cancelled, the session closed.
func (r *room) close() {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return
	}
	r.closed = true
	if r.idle != nil {
		r.idle.Stop()
	}
	r.mu.Unlock()
	r.end()
	r.wg.Wait()
	r.opening.Lock()
	defer r.opening.Unlock()
	if r.session != nil {
		if err := r.session.Close(); err != nil {
			r.srv.o.Log.Warn("close a session", "error", err)
		}
	}
}

// begin notes that a request is the one that an upstream's question is about; the returned function takes that back.
func (r *room) begin(q *request) func() {
	r.mu.Lock()
	r.active = append(r.active, q)
	r.mu.Unlock()
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if i := slices.Index(r.active, q); i >= 0 {
			r.active = slices.Delete(r.active, i, i+1)
		}
	}
}

// back is Session.Back. A question of a tool knows its request by the context. One of an upstream does not: servers of the older era
// do not say which call they ask about, so it belongs to the newest one.
func (r *room) back(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	q, _ := ctx.Value(requestKey{}).(*request)
	if q == nil || q.live != r {
		r.mu.Lock()
		if n := len(r.active); n > 0 {
			q = r.active[n-1]
		}
		r.mu.Unlock()
	}
	if strings.HasPrefix(method, notificationsPrefix) {
		return nil, r.pass(ctx, q, method, params)
	}
	what, _, _ := strings.Cut(method, "/")
	if !capable(r.client.Capabilities, what) {
		return nil, errorf(codeMethodNotFound, "the client cannot be asked for %s", what)
	}
	switch {
	case q == nil:
		return nil, errNobody
	case q.modern:
		return q.putBack(ctx, method, params)
	}
	return q.peer.ask(ctx, q.out, method, params)
}

// pass sends a notification on, if the client wants it.
func (r *room) pass(ctx context.Context, q *request, method string, params json.RawMessage) error {
	if q == nil {
		return errNobody
	}
	if method == "notifications/message" && !q.wantsLog(params) {
		return nil
	}
	return q.peer.tell(ctx, q.out, method, params)
}
