package app

import (
	"context"
	"io"
	"sync/atomic"

	"helve/engine/sandbox"
	"helve/source/command"
)

// confined runs the project's commands in the sandbox: discovery at read-only, approved calls at the configured level. A level that
// cannot be kept is an error, never silently less.
type confined struct {
	options sandbox.Options // Level is that of calls
}

var _ command.Runner = confined{}

// reachedMeta is what a result says about the sandbox.
type reachedMeta struct {
	Level     string   `json:"level"`
	Mechanism string   `json:"mechanism"`
	Gaps      []string `json:"gaps"`
}

func (r confined) Run(ctx context.Context, p command.Process) (*command.Outcome, error) {
	o := r.options
	if p.Level == command.ReadOnly && o.Level != sandbox.Off { // off is the user's word, for everything
		o.Level, o.Network = sandbox.ReadOnly, false
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var over atomic.Pointer[string]
	sizes := [2]int{}
	limits := [2]int{p.MaxStdout, p.MaxStderr}
	names := [2]string{"stdout", "stderr"}
	s := sandbox.Spec{Argv: p.Argv, Dir: p.Dir, Env: p.Env, Stdin: p.Stdin, Keep: int64(max(p.MaxStdout, p.MaxStderr)) * 2}
	s.Progress = func(c sandbox.Chunk) {
		i := 0
		if c.Stderr {
			i = 1
		}
		if sizes[i] += len(c.Data); sizes[i] > limits[i] {
			over.Store(&names[i])
			stop()
		}
	}
	proc, reached, err := sandbox.Start(ctx, o, s)
	if err != nil {
		return nil, err
	}
	defer proc.Close()
	exit, err := proc.Wait(context.WithoutCancel(ctx))
	if err != nil {
		return nil, err
	}
	out := &command.Outcome{Code: exit.Code, Signal: exit.Signal, Sandbox: reachedMeta{reached.Level.String(), reached.Mechanism, append([]string{}, reached.Gaps...)}}
	out.Stdout, out.Exceeded = upTo(proc.Stdout, p.MaxStdout, "stdout", "")
	out.Stderr, out.Exceeded = upTo(proc.Stderr, p.MaxStderr, "stderr", out.Exceeded)
	if name := over.Load(); name != nil {
		out.Exceeded = *name
		return out, nil
	}
	return out, ctx.Err()
}

// upTo reads a stream up to its limit and says which stream went over it, the first if several did.
func upTo(o *sandbox.Output, limit int, name, exceeded string) ([]byte, string) {
	b, _ := io.ReadAll(io.LimitReader(o.Reader(), int64(limit)+1)) // what can be read was kept
	if len(b) <= limit {
		return b, exceeded
	}
	if exceeded == "" {
		exceeded = name
	}
	return b[:limit], exceeded
}
