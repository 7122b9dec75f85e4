package main

import (
	"context"

	"github.com/nats-io/nats.go"

	"helve/cmd/internal/command"
	"helve/source/nats/shared"
)

// A claimed is a worker's claim of its workspace; the zero value claims nothing.
type claimed struct{ lease *shared.Lease }

// claimOf waits until the worker has the workspace for itself, where it wants it so. It ends with ctx, too.
func claimOf(ctx context.Context, nc *nats.Conn, o command.BusOptions, w command.BusWorker) (claimed, error) {
	if !w.Exclusive {
		return claimed{}, nil
	}
	lease, err := shared.Claim(ctx, nc, shared.ClaimOptions{Pool: w.Pool, Workspace: w.Workspace, Say: o.Say})
	if ctx.Err() != nil && err != nil { // the person waits no more
		return claimed{}, nil
	}
	return claimed{lease}, err
}

// holds tells whether the claim stands; nil where nothing is claimed.
func (c claimed) holds() func() bool {
	if c.lease == nil {
		return nil
	}
	return c.lease.Holds
}

// lost is closed when another has the claim; nil where nothing is claimed.
func (c claimed) lost() <-chan struct{} {
	if c.lease == nil {
		return nil
	}
	return c.lease.Lost()
}

func (c claimed) Close() error {
	if c.lease == nil {
		return nil
	}
	return c.lease.Close()
}
