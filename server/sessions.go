package server

import (
	"maps"
	"slices"
)

// Sessions are the IDs of the conversations with clients, those of clients without a protocol session, too.
func (h *HTTP) Sessions() []string {
	h.mu.Lock()
	out := slices.Collect(maps.Keys(h.sessions))
	h.mu.Unlock()
	h.srv.mu.Lock()
	defer h.srv.mu.Unlock()
	for _, c := range h.srv.shared {
		out = append(out, c.client.ID)
	}
	slices.Sort(out)
	return out
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
