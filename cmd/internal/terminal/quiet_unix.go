//go:build unix

package terminal

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

const (
	// silence is how long nothing may come before a question is shown. A paste and a key that is held down come quicker
	// than that.
	silence = 80 * time.Millisecond
	// patience bounds the waiting for it.
	patience = 20 * time.Second
	// pause is between two looks at a terminal that typing goes on at.
	pause = 10 * time.Millisecond
	// glance is how often waiting looks whether it is to end.
	glance = 100 * time.Millisecond
)

var errRestless = errors.New("the terminal does not fall silent: what is typed before a question is no answer to it")

// quiet waits until nothing is typed any more, and drops what was: a paste may still be on its way when a question
// comes.
func quiet(ctx context.Context, in *os.File) error {
	fd := int(in.Fd())
	if !term.IsTerminal(fd) {
		return nil
	}
	// In lines, half a line would not be seen to come.
	if old, err := term.MakeRaw(fd); err == nil {
		defer term.Restore(fd, old)
	}
	for end := time.Now().Add(patience); time.Now().Before(end); {
		flush(in)
		typed, err := ready(ctx, in, silence)
		if !typed || err != nil {
			return err
		}
		time.Sleep(pause) // without it each byte of a paste would cost a round
	}
	return errRestless
}

// ready tells whether there is something to read, or becomes so in time. The error is ctx's, or io.EOF: the terminal is
// gone.
func ready(ctx context.Context, in *os.File, within time.Duration) (bool, error) {
	fds := []unix.PollFd{{Fd: int32(in.Fd()), Events: unix.POLLIN}}
	for end := time.Now().Add(within); ; {
		left := min(max(time.Until(end), 0), glance)
		n, err := unix.Poll(fds, int(left.Milliseconds()))
		switch {
		case ctx.Err() != nil:
			return false, ctx.Err()
		case n > 0 && fds[0].Revents&unix.POLLIN != 0:
			return true, nil
		case n > 0:
			return false, io.EOF
		case err == nil && time.Now().After(end):
			return false, nil
		case err != nil && err != unix.EINTR:
			return false, err
		}
	}
}
