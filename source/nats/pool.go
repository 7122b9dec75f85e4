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
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"helve/internal/visible"
	"helve/internal/wire"
	"helve/tool"
)

const (
	// freshTime is how long after its last word a worker gets calls: it says that it lives every second.
	freshTime = 3 * time.Second
	// forgetTime is after how long without a word it is forgotten.
	forgetTime = 10 * time.Second
	// settleTime is how long after a broken connection came back nothing is concluded from silence: workers have to
	// come back, too, which they try several times a second. With two questions after it a worker that died meanwhile
	// is known within two seconds.
	settleTime = 1500 * time.Millisecond
	// mostMembers is how many workers a pool may have.
	mostMembers = 20_000
	// mostAsking is how many calls a worker is asked to understand or show at once: half of what it does, since it
	// may be asked twice. What comes then waits here: a worker that gets more than it can answer is taken to be gone.
	mostAsking = 128
	// DefaultAway is how long a call that a worker has waits for a bus that is gone: as a server takes to start again.
	DefaultAway = 10 * time.Second
)

// A Pool is the workers behind one name. Its methods are safe for concurrent use. Close it.
type Pool struct {
	nc *nats.Conn
	o  Options
	id string // of this gateway

	subs []*nats.Subscription
	life context.Context // of what runs beside the calls
	end  context.CancelFunc
	work sync.WaitGroup

	mu       sync.Mutex
	members  map[string]*member
	alone    map[string]bool             // those of them that have claimed our workspace
	sets     map[string]wire.Definitions // by their names
	waiting  []*waiter                   // in the order in which they came
	holds    map[string]int              // slots that somebody's calls have
	attempts map[string]*attempt         // by run
	settled  time.Time                   // from when on silence means something
	digests  map[*tool.Spec]string
	own      ownTools
}

// A member is a worker as the pool knows it. id, host and asking do not change; Pool.mu guards the rest.
type member struct {
	id, host string
	asking   chan struct{} // has a place for each call that it is asked about
	wire.Member
	heard    time.Time
	mine     int           // runs that this gateway gave it
	took     time.Duration // what its calls take, about
	set      string        // of its definitions, the last that is known
	fetching bool          // its definitions
	fetched  time.Time     // when they were asked for last
}

// A Member is a worker and what is to be known of it.
type Member struct {
	wire.Member
	Mine int // runs of this gateway
}

// Join looks for the workers of a pool. They may come later. The connection stays the caller's.
func Join(nc *nats.Conn, o Options) (*Pool, error) {
	if o.Pool == "" || o.Workspace == "" {
		return nil, errors.New("bus: want the names of a pool and of a workspace")
	}
	o.Waiting = cmp.Or(max(o.Waiting, 0), DefaultWaiting)
	o.Away = cmp.Or(max(o.Away, 0), DefaultAway)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	p := &Pool{
		nc:       nc,
		o:        o,
		id:       wire.NewID(),
		members:  map[string]*member{},
		alone:    map[string]bool{},
		sets:     map[string]wire.Definitions{},
		holds:    map[string]int{},
		attempts: map[string]*attempt{},
		digests:  map[*tool.Spec]string{},
		own:      newOwnTools(),
	}
	if o.Claimed {
		p.alone[notHeard] = true
	}
	p.life, p.end = context.WithCancel(context.Background())
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
func (p *Pool) Members() []Member {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []Member
	for _, m := range p.members {
		out = append(out, Member{m.Member, m.mine})
	}
	slices.SortFunc(out, func(a, b Member) int { return cmp.Compare(a.Instance, b.Instance) })
	return out
}

// handle takes what is for this gateway.
func (p *Pool) handle(m *nats.Msg) {
	switch verb := wire.VerbOf(m.Subject); {
	case verb == wire.VerbPing:
		p.publish(m.Reply, []byte("{}"))
	case verb == membersTail:
		p.hear(m)
		p.mu.Lock()
		p.own.asked = true
		p.mu.Unlock()
	default:
		p.deliver(wire.RunOf(m.Subject), m)
	}
}

// publish sends, and logs what cannot be sent: whoever misses it asks.
func (p *Pool) publish(subject string, b []byte) {
	if subject == "" {
		return
	}
	if err := p.nc.Publish(subject, b); err != nil && p.life.Err() == nil {
		p.o.Log.Warn("bus: cannot send", "subject", subject, "error", err)
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
	p.mu.Lock()
	defer p.mu.Unlock()
	known := p.members[told.Instance]
	switch {
	case told.Gone:
		p.drop(told.Instance)
		p.dispatch()
		return
	case known == nil && len(p.members) >= mostMembers:
		return
	case known == nil:
		known = &member{id: told.Instance, host: visible.Text(told.Host), asking: make(chan struct{}, mostAsking)}
		p.members[told.Instance] = known
	}
	known.Member, known.heard = *told, time.Now()
	if told.Alone && told.Workspace == p.o.Workspace {
		p.alone[told.Instance] = true
		delete(p.alone, notHeard)
	}
	p.inform(known)
	p.dispatch()
}

// inform sees to it that the definitions of a worker are known. mu is held.
func (p *Pool) inform(m *member) {
	unknown := p.sets[m.Set] == nil
	switch {
	case m.fetching:
	case unknown, p.lacks(m.Set) && time.Since(m.fetched) > askEvery:
		m.fetching, m.fetched = true, time.Now()
		p.work.Go(func() { p.fetch(m.id) })
	case m.set != m.Set:
		m.set = m.Set
		p.relist()
	}
}

// drop forgets a worker. mu is held.
func (p *Pool) drop(instance string) {
	if m := p.members[instance]; m != nil {
		p.part(m)
		delete(p.members, instance)
		delete(p.alone, instance)
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
	p.mu.Lock()
	defer p.mu.Unlock()
	if m := p.members[instance]; m != nil {
		m.fetching = false
	}
	if err != nil && p.life.Err() == nil {
		p.o.Log.Debug("bus: a worker does not tell of its tools", "worker", instance, "error", err)
	}
	p.relist()
	p.dispatch()
}

// keepSet keeps the definitions that a worker told, and tells whether it has more to say of them.
func (p *Pool) keepSet(instance string, defs wire.Definitions) (more bool) {
	set := defs.Set()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.sets) >= mostSets {
		p.forgetSets()
	}
	p.sets[set] = defs
	if m := p.members[instance]; m != nil {
		m.set = set
	}
	return p.lacks(set)
}

// forgetSets forgets the definitions that no worker has, and all where that is not enough. mu is held.
func (p *Pool) forgetSets() {
	used := map[string]bool{}
	for _, m := range p.members {
		used[m.set], used[m.Set] = true, true
	}
	for _, g := range p.own.gone {
		used[g.set] = true
	}
	for set := range p.sets {
		if !used[set] {
			delete(p.sets, set)
		}
	}
	if len(p.sets) >= mostSets {
		clear(p.sets)
	}
}

// mostSets is how many sets of definitions are kept: there is one for each version that runs, and for each set of
// tools of their own that workers have.
const mostSets = 1000

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
		p.mu.Lock()
		if time.Since(joined) > forgetTime {
			delete(p.alone, notHeard)
		}
		for id, m := range p.members {
			if time.Since(m.heard) > forgetTime {
				p.drop(id)
			}
		}
		if p.own.stale || len(p.own.gone) > 0 {
			p.relist()
		}
		p.mu.Unlock()
	}
}

// followConnection notes when a broken connection came back.
func (p *Pool) followConnection() {
	back := p.nc.StatusChanged(nats.CONNECTED)
	defer p.nc.RemoveStatusListener(back)
	for {
		select {
		case <-p.life.Done():
			return
		case _, ok := <-back:
			if !ok {
				return
			}
		}
		p.mu.Lock()
		p.settled = time.Now().Add(settleTime)
		p.mu.Unlock()
	}
}

// silenceMeans tells whether it can be concluded that a worker is gone from hearing nothing: not while our own
// connection is broken, or just came back.
func (p *Pool) silenceMeans() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.nc.IsConnected() && time.Now().After(p.settled)
}

// lost forgets a worker that does not answer. When it says that it lives it is there again.
func (p *Pool) lost(m *member) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.members[m.id] == m {
		p.drop(m.id)
	}
	p.dispatch()
}

// notHeard stands for a worker that has claimed our workspace and was not heard of yet. No instance is called so.
const notHeard = ""

// leaves tells whether a worker gets no new calls: it drains, or another one has claimed our workspace. mu is held.
func (p *Pool) leaves(m *member) bool { return m.Draining || len(p.alone) > 0 && !m.Alone }

// definition is the digest of a spec, made once.
func (p *Pool) definition(s *tool.Spec) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	d, ok := p.digests[s]
	if !ok {
		d = string(s.Digest())
		p.digests[s] = d
	}
	return d
}
