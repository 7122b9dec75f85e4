package command

import (
	"context"
	"io"
	"sync"
	"time"

	"helve/internal/spawn"
)

// plain runs processes without a sandbox: a group of their own, and nothing
// left behind.
type plain struct{}

// writeTime bounds writing stdin to a program that does not read; by then it
// has ended or is ended.
const writeTime = time.Hour

// Run starts the process and waits for it, its output read into bounded memory.
func (plain) Run(ctx context.Context, p Process) (*Outcome, error) {
	stderr := &bounded{limit: p.MaxStderr, full: make(chan struct{})}
	stdout := &bounded{limit: p.MaxStdout, full: make(chan struct{})}
	proc, err := spawn.Start(spawn.Spec{Argv: p.Argv, Dir: p.Dir, Env: p.Env, Stderr: stderr})
	if err != nil {
		return nil, err
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		proc.Stdin.SetWriteDeadline(time.Now().Add(writeTime))
		proc.Stdin.Write(p.Stdin) // a program that does not read all of it is within its rights
		proc.Stdin.Close()
	})
	wg.Go(func() { io.Copy(stdout, proc.Stdout) })
	o := &Outcome{}
	select {
	case <-proc.Done():
	case <-ctx.Done():
	case <-stdout.full:
		o.Exceeded = "stdout"
	case <-stderr.full:
		o.Exceeded = "stderr"
	}
	proc.Stdin.SetWriteDeadline(time.Now())
	early := time.AfterFunc(drainTime, func() {
		proc.Stdout.SetReadDeadline(time.Now()) // somebody hid with the pipe
	})
	if ctx.Err() != nil || o.Exceeded != "" {
		proc.End(0)
	}
	<-proc.Done()
	wg.Wait()
	early.Stop()
	proc.End(0)
	o.Stdout, o.Stderr = stdout.buf, stderr.buf
	if o.Exceeded == "" {
		o.Exceeded = exceeded(stdout, stderr)
	}
	exit := proc.Exit()
	o.Code, o.Signal = exit.Code, exit.Signal
	if ctx.Err() != nil {
		return o, ctx.Err()
	}
	return o, exit.Err
}

// drainTime is how long output that was written may take to be read once the
// program is gone.
const drainTime = 2 * time.Second

func exceeded(stdout, stderr *bounded) string {
	switch {
	case stdout.over:
		return "stdout"
	case stderr.over:
		return "stderr"
	}
	return ""
}

// bounded keeps the first limit bytes and tells when there are more.
type bounded struct {
	limit int
	buf   []byte
	over  bool
	full  chan struct{}
}

func (b *bounded) Write(p []byte) (int, error) {
	n := len(p)
	if left := b.limit - len(b.buf); n > left {
		p = p[:left]
		if !b.over {
			b.over = true
			close(b.full)
		}
	}
	b.buf = append(b.buf, p...)
	return n, nil
}
