package main

import (
	"context"
	"errors"

	"helve/cmd/internal/command"
	"helve/internal/workspace"
	"helve/server"
	"helve/source/nats/shared"
)

// A busShared is a workspace.Shared on the bus.
type busShared struct{ *shared.Shared }

var _ workspace.Shared = busShared{}

func (s busShared) Conversation(id string) workspace.Conversation { return s.Shared.Conversation(id) }

// Shared keeps on the bus what replicas have in common.
func (g *busGateway) Shared(ctx context.Context) (workspace.Shared, error) {
	s, err := shared.Open(ctx, g.nc, nil)
	if err != nil {
		return nil, err
	}
	return busShared{s}, nil
}

// Shared joins the bus, which somebody else has started, to look at what replicas share.
func (bus) Shared(ctx context.Context, o command.BusOptions, use func(workspace.Shared)) error {
	nc, err := connect(o, "helve")
	if err != nil {
		return err
	}
	defer nc.Close()
	s, err := shared.Open(ctx, nc, nil)
	if err != nil {
		return err
	}
	use(busShared{s})
	return nil
}

// A busReplica is an app.BusReplica.
type busReplica struct{ *shared.Replica }

var _ command.BusReplica = busReplica{}

// Replica makes the gateway one of several.
func (g *busGateway) Replica() command.BusReplica {
	g.replica = shared.Join(g.nc)
	return busReplica{g.replica}
}

func (r busReplica) Serve(serve func(context.Context, []byte, func([]byte)) []byte) error {
	return r.Replica.Serve(serve)
}

func (r busReplica) Forward(ctx context.Context, replica string, request []byte, hear func([]byte)) ([]byte, error) {
	b, err := r.Replica.Forward(ctx, replica, request, hear)
	if errors.Is(err, shared.ErrNoReplica) {
		return nil, server.ErrNoReplica
	}
	return b, err
}
