package console

import (
	"errors"
	"time"
)

// A page is one that is open, and what it was told already.
type page struct {
	news chan struct{} // holds one: there is something to tell
	sent uint64        // up to which revision it knows
	lost int           // calls that came and went between two messages
}

// ErrTooManyPages says that maxPages are open.
var ErrTooManyPages = errors.New("too many pages of the console are open: close one")

// open is a page that has loaded the state of a revision.
func (h *Hub) open(since uint64) (*page, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.pages) >= maxPages {
		return nil, ErrTooManyPages
	}
	p := &page{news: make(chan struct{}, 1), sent: since}
	p.news <- struct{}{} // what came between the state and now
	if h.pages == nil {
		h.pages = map[*page]bool{}
	}
	h.pages[p] = true
	return p, nil
}

func (h *Hub) leave(p *page) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.pages, p)
}

// Watched tells whether a page is open.
func (h *Hub) Watched() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.pages) > 0
}

// A batch is what has changed since a page heard last, or all that there is.
type batch struct {
	Rev       uint64         `json:"rev"`
	Begun     uint64         `json:"begun"` // calls since the program began
	Calls     []call         `json:"calls,omitempty"`
	Questions []questionView `json:"questions,omitempty"` // new ones
	Waiting   *[]string      `json:"waiting,omitempty"`   // the IDs of all that wait, where that changed
	Lost      int            `json:"lost,omitempty"`      // calls that the page never heard of to the end
	Behind    bool           `json:"behind,omitempty"`    // too much changed: load everything anew
	Notice    bool           `json:"notice,omitempty"`    // what is not calls or questions changed
	Problem   *string        `json:"problem,omitempty"`   // what is above every view, where something was noticed
}

// state is all that there is.
func (h *Hub) state() batch {
	h.mu.Lock()
	defer h.mu.Unlock()
	b := h.since(0)
	for _, r := range h.calls {
		b.Calls = append(b.Calls, r.shown())
	}
	return b
}

// news is what a page has not heard yet. Of a call that changed twice it hears once.
func (h *Hub) news(p *page) batch {
	h.mu.Lock()
	defer h.mu.Unlock()
	b := h.since(p.sent)
	for _, r := range h.calls {
		if r.Rev > p.sent {
			b.Calls = append(b.Calls, r.shown())
		}
	}
	b.Lost, p.lost = p.lost, 0
	if len(b.Calls) > maxChanged {
		b.Behind, b.Calls = true, nil
	}
	p.sent = h.rev
	return b
}

// since is what changed beside the calls. h.mu is held.
func (h *Hub) since(sent uint64) batch {
	b := batch{Rev: h.rev, Begun: h.begun, Notice: h.noticed > sent}
	if b.Notice {
		text := h.problem
		b.Problem = &text
	}
	if h.asked <= sent && sent > 0 {
		return b
	}
	ids := make([]string, 0, len(h.questions))
	for _, q := range h.questions {
		ids = append(ids, q.ID)
		if q.rev > sent {
			b.Questions = append(b.Questions, q.questionView)
		}
	}
	b.Waiting = &ids
	return b
}

// shown is a call as it is now. The hub's lock is held; what it points at never changes.
func (r *record) shown() call {
	c := r.call
	c.By = byWords(r.approver)
	if r.hasWord {
		c.Verdict = r.verdict.Decision.String()
		c.Why = clip(r.verdict.Why(), maxTitle)
	}
	return c
}

// A callDetail is what a page shows of one call when a person opens it.
type callDetail struct {
	call
	Args    string   `json:"args"`
	Result  string   `json:"result"`
	Line    string   `json:"line,omitempty"`
	Repairs []string `json:"repairs,omitempty"`
	Kept    bool     `json:"kept"` // false: arguments and results are left out here
}

// detail is everything that is kept of a call.
func (h *Hub) detail(n uint64) (callDetail, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.find(n)
	if r == nil {
		return callDetail{}, false
	}
	d := callDetail{
		call:    r.shown(),
		Args:    indented(r.args),
		Result:  r.result,
		Line:    r.line,
		Repairs: r.repairs,
		Kept:    !h.NoArgs && !r.Elsewhere,
	}
	return d, true
}

const (
	// pageEvery is the time between two messages to a page where there is no end to them: sooner than a person sees,
	// and so seldom that a thousand calls a second are some twenty-five messages.
	pageEvery = 40 * time.Millisecond
	// pageBurst is how many messages may follow each other without that: a call begins, waits and ends.
	pageBurst = 3
	// pageSettle is how long the first news waits for more: a call is understood, judged and begun within it.
	pageSettle = 2 * time.Millisecond
)

// A pace says when the next message to a page may go.
type pace struct {
	due time.Time // when all that were sent would have gone, pageEvery apart
}

// next is how long a message waits that could go now.
func (p *pace) next(now time.Time) time.Duration {
	wait := max(pageSettle, p.due.Add(-(pageBurst-1)*pageEvery).Sub(now))
	at := now.Add(wait)
	if p.due.Before(at) {
		p.due = at
	}
	p.due = p.due.Add(pageEvery)
	return wait
}
