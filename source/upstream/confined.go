package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"helve/engine/sandbox"
)

// keptOfServer bounds what the sandbox keeps of a server's stderr, in bytes: the end of it goes into errors, and no
// more is needed.
const keptOfServer = 64 << 10

// Confined is a Launcher that starts servers in a sandbox. A level that cannot be kept is an error, never silently
// less.
func Confined(o sandbox.Options) Launcher { return confined{o} }

type confined struct{ options sandbox.Options }

// Launch starts one server with pipes to it.
func (l confined) Launch(c Command) (Process, error) {
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, inR.Close(), inW.Close())
	}
	p, _, err := sandbox.Start(context.Background(), l.options, sandbox.Spec{
		Argv: c.Argv,
		Dir:  c.Dir,
		Env:  c.Env,
		In:   inR,
		Out:  outW,
		Keep: keptOfServer,
	})
	if err != nil {
		for _, f := range []*os.File{inR, inW, outR, outW} { // some are closed already
			f.Close()
		}
		return nil, fmt.Errorf("sandbox %v: %w", l.options.Level, err)
	}
	own := &confinedProcess{Process: p, in: inW, out: outR, done: make(chan struct{})}
	go func() { // ends with the server
		<-p.Gone()
		io.Copy(c.Stderr, p.Stderr.Reader())
		close(own.done)
	}()
	return own, nil
}

// A confinedProcess is a server in its sandbox.
type confinedProcess struct {
	*sandbox.Process
	in, out *os.File
	done    chan struct{} // closed when nothing of it is left and its last words are told
	once    sync.Once
}

// Pipe is the server's stdin and stdout.
func (p *confinedProcess) Pipe() (io.WriteCloser, io.Reader) { return p.in, p.out }

// Done is closed when nothing of the server is left.
func (p *confinedProcess) Done() <-chan struct{} { return p.done }

// Exit is how it ended.
func (p *confinedProcess) Exit() string {
	e, _ := p.Wait(context.Background()) // it has ended
	if e.Signal != "" {
		return "ended by " + e.Signal
	}
	return fmt.Sprintf("exit status %d", e.Code)
}

// End lets the server leave by itself, and then ends it with all that it started.
func (p *confinedProcess) End(grace time.Duration) {
	p.once.Do(func() {
		p.in.Close()
		select {
		case <-p.done:
		case <-time.After(grace):
			p.Stop()
		}
		<-p.done
		p.Process.Close()
		p.out.Close()
	})
	<-p.done
}
