package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	helvelib "helve"
	"helve/cmd/internal/command"
	natsworker "helve/server/nats"
	"helve/server/nats/broker"
	natspool "helve/source/nats"
	"helve/source/nats/shared"
)

const (
	// connectTime is how long the first connection to a bus may take.
	connectTime = 5 * time.Second
	// comingTime is how long a worker waits for a bus that is not there yet.
	comingTime = 10 * time.Second
	// reconnectWait is how long a connection that broke waits before it tries again.
	reconnectWait = 250 * time.Millisecond
	// reconnectSpread is by how much longer it may wait, so that not all come at once. With TLS the library would
	// spread them over a second, and who waits so long is taken to be gone.
	reconnectSpread = 150 * time.Millisecond
	// nodesTime is how long workers have to answer who is there.
	nodesTime = 500 * time.Millisecond
)

// A bus is app.Bus over NATS.
type bus struct{}

var _ command.Bus = bus{}

// connect connects to the bus. One that breaks is tried again for ever.
func connect(o command.BusOptions, name string) (*nats.Conn, error) {
	options := []nats.Option{
		nats.Name(name),
		nats.Timeout(connectTime),
		nats.MaxReconnects(-1),
		nats.IgnoreAuthErrorAbort(), // a server that does not know us may have just begun with another configuration
		nats.ReconnectWait(reconnectWait),
		nats.ReconnectJitter(reconnectSpread, reconnectSpread),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { o.Say("bus: %v", err) }),
	}
	url := o.URL
	if url == "" {
		url = "nats://" + o.Embed
		options = append(options, nats.Token(o.Token))
	}
	if o.CA != "" {
		options = append(options, nats.RootCAs(o.CA))
	}
	if o.Key != "" {
		if err := private(o.Key); err != nil {
			return nil, err
		}
		key, public, err := keyOf(o.Key)
		if err != nil {
			return nil, err
		}
		// Answers come to a place of one's own: rules of the server can say whose it is.
		options = append(options, key, nats.CustomInboxPrefix("_INBOX."+public))
	}
	nc, err := nats.Connect(url, options...)
	switch {
	case err == nil:
		return nc, nil
	case o.URL == "" && errors.Is(err, nats.ErrNoServers):
		return nil, fmt.Errorf("bus: %w on %s\nhint: helve serve --bus starts it", errNothing, o.Embed)
	}
	return nil, fmt.Errorf("bus: %s: %w", url, err)
}

// comes is connect for who may have been started together with the bus: what listens nowhere is waited for.
func comes(ctx context.Context, o command.BusOptions, name string) (*nats.Conn, error) {
	began := time.Now()
	for said := false; ; said = true {
		nc, err := connect(o, name)
		away := errors.Is(err, errNothing) || errors.Is(err, nats.ErrNoServers)
		if !away || time.Since(began) > comingTime {
			return nc, err
		}
		if !said {
			o.Say("bus: nothing answers yet, waiting for %v", comingTime)
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(reconnectWait):
		}
	}
}

// errNothing says that no gateway of this person has a bus open.
var errNothing = errors.New("nothing listens")

// Join connects a gateway. Where no server is named it starts one in this process, unless another gateway of this
// person has.
func (bus) Join(_ context.Context, o command.BusOptions) (command.BusGateway, error) {
	signer, err := signerOf(o)
	if err != nil {
		return nil, err
	}
	g := &busGateway{say: o.Say, log: o.Log, signer: signer}
	if o.URL == "" {
		b, err := broker.Start(broker.Options{Addr: o.Embed, Token: o.Token, Keep: o.Keep})
		if err == nil {
			g.broker = b
			o.Embed = b.Addr()
			o.Say("bus: listening on %s", o.Embed)
		}
	}
	g.nc, err = connect(o, "helve gateway")
	if err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return g, nil
}

// A busGateway is a connection with the pools on it.
type busGateway struct {
	broker  *broker.Broker // nil: the server is another's
	nc      *nats.Conn
	replica *shared.Replica  // nil: there is no other
	policy  *shared.Policy   // nil: none is followed
	signer  *natspool.Signer // nil: nothing is signed
	say     func(format string, args ...any)
	log     *slog.Logger // warnings

	mu    sync.Mutex
	pools []*natspool.Pool
}

// Pool joins the workers of a pool.
func (g *busGateway) Pool(o command.BusPoolOptions) (command.BusPool, error) {
	p, err := natspool.Join(g.nc, natspool.Options{
		Pool:      o.Name,
		Workspace: o.Workspace,
		Dir:       o.Dir,
		OwnTools:  o.OwnTools,
		Trust:     o.Trust,
		Signer:    g.signer,
		Policy:    g.policySum,
		Claimed:   shared.Claimed(context.Background(), g.nc, o.Name, o.Workspace),
		Log:       g.log,
	})
	if err != nil {
		return nil, fmt.Errorf("bus: %w", err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pools = append(g.pools, p)
	return p, nil
}

// Close leaves the bus.
func (g *busGateway) Close() error {
	var errs []error
	if g.policy != nil {
		errs = append(errs, g.policy.Close())
	}
	if g.replica != nil {
		errs = append(errs, g.replica.Close())
	}
	var closing sync.WaitGroup // side by side
	for _, p := range g.pools {
		closing.Go(func() { _ = p.Close() }) // it returns none
	}
	closing.Wait()
	if g.nc != nil {
		g.nc.Close()
	}
	if g.broker != nil {
		errs = append(errs, g.broker.Close())
	}
	return errors.Join(errs...)
}

// Work is a worker until ctx is done, or somebody asks it to end.
func (bus) Work(ctx context.Context, o command.BusOptions, w command.BusWorker) (err error) {
	nc, err := comes(ctx, o, "helve worker")
	if err != nil {
		return err
	}
	defer nc.Close()
	claim, err := claimOf(ctx, nc, o, w)
	if err != nil || ctx.Err() != nil {
		return err
	}
	defer func() { err = errors.Join(err, claim.Close()) }()
	policy, err := followPolicy(ctx, nc, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, policy.Close()) }()
	gate := natsworker.Gate{}
	ws, err := w.Open(gate.Ask, gate.Wrap, policy.text())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ws.Close()) }()
	closed := nc.StatusChanged(nats.CLOSED)
	defer nc.RemoveStatusListener(closed)
	policy.countsFor(ws)
	worker, err := natsworker.Offer(nc, ws.Kit(), natsworker.Options{
		Key:       nc.Opts.Nkey,
		Pool:      w.Pool,
		Workspace: w.Workspace,
		Slots:     w.Slots,
		Holds:     claim.holds(),
		CatchUp:   policy.catchUp(),
		Session:   ws.NewSession,
		Version:   helvelib.Version(),
		Gateways:  o.GatewayKeys,
		Log:       w.Log,
	})
	if err != nil {
		return err
	}
	ws.Listen(worker.Notify)
	const serves = "worker %s of pool %s, workspace %s, %d slots, on %s"
	o.Say(serves, worker.Instance(), w.Pool, w.Workspace, w.Slots, nc.ConnectedUrlRedacted())
	select {
	case <-ctx.Done():
	case <-worker.AskedToDrain():
	case <-closed: // the server will not have us: whoever started the worker starts it again
		err = fmt.Errorf("bus: the connection was ended: %w", nc.LastError())
	case <-claim.lost():
		const lost = "another worker has claimed workspace %s: this one could not reach the bus for too long"
		err = fmt.Errorf(lost, w.Workspace)
	}
	drain, stop := context.WithTimeout(context.WithoutCancel(ctx), w.Drain)
	defer stop()
	if worker.Drain(drain) != nil {
		o.Say("still running after %v, cancelled", w.Drain)
	}
	return err
}

// Nodes are the workers that answer.
func (bus) Nodes(ctx context.Context, o command.BusOptions) ([]command.BusNode, error) {
	nc, err := connect(o, "helve nodes")
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	found, err := natspool.Find(ctx, nc, nodesTime)
	if err != nil {
		return nil, err
	}
	differs, err := natspool.Differing(ctx, nc, found)
	if err != nil {
		return nil, err
	}
	out := []command.BusNode{}
	for _, m := range found {
		out = append(out, command.BusNode{
			Instance:  m.Instance,
			Pool:      m.Pool,
			Workspace: m.Workspace,
			Host:      m.Host,
			Version:   m.Version,
			Slots:     m.Slots,
			Running:   m.Running,
			Sessions:  m.Sessions,
			Set:       m.Set,
			Differs:   append([]string{}, differs[m.Instance]...),
			Draining:  m.Draining,
			Exclusive: m.Alone,
			Started:   m.Started,
		})
	}
	slices.SortFunc(out, func(a, b command.BusNode) int {
		return cmp.Or(cmp.Compare(a.Pool, b.Pool), cmp.Compare(a.Host, b.Host), cmp.Compare(a.Instance, b.Instance))
	})
	return out, nil
}

// Drain asks a worker to end when its calls have.
func (bus) Drain(ctx context.Context, o command.BusOptions, instance string) error {
	signer, err := signerOf(o)
	if err != nil {
		return err
	}
	nc, err := connect(o, "helve nodes")
	if err != nil {
		return err
	}
	defer nc.Close()
	return natspool.Drain(ctx, nc, instance, signer)
}
