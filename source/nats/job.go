package natsbus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"helve/internal/rpc"
	"helve/internal/visible"
	"helve/internal/wire"
	"helve/tool"
)

// tries is how many workers are asked to understand a call.
const tries = 5

// calls are those of this gateway to the workers of a pool.
type calls struct {
	*bus
	line          *line
	conversations *conversations
	runs          *runs
	digests       sync.Map // *tool.Spec → string
}

// definition is the digest of a spec, made once.
func (c *calls) definition(s *tool.Spec) string {
	if d, ok := c.digests.Load(s); ok {
		return d.(string)
	}
	d := string(s.Digest())
	c.digests.Store(s, d)
	return d
}

// A relocated tool is one whose work a pool does.
type relocated struct {
	tool.Tool
	calls *calls
}

// A rendered one also tells how the text of its results is made.
type rendered struct {
	*relocated
	tool.Renderer
}

var (
	_ tool.Tool     = (*relocated)(nil)
	_ tool.Renderer = (*rendered)(nil)
)

// Prepare has a worker understand the call.
func (t *relocated) Prepare(ctx context.Context, c *tool.Call) (*tool.Job, error) {
	j := t.calls.jobOf(t.Spec(), c)
	j.want.origin, j.want.definition = j.spec.Origin.String(), t.calls.definition(j.spec)
	t.calls.conversations.follow(ctx, j.want.pin)
	return j.prepare(ctx)
}

// jobOf is a call of a tool, for which no worker is wanted yet.
func (k *calls) jobOf(s *tool.Spec, c *tool.Call) *job {
	who := ""
	if c.Session != nil {
		who = c.Session.Principal
	}
	return &job{c: k, spec: s, call: c, want: want{who: who, pin: k.conversations.pinOf(c.Session)}}
}

// An owner is a tool that only workers have, which makes its own of what they say.
type owner interface {
	who() string // asks, as the client reads it
	seen(j *tool.Job)
	preview(args json.RawMessage, theirs tool.Display) tool.Display
	answer(r *tool.Result) *tool.Result
}

// A job is a call that a worker understood.
type job struct {
	c    *calls
	spec *tool.Spec
	call *tool.Call
	want want
	own  owner // nil: the tool is ours

	digest           string // of what is to run
	shown            bool
	judged, seen     string // wire.Run's Judged and Seen
	confined, review bool
	tasked           bool // the caller was told that it goes on for long
}

// request is the call on the wire.
func (j *job) request(resume *tool.Resume) (wire.Request, error) {
	c := *j.call
	c.Name = j.spec.Name
	c.Dir = j.c.o.dirOf(j.call)
	c.Resume = resume
	if resume != nil && len(resume.State) == 0 { // answers that came unasked are the tool's, there as here
		c.Resume = tool.Unasked(resume.Answers)
	}
	c.Args = nil // they travel as they are
	b, err := json.Marshal(&c)
	if err != nil {
		return wire.Request{}, fmt.Errorf("the call cannot be sent: %w", err)
	}
	r := wire.Request{Call: b, Args: j.call.Args, Definition: j.want.definition, Session: wire.Session{Gateway: j.c.id}}
	if j.own != nil {
		r.Origin = j.want.origin
	}
	if j.c.o.Policy != nil {
		r.Policy = j.c.o.Policy()
	}
	if s := c.Session; s != nil {
		r.Session.Key, r.Session.Principal, r.Session.Shared = j.want.pin.key, s.Principal, s.Shared
		tellClient(&r.Session, s)
		r.Session.Lasting = j.want.pin.lasting != nil
	}
	return r, nil
}

// tellClient tells what the client of a session can be asked for, and which log messages it wants.
func tellClient(to *wire.Session, s *tool.Session) {
	if s.Back == nil {
		return
	}
	to.Asks = true
	if json.Valid(s.Capabilities) {
		to.Capabilities = s.Capabilities
	}
	none := func() *rpc.Wishes { return nil } // a client of the session protocol has some
	if wishes := tool.Of(s, none); wishes != nil {
		to.Level, to.Chosen = wishes.Level(), wishes.Chosen()
	}
}

func (j *job) prepare(ctx context.Context) (*tool.Job, error) {
	b, err := j.ask(ctx, wire.VerbPrepare)
	if err != nil {
		return nil, err
	}
	got, err := wire.ParseJob(b)
	if err != nil {
		return nil, tool.Errorf(tool.Execution, "the worker's answer: %w", err)
	}
	j.digest, j.judged = got.Digest, j.c.o.Signer.sum(b)
	out := &tool.Job{
		Title:     visible.Text(got.Title),
		Signature: got.Signature,
		Rule:      got.Rule,
		Remote:    true,
		Run:       j.run,
	}
	out.Effects, err = readEffects(got.Effects)
	if err != nil {
		return nil, tool.Errorf(tool.Execution, "the worker's answer: %w", err)
	}
	if got.Line != nil {
		out.Line = new(tool.CommandLine)
		if err := json.Unmarshal(got.Line, out.Line); err != nil {
			return nil, tool.Errorf(tool.Execution, "the worker's answer: the command line: %w", err)
		}
	}
	if got.Preview {
		out.Preview = j.preview
	}
	if got.Confine {
		out.Confine = func() { j.confined = true }
	}
	if got.Review {
		out.Review = func() { j.review = true }
	}
	if j.own != nil {
		j.own.seen(out)
		out.Preview = j.preview
	}
	return out, nil
}

// preview has the worker show what the job would do. What is shown is what runs, or nothing does.
func (j *job) preview(ctx context.Context) (tool.Display, error) {
	b, err := j.ask(ctx, wire.VerbPreview)
	if err != nil {
		return nil, err
	}
	got, err := wire.Decode[wire.Preview](b)
	var holder tool.Result
	if err == nil {
		err = json.Unmarshal(got.Shown, &holder)
	}
	if err != nil {
		return nil, tool.Errorf(tool.Execution, "the worker's answer: the preview: %w", err)
	}
	j.digest, j.shown, j.seen = got.Digest, true, j.c.o.Signer.sum(b)
	if j.own != nil {
		return j.own.preview(j.call.Args, holder.Display), nil
	}
	return holder.Display, nil
}

// ask asks a worker about the call, and another one where it is gone. Nothing is done by that.
func (j *job) ask(ctx context.Context, verb string) ([]byte, error) {
	req, err := j.request(nil)
	if err != nil {
		return nil, err
	}
	body := wire.EncodeRequest(&req, req.Args)
	if err := j.c.carries(body); err != nil {
		return nil, err
	}
	for range tries {
		m, err := j.c.line.place(ctx, j.want, j.call.Progress)
		if err != nil {
			return nil, err
		}
		b, err := j.c.inTurn(ctx, m, verb, body)
		switch {
		case errors.Is(err, errGone):
			j.c.line.lost(m)
		case err != nil:
			return nil, err
		default:
			return openReply(b)
		}
	}
	return nil, tool.Errorf(tool.Execution, "%d workers of pool %s went away; nothing was done", tries, j.c.o.Pool)
}

// inTurn is request when it is the call's turn. A worker that was lost meanwhile is not asked.
func (c *calls) inTurn(ctx context.Context, m *member, verb string, body []byte) ([]byte, error) {
	select {
	case m.asking <- struct{}{}:
		defer func() { <-m.asking }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if !c.line.keeps(m) {
		return nil, errGone
	}
	return c.request(ctx, m.id, verb, body)
}
