package shared

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"helve/internal/wire"
)

const (
	// liveEvery is how often a replica says that it serves a request of another; goneTime is after how long without a
	// word it is taken to be gone.
	liveEvery = time.Second
	goneTime  = 5 * time.Second
	// mostForwarded is how many requests of others are served at once.
	mostForwarded = 256
	// mostHeard is how many frames may wait for whoever forwarded a request.
	mostHeard = 1024
	// listenTime is how long a broker may take to hear of us.
	listenTime = 10 * time.Second
	// comeTime is how long a replica is looked for that nobody knows, every lookEach: where the server was away, it
	// is not back yet.
	comeTime = 2 * time.Second
	lookEach = 50 * time.Millisecond
)

// ErrNoReplica says that a replica is not there.
var ErrNoReplica = errors.New("there is no such replica")

// A Serve serves a request of another replica, tells what comes before the answer, and is the answer.
type Serve func(ctx context.Context, request []byte, hear func([]byte)) (answer []byte)

// A Replica takes requests to the others, and serves theirs from when Serve was called. Close it.
type Replica struct {
	nc   *nats.Conn
	name string
	life context.Context
	end  context.CancelFunc
	work sync.WaitGroup

	mu      sync.Mutex
	sub     *nats.Subscription
	serve   Serve
	serving map[string]context.CancelFunc // by the inbox of whoever waits
}

// Join makes a replica with a name of its own. The connection stays the caller's.
func Join(nc *nats.Conn) *Replica {
	r := &Replica{nc: nc, name: wire.NewID(), serving: map[string]context.CancelFunc{}}
	r.life, r.end = context.WithCancel(context.Background())
	return r
}

// Name is the replica's, one word.
func (r *Replica) Name() string { return r.name }

// Serve begins to serve requests of the others.
func (r *Replica) Serve(serve Serve) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sub != nil {
		return errors.New("bus: this replica serves already")
	}
	sub, err := r.nc.Subscribe(wire.Replica(r.name, ">"), r.handle)
	if err == nil {
		err = r.nc.FlushTimeout(listenTime)
	}
	if err != nil {
		return fmt.Errorf("bus: %w", err)
	}
	r.sub, r.serve = sub, serve
	return nil
}

// handle takes a request of another replica, or its word that nobody waits any more.
func (r *Replica) handle(m *nats.Msg) {
	switch wire.VerbOf(m.Subject) {
	case wire.VerbRun:
		r.begin(m)
	case wire.VerbCancel:
		r.mu.Lock()
		stop := r.serving[string(m.Data)]
		r.mu.Unlock()
		if stop != nil {
			stop()
		}
	}
}

func (r *Replica) begin(m *nats.Msg) {
	if m.Reply == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.serving) >= mostForwarded || r.life.Err() != nil {
		r.send(m.Reply, wire.Frame(wire.FrameFull, nil))
		return
	}
	ctx, stop := context.WithCancel(r.life)
	r.serving[m.Reply] = stop
	r.work.Go(func() {
		defer func() {
			stop()
			r.mu.Lock()
			delete(r.serving, m.Reply)
			r.mu.Unlock()
		}()
		r.answer(ctx, m)
	})
}

// send sends a frame; who misses it notices.
func (r *Replica) send(to string, frame []byte) { _ = r.nc.Publish(to, frame) }

// answer serves one request.
func (r *Replica) answer(ctx context.Context, m *nats.Msg) {
	done := make(chan []byte, 1)
	r.work.Go(func() {
		done <- r.serve(ctx, m.Data, func(notice []byte) {
			if len(notice) < wire.PieceSize {
				r.send(m.Reply, wire.Frame(wire.FrameProgress, notice))
			}
		})
	})
	tick := time.NewTicker(liveEvery)
	defer tick.Stop()
	for {
		r.send(m.Reply, wire.Frame(wire.FrameLives, nil))
		select {
		case b := <-done:
			for piece := range wire.Pieces(b) {
				r.send(m.Reply, piece)
			}
			return
		case <-tick.C:
		}
	}
}

// Forward has another replica serve a request. The error is ErrNoReplica where there is none of that name.
func (r *Replica) Forward(ctx context.Context, replica string, request []byte, hear func([]byte)) ([]byte, error) {
	if !wire.ValidID(replica) {
		return nil, ErrNoReplica
	}
	if most := r.nc.MaxPayload(); most > 0 && int64(len(request)) > most-envelope {
		return nil, fmt.Errorf("the request has %d bytes, the bus carries %d at most", len(request), most-envelope)
	}
	inbox := r.nc.NewInbox()
	frames := make(chan *nats.Msg, mostHeard)
	sub, err := r.nc.ChanSubscribe(inbox, frames)
	if err != nil {
		return nil, fmt.Errorf("bus: %w", err)
	}
	defer sub.Unsubscribe()
	send := func() error { return r.nc.PublishRequest(wire.Replica(replica, wire.VerbRun), inbox, request) }
	b, err := look(ctx, send, frames, hear)
	if ctx.Err() != nil {
		r.send(wire.Replica(replica, wire.VerbCancel), []byte(inbox))
	}
	return b, err
}

// look sends a request until a replica hears it: one that nobody hears is nowhere.
func look(ctx context.Context, send func() error, frames <-chan *nats.Msg, hear func([]byte)) ([]byte, error) {
	for end := time.Now().Add(comeTime); ; {
		if err := send(); err != nil {
			return nil, fmt.Errorf("bus: %w", err)
		}
		b, err := await(ctx, frames, hear)
		if !errors.Is(err, ErrNoReplica) || time.Now().After(end) {
			return b, err
		}
		select {
		case <-time.After(lookEach):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// envelope is room for subjects and headers in a message.
const envelope = 4 << 10

// await takes the frames as they come.
func await(ctx context.Context, frames <-chan *nats.Msg, hear func([]byte)) ([]byte, error) {
	var pieces wire.Assembler
	quiet := time.NewTimer(goneTime)
	defer quiet.Stop()
	begun := false
	for {
		var m *nats.Msg
		select {
		case m = <-frames:
			quiet.Reset(goneTime)
		case <-quiet.C:
			return nil, fmt.Errorf("it has said nothing for %v", goneTime)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if len(m.Data) == 0 { // nobody listens, which in a cluster may overtake
			if begun {
				continue
			}
			return nil, ErrNoReplica
		}
		begun = true
		k, body, err := wire.OpenFrame(m.Data)
		if err != nil {
			return nil, err
		}
		switch k {
		case wire.FrameProgress:
			hear(body)
		case wire.FrameFull:
			return nil, fmt.Errorf("it serves %d requests of others already", mostForwarded)
		case wire.FramePiece, wire.FrameLast:
			b, err := pieces.Add(k, body)
			if err != nil || b != nil {
				return b, err
			}
		}
	}
}

// Close ends what is served for others.
func (r *Replica) Close() error {
	r.end()
	r.mu.Lock()
	if r.sub != nil {
		_ = r.sub.Unsubscribe() // of a closed connection it is none any more
	}
	r.mu.Unlock()
	r.work.Wait()
	return nil
}
