package natsbus

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"helve/internal/wire"
	"helve/tool"
)

const (
	// settleTime is how long after a broken connection came back nothing is concluded from silence: workers have to
	// come back, too, which they try several times a second. With two questions after it a worker that died meanwhile
	// is known within two seconds.
	settleTime = 1500 * time.Millisecond
	// answerTime is how long a worker may take to understand a call before it is asked whether it lives.
	answerTime = 250 * time.Millisecond
	// pingTime is how long it may take to say that it lives; it is asked twice. With quietTime before it a worker that
	// stands still is known within a second.
	pingTime = 300 * time.Millisecond
	// lateTime is by how much more a question may have taken: then it was ourselves who stood still.
	lateTime = 100 * time.Millisecond
	// holdTime is how long "nobody listens" has to hold before it is believed: in a cluster it may overtake.
	holdTime = 100 * time.Millisecond
	// awayTime is how long a call that nobody has understood yet waits for a bus that cannot be reached: shorter than
	// whoever waits for that, who could not say why.
	awayTime = 5 * time.Second
	// envelope is room for subjects and headers in a message.
	envelope = 4 << 10
)

// A bus is what a gateway speaks to workers over: it sends, asks, and knows what silence means.
type bus struct {
	nc   *nats.Conn
	o    Options
	id   string          // of this gateway
	life context.Context // of what runs beside the calls
	work sync.WaitGroup  // all of it

	mu      sync.Mutex
	settled time.Time // from when on silence means something
}

// errGone says that a worker is not there, or does not answer.
var errGone = errors.New("the worker is gone")

// publish sends, and logs what cannot be sent: whoever misses it asks.
func (b *bus) publish(subject string, body []byte) {
	if subject == "" {
		return
	}
	if err := b.nc.Publish(subject, body); err != nil && b.life.Err() == nil {
		b.o.Log.Warn("bus: cannot send", "subject", subject, "error", err)
	}
}

// tell sends a worker something, and logs what cannot be sent: a worker that misses it asks, or is asked.
func (b *bus) tell(instance, verb string, v any) {
	err := b.nc.PublishMsg(b.o.Signer.message(instance, verb, "", wire.Encode(v)))
	if err != nil && b.life.Err() == nil {
		b.o.Log.Warn("bus: cannot send", "worker", instance, "verb", verb, "error", err)
	}
}

// requestOf asks a worker something.
func (b *bus) requestOf(ctx context.Context, instance, verb string, body []byte) (*nats.Msg, error) {
	return b.nc.RequestMsgWithContext(ctx, b.o.Signer.message(instance, verb, "", body))
}

// request asks one worker. The error is errGone where it does not live.
func (b *bus) request(ctx context.Context, instance, verb string, body []byte) ([]byte, error) {
	quick, stop := context.WithTimeout(ctx, answerTime)
	defer stop()
	msg, err := b.requestOf(quick, instance, verb, body)
	if err == nil {
		return msg.Data, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	// It is slow, or gone. What is asked changes nothing: it can be asked again.
	for {
		if _, err := b.ping(ctx, instance, ""); err != nil {
			return nil, err
		}
		msg, err := b.requestOf(ctx, instance, verb, body)
		switch {
		case err == nil:
			return msg.Data, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case !errors.Is(err, nats.ErrNoResponders):
			return nil, tool.Errorf(tool.Execution, "the bus: %w", err)
		}
	}
}

// ping asks a worker whether it lives, and how far a run has come. It waits while our own connection is broken.
func (b *bus) ping(ctx context.Context, instance, run string) (wire.State, error) {
	body := wire.Encode(wire.RunID{Run: run})
	began := time.Now()
	for left := 2; ; {
		asked := time.Now()
		quick, stop := context.WithTimeout(ctx, pingTime)
		msg, err := b.nc.RequestWithContext(quick, wire.Worker(instance, wire.VerbPing), body)
		stop()
		if err == nil {
			alive, err := wire.Decode[wire.Alive](msg.Data)
			return alive.State, err
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if b.life.Err() != nil || b.nc.IsClosed() {
			return "", errGone
		}
		if b.nc.IsConnected() && time.Since(asked) < pingTime+lateTime {
			left--
		}
		patience := b.o.Away
		if run == "" {
			patience = awayTime
		}
		if !b.nc.IsConnected() && time.Since(began) > patience {
			return "", b.unreachable()
		}
		if left <= 0 && b.silenceMeans() {
			return "", errGone
		}
		if errors.Is(err, nats.ErrNoResponders) || !b.nc.IsConnected() {
			select {
			case <-time.After(holdTime):
			case <-ctx.Done():
			}
		}
	}
}

// carries tells whether the bus takes a message of this size.
func (b *bus) carries(body []byte) error {
	most := b.nc.MaxPayload()
	if most <= 0 || int64(len(body)) <= most-envelope { // not connected yet: it is not known
		return nil
	}
	return tool.Errorf(tool.Execution, "the call has %d bytes, the bus carries %d at most", len(body), most-envelope).
		WithHint("Write the file in parts, or raise max_payload of the NATS server.")
}

// followConnection notes when a broken connection came back.
func (b *bus) followConnection() {
	back := b.nc.StatusChanged(nats.CONNECTED)
	defer b.nc.RemoveStatusListener(back)
	for {
		select {
		case <-b.life.Done():
			return
		case _, ok := <-back:
			if !ok {
				return
			}
		}
		b.mu.Lock()
		b.settled = time.Now().Add(settleTime)
		b.mu.Unlock()
	}
}

// silenceMeans tells whether it can be concluded that a worker is gone from hearing nothing: not while our own
// connection is broken, or just came back.
func (b *bus) silenceMeans() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.nc.IsConnected() && time.Now().After(b.settled)
}

func (b *bus) none() *tool.Error {
	return tool.Errorf(tool.Execution, "no worker of pool %s can take the call; nothing was done", b.o.Pool)
}

func (b *bus) unreachable() error {
	return b.none().WithHint("The bus cannot be reached. Call again later.")
}

// patient is for a question that is worth so much time while the bus is there, and less where it is gone, or goes
// meanwhile: then the broker may be what ends, too.
func (b *bus) patient(most, broken time.Duration) (context.Context, context.CancelFunc) {
	ctx, stop := context.WithTimeout(b.life, most)
	const looks = 10
	go func() { // ends with ctx
		tick := time.NewTicker(broken / looks)
		defer tick.Stop()
		for left := looks; left > 0; left-- {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if b.nc.IsConnected() {
				left = looks + 1
			}
		}
		stop()
	}()
	return ctx, stop
}
