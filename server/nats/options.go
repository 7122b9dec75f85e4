package natsbus

import (
	"context"
	"log/slog"
	"time"

	"helve/tool"
)

// Options say what a worker offers. Pool, Workspace and Session are required.
type Options struct {
	Pool      string
	Workspace string // its name: gateways send only the calls of a workspace of this name
	Slots     int    // runs at once; 0: DefaultSlots

	// Holds tells whether the claim stands for certain that the worker has on its workspace: it takes no calls while
	// it does not. nil: the worker claims nothing, and others may offer the workspace, too.
	Holds func() bool

	// Session makes the session of a conversation, in which the worker's tools remember. The worker closes it.
	Session func() *tool.Session

	// CatchUp is told which policy of the bus the gateway of a call goes by, and has this worker go by it, too, if it
	// is newer. nil: the worker follows none.
	CatchUp func(ctx context.Context, policy string)

	// Gateways are public nkeys: what the worker is told has to be signed with one of them. none: it trusts whoever the
	// server lets speak to it.
	Gateways []string

	Key     string // the public nkey by which the server knows the worker, for the server's rules; "": none
	Version string
	Log     *slog.Logger     // nil: silent
	Now     func() time.Time // nil: time.Now
}
