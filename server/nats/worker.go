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
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"helve/internal/rpc"
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

// A Worker is a kit that gateways use. Its methods are safe for concurrent use.
type Worker struct {
	*bus
	host    string
	started time.Time

	sessions *sessions
	calls    *understanding
	runs     *runs

	subs     []*nats.Subscription
	prepared chan struct{} // a place for each call that is understood
	asked    chan struct{} // closed when somebody asks the worker to drain
	askOnce  sync.Once
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
	b := &bus{nc: nc, o: o, instance: wire.NewInstance(o.Key)}
	var err error
	if b.tickets, err = newTickets(b.instance, o.Gateways, o.Now); err != nil {
		return nil, err
	}
	b.life, b.end = context.WithCancel(context.Background())
	known := &gateways{all: map[string]*gateway{}}
	kept := &sessions{bus: b, gateways: known, all: map[string]*session{}}
	calls := &understanding{bus: b, kit: kit, sessions: kept}
	w := &Worker{
		bus:      b,
		host:     host,
		started:  time.Now(),
		sessions: kept,
		calls:    calls,
		runs:     &runs{bus: b, calls: calls, gateways: known, all: map[string]*run{}},
		prepared: make(chan struct{}, mostPrepared),
		asked:    make(chan struct{}),
	}
	if err := w.listen(); err != nil {
		w.stop()
		return nil, err
	}
	w.work.Go(w.beat)
	w.work.Go((&watch{bus: b, gateways: known, sessions: kept, runs: w.runs}).follow)
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
	set := w.calls.definitions().Set()
	working, draining := w.runs.state()
	return wire.Member{
		Instance:  w.instance,
		Pool:      w.o.Pool,
		Workspace: w.o.Workspace,
		Host:      w.host,
		Version:   w.o.Version,
		Slots:     w.o.Slots,
		Running:   working,
		Sessions:  w.sessions.count(),
		Set:       set,
		Draining:  draining || !w.holds(),
		Alone:     w.o.Holds != nil,
		Gone:      gone,
		Started:   w.started,
	}
}

// announce tells the gateways that the worker is there, or that it goes.
func (w *Worker) announce(gone bool) {
	w.publish(wire.Here(w.o.Pool), wire.Encode(w.member(gone)))
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
		w.runs.ping(m)
	case wire.VerbPrepare:
		w.understands(m, w.calls.prepare)
	case wire.VerbPreview:
		w.understands(m, w.calls.preview)
	case wire.VerbRun:
		w.runs.begin(m)
	case wire.VerbGo:
		w.runs.decided(m)
	case wire.VerbCancel:
		w.runs.cancel(m)
	case wire.VerbAnswer:
		w.runs.answered(m)
	case wire.VerbAgain:
		w.runs.again(m)
	case wire.VerbSpecs:
		w.reply(m, wire.Encode(w.calls.definitions()))
	case wire.VerbTools:
		w.aside(m, w.calls.offered)
	case wire.VerbClose:
		w.sessions.close(m)
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

// beat says of each run that it goes on, and of the worker that it lives, and at once when it has other tools.
func (w *Worker) beat() {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	seen := w.calls.kit.View()
	for last := time.Now(); ; {
		select {
		case <-w.life.Done():
			return
		case <-tick.C:
		}
		for _, r := range w.runs.alive() {
			r.lives()
		}
		now := w.calls.kit.View()
		if time.Since(last) >= hereEvery || now != seen {
			last, seen = time.Now(), now
			w.announce(false)
		}
	}
}

// Running is how many runs the worker has.
func (w *Worker) Running() int {
	working, _ := w.runs.state()
	return working
}

// refuse answers a message without a good ticket, where an answer is waited for, and says so here.
func (w *Worker) refuse(verb string, m *nats.Msg, why error) {
	if n, say := w.tickets.news(); say {
		w.o.Log.Warn(fmt.Sprintf("worker: %s is refused: %v; %d more before it", verb, why, n))
	}
	switch verb {
	case wire.VerbPrepare, wire.VerbPreview, wire.VerbRun, wire.VerbDrain, wire.VerbClose:
		if !errors.Is(why, errReplayed) {
			w.reply(m, refusal(why))
		}
	}
}

// Notify takes what an MCP server of the worker says unasked: s is the session whose connection said it, nil for a
// connection that conversations share. A log message goes to the clients that have a call here; all else is the
// worker's own matter. It does not block.
func (w *Worker) Notify(_ string, s *tool.Session, method string, params json.RawMessage) {
	if method != rpc.NoticeMessage {
		return
	}
	for _, c := range w.sessions.clients(s) {
		_, _ = c.back(w.life, method, params) // talk: an error means that no call goes on
	}
}

// stop ends what the worker started.
func (w *Worker) stop() {
	if !w.nc.IsClosed() {
		_ = w.nc.FlushTimeout(cancelTime) // the results that were sent last
	}
	for _, s := range w.subs {
		_ = s.Unsubscribe() // of a closed connection it is none any more
	}
	w.end()
	w.work.Wait()
}
