package command

import (
	"context"
	"errors"
	"io"
	"sync/atomic"

	"helve/engine/sandbox"
	"helve/internal/programs"
)

// Confined is a Runner that keeps every process in a sandbox: discoveries at read-only and without network, calls as o
// says. Level off is the user's word and holds for both. A level that cannot be kept is an error, never silently less.
func Confined(o sandbox.Options) Runner { return confined{o} }

type confined struct {
	options sandbox.Options // Level is that of calls
}

// reachedMeta is what a result says about the sandbox that held the process.
type reachedMeta struct {
	Level     string   `json:"level"`
	Mechanism string   `json:"mechanism"`
	Gaps      []string `json:"gaps"`
}

// Run runs a process to its end. One that prints more than its bounds is ended at once.
func (r confined) Run(ctx context.Context, p Process) (*Outcome, error) {
	o := r.options
	if p.Level == ReadOnly && o.Level != sandbox.Off {
		o.Level, o.Network = sandbox.ReadOnly, false
	}
	need := programs.Need{}
	if o.Level != sandbox.Off {
		need = programs.For(programs.Command{Argv: p.Named, Dir: p.Dir, Env: p.Env, Home: o.Home, Roots: o.Roots})
		o = o.Shows(need.Readable, need.Named, need.Masked)
	}
	if need.Missing != nil {
		return nil, need.Missing
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	over := &overflow{limits: [2]int{p.MaxStdout, p.MaxStderr}, stop: stop}
	proc, reached, err := sandbox.Start(ctx, o, sandbox.Spec{
		Argv:     p.Argv,
		Dir:      p.Dir,
		Env:      p.Env,
		Stdin:    p.Stdin,
		Keep:     int64(max(p.MaxStdout, p.MaxStderr)) * 2,
		Progress: over.count,
	})
	if err != nil {
		return nil, err
	}
	defer proc.Close()
	exit, err := proc.Wait(context.WithoutCancel(ctx)) // ctx ends the process, and then there is something to tell
	if err != nil {
		return nil, err
	}
	out := &Outcome{Code: exit.Code, Signal: exit.Signal}
	out.Sandbox = reachedMeta{reached.Level.String(), reached.Mechanism, append([]string{}, reached.Gaps...)}
	out.Stdout, out.Exceeded = upTo(proc.Stdout, p.MaxStdout, "stdout", "")
	out.Stderr, out.Exceeded = upTo(proc.Stderr, p.MaxStderr, "stderr", out.Exceeded)
	out.Lost = errors.Join(proc.Stdout.Err(), proc.Stderr.Err())
	if name := over.stream.Load(); name != nil {
		out.Exceeded = *name
		return out, nil
	}
	if out.Code != 0 && reached.Confined {
		out.Hint = need.Missed(string(out.Stderr), o.Home, o.Roots)
	}
	return out, ctx.Err()
}

// An overflow ends a process that prints more than it may. count is called by one goroutine at a time.
type overflow struct {
	limits [2]int // of stdout and stderr
	sizes  [2]int
	stop   func()
	stream atomic.Pointer[string] // the one that went over its limit
}

func (o *overflow) count(c sandbox.Chunk) {
	i, name := 0, "stdout"
	if c.Stderr {
		i, name = 1, "stderr"
	}
	o.sizes[i] += len(c.Data)
	if o.sizes[i] > o.limits[i] {
		o.stream.Store(&name)
		o.stop()
	}
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
