package console

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"helve/tool"
)

const (
	// maxCalls is how many calls a hub keeps: more than a person scrolls through, less than 8 MiB with all texts.
	maxCalls = 500
	// maxPages bounds the pages that are open at a time: each costs an encoding of every change.
	maxPages = 20
	// maxChanged is how many changed calls one message has: a page that is further behind loads everything anew.
	maxChanged = 256
)

// A Hub knows of every call that passes it and of the questions that wait for an answer. The zero value is ready. Its
// methods are safe for concurrent use; its fields are set before the first call.
type Hub struct {
	// Offers are the rules that a lasting yes to a job may carry, the narrowest first, as policy.Grants.Offers has
	// them. nil: a yes holds once or for the session.
	Offers func(*tool.Job) []string

	// Wait is how long a question waits before the Asker behind the hub is asked, or where there is none before it
	// counts as one that nobody was asked. 0: DefaultWait if there is one behind it, else until the call ends.
	Wait time.Duration

	// NoArgs leaves arguments and results of calls out: they may hold secrets. Questions have theirs all the same.
	NoArgs bool

	mu        sync.Mutex
	rev       uint64    // rises with every change
	begun     uint64    // calls so far
	calls     []*record // the last maxCalls, oldest first
	sessions  map[*tool.Session]*Seen
	questions []*question
	asked     uint64 // rev of the last question that came or went
	noticed   uint64 // rev of the last Notice
	problem   string // above every view
	pages     map[*page]bool
}

// DefaultWait is how long an open page has for an answer before the client's own way of asking is used: a person who
// looks at something else comes back meanwhile.
const DefaultWait = 5 * time.Minute

// callKey is the context key of a call's record.
type callKey struct{}

// Around is the middleware that sees the calls. It should be the outermost, so that it sees refusals, too.
func (h *Hub) Around(next tool.Caller) tool.Caller {
	return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		own, stop := context.WithCancel(ctx)
		defer stop()
		r := h.begin(c, stop)
		call := *c
		call.Progress = func(p tool.Progress) {
			h.progress(r, p)
			if c.Progress != nil {
				c.Progress(p)
			}
		}
		ended := false
		defer func() {
			if !ended { // a panic, which goes on
				h.end(r, nil, errPanic)
			}
		}()
		res, err := next(context.WithValue(own, callKey{}, r), &call)
		if err != nil && ctx.Err() == nil && own.Err() != nil { // the caller goes on
			res, err = tool.Fail(tool.ErrorOf(tool.Cancelled, c.Name, "cancelled at the console")), nil
		}
		ended = true
		h.end(r, res, err)
		return res, err
	}
}

var errPanic = errors.New("a panic")

// Watch is for tool.KitOptions.Watch of the same kit.
func (h *Hub) Watch(ctx context.Context, e tool.Event) {
	r, _ := ctx.Value(callKey{}).(*record)
	if r == nil { // a call that did not pass Around
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch e.Step {
	case tool.Understood:
		r.understood(e.Job)
	case tool.Judged:
		r.judged(e.Verdict)
	case tool.Asked:
		r.State = Asking
	case tool.Answered:
		r.answered(e.Answer)
	case tool.Began:
		r.State, r.approver = Running, e.Approver
	}
	h.changed(r)
}

// begin notes a call. One that its client was asked about goes on in the record that it has.
func (h *Hub) begin(c *tool.Call, stop context.CancelFunc) *record {
	fresh := newRecord(c, stop, h.NoArgs)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.saw(fresh)
	if r := h.earlier(fresh, c); r != nil {
		r.stop, r.State = stop, Running
		h.changed(r)
		return r
	}
	h.add(fresh)
	return fresh
}

// earlier is the call that this one is a further round of; nil: it is none. h.mu is held.
func (h *Hub) earlier(fresh *record, c *tool.Call) *record {
	if c.Resume == nil {
		return nil
	}
	for _, r := range slices.Backward(h.calls) {
		same := r.session == fresh.session && r.Name == fresh.Name && r.In == fresh.In && r.args == fresh.args
		if same && r.State == WithClient {
			return r
		}
	}
	return nil
}

// forget lets the oldest call go, and tells pages that have not heard the last of it. h.mu is held.
func (h *Hub) forget() {
	oldest := h.calls[0]
	h.calls[0] = nil
	h.calls = h.calls[1:]
	for p := range h.pages {
		if oldest.Rev > p.sent {
			p.lost++
		}
	}
}

func (h *Hub) progress(r *record, p tool.Progress) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r.Progress = &progress{Done: p.Done, Total: p.Total, Message: clip(p.Message, maxTitle)}
	h.changed(r)
}

func (h *Hub) end(r *record, res *tool.Result, err error) {
	text := ""
	if res != nil && !h.NoArgs {
		text = resultText(res)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	r.ended(res, err)
	r.result = text
	h.changed(r)
}

// changed notes that a call is another, and wakes the pages. h.mu is held.
func (h *Hub) changed(r *record) {
	h.rev++
	r.Rev = h.rev
	h.wake()
}

// wake has every page look for news. h.mu is held.
func (h *Hub) wake() {
	for p := range h.pages {
		select {
		case p.news <- struct{}{}:
		default: // it looks soon, and finds this, too
		}
	}
}

// Notice tells the pages that what Options.Data says is no longer what it was, such as the list of tools.
func (h *Hub) Notice() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.rev++
	h.noticed = h.rev
	h.wake()
}

// Problem has the pages show a text above every view, until it is called with another one. "" takes it away.
func (h *Hub) Problem(text string) {
	text = clip(text, maxText)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.problem == text {
		return
	}
	h.problem = text
	h.rev++
	h.noticed = h.rev
	h.wake()
}

// Stop cancels a call that runs. It tells whether there was one with this number.
func (h *Hub) Stop(n uint64) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.find(n)
	if r == nil || r.State.over() || r.State == WithClient {
		return false
	}
	r.stop()
	return true
}

// find is the call of a number; nil: it was forgotten, or there is none. h.mu is held.
func (h *Hub) find(n uint64) *record {
	i, ok := slices.BinarySearchFunc(h.calls, n, func(r *record, n uint64) int {
		switch {
		case r.N < n:
			return -1
		case r.N > n:
			return 1
		}
		return 0
	})
	if !ok {
		return nil
	}
	return h.calls[i]
}
