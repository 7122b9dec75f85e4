package natsbus

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"helve/internal/wire"
	"helve/tool"
)

// queueTime is how long a run waits here for a slot, at most: by then another worker may have one.
const queueTime = 20 * time.Millisecond

// cancelTime is what runs have to come back that were cancelled.
const cancelTime = 2 * time.Second

// runs are those that gateways have here: the ones at work, each with a slot, those that wait for one, and for a while
// those that are over.
type runs struct {
	*bus
	calls    *understanding
	gateways *gateways

	mu       sync.Mutex
	draining bool
	all      map[string]*run
	working  int    // those that have a slot
	sending  int    // those that are over, and whose last frames are on their way
	queue    []*run // those that wait for a slot
	kept     outcomes
}

// begin takes a run, once. A worker without a slot says so.
func (c *runs) begin(m *nats.Msg) {
	msg, err := wire.ParseRun(m.Data)
	if err != nil || !wire.ValidID(msg.Run) || !wire.ValidID(msg.Session.Gateway) {
		c.o.Log.Warn("worker: a run that cannot be read", "error", err)
		c.reply(m, refusal(tool.Errorf(tool.Execution, "the worker cannot read the call")))
		return
	}
	r := &run{
		of:      c,
		msg:     msg,
		to:      wire.Gateway(msg.Session.Gateway, wire.RunTail(msg.Run)),
		state:   wire.Waiting,
		word:    make(chan bool, 1),
		answers: map[int]chan wire.AnswerTo{},
	}
	c.mu.Lock()
	twice := c.all[msg.Run] != nil || c.kept.past[msg.Run] != ""
	free := c.working < c.o.Slots
	room := msg.Queue && len(c.queue) < wire.Room(c.o.Slots)
	taken := !twice && !c.draining && c.holds() && (free || room)
	if taken {
		r.ctx, r.end = c.context(msg)
		c.all[msg.Run] = r
		if free {
			c.start(r)
		} else {
			c.enqueue(r)
		}
	}
	c.mu.Unlock()
	if taken {
		c.gateways.note(msg.Session.Gateway)
	}
	if !taken && !twice { // what is delivered a second time is dropped
		c.publish(r.to, wire.Frame(wire.FrameFull, nil))
	}
}

// context is that of a run: it ends with the worker, when the gateway gives up, or by cancel.
func (c *runs) context(msg *wire.Run) (context.Context, context.CancelFunc) {
	if msg.Left > 0 {
		return context.WithTimeout(c.life, msg.Left)
	}
	return context.WithCancel(c.life)
}

// start gives a run a slot. mu is held.
func (c *runs) start(r *run) {
	r.slot = true
	c.working++
	c.work.Go(r.do)
}

// enqueue has a run wait for a slot. mu is held.
func (c *runs) enqueue(r *run) {
	c.queue = append(c.queue, r)
	r.patience = time.AfterFunc(queueTime, func() { c.sendBack(r) })
}

// startNext starts the run that waits longest. mu is held.
func (c *runs) startNext() {
	if len(c.queue) == 0 || c.working >= c.o.Slots {
		return
	}
	r := c.queue[0]
	c.queue = slices.Delete(c.queue, 0, 1)
	r.patience.Stop()
	c.start(r)
}

// sendBack tells the gateway of a run that still waits that there is no slot.
func (c *runs) sendBack(r *run) {
	c.mu.Lock()
	i := slices.Index(c.queue, r)
	if i >= 0 {
		c.queue = slices.Delete(c.queue, i, i+1)
	}
	c.mu.Unlock()
	if i < 0 {
		return // it has one now
	}
	r.patience.Stop()
	r.end()
	r.settle(wire.Refused, ending{kind: wire.FrameFull})
}

// emptyQueue tells so of all that wait.
func (c *runs) emptyQueue() {
	c.mu.Lock()
	left := slices.Clone(c.queue)
	c.mu.Unlock()
	for _, r := range left {
		c.sendBack(r)
	}
}

// alive are the runs that are not over. What was kept too long is let go.
func (c *runs) alive() []*run {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept.expire(c.all, time.Now().Add(-keepTime))
	var out []*run
	for _, r := range c.all {
		if !r.over {
			out = append(out, r)
		}
	}
	return out
}

// find is a run by a message's name of it.
func (c *runs) find(id string) *run {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all[id]
}

// decided takes the gateway's word.
func (c *runs) decided(m *nats.Msg) {
	msg, err := wire.Decode[wire.Begin](m.Data)
	if r := c.find(msg.Run); err == nil && r != nil {
		select {
		case r.word <- msg.OK:
		default: // a second word
		}
	}
}

func (c *runs) cancel(m *nats.Msg) {
	msg, err := wire.Decode[wire.RunID](m.Data)
	if r := c.find(msg.Run); err == nil && r != nil {
		r.stop()
	}
}

// ping tells how far a run has come.
func (c *runs) ping(m *nats.Msg) {
	msg, err := wire.Decode[wire.RunID](m.Data)
	state := wire.Unknown
	if err == nil {
		state = c.stateOf(msg.Run)
	}
	c.reply(m, wire.Encode(wire.Alive{State: state}))
}

// again sends the end of a run once more.
func (c *runs) again(m *nats.Msg) {
	msg, err := wire.Decode[wire.RunID](m.Data)
	r := c.find(msg.Run)
	if err != nil || r == nil {
		return
	}
	r.mu.Lock()
	last := r.last
	r.mu.Unlock()
	if last != nil {
		r.send(last)
	}
}

// answered takes the answer to a question.
func (c *runs) answered(m *nats.Msg) {
	msg, err := wire.Decode[wire.AnswerTo](m.Data)
	r := c.find(msg.Run)
	if err != nil || r == nil {
		return
	}
	r.mu.Lock()
	answer := r.answers[msg.N]
	r.mu.Unlock()
	if answer == nil {
		return
	}
	select {
	case answer <- msg:
	default: // a second answer
	}
}

// emptied waits until nothing runs, and all that ran has told what it came to.
func (c *runs) emptied(ctx context.Context) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		c.mu.Lock()
		left := c.working + c.sending
		c.mu.Unlock()
		if left == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

func (c *runs) cancelAll() {
	for _, r := range c.alive() {
		r.stop()
	}
}

// shut has no run begin any more; false: that is so already.
func (c *runs) shut() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.draining
	c.draining = true
	return !was
}

// state is how many runs are at work, and whether no other begins.
func (c *runs) state() (working int, draining bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.working, c.draining
}

// stateOf is how far a run has come.
func (c *runs) stateOf(id string) wire.State {
	c.mu.Lock()
	r, past := c.all[id], c.kept.past[id]
	c.mu.Unlock()
	if r == nil {
		return cmp.Or(past, wire.Unknown)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}
