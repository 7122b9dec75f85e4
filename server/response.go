package server

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"helve/internal/rpc"
)

// A response is the answer to one POST: plain JSON if nothing comes before the
// result, else a stream of events.
type response struct {
	w      http.ResponseWriter
	rc     *http.ResponseController
	takes  taken
	head   http.Header // of the request
	era    era         // the protocol that it is in
	resume *tracks     // of the session: the client can come back to the stream; nil: it cannot
	give   func()      // gives the call up

	mu     sync.Mutex
	stream bool // events have been sent
	track  *track
	done   bool
	alive  *time.Timer
	every  time.Duration
}

var _ rpc.Out = (*response)(nil)

// A taken is what a client takes as an answer.
type taken struct {
	plain, events bool
	first         bool // events rather than plain: they are named first
}

func newResponse(w http.ResponseWriter, takes taken, alive time.Duration) *response {
	return &response{w: w, rc: http.NewResponseController(w), era: sessionEra{}, takes: takes, every: alive}
}

// streamAfter is after how long an answer that is not there yet becomes a
// stream to which its client can come back.
const streamAfter = time.Second

// begin lets the client hear that the server lives, until end.
func (r *response) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.takes.events {
		return
	}
	soon := r.every
	if r.resume != nil {
		soon = min(soon, streamAfter)
		if r.takes.first {
			r.start()
		}
	}
	r.alive = time.AfterFunc(soon, r.live)
}

// live shows a client that waits for long that the server is there.
func (r *response) live() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done {
		return
	}
	r.start()
	r.write([]byte(": alive\n\n"))
	if r.alive != nil {
		r.alive.Reset(r.every)
	}
}

// start makes it a stream. r.mu is held.
func (r *response) start() {
	if r.stream {
		return
	}
	r.stream = true
	startEvents(r.w)
	if r.resume != nil {
		r.track = r.resume.start(r.give)
		r.track.out = r
		r.write(r.track.opening())
	}
}

// kept is the track of the stream; nil: it has none, or has not begun.
func (r *response) kept() *track {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.track
}

// open makes it a stream at once: proxies pass the headers on with the first
// bytes.
func (r *response) open() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.start()
	r.write([]byte(": open\n\n"))
}

// put writes events that are framed already.
func (r *response) put(events []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done {
		return errGone
	}
	return r.write(events)
}

func startEvents(w http.ResponseWriter) {
	head := w.Header()
	head.Set("Content-Type", "text/event-stream")
	head.Set("Cache-Control", "no-cache, no-transform")
	head.Set("X-Accel-Buffering", "no") // nginx would hold the events back
	w.WriteHeader(http.StatusOK)
}

// write sends what is there, in its time. r.mu is held.
func (r *response) write(b []byte) error {
	r.rc.SetWriteDeadline(time.Now().Add(writeTime)) // not every ResponseWriter can; http.Server's do
	if _, err := r.w.Write(b); err != nil {
		return errGone
	}
	return r.rc.Flush()
}

// Send sends what comes before the answer, if the client takes events.
func (r *response) Send(_ context.Context, m *rpc.Message) error {
	r.mu.Lock()
	if r.done || !r.takes.events {
		r.mu.Unlock()
		return rpc.ErrNobody
	}
	r.start()
	if t := r.track; t != nil {
		r.mu.Unlock() // the client may be on another connection by now
		t.push(m)
		return nil
	}
	defer r.mu.Unlock()
	return r.write(rpc.AppendEvent(nil, "", m.Encode()))
}

// Answer sends the answer, alone or as the last event.
func (r *response) Answer(_ context.Context, m *rpc.Message) error {
	r.mu.Lock()
	if t := r.track; t != nil && !r.done {
		r.mu.Unlock()
		t.push(m)
		t.finish()
		return nil
	}
	defer r.mu.Unlock()
	if r.done {
		return errGone
	}
	r.done = true
	status := http.StatusOK
	if m.Err != nil {
		status = r.era.status(m.Err)
	}
	msg := m.Encode()
	if r.stream || !r.takes.plain || r.takes.first && status == http.StatusOK {
		r.start()
		return r.write(rpc.AppendEvent(nil, "", msg))
	}
	r.w.Header().Set("Content-Type", "application/json")
	r.w.Header().Set("Content-Length", strconv.Itoa(len(msg)))
	r.rc.SetWriteDeadline(time.Now().Add(writeTime))
	r.w.WriteHeader(status)
	_, err := r.w.Write(msg)
	return err
}

// end says that nothing more will be written: the handler returns. A request
// that was cancelled has no answer.
func (r *response) end() {
	r.mu.Lock()
	if r.alive != nil {
		r.alive.Stop()
	}
	if !r.done && !r.stream {
		r.w.WriteHeader(http.StatusNoContent)
	}
	r.done = true
	t := r.track
	r.mu.Unlock()
	if t != nil {
		t.finish()
	}
}

// outlive is the context of a call that goes on for a while when its client has
// gone and can come back.
func (r *response) outlive(client context.Context) (context.Context, context.CancelFunc) {
	if r.resume == nil {
		return context.WithCancel(client)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(client))
	r.give = stop
	leave := context.AfterFunc(client, func() {
		if t := r.kept(); t != nil {
			t.detach(r)
		} else {
			stop() // it does not know what to come back to
		}
	})
	return ctx, func() {
		leave()
		stop()
	}
}
