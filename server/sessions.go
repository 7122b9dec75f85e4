package server

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"
)

// A Session is a conversation with a client that is open.
type Session struct {
	ID        string
	Principal string
	Client    string    // the name that it gives itself; "": it has not said one yet
	Since     time.Time // that it began
}

// Sessions are the conversations with clients, those of clients without a protocol session, too, the oldest first.
func (h *HTTP) Sessions() []Session {
	h.mu.Lock()
	own := slices.Collect(maps.Values(h.sessions))
	h.mu.Unlock()
	out := make([]Session, 0, len(own))
	for _, s := range own {
		out = append(out, Session{ID: s.id, Principal: s.conn.conf.principal, Client: s.conn.name(), Since: s.began})
	}
	h.srv.mu.Lock()
	for _, c := range h.srv.shared {
		out = append(out, Session{ID: c.client.ID, Principal: c.client.Principal, Client: c.client.Name, Since: c.began})
	}
	h.srv.mu.Unlock()
	sort.SliceStable(out, func(i, j int) bool {
		a, b := out[i], out[j]
		return cmp.Or(a.Since.Compare(b.Since), strings.Compare(a.ID, b.ID)) < 0
	})
	return out
}

// name is what the client calls itself; "": it has not said so.
func (c *connection) name() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.client == nil {
		return ""
	}
	return c.client.name
}

// End ends the conversation of an ID: its calls are cancelled, and its session is closed with all that it holds. The
// client may begin another one. It tells whether there was one.
func (h *HTTP) End(id string) bool {
	h.mu.Lock()
	s := h.sessions[id]
	h.mu.Unlock()
	if s != nil {
		h.end(s)
		return true
	}
	return h.srv.endShared(id)
}

// endShared ends a conversation that belongs to no connection.
func (s *Server) endShared(id string) bool {
	s.mu.Lock()
	var found *conversation
	for key, c := range s.shared {
		if c.client.ID == id {
			delete(s.shared, key)
			found = c
			s.wg.Add(1)
		}
	}
	s.mu.Unlock()
	if found == nil {
		return false
	}
	defer s.wg.Done()
	found.close()
	return true
}
