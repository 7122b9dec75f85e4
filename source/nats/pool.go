// Package natsbus has workers on other machines do the work of tools, over NATS. The definitions stay the gateway's,
// and so does every decision: a call is prepared by a worker, judged here, and run by a worker that compares what it
// would run with what was judged.
//
//	pool, err := natsbus.Join(nc, natsbus.Options{Pool: "build", Workspace: "project", Dir: dir})
//	…
//	tools = pool.Relocate(tools...)
//
// A call that changes something begins only when the gateway said so, once. So no call runs twice; one whose worker was
// lost when it had begun ends with tool.OutcomeUnknown, and nobody repeats it.
package natsbus

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"

	"helve/internal/wire"
)

// DefaultAway is how long a call that a worker has waits for a bus that is gone: as a server takes to start again.
const DefaultAway = 10 * time.Second

// A Pool is the workers behind one name. Its methods are safe for concurrent use. Close it.
type Pool struct {
	*bus
	end  context.CancelFunc
	subs []*nats.Subscription

	crew  *crew
	line  *line
	calls *calls
	own   *ownTools
}

// Join looks for the workers of a pool. They may come later. The connection stays the caller's.
func Join(nc *nats.Conn, o Options) (*Pool, error) {
	if o.Pool == "" || o.Workspace == "" {
		return nil, errors.New("bus: want the names of a pool and of a workspace")
	}
	o.Waiting = cmp.Or(max(o.Waiting, 0), DefaultWaiting)
	o.Away = cmp.Or(max(o.Away, 0), DefaultAway)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	b := &bus{nc: nc, o: o, id: wire.NewID()}
	p := &Pool{bus: b, crew: newCrew(b)}
	p.line = &line{crew: p.crew, holds: map[string]int{}}
	p.calls = &calls{
		bus:           b,
		line:          p.line,
		conversations: &conversations{p.crew},
		runs:          &runs{bus: b, boxes: map[string]*mailbox{}},
	}
	p.own = newOwnTools(p.crew, p.calls)
	b.life, p.end = context.WithCancel(context.Background())
	if err := p.listen(); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	p.work.Go(p.keep)
	p.work.Go(p.followConnection)
	return p, nil
}

// membersTail is where answers to Who come.
const membersTail = "members"

// listenTime is how long a broker may take to hear of us.
const listenTime = 10 * time.Second

func (p *Pool) listen() error {
	for subject, handle := range map[string]nats.MsgHandler{
		wire.Gateway(p.id, ">"): p.handle,
		wire.Here(p.o.Pool):     p.hear,
	} {
		sub, err := p.nc.Subscribe(subject, handle)
		if err != nil {
			return err
		}
		p.subs = append(p.subs, sub)
	}
	if err := p.nc.PublishRequest(wire.Who, wire.Gateway(p.id, membersTail), nil); err != nil {
		return err
	}
	// The first request of a connection makes a subscription for the answers to all of them.
	ctx, stop := context.WithTimeout(p.life, listenTime)
	defer stop()
	_, err := p.nc.RequestWithContext(ctx, wire.Gateway(p.id, wire.VerbPing), nil)
	return err
}

// Close leaves the pool. Calls that run end as cancelled or unknown.
func (p *Pool) Close() error {
	p.end()
	for _, s := range p.subs {
		_ = s.Unsubscribe() // of a closed connection it is none any more
	}
	p.work.Wait()
	return nil
}

// Members are the workers that the pool knows, by their names.
func (p *Pool) Members() []Member { return p.crew.told() }

// handle takes what is for this gateway.
func (p *Pool) handle(m *nats.Msg) {
	switch verb := wire.VerbOf(m.Subject); {
	case verb == wire.VerbPing:
		p.publish(m.Reply, []byte("{}"))
	case verb == membersTail:
		p.hear(m)
		p.own.answered()
	default:
		p.calls.runs.deliver(wire.RunOf(m.Subject), m)
	}
}

// hear takes a worker's word that it lives.
func (p *Pool) hear(msg *nats.Msg) {
	if len(msg.Data) == 0 { // nobody was there to answer Who
		return
	}
	told, err := wire.ParseMember(msg.Data)
	if err != nil {
		p.o.Log.Warn("bus: a worker that cannot be", "error", err)
		return
	}
	if told.Pool != p.o.Pool {
		return
	}
	p.crew.mu.Lock()
	defer p.crew.mu.Unlock()
	if told.Gone {
		p.crew.drop(told.Instance)
	} else if known := p.crew.heard(told); known != nil {
		p.inform(known)
	}
	p.line.dispatch()
}

// inform sees to it that the definitions of a worker are known. crew.mu is held.
func (p *Pool) inform(m *member) {
	unknown := p.crew.sets[m.Set] == nil
	switch {
	case m.fetching:
	case unknown, p.own.lacks(m.Set) && time.Since(m.fetched) > askEvery:
		m.fetching, m.fetched = true, time.Now()
		p.work.Go(func() { p.fetch(m.id) })
	case m.set != m.Set:
		m.set = m.Set
		p.own.relist()
	}
}

// fetchTime is how long a worker may take to tell them.
const fetchTime = time.Second

// fetch asks a worker for its definitions.
func (p *Pool) fetch(instance string) {
	ctx, stop := context.WithTimeout(p.life, fetchTime)
	defer stop()
	var defs wire.Definitions
	msg, err := p.nc.RequestWithContext(ctx, wire.Worker(instance, wire.VerbSpecs), nil)
	if err == nil {
		defs, err = wire.ParseDefinitions(msg.Data)
	}
	if err == nil && p.keepSet(instance, defs) {
		err = p.fetchOwn(instance)
	}
	p.crew.mu.Lock()
	defer p.crew.mu.Unlock()
	if m := p.crew.members[instance]; m != nil {
		m.fetching = false
	}
	if err != nil && p.life.Err() == nil {
		p.o.Log.Debug("bus: a worker does not tell of its tools", "worker", instance, "error", err)
	}
	p.own.relist()
	p.line.dispatch()
}

// keepSet keeps the definitions that a worker told, and tells whether it has more to say of them.
func (p *Pool) keepSet(instance string, defs wire.Definitions) (more bool) {
	set := defs.Set()
	p.crew.mu.Lock()
	defer p.crew.mu.Unlock()
	p.crew.keepSet(instance, set, defs)
	return p.own.lacks(set)
}

// keep forgets workers that say nothing. Who waits for one that lives is served when that says so.
func (p *Pool) keep() {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for joined := time.Now(); ; {
		select {
		case <-p.life.Done():
			return
		case <-tick.C:
		}
		p.crew.mu.Lock()
		if time.Since(joined) > forgetTime {
			delete(p.crew.alone, notHeard)
		}
		p.crew.expire()
		if p.crew.stale || len(p.crew.gone) > 0 {
			p.own.relist()
		}
		p.crew.mu.Unlock()
	}
}

// fetchOwnTime is how long a worker may take to tell the definitions of its own tools.
const fetchOwnTime = 10 * time.Second

// fetchOwn asks a worker for the definitions of its own tools that nobody told yet.
func (p *Pool) fetchOwn(instance string) error {
	ctx, stop := context.WithTimeout(p.life, fetchOwnTime)
	defer stop()
	for from, size := 0, 0; ; {
		msg, err := p.requestOf(ctx, instance, wire.VerbTools, wire.Encode(wire.ToolsFrom{From: from}))
		if err != nil {
			return err
		}
		body, err := openReply(msg.Data)
		if err != nil {
			return err
		}
		page, err := wire.ParseTools(body, from)
		if err != nil {
			return err
		}
		p.own.learn(page.Tools)
		size += len(body)
		if page.Next == 0 || size > mostOwnBytes {
			return nil
		}
		from = page.Next
	}
}
