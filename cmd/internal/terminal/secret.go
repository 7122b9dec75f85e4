package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// Secret reads a line that is not shown while it is typed. Ctrl-C is context.Canceled, Ctrl-D alone is an empty line.
// The reading of one that never comes ends with the process.
func (t Terminal) Secret(ctx context.Context, prompt string) (string, error) {
	in, ok := t.In.(*os.File)
	if !ok {
		return "", errors.New("there is no terminal to type it at")
	}
	// Before anything is shown, and once: what is typed at once is not to be seen, and a return that comes while a
	// terminal goes over to another mode is one of the mode before.
	fd := int(in.Fd())
	before, err := term.MakeRaw(fd)
	if err != nil {
		return "", err
	}
	defer func() {
		_ = term.Restore(fd, before) // to what it was a moment ago
	}()
	type typed struct {
		line string
		err  error
	}
	lines := make(chan typed, 1)
	keys := &lastKey{from: in}
	go func() {
		line, err := term.NewTerminal(readWriter{keys, t.Out}, "").ReadPassword(prompt)
		if errors.Is(err, io.EOF) {
			fmt.Fprint(t.Out, "\r\n")
			err = nil
			if keys.last == ctrlC {
				err = context.Canceled
			}
		}
		lines <- typed{line, err}
	}()
	select {
	case got := <-lines:
		return got.line, got.err
	case <-ctx.Done():
		fmt.Fprint(t.Out, "\r\n")
		return "", ctx.Err()
	}
}

const ctrlC = 3

type readWriter struct {
	io.Reader
	io.Writer
}

// A lastKey remembers the last byte that was read: to the one that reads lines, Ctrl-C and Ctrl-D are the same.
type lastKey struct {
	from io.Reader
	last byte
}

func (k *lastKey) Read(p []byte) (int, error) {
	n, err := k.from.Read(p)
	if n > 0 {
		k.last = p[n-1]
	}
	return n, err
}
