package console

import (
	"time"

	"helve/tool"
)

// A Past is a call that another process made, as its record says.
type Past struct {
	Time           time.Time
	Name           string // as it was called
	Source, Kind   string
	Title          string
	Parent, Family string // as its record has them
	Session        string
	Principal      string
	Effects        []tool.Effect
	State          State
	Verdict, Why   string
	Approver       tool.Approver
	Error, Message string  // the code of its error, and its words
	Took, Waited   float64 // milliseconds, the second of them for an answer
	In, Out        int     // bytes
}

// Recorded shows a call that another process made among those of this one. Neither arguments nor results are known of
// it.
func (h *Hub) Recorded(p Past) {
	r := &record{approver: p.Approver}
	r.Time = p.Time.UTC()
	r.Name, r.Source, r.Kind = clip(p.Name, maxTitle), clip(p.Source, maxTitle), p.Kind
	r.Title, r.Parent, r.Family = clip(p.Title, maxTitle), clip(p.Parent, maxTitle), clip(p.Family, maxTitle)
	r.Session, r.Principal = clip(p.Session, maxTitle), clip(p.Principal, maxTitle)
	r.Effects = p.Effects[:min(len(p.Effects), maxEffects)]
	r.More = len(p.Effects) - len(r.Effects)
	r.State, r.Verdict, r.Why = p.State, p.Verdict, clip(p.Why, maxTitle)
	r.Error, r.Message = p.Error, clip(p.Message, maxTitle)
	r.Took, r.Waited, r.In, r.Out = p.Took+p.Waited, p.Waited, p.In, p.Out
	r.Elsewhere = true
	h.mu.Lock()
	defer h.mu.Unlock()
	h.add(r)
}

// add takes a new call in. h.mu is held.
func (h *Hub) add(r *record) {
	h.begun++
	r.N = h.begun
	if len(h.calls) >= maxCalls {
		h.forget()
	}
	h.calls = append(h.calls, r)
	h.changed(r)
}
