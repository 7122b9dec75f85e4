package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// Objects starts git for the repository at dir and has use ask it for files' contents, one after the other: by the
// object's name, with the size that it has to have. A content is read before the next one is asked for, or skipped.
func Objects(ctx context.Context, dir string, use func(ask func(object string, size int64) (io.Reader, error))) error {
	// Nothing in a repository is run by cat-file, and what it lacks it must not fetch.
	cmd := exec.CommandContext(ctx, "git", "--git-dir="+dir, "-c", "protocol.allow=never", "cat-file", "--batch")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "HOME=/", "GIT_NO_LAZY_FETCH=1"}
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	b := &batch{in: in, out: bufio.NewReader(out), left: &io.LimitedReader{}}
	use(b.ask)
	in.Close()
	_, err = io.Copy(io.Discard, b.out)
	return errors.Join(err, cmd.Wait())
}

// A batch is a git that answers with one object after the other.
type batch struct {
	in   io.Writer
	out  *bufio.Reader
	left *io.LimitedReader // of the answer before
	open bool
}

// ask asks for an object, which must have that size: another one is not what stood in the worktree.
func (b *batch) ask(object string, want int64) (io.Reader, error) {
	if b.open {
		_, err := io.Copy(io.Discard, b.left)
		_, end := b.out.Discard(1)
		if err := errors.Join(err, end); err != nil {
			return nil, err
		}
		b.open = false
	}
	if _, err := fmt.Fprintln(b.in, object); err != nil {
		return nil, err
	}
	head, err := b.out.ReadString('\n')
	if err != nil {
		return nil, err
	}
	words := strings.Fields(head)
	if len(words) != 3 || words[1] != "blob" {
		return nil, fmt.Errorf("git has no %s: %s", object, strings.TrimSpace(head))
	}
	size, err := strconv.ParseInt(words[2], 10, 64)
	if err != nil {
		return nil, err
	}
	b.left = &io.LimitedReader{R: b.out, N: size}
	b.open = true
	if size != want {
		return nil, fmt.Errorf("%s has %d bytes, want %d", object, size, want)
	}
	return b.left, nil
}
