package upstream

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"helve/engine/sandbox"
	"helve/internal/programs"
)

// Confined is a Launcher that starts servers in a sandbox. A level that cannot be kept is an error, never silently
// less.
func Confined(o sandbox.Options) Launcher { return confined{options: o, after: func() {}} }

type confined struct {
	options sandbox.Options
	after   func() // called once when nothing of the server is left
}

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
		l.after()
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
	need := l.need(c)
	p, _, err := sandbox.Start(context.Background(), l.options.Shows(need.Readable, need.Named, need.Masked), sandbox.Spec{
		Argv: c.Argv,
		Dir:  c.Dir,
		Env:  c.Env,
		In:   in[0],
		Out:  out[1],
		Err:  said[1],

		Lasting: true,
	})
	if err != nil {
		closeAll()
		return nil, fmt.Errorf("sandbox %v: %w", l.options.Level, cmp.Or(need.Missing, err))
	}
	own := &confinedProcess{Process: p, in: in[1], out: out[0], after: l.after, done: make(chan struct{})}
	go own.follow(said[0], c.Stderr)
	return own, nil
}

// need is what a server reads because its configuration names it. The light confinement shows it as all else.
func (l confined) need(c Command) programs.Need {
	if l.options.Level == sandbox.Light || l.options.Level == sandbox.Off {
		return programs.Need{}
	}
	return programs.For(programs.Command{
		Argv:  slices.Concat(c.Argv, c.Set),
		Dir:   c.Dir,
		Env:   c.Env,
		Home:  l.options.Home,
		Roots: l.options.Roots,
	})
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
	p.after()
	close(p.done)
}

// A confinedProcess is a server in its sandbox.
type confinedProcess struct {
	*sandbox.Process
	in, out *os.File
	after   func()
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
