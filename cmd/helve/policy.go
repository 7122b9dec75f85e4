package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/nats-io/nats.go"

	"helve/cmd/internal/command"
	"helve/internal/workspace"
	"helve/source/nats/shared"
)

// Policy follows the policy of the bus.
func (g *busGateway) Policy(ctx context.Context, changed func()) (func() ([]byte, error), error) {
	p, err := shared.FollowPolicy(ctx, g.nc, shared.PolicyOptions{Changed: changed, Say: g.say})
	if err != nil {
		return nil, err
	}
	g.policy = p
	return p.Text, nil
}

// policySum names the policy that the gateway goes by; "": none.
func (g *busGateway) policySum() string {
	if g.policy == nil {
		return ""
	}
	return g.policy.Sum()
}

// A workerPolicy is the policy of the bus as a worker follows it; without one nothing is followed.
type workerPolicy struct {
	*shared.Policy // nil: none
	say            func(format string, args ...any)

	mu sync.Mutex
	ws *workspace.Assembly // nil: it is not open yet
}

// followPolicy follows the policy of the bus where the worker's configuration says so.
func followPolicy(ctx context.Context, nc *nats.Conn, o command.BusOptions) (*workerPolicy, error) {
	w := &workerPolicy{say: o.Say}
	if !o.Policy {
		return w, nil
	}
	p, err := shared.FollowPolicy(ctx, nc, shared.PolicyOptions{Changed: w.reload, Say: o.Say})
	if err != nil {
		return nil, fmt.Errorf("bus.policy: %w", err)
	}
	w.Policy = p
	return w, nil
}

// countsFor has another policy count in a workspace as soon as it is there.
func (w *workerPolicy) countsFor(ws *workspace.Assembly) {
	w.mu.Lock()
	w.ws = ws
	w.mu.Unlock()
	w.reload() // what changed while it was opened
}

func (w *workerPolicy) reload() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ws == nil {
		return
	}
	if err := w.ws.Reload(); err != nil {
		w.say("the policy of the bus changed and cannot be used, the rules stay as they were: %v", err)
	}
}

// text is workspace.Layers.Pushed.
func (w *workerPolicy) text() func() ([]byte, error) {
	if w.Policy == nil {
		return nil
	}
	return w.Text
}

// catchUp is the worker's CatchUp.
func (w *workerPolicy) catchUp() func(context.Context, string) {
	if w.Policy == nil {
		return nil
	}
	return w.CatchUp
}

func (w *workerPolicy) Close() error {
	if w.Policy == nil {
		return nil
	}
	return w.Policy.Close()
}

// Policy is the policy of the bus; with a text it is put in its place.
func (bus) Policy(ctx context.Context, o command.BusOptions, put []byte) ([]byte, error) {
	nc, err := connect(o, "helve nodes")
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	if put != nil {
		return put, shared.PutPolicy(ctx, nc, put)
	}
	p, err := shared.FollowPolicy(ctx, nc, shared.PolicyOptions{})
	if err != nil {
		return nil, err
	}
	text, err := p.Text()
	return text, errors.Join(err, p.Close())
}
