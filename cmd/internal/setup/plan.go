package setup

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"helve/internal/diff"
)

// maxFile bounds a client's file, in bytes: Claude Code keeps its history in the same one.
const maxFile = 64 << 20

// A Change is what setting up a client would write.
type Change struct {
	Client  Client
	File    string // as the client names it
	Target  string // the file behind it, where File is a link
	Line    Line
	Before  []byte // nil: there is no file
	After   []byte
	Missing bool // there is no file yet

	hooks  *hookFile // the file is one of the client's hooks; nil: of its servers
	Former bool      // helve stands in place of FormerName, and nothing else changes

	// Foreign are the words of another program's server of the name helve that stands there and would be replaced; nil:
	// there is none.
	Foreign []string
}

// Plan tells what a client's file would hold with this line. It writes nothing. What cannot be
// changed is an error that says why, and
// what to do by hand.
func Plan(c Client, h Home, l Line) (Change, error) {
	ch := Change{Client: c, File: c.File(h), Line: l}
	fail := func(err error) (Change, error) {
		return Change{}, fmt.Errorf("%s: %s: %w", c.Title, ch.File, err)
	}
	var err error
	if ch.Target, err = target(ch.File); err != nil {
		return fail(err)
	}
	ch.Before, err = read(ch.Target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		ch.Missing = true
	case err != nil:
		return fail(err)
	}
	if ch.After, err = c.form.set(ch.Before, l); err != nil {
		return fail(err)
	}
	ch.After = Renamed(ch.After) // other servers of the file may be helve's, too
	if words := c.form.words(ch.Before); len(words) > 0 && !startsHelve(words) {
		ch.Foreign = words
	}
	if err := writable(ch.Target, ch.Missing); err != nil && !ch.None() {
		return fail(err)
	}
	return ch, nil
}

// None tells that the client starts helve as planned already.
func (ch Change) None() bool { return !ch.Missing && bytes.Equal(ch.Before, ch.After) }

// Diff is the change as a unified diff.
func (ch Change) Diff() string {
	return diff.Of(string(ch.Before), string(ch.After), diff.Options{}).Unified(ch.File, ch.File)
}

// Snippet is what a person would put into the client's file by hand.
func (c Client) Snippet(l Line) string { return c.form.snippet(l) }

// target follows links, so that a link into somebody's dotfiles stays one.
func target(file string) (string, error) {
	at, err := filepath.EvalSymlinks(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return at, err
	}
	if st, err := os.Lstat(file); err == nil && st.Mode()&fs.ModeSymlink != 0 {
		return "", errors.New("it is a link to a file that is not there: make that file, or take the link away")
	}
	return file, nil
}

// read reads a regular file. What else stands there is not opened: a pipe would wait for somebody who writes.
func read(file string) ([]byte, error) {
	if st, err := os.Stat(file); err == nil && !st.Mode().IsRegular() {
		return nil, errNoFile
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, plainer(err)
	}
	defer f.Close()
	st, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, errNoFile
	case st.Size() > maxFile:
		return nil, fmt.Errorf("it has %d bytes, at most %d are read: %w", st.Size(), maxFile, errByHand)
	}
	return io.ReadAll(io.LimitReader(f, maxFile))
}

var errNoFile = errors.New("it is no regular file: move away what stands there")

// plainer leaves the path out, which the caller names.
func plainer(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// writable tells why a file must not be replaced: it is read-only, or somebody else's. To replace
// it would undo the one and change the
// other.
func writable(file string, missing bool) error {
	if missing {
		return nil // making it says what is wrong, if anything is
	}
	st, err := os.Stat(file)
	if err != nil {
		return plainer(err)
	}
	if st.Mode().Perm()&0o200 == 0 {
		return errors.New("it is read-only: make it writable, or put the lines of `--print` there by hand")
	}
	return ours(st)
}
