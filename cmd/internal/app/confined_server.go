package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"helve/engine/sandbox"
	"helve/internal/config"
	"helve/source/upstream"
)

// keptOfServer bounds what the sandbox keeps of a server's stderr, in bytes: the end of it goes into errors, and no more is needed.
const keptOfServer = 64 << 10

// confinedServer starts MCP servers in the sandbox. A level that cannot be kept is an error, never silently less.
type confinedServer struct{ options sandbox.Options }

var _ upstream.Launcher = confinedServer{}

// launcher is how a server is started: nil, as the user's own program, where no sandbox is configured for it.
func (a *app) launcher(h *house, c config.Server) (upstream.Launcher, error) {
	if c.Sandbox == "" || c.Sandbox == "off" {
		return nil, nil
	}
	if c.URL != "" {
		return nil, errors.New("sandbox: a server behind a url is not started here")
	}
	_, _, writable, masked := h.set.sandbox(a.env.getenv("HOME"))
	level := map[string]sandbox.Level{"read-only": sandbox.ReadOnly, "workspace-write": sandbox.WorkspaceWrite}[c.Sandbox]
	if c.Network && level == sandbox.ReadOnly {
		return nil, errors.New("sandbox: read-only has no network: want workspace-write")
	}
	return confinedServer{sandbox.Options{Level: level, Roots: []string{h.dir}, Writable: a.openable(writable), Masked: masked, Network: c.Network,
		Home: a.env.getenv("HOME")}}, nil
}

// Launch starts one server with pipes to it.
func (l confinedServer) Launch(c upstream.Command) (upstream.Process, error) {
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, inR.Close(), inW.Close())
	}
	s := sandbox.Spec{Argv: c.Argv, Dir: c.Dir, Env: c.Env, In: inR, Out: outW, Keep: keptOfServer}
	p, _, err := sandbox.Start(context.Background(), l.options, s)
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
