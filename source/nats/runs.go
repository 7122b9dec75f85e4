package natsbus

import (
	"sync"

	"github.com/nats-io/nats.go"

	"helve/internal/wire"
)

// mostFrames is how many frames may wait for the call that they belong to, and as many again without which it
// cannot end: a result of 64 MiB has 128.
const mostFrames = 256

// A mailbox is what has come for a run.
type mailbox struct {
	mu     sync.Mutex
	frames []*nats.Msg
	ready  chan struct{} // has room for one
}

// put takes a frame, unless too many wait: reports of progress must not crowd out a result.
func (b *mailbox) put(m *nats.Msg) {
	b.mu.Lock()
	if len(b.frames) < mostFrames || needed(m) && len(b.frames) < 2*mostFrames {
		b.frames = append(b.frames, m)
	}
	b.mu.Unlock()
	select {
	case b.ready <- struct{}{}:
	default:
	}
}

// take is what has come since the last time.
func (b *mailbox) take() []*nats.Msg {
	b.mu.Lock()
	defer b.mu.Unlock()
	frames := b.frames
	b.frames = nil
	return frames
}

// runs are those of this gateway that go on at workers, by their names.
type runs struct {
	*bus
	mu    sync.Mutex
	boxes map[string]*mailbox
}

// open has the frames of a run kept from now on.
func (r *runs) open(run string) *mailbox {
	box := &mailbox{ready: make(chan struct{}, 1)}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.boxes[run] = box
	return box
}

// close ends that.
func (r *runs) close(run string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.boxes, run)
}

// deliver takes a frame to the run that it belongs to. A worker that wants to begin what nobody waits for any more
// may not.
func (r *runs) deliver(run string, m *nats.Msg) {
	r.mu.Lock()
	box := r.boxes[run]
	r.mu.Unlock()
	if box == nil {
		r.stray(run, m)
		return
	}
	box.put(m)
}

// needed tells whether a call cannot end without a frame.
func needed(m *nats.Msg) bool {
	k, _, err := wire.OpenFrame(m.Data)
	return err == nil && k != wire.FrameProgress && k != wire.FrameLives && k != wire.FrameNotice
}

// stray answers a frame that nobody waits for.
func (r *runs) stray(run string, m *nats.Msg) {
	k, body, err := wire.OpenFrame(m.Data)
	switch {
	case err != nil:
	case k == wire.FrameBegins && wire.ValidInstance(string(body)):
		r.tell(string(body), wire.VerbGo, wire.Begin{Run: run})
	case k == wire.FrameLast:
		r.o.Log.Warn("bus: the result of a call came after it was answered otherwise", "run", run)
	}
}
