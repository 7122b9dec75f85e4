// Package natsbus offers a kit to gateways over NATS: it prepares, previews and runs their calls. It decides nothing.
// What runs was judged by the gateway that asks, and is the job that was judged: the worker holds nothing between the
// two, it understands the call anew and compares digests.
//
//	gate := natsbus.Gate{}
//	ws, err := helve.Open(ctx, helve.Options{Ask: gate.Ask, Wrap: []func(tool.Runner) tool.Runner{gate.Wrap}})
//	…
//	w, err := natsbus.Offer(nc, ws.Kit(), natsbus.Options{Pool: "build", Workspace: "project", Session: ws.NewSession})
//	…
//	w.Drain(ctx)
package natsbus

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"helve/internal/wire"
	"helve/tool"
)

const (
	// beatEvery is how often a worker says of each run that it goes on: a gateway that hears nothing for a while asks.
	beatEvery = 200 * time.Millisecond
	// hereEvery is how often a worker tells that it lives.
	hereEvery = time.Second
	// keepTime is how long a result can be had again that was sent: as long as a connection takes to come back.
	keepTime = 30 * time.Second
	// DefaultSlots is how many runs a worker has at once, unless it says another number.
	DefaultSlots = 8
	// mostPrepared is how many calls are understood or shown at once.
	mostPrepared = 256
)

// Options say what a worker offers. Pool, Workspace and Session are required.
type Options struct {
	Pool      string
	Workspace string // its name: gateways send only the calls of a workspace of this name
	Slots     int    // runs at once; 0: DefaultSlots

	// Holds tells whether the claim stands for certain that the worker has on its workspace: it takes no calls while
	// it does not. nil: the worker claims nothing, and others may offer the workspace, too.
	Holds func() bool

	// Session makes the session of a conversation, in which the worker's tools remember. The worker closes it.
	Session func() *tool.Session

	// CatchUp is told which policy of the bus the gateway of a call goes by, and has this worker go by it, too, if it
	// is newer. nil: the worker follows none.
	CatchUp func(ctx context.Context, policy string)

	// Gateways are public nkeys: what the worker is told has to be signed with one of them. none: it trusts whoever the
	// server lets speak to it.
	Gateways []string

	Key     string // the public nkey by which the server knows the worker, for the server's rules; "": none
	Version string
	Log     *slog.Logger     // nil: silent
	Now     func() time.Time // nil: time.Now
}

// A Worker is a kit that gateways use. Its methods are safe for concurrent use.
type Worker struct {
	nc       *nats.Conn
	kit      *tool.Kit
	o        Options
	instance string
	host     string
	started  time.Time
	tickets  *tickets // nil: none are wanted

	subs     []*nats.Subscription
	prepared chan struct{} // a place for each call that is understood
	asked    chan struct{} // closed when somebody asks the worker to drain
	askOnce  sync.Once
	digests  sync.Map // *tool.Spec → string
	named    atomic.Pointer[namesByOrigin]

	life context.Context // of all that the worker does
	end  context.CancelFunc
	work sync.WaitGroup

	mu       sync.Mutex
	draining bool
	closed   bool
	runs     map[string]*run
	running  int    // of runs: those that have a slot
	sending  int    // those that are over, and whose last frames are on their way
	queue    []*run // those that wait for one
	kept     outcomes
	sessions map[string]*session
	gateways map[string]*gateway
}

// Offer begins to serve. The connection stays the caller's. End it with Drain.
func Offer(nc *nats.Conn, kit *tool.Kit, o Options) (*Worker, error) {
	if o.Pool == "" || o.Workspace == "" || o.Session == nil {
		return nil, errors.New("worker: want the names of a pool and of a workspace, and sessions")
	}
	if o.Slots <= 0 {
		o.Slots = DefaultSlots
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	host, _ := os.Hostname() // "" is a host without a name
	w := &Worker{
		nc:       nc,
		kit:      kit,
		o:        o,
		instance: wire.NewInstance(o.Key),
		host:     host,
		started:  time.Now(),
		prepared: make(chan struct{}, mostPrepared),
		asked:    make(chan struct{}),
		runs:     map[string]*run{},
		sessions: map[string]*session{},
		gateways: map[string]*gateway{},
	}
	var err error
	if w.tickets, err = newTickets(w.instance, o.Gateways, o.Now); err != nil {
		return nil, err
	}
	w.life, w.end = context.WithCancel(context.Background())
	if err := w.listen(); err != nil {
		w.stop()
		return nil, err
	}
	w.work.Go(w.beat)
	w.work.Go(w.watchGateways)
	w.announce(false)
	return w, nil
}

// listen subscribes. The server has heard of it when it returns.
func (w *Worker) listen() error {
	own, err := w.nc.Subscribe(wire.Worker(w.instance, ">"), w.handle)
	if err != nil {
		return err
	}
	w.subs = append(w.subs, own)
	who, err := w.nc.Subscribe(wire.Who, func(m *nats.Msg) { w.reply(m, wire.Encode(w.member(false))) })
	if err != nil {
		return err
	}
	w.subs = append(w.subs, who)
	// The first request of a connection makes a subscription for the answers to all of them. Nobody is there to answer
	// this one: a worker needs no right to speak to workers.
	ctx, stop := context.WithTimeout(w.life, flushTime)
	defer stop()
	_, err = w.nc.RequestWithContext(ctx, wire.Gateway(w.instance, wire.VerbPing), nil)
	if errors.Is(err, nats.ErrNoResponders) {
		return nil
	}
	return err
}

// flushTime is how long a broker may take to hear of us.
const flushTime = 10 * time.Second

// Instance is the name of this worker, which no other has.
func (w *Worker) Instance() string { return w.instance }

// AskedToDrain is closed when somebody asks, over the bus, that the worker drains.
func (w *Worker) AskedToDrain() <-chan struct{} { return w.asked }

// member is the worker as it tells of itself.
func (w *Worker) member(gone bool) wire.Member {
	set := w.definitions().Set()
	w.mu.Lock()
	defer w.mu.Unlock()
	return wire.Member{
		Instance:  w.instance,
		Pool:      w.o.Pool,
		Workspace: w.o.Workspace,
		Host:      w.host,
		Version:   w.o.Version,
		Slots:     w.o.Slots,
		Running:   w.running,
		Sessions:  len(w.sessions),
		Set:       set,
		Draining:  w.draining || !w.holds(),
		Alone:     w.o.Holds != nil,
		Gone:      gone,
		Started:   w.started,
	}
}

// holds tells whether calls may be taken, as far as the workspace goes.
func (w *Worker) holds() bool { return w.o.Holds == nil || w.o.Holds() }

// definitions are the digests of all tools, those too that the worker's own rules do not offer: it will refuse them in
// words.
func (w *Worker) definitions() wire.Definitions {
	out := wire.Definitions{}
	v := w.kit.View()
	for _, specs := range [][]*tool.Spec{v.Specs(), v.Unlisted()} {
		for _, s := range specs {
			out[s.Origin.String()] = w.definition(s)
		}
	}
	return out
}

// definition is the digest of a spec, made once.
func (w *Worker) definition(s *tool.Spec) string {
	if d, ok := w.digests.Load(s); ok {
		return d.(string)
	}
	d := string(s.Digest())
	w.digests.Store(s, d)
	return d
}

// announce tells the gateways that the worker is there, or that it goes.
func (w *Worker) announce(gone bool) {
	w.publish(wire.Here(w.o.Pool), wire.Encode(w.member(gone)))
}

// publish sends, and logs what cannot be sent: whoever misses it asks.
func (w *Worker) publish(subject string, b []byte) {
	if err := w.nc.Publish(subject, b); err != nil && w.life.Err() == nil {
		w.o.Log.Warn("worker: cannot send", "subject", subject, "error", err)
	}
}

// reply answers, where an answer is wanted.
func (w *Worker) reply(m *nats.Msg, b []byte) {
	if m.Reply != "" {
		w.publish(m.Reply, b)
	}
}

// handle takes one message. It must be quick: pings are answered here.
func (w *Worker) handle(m *nats.Msg) {
	verb := wire.VerbOf(m.Subject)
	if why := w.tickets.check(verb, m); why != nil {
		w.refuse(verb, m, why)
		return
	}
	switch verb {
	case wire.VerbPing:
		w.ping(m)
	case wire.VerbPrepare:
		w.understands(m, w.prepare)
	case wire.VerbPreview:
		w.understands(m, w.preview)
	case wire.VerbRun:
		w.begin(m)
	case wire.VerbGo:
		w.decided(m)
	case wire.VerbCancel:
		w.cancel(m)
	case wire.VerbAnswer:
		w.answered(m)
	case wire.VerbAgain:
		w.again(m)
	case wire.VerbSpecs:
		w.reply(m, wire.Encode(w.definitions()))
	case wire.VerbTools:
		w.aside(m, w.offered)
	case wire.VerbClose:
		w.closeSession(m)
	case wire.VerbDrain:
		w.askOnce.Do(func() { close(w.asked) })
		w.reply(m, []byte("{}"))
	}
}

// understands has a call of a gateway looked at.
func (w *Worker) understands(m *nats.Msg, do func(context.Context, *wire.Request) ([]byte, error)) {
	w.aside(m, func(ctx context.Context, b []byte) ([]byte, error) {
		req, err := wire.ParseRequest(b)
		if err != nil {
			return nil, err
		}
		return do(ctx, req)
	})
}

// aside does a request in a goroutine of its own, if there is a place.
func (w *Worker) aside(m *nats.Msg, do func(context.Context, []byte) ([]byte, error)) {
	select {
	case w.prepared <- struct{}{}:
	default:
		w.reply(m, refusal(tool.Errorf(tool.Busy, "the worker understands %d calls already", mostPrepared)))
		return
	}
	w.work.Go(func() {
		defer func() { <-w.prepared }()
		b, err := do(w.life, m.Data)
		if w.life.Err() != nil {
			return // the gateway asks another worker: what we would say is that we go
		}
		if err != nil {
			w.reply(m, refusal(err))
			return
		}
		w.reply(m, wire.Frame(wire.ReplyOK, b))
	})
}

// refusal is an error as a frame.
func refusal(err error) []byte {
	return wire.Frame(wire.FrameRefused, wire.Encode(tool.Fail(err).Err))
}

// beat says of each run that it goes on, and of the worker that it lives, and at once when it has other tools.
func (w *Worker) beat() {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	seen := w.kit.View()
	for last := time.Now(); ; {
		select {
		case <-w.life.Done():
			return
		case <-tick.C:
		}
		for _, r := range w.alive() {
			r.lives()
		}
		now := w.kit.View()
		if time.Since(last) >= hereEvery || now != seen {
			last, seen = time.Now(), now
			w.announce(false)
		}
	}
}

// alive are the runs that are not over. What was kept too long is let go.
func (w *Worker) alive() []*run {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.kept.expire(w.runs, time.Now().Add(-keepTime))
	var out []*run
	for _, r := range w.runs {
		if !r.over {
			out = append(out, r)
		}
	}
	return out
}

// Running is how many runs the worker has.
func (w *Worker) Running() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.running
}
