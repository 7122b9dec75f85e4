package exec

import (
	"context"
	"encoding/json"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"

	"helve/builtin"
	"helve/cmd/internal/command"
	"helve/internal/rewritten"
	"helve/tool"
)

// An attachment joins this process with the command that it runs: streams, signals, the terminal.
type attachment struct {
	builtin.Attached
	ran    atomic.Bool            // the command was started
	ended  atomic.Pointer[string] // the folder in which it ended
	pty    *pty                   // nil: the command has no terminal
	heard  chan os.Signal         // what is passed on
	passed sync.WaitGroup         // who passes it on
	closed sync.Once
}

// attach joins with the command of e. Close it.
func attach(ctx context.Context, e *execution) (*attachment, error) {
	a := &attachment{Attached: e.attachedOf(), heard: make(chan os.Signal, 16)}
	in, _ := e.s.Stdin.(*os.File)
	if usable(in) {
		a.In = in
	}
	if !e.json {
		a.Out, a.Err = e.s.Stdout, e.s.Stderr
		out, _ := e.s.Stdout.(*os.File)
		err, _ := e.s.Stderr.(*os.File)
		a.Joined = sameFile(out, err)
		survivePipes()
		var failed error
		if e.keeper > 0 { // it has no terminal to read from when its shell has ended
			keepFolderFD(e.keeper)
			a.Exited = a.tellEnded(e.keeper)
		} else if a.pty, failed = openPTY(in, out, err); failed != nil {
			return nil, failed
		}
		a.Terminal = a.pty.ends()
	}
	// A client that follows runs all its lines so: set -e means something else there.
	if e.cwdFD > 0 || rewritten.Follows(e.client) {
		a.Attached.Ended = func(dir string) { a.ended.Store(&dir) }
	}
	a.Started = func(pass func(os.Signal)) {
		a.ran.Store(true)
		command.TakeSignals(ctx)
		signal.Notify(a.heard, forwarded...)
		a.passed.Go(func() {
			for sig := range a.heard {
				pass(sig)
			}
		})
		a.pty.begin()
	}
	return a, nil
}

// close gives terminal and signals back. It may be called again.
func (a *attachment) close() {
	a.closed.Do(func() {
		a.pty.close()
		signal.Stop(a.heard)
		close(a.heard)
		a.passed.Wait()
	})
}

// usable says of an input that a command can have it: one that is closed, or a folder, is none.
func usable(f *os.File) bool {
	if f == nil {
		return false
	}
	st, err := f.Stat()
	return err == nil && !st.IsDir()
}

// sameFile says that two streams go to one place: what is printed to both must keep its order there.
func sameFile(a, b *os.File) bool {
	if a == nil || b == nil {
		return false
	}
	one, err := a.Stat()
	if err != nil {
		return false
	}
	other, err := b.Stat()
	return err == nil && os.SameFile(one, other)
}

// status is the exit status of a command that ended so: its own, or that of one that was not run.
func (a *attachment) status(res *tool.Result) int {
	var d execData
	if !a.ran.Load() || json.Unmarshal(res.Data, &d) != nil {
		if res.Err == nil {
			return command.ExitOK
		}
		if res.Err.Code == tool.Cancelled {
			return command.ExitInterrupted
		}
		return exitNotRun
	}
	switch {
	case d.Signal != "":
		return signalled + signalNumber(d.Signal)
	case d.ExitCode == 0 && res.Err != nil: // it ran well, and nothing that it did was kept
		return exitNotRun
	case d.ExitCode < 0:
		return command.ExitFailed
	}
	return d.ExitCode
}

// signalled is what shells add to the number of the signal that ended a command.
const signalled = 128
