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
	"path/filepath"
	"runtime"
	"strings"
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

// Spec describes a command. Argv is required, the rest is optional.
type Spec struct {
	// Argv is the program and its arguments; a program without a slash is looked up in the PATH of Env.
	Argv []string
	// Dir is where it starts; empty: here.
	Dir string
	// Env is the whole environment. Nil is an empty one.
	Env []string
	// Stdin is what it can read. Nil: nothing.
	Stdin []byte
	// In and Out are the command's stdin and stdout where the caller talks to it: its ends of two pipes, which Start
	// closes here. Stdin is then of no meaning, and Process.Stdout stays empty.
	In, Out *os.File
	// Err is its stderr, where the caller wants it as it comes. Process.Stderr then stays empty. Start closes it here.
	Err *os.File
	// Extra is descriptor 3 of the command, for what it tells the caller beside its output; not on Windows. nil: it has
	// none. Start closes it here.
	Extra *os.File
	// Tee gets what the command prints as it comes, before that is kept, from one goroutine for each stream: while it
	// waits, so does the command. Its error closes the stream, as a reader that goes away does. nil: nobody does.
	Tee func(Chunk) error
	// Joined has the command print stdout and stderr into one stream, which is Process.Stdout: what it prints keeps its
	// order.
	Joined bool
	// Terminal becomes the command's own, on Linux: its stdout, and what else the terminal says. It can open /dev/tty,
	// and the signals of the keyboard reach it. nil: it has none.
	Terminal *Terminal
	// Keep bounds the bytes of each stream that stay readable; the middle of a longer one is dropped. Zero:
	// DefaultKeep.
	Keep int64
	// Timeout ends the command after this time, Idle after this time without output. Zero: never.
	Timeout, Idle time.Duration
	// Bounds are what all its processes may use together. They are kept on Linux, with a Supervisor.
	Bounds Bounds
	// Grace after SIGTERM. Zero: DefaultGrace.
	Grace time.Duration
	// Lasting says that the command is a server that is talked to for long. Where a namespace holds its processes, it
	// stays in the session of this process, in a group of its own (the scheduler weighs sessions against each other), and
	// what watches over it is small. Its terminal must be out of its reach then. Not with Leave.
	Lasting bool
	// Leave lets the tree live on when its first process ends, until Stop or Close.
	Leave bool
	// Progress gets new output as it comes, at most 20 times a second, one call at a time. It must not block for long.
	Progress func(Chunk)
	// TempDir for the output files, which have no name there. Empty: the system's.
	TempDir string
	// After is called once, when the tree has ended, before anybody who waits for that is told.
	After func()
	// Supervisor runs the command in place of this process. Nil: it is a direct child.
	Supervisor *Supervisor
	// Token is a token of Windows to start the command with, which the caller closes when Start has returned. Zero:
	// that of this process.
	Token uintptr
}

// A Terminal is a pair of a terminal's ends, both of which Start closes here.
type Terminal struct {
	Here, There *os.File // what is read and written here, and what the command gets as its terminal
	In, Err     bool     // its stdin, its stderr are the terminal, too
}

// Chunk is a piece of output.
type Chunk struct {
	Stderr bool
	Data   []byte
}

// Exit tells how the first process ended.
type Exit struct {
	// Code is the exit status; -1 when a signal ended it.
	Code int
	// Signal is the name of the signal that ended it: SIGKILL. Empty: none.
	Signal string
	// TimedOut, Idle and Cancelled tell why it was ended from here.
	TimedOut, Idle, Cancelled bool
	// Stopped says that Stop or Close ended it.
	Stopped  bool
	Duration time.Duration
	// Left names what the command left where it is lost, as far as the supervisor's setup looks for it. Not with
	// Spec.Leave.
	Left []string
	// Lost says why the supervisor could not save what it was to save.
	Lost string
	// Over says in words which of Spec.Bounds the tree exceeded: it was ended because of that. Empty: none.
	Over string
}

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

func (s Spec) filled() Spec {
	if s.Keep <= 0 {
		s.Keep = DefaultKeep
	}
	if s.Grace <= 0 {
		s.Grace = DefaultGrace
	}
	if s.Env == nil {
		s.Env = []string{}
	}
	return s
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

// stdout is where the command prints to.
func (s Spec) stdout() (*Output, error) {
	if s.Terminal != nil {
		return newOutputOn(s.Terminal.Here, s.Terminal.There, s.TempDir, s.Keep, s.tee(false))
	}
	return newOutput(s.TempDir, s.Keep, s.tee(false))
}

// tee is Tee for one stream; nil: nobody gets what is printed there.
func (s Spec) tee(stderr bool) func([]byte) error {
	if s.Tee == nil {
		return nil
	}
	return func(data []byte) error { return s.Tee(Chunk{Stderr: stderr, Data: data}) }
}

// extra are the descriptors of the command from 3 on.
func (s Spec) extra() []*os.File {
	if s.Extra == nil {
		return nil
	}
	return []*os.File{s.Extra}
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

// lookPath finds a program in the PATH of the environment it will get, never in the current directory.
func lookPath(name, dir string, env []string) (string, error) {
	if strings.ContainsRune(name, os.PathSeparator) {
		return name, nil
	}
	return LookPath(name, env)
}

// LookPath finds a program in the absolute folders of env's PATH, and where this system keeps it besides.
func LookPath(name string, env []string) (string, error) {
	path := variable(env, "PATH")
	for _, d := range append(filepath.SplitList(path), places(name, env)...) {
		if !filepath.IsAbs(d) || foreign(name, d, env) {
			continue // a relative PATH would find programs of the workspace
		}
		if full, err := exec.LookPath(filepath.Join(d, name)); err == nil {
			return full, nil
		}
	}
	return "", fmt.Errorf("%w in PATH=%s", exec.ErrNotFound, path)
}

// PassedOver is a program that LookPath passes over because it is for another system, "" for none.
func PassedOver(name string, env []string) string {
	for _, d := range filepath.SplitList(variable(env, "PATH")) {
		if !filepath.IsAbs(d) || !foreign(name, d, env) {
			continue
		}
		if full, err := exec.LookPath(filepath.Join(d, name)); err == nil {
			return full
		}
	}
	return ""
}

// variable is the last value that an environment gives a name.
func variable(env []string, name string) string {
	value := ""
	for _, e := range env {
		have, v, _ := strings.Cut(e, "=")
		if have == name || runtime.GOOS == "windows" && strings.EqualFold(have, name) {
			value = v
		}
	}
	return value
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

// feed carries new output to Progress.
type feed struct {
	p        *Process
	out, err int64 // how far the streams were seen
	last     time.Time
}

// look passes on what came since the last look. Where nothing came for too long, it ends the command.
func (f *feed) look() {
	out := f.stream(f.p.Stdout, &f.out, false)
	err := f.stream(f.p.Stderr, &f.err, true)
	if out || err {
		f.last = time.Now()
	}
	if f.p.spec.Idle > 0 && time.Since(f.last) > f.p.spec.Idle {
		f.p.end(func(e *Exit) { e.Idle = true })
	}
}

// stream passes on one piece of a stream, and tells whether it had grown.
func (f *feed) stream(o *Output, seen *int64, stderr bool) bool {
	size := o.Size()
	if size <= *seen {
		return false
	}
	if f.p.spec.Progress == nil {
		*seen = size
		return true
	}
	data, next, _ := o.Since(*seen, maxChunk)
	if next < size-maxChunk { // far behind: the newest matters
		data, next, _ = o.Since(size-maxChunk, maxChunk)
	}
	*seen = next
	if len(data) > 0 {
		f.p.spec.Progress(Chunk{Stderr: stderr, Data: data})
	}
	return true
}

// drain passes on what came since the last look.
func (f *feed) drain() {
	f.stream(f.p.Stdout, &f.out, false)
	f.stream(f.p.Stderr, &f.err, true)
}
