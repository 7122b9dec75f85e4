// Package proc runs one command with its whole process tree: output into bounded files, an end that always comes, and
// nothing left behind.
//
// Output is kept in bounded files, and nobody waits for the end of a pipe: a child which keeps its output open holds
// up nobody. The command runs in a session of its own; when its first process ends, what it left behind is ended too,
// setsid children included, unless Spec.Leave. With a [Supervisor] the tree also ends when this process is killed.
//
// Three goroutines serve one process, and all of them end with it: run starts the command and waits for it, watch
// passes output on and looks at the clock, and one pump for each stream carries what is written into its file.
// The order of an end is always the same: the first process ends (its status is known, and its number not yet free),
// the rest of the tree is ended, the streams are drained, Spec.After is called, and only then those who wait are told.
package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"helve/internal/job"
)

const (
	// DefaultKeep is how much of each stream stays readable: 50 MB of its head and 50 MB of its tail.
	DefaultKeep = 100 << 20
	// DefaultGrace lies between the request to end (SIGTERM) and the end (SIGKILL).
	DefaultGrace = 200 * time.Millisecond
	// tick is how often output is looked at: for progress and the idle time-out.
	tick = 50 * time.Millisecond
	// maxChunk bounds one piece of progress.
	maxChunk = 16 << 10
)

// ErrStart wraps every failure to start: the program is missing, the directory is, the supervisor refused.
var ErrStart = errors.New("cannot start")

// Process is a running command. Its methods may be called concurrently.
type Process struct {
	Stdout, Stderr *Output

	spec    Spec
	cmd     *exec.Cmd
	link    *link // to the supervisor; nil without one
	marker  string
	job     atomic.Pointer[job.Job] //lint:ignore U1000 the job object, on Windows
	started time.Time

	mu   sync.Mutex
	exit Exit

	exited  chan struct{} // the first process ended, and its tree unless Leave
	gone    chan struct{} // the tree has ended
	ending  sync.Once
	endings chan struct{} // closed when somebody wants the end
	watched chan struct{} // closed when the last progress was passed on
}

// Start runs the command until it ends or ctx is done. The caller must Close the process.
func Start(ctx context.Context, s Spec) (*Process, error) {
	defer func() { // the command's must be the only ones left, or nobody ever sees their end
		files := []*os.File{s.In, s.Out, s.Err, s.Extra}
		if s.Terminal != nil {
			files = append(files, s.Terminal.There)
		}
		for _, f := range files {
			if f != nil {
				f.Close()
			}
		}
	}()
	if len(s.Argv) == 0 || s.Argv[0] == "" {
		return nil, fmt.Errorf("proc: %w: no program given", ErrStart)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("proc: %w: %w", ErrStart, err)
	}
	p := &Process{
		spec:    s.filled(),
		started: time.Now(),
		exited:  make(chan struct{}),
		gone:    make(chan struct{}),
		endings: make(chan struct{}),
		watched: make(chan struct{}),
	}
	if err := p.open(); err != nil {
		return nil, err
	}
	up := make(chan error)
	go p.run(up)
	if err := <-up; err != nil {
		p.Stdout.close()
		p.Stderr.close()
		return nil, fmt.Errorf("proc: %w: %s: %w", ErrStart, s.Argv[0], err)
	}
	go p.watch(ctx)
	return p, nil
}

// open makes the output files and the command.
func (p *Process) open() error {
	stdout, err := p.spec.stdout()
	if err != nil {
		return fmt.Errorf("proc: output file: %w", err)
	}
	stderr, err := newOutput(p.spec.TempDir, p.spec.Keep, p.spec.tee(true))
	if err != nil {
		stdout.close()
		return fmt.Errorf("proc: output file: %w", err)
	}
	p.Stdout, p.Stderr = stdout, stderr
	return nil
}

// stdio are the files that the command reads and writes; done closes what was opened for it.
func (p *Process) stdio() (in, out *os.File, done func(), err error) {
	out = p.spec.Out
	if out == nil {
		out = p.Stdout.w
	}
	if t := p.spec.Terminal; t != nil && t.In {
		return t.There, out, func() {}, nil
	}
	if p.spec.In != nil {
		return p.spec.In, out, func() {}, nil // Start closes it
	}
	in, err = stdinFile(p.spec.TempDir, p.spec.Stdin)
	if err != nil {
		return nil, nil, nil, err
	}
	return in, out, func() { in.Close() }, nil
}

// stderr is the file that the command writes its errors to.
func (p *Process) stderr() *os.File {
	switch {
	case p.spec.Err != nil:
		return p.spec.Err
	case p.spec.Joined, p.spec.Terminal != nil && p.spec.Terminal.Err:
		return p.Stdout.w
	}
	return p.Stderr.w
}

// PID of the first process, or of its supervisor.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// run starts the command, tells up, and waits for its end. It keeps its thread: the kernel's parent-death signal
// follows the thread that started a child, not the process.
func (p *Process) run(up chan<- error) {
	if p.spec.Supervisor == nil {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
	}
	if err := p.start(); err != nil {
		close(p.gone)
		up <- err
		return
	}
	p.Stdout.started()
	p.Stderr.started()
	up <- nil
	p.note(p.await())
	if p.spec.Leave {
		p.Stdout.settled()
		p.Stderr.settled()
		close(p.exited)
		p.linger()
	} else {
		p.reap()
	}
	p.Stdout.drain()
	p.Stderr.drain()
	if p.spec.After != nil {
		p.spec.After()
	}
	if !p.spec.Leave {
		close(p.exited)
	}
	close(p.gone)
}

// note keeps how the first process ended. Why it was ended from here is there already.
func (p *Process) note(exit Exit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.exit.Code = exit.Code
	p.exit.Signal = exit.Signal
	p.exit.Left = exit.Left
	p.exit.Lost = exit.Lost
	p.exit.Over = exit.Over
	p.exit.Duration = time.Since(p.started)
}

// Done is closed when the first process has ended and, without Leave, its tree.
func (p *Process) Done() <-chan struct{} { return p.exited }

// Gone is closed when the whole tree has ended.
func (p *Process) Gone() <-chan struct{} { return p.gone }

// Wait returns how the command ended; with ctx done before, ctx's error, and the command goes on.
func (p *Process) Wait(ctx context.Context) (Exit, error) {
	select {
	case <-p.exited:
	case <-ctx.Done():
		return Exit{}, ctx.Err()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exit, nil
}

// Stop asks the tree to end, and ends it after the grace. It returns when the tree is gone.
func (p *Process) Stop() {
	p.end(func(e *Exit) { e.Stopped = true })
	<-p.gone
}

// Signal sends a signal to the command and to all that it started. A command that has ended needs none.
func (p *Process) Signal(sig os.Signal) {
	select {
	case <-p.gone:
	default:
		p.pass(sig)
	}
}

// Close ends what still runs, without grace where Stop was not called, and frees the output files.
func (p *Process) Close() error {
	p.mu.Lock()
	p.spec.Grace = min(p.spec.Grace, time.Millisecond) // finish may be reading it
	p.mu.Unlock()
	p.Stop()
	return errors.Join(p.Stdout.close(), p.Stderr.close())
}

// end starts the ending once, with its cause. After the first process ended, only what it left is ended.
func (p *Process) end(cause func(*Exit)) {
	p.ending.Do(func() {
		p.mu.Lock()
		select {
		case <-p.exited:
		default:
			cause(&p.exit)
		}
		p.mu.Unlock()
		close(p.endings)
	})
}

// watch passes output on and ends the command when its time is over.
func (p *Process) watch(ctx context.Context) {
	var look <-chan time.Time
	if p.spec.Progress != nil || p.spec.Idle > 0 { // a program that runs for days is not looked at for nothing
		t := time.NewTicker(tick)
		defer t.Stop()
		look = t.C
	}
	var deadline <-chan time.Time
	if p.spec.Timeout > 0 {
		timer := time.NewTimer(p.spec.Timeout)
		defer timer.Stop()
		deadline = timer.C
	}
	done := ctx.Done()
	feed := feed{p: p, last: time.Now()}
	defer close(p.watched)
	defer feed.drain()
	for {
		select {
		case <-p.gone:
			return
		case <-done:
			done = nil // or the loop would come back here until the tree is gone
			p.end(func(e *Exit) { e.Cancelled = true })
		case <-deadline:
			p.end(func(e *Exit) { e.TimedOut = true })
		case <-look:
			feed.look()
		case <-p.endings:
			p.finish()
			return
		}
	}
}

// finish ends the tree: politely, then not.
func (p *Process) finish() {
	p.mu.Lock()
	grace := p.spec.Grace
	p.mu.Unlock()
	p.terminate()
	t := time.NewTimer(grace)
	defer t.Stop()
	select {
	case <-p.gone:
	case <-t.C:
		p.kill()
		<-p.gone
	}
}
