package bash

import (
	"context"
	"helve/builtin/internal/record"
	"helve/engine/sandbox"
	"time"
)

// Sandbox says how commands that were approved are confined. Those that run unasked are always read-only and without
// network. The zero value confines everything to reading.
type Sandbox struct {
	Level    sandbox.Level
	Network  bool     // approved commands have it without asking for it
	Sockets  bool     // they have Unix sockets with names without asking for the network
	Writable []string // further folders that approved commands may change
	Readable []string // what commands may read outside the workspace, beside programs and the system
	Masked   []string // what no command can read, beside the secrets that are always masked
	Launcher string   // an installed helve, for programs that do not call sandbox.Init

	Limits sandbox.Limits // of every command; zero fields take their defaults

	Idle time.Duration // ends a command in the foreground that printed nothing for so long; zero: never

	// Reach tells what of a level this machine can enforce, as sandbox.Reach does, for those who judge command lines
	// and run none. nil: sandbox.Reach.
	Reach func(context.Context, sandbox.Options) (sandbox.Reached, error)
}

func (s *Sandbox) reach(ctx context.Context, o sandbox.Options) (sandbox.Reached, error) {
	if s.Reach != nil {
		return s.Reach(ctx, o)
	}
	return sandbox.Reach(ctx, o)
}

// Options say how commands run; the fields are those of builtin.Options.
type Options struct {
	Sandbox    Sandbox
	Attached   *Attached
	OneCall    bool
	Asking     func() []string
	SomeDenied func() bool
	ReportNew  bool
}

// Commands are the command lines of a workspace: how they are understood, confined and run. They are safe for
// concurrent use.
type Commands struct {
	*record.Records
	Options
	shell   Shell   // what commands are written for
	waiting waiting // commands whose clients are to bring an answer
	draft   *Draft  // in which they run; nil: each has a transaction of its own
}

// New finds the shell that runs them.
func New(r *record.Records, o Options) *Commands {
	return &Commands{Records: r, Options: o, shell: FindShell(r.Environ)}
}

// CloseWaiting gives up on all answers.
func (w *Commands) CloseWaiting() { w.waiting.close() }
