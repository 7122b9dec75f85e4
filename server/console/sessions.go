package console

import (
	"sort"
	"time"

	"helve/tool"
)

// maxSessions bounds the sessions that a hub knows, as many as the calls: each may be of another one.
const maxSessions = maxCalls

// A Seen session is one that calls were made in.
type Seen struct {
	Session     *tool.Session
	First, Last time.Time // of its calls
	Calls       int
}

// saw notes the session of a call. h.mu is held.
func (h *Hub) saw(r *record) {
	if r.session == nil {
		return
	}
	s := h.sessions[r.session]
	if s == nil {
		if h.sessions == nil {
			h.sessions = map[*tool.Session]*Seen{}
		}
		if len(h.sessions) >= maxSessions {
			h.dropSession()
		}
		s = &Seen{Session: r.session, First: r.Time}
		h.sessions[r.session] = s
	}
	s.Last = r.Time
	s.Calls++
}

// dropSession forgets the session that has been quiet for longest. h.mu is held.
func (h *Hub) dropSession() {
	var oldest *Seen
	for _, s := range h.sessions {
		if oldest == nil || s.Last.Before(oldest.Last) {
			oldest = s
		}
	}
	delete(h.sessions, oldest.Session)
}

// Sessions are those that calls were made in, the last one first: the last 500 of them.
func (h *Hub) Sessions() []Seen {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make([]Seen, 0, len(h.sessions))
	for _, s := range h.sessions {
		out = append(out, *s)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Last.After(out[j].Last) })
	return out
}
