package upstream

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"helve/engine/sandbox"
)

// Confined is a Launcher that starts servers in a sandbox. A level that cannot be kept is an error, never silently
// less.
func Confined(o sandbox.Options) Launcher { return confined{o} }

type confined struct{ options sandbox.Options }

// Launch starts one server with pipes to it.
func (l confined) Launch(c Command) (Process, error) {
	var ends [3][2]*os.File // of its stdin, stdout and stderr: what is read, what is written
	closeAll := func() {
		for _, pair := range ends {
			for _, f := range pair {
				if f != nil {
					f.Close() // some are closed already
				}
			}
		}
	}
	for i := range ends {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll()
			return nil, err
		}
		ends[i] = [2]*os.File{r, w}
	}
	in, out, said := ends[0], ends[1], ends[2]
	p, _, err := sandbox.Start(context.Background(), l.options, sandbox.Spec{
		Argv: c.Argv,
		Dir:  c.Dir,
		Env:  c.Env,
		In:   in[0],
		Out:  out[1],
		Err:  said[1],
	})
	if err != nil {
		closeAll()
		return nil, fmt.Errorf("sandbox %v: %w", l.options.Level, err)
	}
	own := &confinedProcess{Process: p, in: in[1], out: out[0], done: make(chan struct{})}
	go own.follow(said[0], c.Stderr)
	return own, nil
}

// lastWordsTime bounds how long the last words of a server are waited for that has ended: where no namespace ends all
// of it, somebody may still have its stderr.
const lastWordsTime = time.Second

// follow passes on what the server says until nothing of it is left.
func (p *confinedProcess) follow(said *os.File, to io.Writer) {
	heard := make(chan struct{})
	go func() { // ends when nobody can say anything more, or said is closed
		io.Copy(to, said)
		close(heard)
	}()
	<-p.Gone()
	select {
	case <-heard:
	case <-time.After(lastWordsTime):
	}
	said.Close()
	<-heard
	close(p.done)
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
