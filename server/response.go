package server

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// A response is the answer to one POST: plain JSON if nothing comes before the result, else a stream of events.
type response struct {
	w             http.ResponseWriter
	rc            *http.ResponseController
	plain, events bool // what the client takes
	status        int

	mu     sync.Mutex
	stream bool // events have been sent
	done   bool
	alive  *time.Timer
	every  time.Duration
}

func newResponse(w http.ResponseWriter, plain, events bool, alive time.Duration) *response {
	return &response{w: w, rc: http.NewResponseController(w), plain: plain, events: events, status: http.StatusOK, every: alive}
}

// begin lets the client hear that the server lives, until end.
func (r *response) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.events {
		r.alive = time.AfterFunc(r.every, r.live)
	}
}

// fails sets the status of an answer that is not a stream.
func (r *response) fails(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
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
	r.alive.Reset(r.every)
}

// start makes it a stream. r.mu is held.
func (r *response) start() {
	if r.stream {
		return
	}
	r.stream = true
	startEvents(r.w)
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

func (r *response) send(_ context.Context, msg []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done || !r.events {
		return errNobody
	}
	r.start()
	return r.write(event(msg))
}

// event frames a message, which has no line ends.
func event(msg []byte) []byte {
	b := make([]byte, 0, len(msg)+24)
	b = append(append(b, "event: message\ndata: "...), msg...)
	return append(b, '\n', '\n')
}

func (r *response) reply(_ context.Context, msg []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done {
		return errGone
	}
	r.done = true
	if r.stream || !r.plain {
		r.start()
		return r.write(event(msg))
	}
	r.w.Header().Set("Content-Type", "application/json")
	r.w.Header().Set("Content-Length", strconv.Itoa(len(msg)))
	r.rc.SetWriteDeadline(time.Now().Add(writeTime))
	r.w.WriteHeader(r.status)
	_, err := r.w.Write(msg)
	return err
}

// end says that nothing more will be written: the handler returns. A request that was cancelled has no answer.
func (r *response) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.alive != nil {
		r.alive.Stop()
	}
	if !r.done && !r.stream {
		r.w.WriteHeader(http.StatusNoContent)
	}
	r.done = true
}
