package natsbus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"helve/internal/rpc"
	"helve/internal/visible"
	"helve/internal/wire"
	"helve/tool"
)

const (
	// answerTime is how long a worker may take to understand a call before it is asked whether it lives.
	answerTime = 250 * time.Millisecond
	// pingTime is how long it may take to say that it lives; it is asked twice. With quietTime before it a worker that
	// stands still is known within a second.
	pingTime = 300 * time.Millisecond
	// lateTime is by how much more a question may have taken: then it was ourselves who stood still.
	lateTime = 100 * time.Millisecond
	// holdTime is how long "nobody listens" has to hold before it is believed: in a cluster it may overtake.
	holdTime = 100 * time.Millisecond
	// awayTime is how long a call that nobody has understood yet waits for a bus that cannot be reached: shorter than
	// whoever waits for that, who could not say why.
	awayTime = 5 * time.Second
	// tries is how many workers are asked to understand a call.
	tries = 5
)

// errGone says that a worker is not there, or does not answer.
var errGone = errors.New("the worker is gone")

// Relocate has the pool do the work of tools. Their definitions stay.
func (p *Pool) Relocate(tools ...tool.Tool) []tool.Tool {
	p.move(tools)
	out := make([]tool.Tool, len(tools))
	for i, t := range tools {
		moved := &relocated{t, p}
		out[i] = moved
		if r, ok := t.(tool.Renderer); ok {
			out[i] = &rendered{moved, r}
		}
	}
	return out
}

// move notes that tools are ours: what workers say of them is no other tool, nor is what they have said already.
func (p *Pool) move(tools []tool.Tool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range tools {
		p.own.moved[t.Spec().Origin.String()] = true
	}
	p.relist()
}

// A relocated tool is one whose work a pool does.
type relocated struct {
	tool.Tool
	p *Pool
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
	j := t.p.jobOf(t.Spec(), c)
	j.want.origin, j.want.definition = j.spec.Origin.String(), t.p.definition(j.spec)
	t.p.follow(ctx, j.want.pin)
	return j.prepare(ctx)
}

// jobOf is a call of a tool, for which no worker is wanted yet.
func (p *Pool) jobOf(s *tool.Spec, c *tool.Call) *job {
	who := ""
	if c.Session != nil {
		who = c.Session.Principal
	}
	return &job{p: p, spec: s, call: c, want: want{who: who, pin: p.pinOf(c.Session)}}
}

// A job is a call that a worker understood.
type job struct {
	p    *Pool
	spec *tool.Spec
	call *tool.Call
	want want
	own  *own // nil: the tool is ours

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
	c.Dir = j.p.o.dirOf(j.call)
	c.Resume = resume
	if resume != nil && len(resume.State) == 0 { // answers that came unasked are the tool's, there as here
		c.Resume = tool.Unasked(resume.Answers)
	}
	c.Args = nil // they travel as they are
	b, err := json.Marshal(&c)
	if err != nil {
		return wire.Request{}, fmt.Errorf("the call cannot be sent: %w", err)
	}
	r := wire.Request{Call: b, Args: j.call.Args, Definition: j.want.definition, Session: wire.Session{Gateway: j.p.id}}
	if j.own != nil {
		r.Origin = j.own.from
	}
	if j.p.o.Policy != nil {
		r.Policy = j.p.o.Policy()
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
	j.digest, j.judged = got.Digest, j.p.o.Signer.sum(b)
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

// readEffects keeps nil and none apart: nil is unknown.
func readEffects(effects []wire.Effect) ([]tool.Effect, error) {
	if effects == nil {
		return nil, nil
	}
	out := make([]tool.Effect, len(effects))
	for i, e := range effects {
		if err := out[i].Kind.UnmarshalText([]byte(e.Kind)); err != nil {
			return nil, err
		}
		if e.Target == "" {
			return nil, errors.New("an effect without a target")
		}
		out[i].Target = e.Target
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
	j.digest, j.shown, j.seen = got.Digest, true, j.p.o.Signer.sum(b)
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
	if err := j.p.carries(body); err != nil {
		return nil, err
	}
	for range tries {
		m, err := j.p.place(ctx, j.want, j.call.Progress)
		if err != nil {
			return nil, err
		}
		b, err := j.p.inTurn(ctx, m, verb, body)
		switch {
		case errors.Is(err, errGone):
			j.p.lost(m)
		case err != nil:
			return nil, err
		default:
			return openReply(b)
		}
	}
	return nil, tool.Errorf(tool.Execution, "%d workers of pool %s went away; nothing was done", tries, j.p.o.Pool)
}

// envelope is room for subjects and headers in a message.
const envelope = 4 << 10

// carries tells whether the bus takes a message of this size.
func (p *Pool) carries(body []byte) error {
	most := p.nc.MaxPayload()
	if most <= 0 || int64(len(body)) <= most-envelope { // not connected yet: it is not known
		return nil
	}
	return tool.Errorf(tool.Execution, "the call has %d bytes, the bus carries %d at most", len(body), most-envelope).
		WithHint("Write the file in parts, or raise max_payload of the NATS server.")
}

// openReply is the body of a reply, or the error that it brings.
func openReply(b []byte) ([]byte, error) {
	k, body, err := wire.OpenFrame(b)
	switch {
	case err != nil:
	case k == wire.ReplyOK:
		return body, nil
	case k == wire.FrameRefused:
		return nil, readError(body)
	default:
		err = fmt.Errorf("a reply of kind %q", byte(k))
	}
	return nil, tool.Errorf(tool.Execution, "the worker's answer: %w", err)
}

// refusals are the codes that a worker may refuse with.
var refusals = []tool.Code{
	tool.Validation, tool.UnknownTool, tool.Permission, tool.TimedOut, tool.Execution, tool.Cancelled, tool.Unknown, tool.Busy,
}

// readError is the error of a frame.
func readError(body []byte) *tool.Error {
	e := &tool.Error{}
	if err := json.Unmarshal(body, e); err != nil || e.Err == nil || e.Err.Error() == "" || !slices.Contains(refusals, e.Code) {
		return tool.Errorf(tool.Execution, "the worker refused, in words that cannot be read")
	}
	return e
}

// inTurn is request when it is the call's turn. A worker that was lost meanwhile is not asked.
func (p *Pool) inTurn(ctx context.Context, m *member, verb string, body []byte) ([]byte, error) {
	select {
	case m.asking <- struct{}{}:
		defer func() { <-m.asking }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	p.mu.Lock()
	known := p.members[m.id]
	p.mu.Unlock()
	if known != m {
		return nil, errGone
	}
	return p.request(ctx, m.id, verb, body)
}

// request asks one worker. The error is errGone where it does not live.
func (p *Pool) request(ctx context.Context, instance, verb string, body []byte) ([]byte, error) {
	quick, stop := context.WithTimeout(ctx, answerTime)
	defer stop()
	msg, err := p.requestOf(quick, instance, verb, body)
	if err == nil {
		return msg.Data, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	// It is slow, or gone. What is asked changes nothing: it can be asked again.
	for {
		if _, err := p.ping(ctx, instance, ""); err != nil {
			return nil, err
		}
		msg, err := p.requestOf(ctx, instance, verb, body)
		switch {
		case err == nil:
			return msg.Data, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case !errors.Is(err, nats.ErrNoResponders):
			return nil, tool.Errorf(tool.Execution, "the bus: %w", err)
		}
	}
}

// ping asks a worker whether it lives, and how far a run has come. It waits while our own connection is broken.
func (p *Pool) ping(ctx context.Context, instance, run string) (wire.State, error) {
	body := wire.Encode(wire.RunID{Run: run})
	began := time.Now()
	for left := 2; ; {
		asked := time.Now()
		quick, stop := context.WithTimeout(ctx, pingTime)
		msg, err := p.nc.RequestWithContext(quick, wire.Worker(instance, wire.VerbPing), body)
		stop()
		if err == nil {
			alive, err := wire.Decode[wire.Alive](msg.Data)
			return alive.State, err
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if p.life.Err() != nil || p.nc.IsClosed() {
			return "", errGone
		}
		if p.nc.IsConnected() && time.Since(asked) < pingTime+lateTime {
			left--
		}
		patience := p.o.Away
		if run == "" {
			patience = awayTime
		}
		if !p.nc.IsConnected() && time.Since(began) > patience {
			return "", p.unreachable()
		}
		if left <= 0 && p.silenceMeans() {
			return "", errGone
		}
		if errors.Is(err, nats.ErrNoResponders) || !p.nc.IsConnected() {
			select {
			case <-time.After(holdTime):
			case <-ctx.Done():
			}
		}
	}
}
