package main

import (
	"context"
	"errors"

	"helve/cmd/internal/app"
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

// Policy is the policy of the bus; with a text it is put in its place.
func (bus) Policy(ctx context.Context, o app.BusOptions, put []byte) ([]byte, error) {
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
