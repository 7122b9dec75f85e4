package script

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"helve/engine/sandbox"
	"helve/script/internal/wire"
)

const (
	// startTime is how long a child may take until it is ready.
	startTime = 20 * time.Second
	// spareTime is how long a child waits for a script: longer than a model thinks between two of them, or a person
	// about its answer.
	spareTime = 10 * time.Minute
	// saidBytes is how much of a child's last words is kept: the Go runtime says first why it ends.
	saidBytes = 64 << 10
)

// A process is a child. It runs one script.
type process struct {
	sandboxed *sandbox.Process
	in        *os.File // to the child
	out       *os.File // of the child
	writing   sync.Mutex
	once      sync.Once
}

// start starts a child and waits until it is ready.
func start(ctx context.Context) (*process, error) {
	program, err := self()
	if err != nil {
		return nil, err
	}
	p, err := open(program)
	if err != nil {
		return nil, err
	}
	var ready wire.Up
	p.out.SetReadDeadline(time.Now().Add(startTime))
	stop := context.AfterFunc(ctx, func() { p.out.SetReadDeadline(time.Now()) })
	defer stop()
	if err := wire.Read(p.out, &ready); err != nil || !ready.Ready {
		words := p.words()
		p.end()
		return nil, fmt.Errorf("the interpreter did not start: %w %s", err, words)
	}
	p.out.SetReadDeadline(time.Time{})
	return p, nil
}

// open starts the program between two pipes.
func open(program string) (*process, error) {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	read, write, err := os.Pipe()
	if err != nil {
		theirs.Close()
		ours.Close()
		return nil, err
	}
	spec := sandbox.Spec{
		Argv: []string{program},
		Dir:  "/",
		Env:  []string{wire.Variable + "=" + wire.Child, "GOMAXPROCS=2", "GOTRACEBACK=none", "MALLOC_ARENA_MAX=1"},
		In:   theirs, // Start closes both
		Out:  write,
		Keep: saidBytes,
		Once: true, // the child of the next script waits in place of its launcher
	}
	// Its life is not that of the call that started it: end ends it.
	sandboxed, _, err := sandbox.Start(context.Background(), confinement(program), spec)
	if err != nil {
		ours.Close()
		read.Close()
		return nil, err
	}
	return &process{sandboxed: sandboxed, in: ours, out: read}, nil
}

// send sends a message.
func (p *process) send(d wire.Down) error {
	p.writing.Lock()
	defer p.writing.Unlock()
	return wire.Write(p.in, d)
}

// end ends the child with all that it started, and frees what belongs to it.
func (p *process) end() {
	p.once.Do(func() {
		p.in.Close()
		p.out.SetReadDeadline(time.Now())
		p.sandboxed.Close()
		p.out.Close()
	})
}

// words are the child's last words.
func (p *process) words() string {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	p.sandboxed.Wait(ctx) // what it wrote is all there then
	head, tail, _ := p.sandboxed.Stderr.HeadTail(saidBytes)
	return strings.TrimSpace(string(bytes.Join([][]byte{head, tail}, nil)))
}

// death is why a child ended without an answer, in words for who wrote the script.
func (p *process) death() error {
	words := p.words()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	exit, _ := p.sandboxed.Wait(ctx)
	switch {
	case strings.Contains(words, "stack exceeds"), strings.Contains(words, "stack overflow"):
		return errors.New("the script calls itself too deeply: write it as a loop")
	case starved(words):
		const hungry = "the script needs more than %d MiB of memory: ask tools for less at once, and keep less"
		return fmt.Errorf(hungry, wire.Memory>>20)
	case exit.Signal == "SIGXCPU", exit.Signal == "SIGKILL":
		return fmt.Errorf("the script took more than %d seconds of the processor", wire.CPUSeconds)
	}
	line, _, _ := strings.Cut(words, "\n")
	return fmt.Errorf("the interpreter ended (exit status %d %s) %s", exit.Code, exit.Signal, line)
}

// starved tells that the Go runtime ended because it got no memory: it says so, or finds itself without a stack or a
// thread.
func starved(words string) bool {
	return slices.ContainsFunc(starving, func(w string) bool { return strings.Contains(words, w) })
}

var starving = []string{
	"out of memory",
	"cannot allocate memory",
	"pthread_create failed",
	"newosproc",
	"SIGSEGV",
}

// A nursery has the child that waits for the next script. The zero value is ready.
type nursery struct {
	once    bool // no other script is expected
	mu      sync.Mutex
	spare   *process
	timer   *time.Timer
	closed  bool
	growing sync.WaitGroup
	coming  chan struct{} // closed when the one that is being started is there, or failed; nil: none is
}

// take is a child that waits for a script. One that is being started comes sooner than another one would.
func (n *nursery) take(ctx context.Context) (*process, error) {
	if p := n.waits(); p != nil {
		return p, nil
	}
	n.mu.Lock()
	coming := n.coming
	n.mu.Unlock()
	if coming != nil {
		select {
		case <-coming:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if p := n.waits(); p != nil {
			return p, nil
		}
	}
	return start(ctx)
}

// waits is the child that waits, which is then the caller's; nil: none does.
func (n *nursery) waits() *process {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.waiting()
}

// waiting is waits with the lock held.
func (n *nursery) waiting() *process {
	p := n.spare
	n.spare = nil
	if p != nil {
		n.timer.Stop()
	}
	return p
}

// follow ends the child of a script that is over, and starts the one of the next script: both take longer than most
// scripts, and nobody waits for them.
func (n *nursery) follow(over *process) {
	n.mu.Lock()
	if n.closed {
		n.mu.Unlock()
		over.end()
		return
	}
	n.growing.Go(over.end)
	n.mu.Unlock()
	if !n.once {
		n.grow()
	}
}

// grow starts the child for the next script, in the background.
func (n *nursery) grow() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed || n.coming != nil || n.spare != nil {
		return
	}
	coming := make(chan struct{})
	n.coming = coming
	n.growing.Go(func() {
		p, err := start(context.Background())
		n.mu.Lock()
		defer n.mu.Unlock()
		n.coming = nil
		defer close(coming)
		if err != nil { // the next script starts its own, and says what is wrong
			return
		}
		if n.closed {
			p.end()
			return
		}
		n.spare = p
		n.timer = time.AfterFunc(spareTime, func() { n.drop(p) })
	})
}

// drop ends a child that waited long enough.
func (n *nursery) drop(p *process) {
	n.mu.Lock()
	mine := n.spare == p
	if mine {
		n.spare = nil
	}
	n.mu.Unlock()
	if mine {
		p.end()
	}
}

// Close ends the child that waits.
func (n *nursery) Close() error {
	n.mu.Lock()
	n.closed = true
	p := n.waiting()
	n.mu.Unlock()
	if p != nil {
		p.end()
	}
	n.growing.Wait()
	return nil
}
