package server

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"helve/internal/rpc"
)

const (
	// resumeRetry is after how long a client should come back.
	resumeRetry = 500 * time.Millisecond
	// resumable is the first version whose clients know that a stream may begin
	// with an empty event.
	resumable = "2025-11-25"
	// maxTracks is how many streams of one session can be come back to; the
	// oldest that are over go first.
	maxTracks = 32
	// maxKept bounds the events of one stream that are kept, in bytes,
	// maxKeptEvents how many they are.
	maxKept       = 1 << 20
	maxKeptEvents = 64
)

// A track is a stream of events to which a client may come back when its
// connection broke: what it missed is sent again. Its methods are safe for
// concurrent use.
type track struct {
	name string

	mu     sync.Mutex
	events [][]byte // framed; the newest
	first  int      // number of events[0]; they count from 1, the empty event that begins a stream is 0
	sent   int      // number of the newest event that went out
	size   int
	out    *response // nil: the client is not there
	over   bool
	ended  chan struct{} // closed when it is over
	give   func()        // called when the client stays away; nil: nobody minds
	wait   time.Duration // for how long it may
	away   *time.Timer
}

// push sends a message, or keeps it for when the client is back.
func (t *track) push(m *rpc.Message) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.first + len(t.events)
	e := rpc.AppendEvent(nil, t.id(n), m.Encode())
	t.events, t.size = append(t.events, e), t.size+len(e)
	if t.out != nil && t.out.put(e) == nil {
		t.sent = n
	}
	for len(t.events) > maxKeptEvents || t.size > maxKept && len(t.events) > 0 {
		t.size -= len(t.events[0])
		t.events, t.first = t.events[1:], t.first+1
	}
}

// id names an event: its stream, and its number there.
func (t *track) id(n int) string { return t.name + "-" + strconv.Itoa(n) }

// opening is the empty event that tells a client how to come back.
func (t *track) opening() []byte { return rpc.AppendOpening(nil, t.id(0), resumeRetry) }

// attach connects a client that has everything up to the event after, -1 for
// what has gone out. It fails while another connection is there, unless the
// client says what it has: then that one is dead, and the client knew first.
func (t *track) attach(out *response, after int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.out != nil && after < 0 {
		return false
	}
	if t.away != nil {
		t.away.Stop()
	}
	if after < 0 {
		after = t.sent
	}
	t.out = out
	out.open()
	if len(t.events) == 0 {
		return true
	}
	from := min(max(after+1-t.first, 0), len(t.events))
	if out.put(bytes.Join(t.events[from:], nil)) == nil {
		t.sent = t.first + len(t.events) - 1
	}
	return true
}

// detach says that a connection has ended. A call whose client does not come
// back is given up.
func (t *track) detach(out *response) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.out != out {
		return
	}
	t.out = nil
	if t.give != nil && !t.over {
		t.away = time.AfterFunc(t.wait, t.give)
	}
}

// finish says that nothing more will come. What is kept stays.
func (t *track) finish() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return
	}
	t.over = true
	if t.away != nil {
		t.away.Stop()
	}
	close(t.ended)
}

func (t *track) done() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.over
}

// A tracks is what the clients of one session may come back to.
type tracks struct {
	wait time.Duration // for a client to come back

	mu   sync.Mutex
	next int
	list []*track
}

// start makes a track of a new stream and forgets the oldest that are over.
func (s *tracks) start(give func()) *track {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	t := &track{
		name:  strconv.Itoa(s.next),
		first: 1,
		give:  give,
		wait:  s.wait,
		ended: make(chan struct{}),
	}
	s.list = append(s.list, t)
	if len(s.list) > maxTracks {
		if i := slices.IndexFunc(s.list, (*track).done); i >= 0 {
			s.list = slices.Delete(s.list, i, i+1)
		}
	}
	return t
}

// find is the track that an event's id names, and the event's number.
func (s *tracks) find(id string) (*track, int) {
	name, number, _ := strings.Cut(id, "-")
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 {
		return nil, 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.list {
		if t.name == name {
			return t, n
		}
	}
	return nil, 0
}
