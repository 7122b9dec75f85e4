package natsbus

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"

	"helve/internal/visible"
	"helve/internal/wire"
	"helve/tool"
)

const (
	// quietTime is how long a run may say nothing before its worker is asked: it says that it goes on five times a
	// second.
	quietTime = 350 * time.Millisecond
	// cancelTime is how long a worker has to say what became of a run that was cancelled.
	cancelTime = 400 * time.Millisecond
	// mostAgain is how often the end of a run is asked for again.
	mostAgain = 5
)

// An attempt is one run at one worker.
type attempt struct {
	j   *job
	m   *member
	msg wire.Run

	box *mailbox
	// of the call's goroutine
	begun  bool
	pieces wire.Assembler
	again  int
	asked  questions
	told   talk
	result *tool.Result
	missed bool // whoever waits was told that the bus is gone
}

func newAttempt(j *job, m *member, msg wire.Run) *attempt {
	msg.Run = wire.NewID()
	return &attempt{j: j, m: m, msg: msg}
}

// do sends the run and waits for what it comes to. The slot is given back when the worker has said its last word on
// it, or is gone.
func (a *attempt) do(ctx context.Context) end {
	c := a.j.c
	if until, ok := ctx.Deadline(); ok {
		a.msg.Left = time.Until(until)
	}
	body := wire.EncodeRequest(&a.msg, a.msg.Args)
	if err := c.carries(body); err != nil {
		c.line.give(a.m, a.j.want, notBegun, 0)
		a.result = tool.Fail(err)
		return ended
	}
	a.box = c.runs.open(a.msg.Run)
	reply := wire.Gateway(c.id, wire.RunTail(a.msg.Run))
	how := notBegun
	began := time.Now()
	err := c.nc.PublishMsg(c.o.Signer.message(a.m.id, wire.VerbRun, reply, body))
	if err == nil {
		how = a.wait(ctx)
	}
	took := time.Since(began)
	a.asked.Wait()
	c.runs.close(a.msg.Run)
	c.line.give(a.m, a.j.want, how, took)
	a.settle()
	return how
}

// wait takes the frames as they come.
func (a *attempt) wait(ctx context.Context) end {
	asking, stop := context.WithCancel(ctx)
	defer stop()
	quiet := time.NewTimer(quietTime)
	defer quiet.Stop()
	cancelled := ctx.Done()
	var patience <-chan time.Time
	var state <-chan pinged
	for {
		select {
		case <-a.box.ready:
			if how, over := a.takeAll(ctx, asking); over {
				return how
			}
			state = nil // it lives, whatever becomes of the question
			quiet.Reset(quietTime)
		case <-quiet.C:
			state = a.ping()
			a.misses()
		case s := <-state:
			state = nil
			if how, over := a.judge(s); over {
				return how
			}
			quiet.Reset(quietTime)
		case <-cancelled:
			cancelled, patience = nil, time.After(cancelTime)
			a.j.c.tell(a.m.id, wire.VerbCancel, wire.RunID{Run: a.msg.Run})
		case <-patience:
			return given
		}
	}
}

// A pinged is what a worker says of a run.
type pinged struct {
	state wire.State
	err   error
}

// ping asks the worker, beside the frames.
func (a *attempt) ping() <-chan pinged {
	out := make(chan pinged, 1)
	c := a.j.c
	c.work.Go(func() {
		state, err := c.ping(c.life, a.m.id, a.msg.Run)
		out <- pinged{state, err}
	})
	return out
}

// misses tells whoever waits, once, that the call waits for the bus.
func (a *attempt) misses() {
	if a.missed || a.j.c.nc.IsConnected() || a.j.call.Progress == nil {
		return
	}
	a.missed = true
	a.j.call.Progress(tool.Progress{Message: "the bus cannot be reached: the call waits for it"})
}

// judge draws the conclusion from a worker's silence.
func (a *attempt) judge(s pinged) (end, bool) {
	if _, away := errors.AsType[*tool.Error](s.err); away {
		return cutOff, true // the bus cannot be reached: nothing is known of the worker
	}
	switch {
	case s.err != nil || s.state == wire.Unknown:
		// It never begins what it was not told to, so what we told nobody to begin can be done elsewhere.
		if !a.begun {
			return notBegun, true
		}
		return lostTrack, true
	case s.state != wire.Done && s.state != wire.Refused:
		return 0, false
	case a.again >= mostAgain:
		return lostTrack, true
	}
	a.askAgain()
	return 0, false
}

// askAgain has the worker send the end of the run once more.
func (a *attempt) askAgain() {
	a.again++
	a.j.c.tell(a.m.id, wire.VerbAgain, wire.RunID{Run: a.msg.Run})
}

// takeAll takes the frames that have come. asking is done when the attempt is over, ctx when the call is.
func (a *attempt) takeAll(ctx, asking context.Context) (end, bool) {
	for _, m := range a.box.take() {
		if how, over := a.take(ctx, asking, m); over {
			return how, true
		}
	}
	return 0, false
}

// noneListens is the status of a message with which a broker says that nobody listens.
const noneListens = "503"

// take takes one frame.
func (a *attempt) take(ctx, asking context.Context, m *nats.Msg) (end, bool) {
	if len(m.Data) == 0 && m.Header.Get("Status") == noneListens {
		return 0, false // the worker is asked after quietTime: in a cluster this may overtake
	}
	k, body, err := wire.OpenFrame(m.Data)
	if err != nil {
		a.j.c.o.Log.Warn("bus: a frame that cannot be read", "worker", a.m.id, "error", err)
		return 0, false
	}
	switch k {
	case wire.FrameBegins:
		a.begins()
	case wire.FrameProgress:
		a.progress(body)
	case wire.FrameQuestion:
		a.question(asking, body)
	case wire.FrameNotice:
		a.notice(ctx, body)
	case wire.FrameTask:
		a.goesOn()
	case wire.FramePiece, wire.FrameLast:
		return a.piece(k, body)
	case wire.FrameFull:
		return full, true
	case wire.FrameRefused:
		a.result = tool.Fail(readError(body))
		return ended, true
	}
	return 0, false
}

// begins notes that the run begins, and says to a worker that waits that it may.
func (a *attempt) begins() {
	a.begun = true
	if a.msg.Sure {
		a.j.c.tell(a.m.id, wire.VerbGo, wire.Begin{Run: a.msg.Run, OK: true})
	}
}

func (a *attempt) progress(body []byte) {
	got, err := wire.Decode[wire.Progress](body)
	if err == nil && a.j.call.Progress != nil {
		a.j.call.Progress(tool.Progress{Done: got.Done, Total: got.Total, Message: visible.Text(got.Message)})
	}
}

// piece takes a piece of the result.
func (a *attempt) piece(k wire.Kind, body []byte) (end, bool) {
	b, err := a.pieces.Add(k, body)
	switch {
	case errors.Is(err, wire.ErrGap) && a.again < mostAgain:
		a.askAgain()
		return 0, false
	case err == nil && b == nil && k == wire.FramePiece:
		return 0, false
	}
	if err == nil {
		a.result, err = tool.Unpack(b)
	}
	if err != nil {
		e := tool.Errorf(tool.OutcomeUnknown, "worker %s sent a result that cannot be read: %w", a.m, err)
		a.result = tool.Fail(e.WithHint("The call may have been carried out: look at what is there before you call again."))
	}
	return ended, true
}
