package natsbus

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

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
	of  *runs
	msg *wire.Run
	ctx context.Context
	end context.CancelFunc
	to  string // the gateway's subject for its frames

	// of the goroutine that runs
	previewed bool
	shown     tool.Display

	patience *time.Timer // while it waits for a slot

	slot  bool       // runs.mu: it has one
	over  bool       // runs.mu: it has ended, and is kept for who asks again
	when  time.Time  // runs.mu: since then
	ended wire.State // runs.mu: how

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
	c, err := r.of.calls.callOf(r.ctx, &r.msg.Request)
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
	return r.of.calls.kit.Call(context.WithValue(r.ctx, runKey{}, r), c)
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
	c := r.of
	c.mu.Lock()
	r.over, r.when, r.ended = true, time.Now(), s
	if r.slot {
		r.slot = false
		c.working--
		c.startNext()
	}
	c.kept.add(r, c.all)
	c.sending++
	c.mu.Unlock()
	r.send(&last)
	c.mu.Lock()
	c.sending--
	c.mu.Unlock()
}

func (r *run) send(last *ending) {
	if last.kind != wire.FrameLast {
		r.of.publish(r.to, wire.Frame(last.kind, last.body))
		return
	}
	for piece := range wire.Pieces(last.body) {
		r.of.publish(r.to, piece) // which copies it
	}
}

// frame sends one frame of a run that is not over.
func (r *run) frame(k wire.Kind, body []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last == nil {
		r.of.publish(r.to, wire.Frame(k, body))
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
	r.frame(wire.FrameBegins, []byte(r.of.instance))
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
			if r.of.tickets != nil && a.Asked != wire.Sum(body) {
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

// errWithdrawn is the end of a run that did not begin, for no fault of its own.
var errWithdrawn = errors.New("the run did not begin")
