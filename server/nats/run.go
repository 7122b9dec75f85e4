package natsbus

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"helve/internal/wire"
	"helve/tool"
	"helve/tool/telemetry"
)

const (
	// goTime is how long a run waits for the gateway's word: a gateway that has not said it by then looks elsewhere.
	goTime = 2 * time.Second
	// askAgain is how often a question is sent that has no answer yet: the first may have been lost.
	askAgain = 2 * time.Second
)

// A run is one call that a gateway judged.
type run struct {
	w   *Worker
	msg *wire.Run
	ctx context.Context
	end context.CancelFunc
	to  string // the gateway's subject for its frames

	// of the goroutine that runs
	previewed bool
	shown     tool.Display

	patience *time.Timer // while it waits for a slot

	slot bool      // Worker.mu: it has one
	over bool      // Worker.mu: it has ended, and is kept for who asks again
	when time.Time // Worker.mu: since then

	mu      sync.Mutex
	state   wire.State
	word    chan bool // the gateway's word on whether it may begin
	answers map[int]chan wire.AnswerTo
	asked   int
	last    *ending // nil: it is not over
}

// An ending is what a run ends with: its packed result, or one frame of another kind.
type ending struct {
	kind wire.Kind // FrameLast: a result, which is sent in pieces
	body []byte
}

// begin takes a run, once. A worker without a slot says so.
func (w *Worker) begin(m *nats.Msg) {
	msg, err := wire.ParseRun(m.Data)
	if err != nil || !wire.ValidID(msg.Run) || !wire.ValidID(msg.Session.Gateway) {
		w.o.Log.Warn("worker: a run that cannot be read", "error", err)
		w.reply(m, refusal(tool.Errorf(tool.Execution, "the worker cannot read the call")))
		return
	}
	r := &run{
		w:       w,
		msg:     msg,
		to:      wire.Gateway(msg.Session.Gateway, wire.RunTail(msg.Run)),
		state:   wire.Waiting,
		word:    make(chan bool, 1),
		answers: map[int]chan wire.AnswerTo{},
	}
	w.mu.Lock()
	_, twice := w.runs[msg.Run]
	free := w.running < w.o.Slots
	room := msg.Queue && len(w.queue) < wire.Room(w.o.Slots)
	taken := !twice && !w.draining && w.holds() && (free || room)
	if taken {
		r.ctx, r.end = w.runContext(msg)
		w.runs[msg.Run] = r
		w.gatewayOf(msg.Session.Gateway)
		if free {
			w.start(r)
		} else {
			w.enqueue(r)
		}
	}
	w.mu.Unlock()
	if !taken && !twice { // what is delivered a second time is dropped
		w.publish(r.to, wire.Frame(wire.FrameFull, nil))
	}
}

// runContext is that of a run: it ends with the worker, when the gateway gives up, or by cancel.
func (w *Worker) runContext(msg *wire.Run) (context.Context, context.CancelFunc) {
	if msg.Left > 0 {
		return context.WithTimeout(w.life, msg.Left)
	}
	return context.WithCancel(w.life)
}

func (r *run) stop() { r.end() }

// do makes the call and sends what it came to.
func (r *run) do() {
	defer r.end()
	res, err := r.call()
	r.mu.Lock()
	begun := r.state == wire.Begun
	r.mu.Unlock()
	switch {
	case begun:
		r.finish(res, err)
	case r.ctx.Err() != nil: // the gateway knows whether it cancelled; otherwise it is we who end
		r.settle(wire.Refused, ending{kind: wire.FrameFull})
	case res != nil && res.Err != nil && !errors.Is(res.Err, errWithdrawn):
		r.settle(wire.Refused, ending{wire.FrameRefused, wire.Encode(res.Err)})
	case err != nil || res == nil || res.Err != nil:
		r.settle(wire.Refused, ending{kind: wire.FrameFull})
	default: // it wants an answer before it begins
		r.finish(res, err)
	}
}

// call passes the kit, with the gate in it.
func (r *run) call() (*tool.Result, error) {
	c, err := r.w.callOf(r.ctx, &r.msg.Request)
	if err != nil {
		return tool.Fail(err), nil
	}
	if c.Session != nil {
		defer tool.Of(c.Session, func() *client { return &client{} }).begin(r)()
	}
	c.Progress = r.progress
	if r.msg.Task {
		c.Task = func() { r.frame(wire.FrameTask, nil) }
	}
	c.Meta = telemetry.ReadTrace(r.msg.Traceparent, r.msg.Tracestate).Into(c.Meta)
	return r.w.kit.Call(context.WithValue(r.ctx, runKey{}, r), c)
}

// finish sends the result of a run that began.
func (r *run) finish(res *tool.Result, err error) {
	if res == nil {
		res = tool.Fail(tool.ErrorOf(tool.Cancelled, "", "cancelled: %v", err))
	}
	b, err := tool.Pack(res)
	if err == nil && len(b) > wire.MostResult {
		err = fmt.Errorf("the result has %d bytes, a worker sends %d at most", len(b), wire.MostResult)
	}
	if err != nil {
		failed := tool.Errorf(tool.Execution, "%w", err).
			WithHint("The call was carried out; only its result is missing. Look at what it did before you repeat it.")
		b, _ = tool.Pack(tool.Fail(failed)) // texts alone
	}
	r.settle(wire.Done, ending{wire.FrameLast, b})
}

// settle ends the run and sends its last frames. What it ended with is kept for a gateway that misses some.
func (r *run) settle(s wire.State, last ending) {
	r.mu.Lock()
	r.state, r.last = s, &last
	r.mu.Unlock()
	w := r.w
	w.mu.Lock()
	r.over, r.when = true, time.Now()
	if r.slot {
		r.slot = false
		w.running--
		w.startNext()
	}
	w.kept.add(r, w.runs)
	w.sending++
	w.mu.Unlock()
	r.send(&last)
	w.mu.Lock()
	w.sending--
	w.mu.Unlock()
}

func (r *run) send(last *ending) {
	if last.kind != wire.FrameLast {
		r.w.publish(r.to, wire.Frame(last.kind, last.body))
		return
	}
	for piece := range wire.Pieces(last.body) {
		r.w.publish(r.to, piece) // which copies it
	}
}

// frame sends one frame of a run that is not over.
func (r *run) frame(k wire.Kind, body []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last == nil {
		r.w.publish(r.to, wire.Frame(k, body))
	}
}

func (r *run) lives() { r.frame(wire.FrameLives, nil) }

func (r *run) progress(p tool.Progress) {
	r.frame(wire.FrameProgress, wire.Encode(wire.Progress{Done: p.Done, Total: p.Total, Message: p.Message}))
}

// mayBegin settles that the job begins. One that changes something waits for the gateway's word, since the gateway may
// have given it to another worker meanwhile: while this one stood still, or was cut off.
func (r *run) mayBegin(ctx context.Context) bool {
	if !r.msg.Sure {
		return r.begins()
	}
	r.frame(wire.FrameBegins, []byte(r.w.instance))
	late := time.NewTimer(goTime)
	defer late.Stop()
	select {
	case ok := <-r.word:
		return ok && r.begins()
	case <-late.C:
	case <-ctx.Done():
	}
	return false
}

// begins notes that the job runs from now on. Of one that only reads nobody has to know.
func (r *run) begins() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state != wire.Waiting || r.ctx.Err() != nil {
		return false
	}
	r.state = wire.Begun
	return true
}

// find is a run by a message's name of it.
func (w *Worker) find(id string) *run {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.runs[id]
}

// decided takes the gateway's word.
func (w *Worker) decided(m *nats.Msg) {
	msg, err := wire.Decode[wire.Begin](m.Data)
	if r := w.find(msg.Run); err == nil && r != nil {
		select {
		case r.word <- msg.OK:
		default: // a second word
		}
	}
}

func (w *Worker) cancel(m *nats.Msg) {
	msg, err := wire.Decode[wire.RunID](m.Data)
	if r := w.find(msg.Run); err == nil && r != nil {
		r.stop()
	}
}

// ping tells how far a run has come.
func (w *Worker) ping(m *nats.Msg) {
	msg, err := wire.Decode[wire.RunID](m.Data)
	state := wire.Unknown
	if r := w.find(msg.Run); err == nil && r != nil {
		r.mu.Lock()
		state = r.state
		r.mu.Unlock()
	}
	w.reply(m, wire.Encode(wire.Alive{State: state}))
}

// again sends the end of a run once more.
func (w *Worker) again(m *nats.Msg) {
	msg, err := wire.Decode[wire.RunID](m.Data)
	r := w.find(msg.Run)
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

// ask asks whoever the gateway asks.
func (r *run) ask(ctx context.Context, l tool.Late) (tool.Answer, error) {
	a, err := r.question(ctx, wire.Question{Late: &wire.Late{
		Title:   l.Title,
		Why:     l.Why,
		Effects: effectsOf(l.Effects),
		Shown:   wire.Encode(&tool.Result{Display: l.Preview}),
	}})
	if err != nil {
		return tool.Answer{}, err
	}
	if a.Failed {
		return tool.Answer{}, errNobody
	}
	return wire.Decode[tool.Answer](a.Answer)
}

// question asks by way of the gateway, and waits for the answer.
func (r *run) question(ctx context.Context, q wire.Question) (wire.AnswerTo, error) {
	answer := make(chan wire.AnswerTo, 1)
	r.mu.Lock()
	r.asked++
	q.N = r.asked
	r.answers[q.N] = answer
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		delete(r.answers, q.N)
		r.mu.Unlock()
	}()
	body := wire.Encode(q)
	if body == nil {
		return wire.AnswerTo{}, errors.New("the question is no JSON")
	}
	tick := time.NewTicker(askAgain)
	defer tick.Stop()
	for {
		r.frame(wire.FrameQuestion, body)
		select {
		case a := <-answer:
			if r.w.tickets != nil && a.Asked != wire.Sum(body) {
				return wire.AnswerTo{}, errors.New("what was answered is not what was asked")
			}
			return a, nil
		case <-ctx.Done():
			return wire.AnswerTo{}, ctx.Err()
		case <-r.ctx.Done(): // a question of a server outlives the call that it is about
			return wire.AnswerTo{}, r.ctx.Err()
		case <-tick.C:
		}
	}
}

// answered takes the answer to a question.
func (w *Worker) answered(m *nats.Msg) {
	msg, err := wire.Decode[wire.AnswerTo](m.Data)
	r := w.find(msg.Run)
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
