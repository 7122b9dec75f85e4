package terminal

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/term"
)

// Secret reads a line that is not shown while it is typed. The reading of one that never comes ends with the process.
func (t Terminal) Secret(ctx context.Context, prompt string) (string, error) {
	in, ok := t.In.(*os.File)
	if !ok {
		return "", errors.New("there is no terminal to type it at")
	}
	fd := int(in.Fd())
	before, err := term.MakeRaw(fd) // before anything is shown: what is typed at once is not to be seen either
	if err != nil {
		return "", err
	}
	defer func() {
		_ = term.Restore(fd, before) // to what it was a moment ago
		fmt.Fprintln(t.Out)
	}()
	fmt.Fprint(t.Out, prompt)
	type typed struct {
		line []byte
		err  error
	}
	lines := make(chan typed, 1)
	go func() {
		line, err := term.ReadPassword(fd)
		lines <- typed{line, err}
	}()
	select {
	case got := <-lines:
		return string(got.line), got.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
