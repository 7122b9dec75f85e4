package server

import (
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"sync"
	"time"
)

// A Server offers the kits that open makes. Its methods are safe for concurrent
// use. Close it at the end.
type Server struct {
	open Open
	o    Options
	seal *sealer
	bufs spares
	// behind says that there may be servers behind this one, now or later: what
	// only they have is declared then.
	behind bool

	mu          sync.Mutex
	connections map[*connection]bool
	shared      map[conversationKey]*conversation // of clients without protocol sessions
	tasks       map[string]*task                  // by id
	closed      bool
	wg          sync.WaitGroup // connections, and conversations that are ending
}

// New makes a server. It starts nothing.
func New(open Open, o Options) *Server {
	if o.Name == "" {
		o.Name = "helve"
	}
	if o.Version == "" {
		o.Version = "dev"
	}
	if o.Idle <= 0 {
		o.Idle = DefaultIdle
	}
	if o.Gone <= 0 {
		o.Gone = goneTime
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	behind := o.Upstreams != nil
	if !behind {
		o.Upstreams = func() []Upstream { return nil }
	}
	if o.StateKey == nil {
		o.StateKey = make([]byte, 32)
		rand.Read(o.StateKey) // never fails
	}
	return &Server{
		open:        open,
		o:           o,
		seal:        newSealer(o.StateKey),
		behind:      behind,
		connections: map[*connection]bool{},
		shared:      map[conversationKey]*conversation{},
		tasks:       map[string]*task{},
	}
}

// Close ends every conversation, side by side, and returns when nothing is left of them.
func (s *Server) Close() error {
	s.mu.Lock()
	s.closed = true
	var connections []*connection
	for c := range s.connections {
		connections = append(connections, c)
	}
	var conversations []*conversation
	for _, c := range s.shared {
		conversations = append(conversations, c)
	}
	clear(s.shared)
	for _, t := range s.tasks {
		t.expires.Stop()
	}
	clear(s.tasks)
	s.mu.Unlock()
	var closing sync.WaitGroup // side by side: one that takes its time keeps no other
	for _, c := range connections {
		closing.Go(c.close)
	}
	for _, c := range conversations {
		closing.Go(c.close)
	}
	closing.Wait()
	s.wg.Wait()
	return nil
}

// info is how the server names itself.
func (s *Server) info() json.RawMessage {
	b, _ := json.Marshal(struct { // strings only
		Name    string `json:"name"`
		Title   string `json:"title,omitempty"`
		Version string `json:"version"`
	}{s.o.Name, s.o.Title, s.o.Version})
	return b
}

// ttl is for how many milliseconds a client may keep a list: a changed one is
// announced, but a client that does not listen should ask again soon.
func (s *Server) ttl() string {
	if s.o.Static {
		return "3600000"
	}
	return "30000"
}
