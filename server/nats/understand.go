package natsbus

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"helve/internal/wire"
	"helve/tool"
)

// prepareTime bounds how long a call may take to be understood or shown; the kit's own bounds are shorter.
const prepareTime = 40 * time.Second

// An understanding is a kit whose calls are those of gateways: it makes jobs of what they send.
type understanding struct {
	*bus
	kit      *tool.Kit
	sessions *sessions
	digests  sync.Map // *tool.Spec → string
	named    atomic.Pointer[namesByOrigin]
}

// callOf is the call of a request, in its session. The worker must know the tool as the gateway does.
func (u *understanding) callOf(ctx context.Context, req *wire.Request) (*tool.Call, error) {
	if u.o.CatchUp != nil && req.Policy != "" {
		u.o.CatchUp(ctx, req.Policy)
	}
	c := &tool.Call{}
	if err := json.Unmarshal(req.Call, c); err != nil {
		return nil, fmt.Errorf("the call: %w", err)
	}
	c.Args, c.Gateway = req.Args, req.Session.Gateway
	v := u.kit.View()
	if req.Origin != "" {
		name, err := u.nameOf(v, req.Origin)
		if err != nil {
			return nil, err
		}
		c.Name = name
	}
	t, bad := v.Lookup(c.Name)
	if bad != nil {
		return nil, bad
	}
	if own := u.definition(t.Spec()); own != req.Definition {
		return nil, tool.Errorf(tool.Execution, "worker %s has another definition of this tool", u.instance).
			WithHint("Gateway and workers have to be of one version: helve nodes says which differ.")
	}
	s, err := u.sessions.of(req.Session)
	c.Session = s
	return c, err
}

// understand is the job of a request.
func (u *understanding) understand(ctx context.Context, req *wire.Request) (*tool.Job, error) {
	c, err := u.callOf(ctx, req)
	if err != nil {
		return nil, err
	}
	return u.kit.Understand(ctx, c)
}

// prepare answers what a call would do.
func (u *understanding) prepare(ctx context.Context, req *wire.Request) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, prepareTime)
	defer stop()
	j, err := u.understand(ctx, req)
	if err != nil {
		return nil, err
	}
	return jobOf(j), nil
}

// jobOf is a job on the wire: the same bytes whenever it is understood the same.
func jobOf(j *tool.Job) []byte {
	out := wire.Job{
		Title:     j.Title,
		Signature: j.Signature,
		Rule:      j.Rule,
		Effects:   effectsOf(j.Effects),
		Digest:    string(j.Digest(nil)),
		Preview:   j.Preview != nil,
		Confine:   j.Confine != nil,
		Review:    j.Review != nil,
	}
	if j.Line != nil {
		out.Line = wire.Encode(j.Line)
	}
	return wire.Encode(out)
}

// previewOf is what a person should see, on the wire.
func previewOf(j *tool.Job, shown tool.Display) []byte {
	return wire.Encode(wire.Preview{
		Shown:  wire.Encode(&tool.Result{Display: shown}),
		Digest: string(j.Digest(shown)),
	})
}

// preview answers what a person should see.
func (u *understanding) preview(ctx context.Context, req *wire.Request) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, prepareTime)
	defer stop()
	j, err := u.understand(ctx, req)
	if err != nil {
		return nil, err
	}
	shown, err := show(ctx, j)
	if err != nil {
		return nil, named(err, j.Call.Name)
	}
	return previewOf(j, shown), nil
}

// show is a job's preview; nil where it has none. A tool that panics fails the call and not the worker.
func show(ctx context.Context, j *tool.Job) (d tool.Display, err error) {
	if j.Preview == nil {
		return nil, nil
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("preview of %s: panic: %v", j.Call.Name, p)
		}
	}()
	return j.Preview(ctx)
}

// named is the error of a tool, as its kit makes it: with the tool's name, sentences that programs match stay as they
// are on the road.
func named(err error, name string) error {
	own := *tool.Fail(err).Err
	own.Tool = name
	return &own
}

// effectsOf are effects on the wire, where nil and none differ, too.
func effectsOf(effects []tool.Effect) []wire.Effect {
	if effects == nil {
		return nil
	}
	out := make([]wire.Effect, len(effects))
	for i, e := range effects {
		out[i] = wire.Effect{Kind: e.Kind.String(), Target: e.Target}
	}
	return out
}

// definitions are the digests of all tools, those too that the worker's own rules do not offer: it will refuse them in
// words.
func (u *understanding) definitions() wire.Definitions {
	out := wire.Definitions{}
	v := u.kit.View()
	for _, specs := range [][]*tool.Spec{v.Specs(), v.Unlisted()} {
		for _, s := range specs {
			out[s.Origin.String()] = u.definition(s)
		}
	}
	return out
}

// definition is the digest of a spec, made once.
func (u *understanding) definition(s *tool.Spec) string {
	if d, ok := u.digests.Load(s); ok {
		return d.(string)
	}
	d := string(s.Digest())
	u.digests.Store(s, d)
	return d
}

// namesByOrigin are the names of a view's tools by their origins.
type namesByOrigin struct {
	view *tool.View
	name map[string]string
}
