package git

import (
	"bufio"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strconv"
	"strings"
)

// Objects starts git for the repository at dir and has use ask it for files' contents, one after the other: by the
// object's name, with the size that it has to have. A content is read before the next one is asked for, or skipped. One
// that does not have its name ends in an error.
func Objects(ctx context.Context, dir string, use func(ask func(object string, size int64) (io.Reader, error))) error {
	// Nothing in a repository is run by cat-file, and what it lacks it must not fetch.
	cmd := command(ctx, dir, "cat-file", "--batch")
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
	return &checked{from: b.left, sum: newSum(len(object), "blob", size), name: object}, nil
}

// newSum begins the digest by which git names an object, in as many digits.
func newSum(digits int, kind string, size int64) hash.Hash {
	var sum hash.Hash = sha1.New()
	if digits == 2*SHA256Size {
		sum = sha256.New()
	}
	fmt.Fprintf(sum, "%s %d\x00", kind, size)
	return sum
}

// A checked reader reads an object, and ends in an error if it is not the one of its name.
type checked struct {
	from io.Reader
	sum  hash.Hash
	name string
}

// Read reads a part of the object.
func (n *checked) Read(p []byte) (int, error) {
	i, err := n.from.Read(p)
	n.sum.Write(p[:i])
	if err == io.EOF && hex.EncodeToString(n.sum.Sum(nil)) != n.name {
		err = fmt.Errorf("%w: %s", errForged, n.name)
	}
	return i, err
}
