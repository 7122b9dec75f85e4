package exec

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"helve/cmd/internal/command"
	"helve/engine/sandbox"
)

// A pty is a terminal for the command, which is shown on ours: it can be the command's own, in its own session, so that
// nothing confined reaches the one that the person's shell has. Its methods do nothing for nil.
type pty struct {
	here, there *os.File
	in, err     bool     // stdin, stderr of ours are the terminal
	ours        *os.File // from which keys are read
	shown       *os.File // on which the command is shown
	before      *term.State
	wake        [2]*os.File // a pipe whose end ends the reading of keys
	resized     chan os.Signal
	running     sync.WaitGroup
}

// openPTY makes a terminal where our stdout is one; nil where it is not.
func openPTY(in, out, err *os.File) (*pty, error) {
	if !command.IsTerminal(out) {
		return nil, nil
	}
	here, there, failed := openPair()
	if failed != nil {
		return nil, fmt.Errorf("exec: no terminal for the command: %w", failed)
	}
	p := &pty{here: here, there: there, in: command.IsTerminal(in), err: command.IsTerminal(err), ours: out, shown: out}
	if p.in {
		p.ours = in
	}
	if settings, err := unix.IoctlGetTermios(int(out.Fd()), unix.TCGETS); err == nil {
		unix.IoctlSetTermios(int(there.Fd()), unix.TCSETS, settings)
	}
	p.resize()
	return p, nil
}

// openPair opens the two ends of a new terminal.
func openPair() (here, there *os.File, err error) {
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	here = os.NewFile(uintptr(fd), "/dev/ptmx")
	err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	var number int
	if err == nil {
		number, err = unix.IoctlGetInt(fd, unix.TIOCGPTN)
	}
	if err == nil {
		there, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		return nil, nil, errors.Join(err, here.Close())
	}
	return here, there, nil
}

// ends are what the command gets.
func (p *pty) ends() *sandbox.Terminal {
	if p == nil {
		return nil
	}
	return &sandbox.Terminal{Here: p.here, There: p.there, In: p.in, Err: p.err}
}

// resize gives the command's terminal the size of ours.
func (p *pty) resize() {
	if size, err := unix.IoctlGetWinsize(int(p.shown.Fd()), unix.TIOCGWINSZ); err == nil {
		unix.IoctlSetWinsize(int(p.there.Fd()), unix.TIOCSWINSZ, size)
	}
}

// begin passes keys and sizes on, when the command runs. In the background of a shell the keys are not ours.
func (p *pty) begin() {
	if p == nil {
		return
	}
	p.resized = make(chan os.Signal, 1)
	signal.Notify(p.resized, unix.SIGWINCH)
	p.running.Go(func() {
		for range p.resized {
			p.resize()
		}
	})
	group, err := unix.IoctlGetInt(int(p.ours.Fd()), unix.TIOCGPGRP)
	if err != nil || group != unix.Getpgrp() {
		return
	}
	r, w, err := os.Pipe()
	if err != nil {
		return
	}
	p.wake = [2]*os.File{r, w}
	if p.before, err = term.MakeRaw(int(p.ours.Fd())); err == nil {
		p.running.Go(p.keys)
	}
}

// keys passes on what is typed, until the pipe is closed.
func (p *pty) keys() {
	buf := make([]byte, 4<<10)
	fds := []unix.PollFd{
		{Fd: int32(p.ours.Fd()), Events: unix.POLLIN},
		{Fd: int32(p.wake[0].Fd()), Events: unix.POLLIN},
	}
	for {
		if _, err := unix.Poll(fds, -1); err != nil && !errors.Is(err, unix.EINTR) || fds[1].Revents != 0 {
			return
		}
		if fds[0].Revents == 0 {
			continue
		}
		n, err := unix.Read(int(p.ours.Fd()), buf)
		if n > 0 {
			_, err = p.here.Write(buf[:n])
		}
		if n == 0 || err != nil && !errors.Is(err, unix.EINTR) && !errors.Is(err, io.ErrShortWrite) {
			return
		}
	}
}

// close gives our terminal back.
func (p *pty) close() {
	if p == nil {
		return
	}
	if p.resized != nil {
		signal.Stop(p.resized)
		close(p.resized)
	}
	if p.wake[1] != nil {
		p.wake[1].Close()
	}
	p.here.Close() // a write that waits ends, too
	p.running.Wait()
	if p.wake[0] != nil {
		p.wake[0].Close()
	}
	p.there.Close()
	if p.before != nil {
		term.Restore(int(p.ours.Fd()), p.before)
	}
}
