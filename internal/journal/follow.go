package journal

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// followEvery is how often a journal that is followed is looked at: soon enough for a person who watches it.
const followEvery = 200 * time.Millisecond

// Follow calls yield with every line that is kept, oldest first, then kept once, and then yield with every line that
// comes, until yield returns false or ctx is done; that is no error. The slice is valid during the call only.
func (j *File) Follow(ctx context.Context, yield func(line []byte) bool, kept func()) error {
	more, err := j.full(yield)
	if err != nil || !more {
		return err
	}
	f, err := j.first(ctx, kept)
	if err != nil || f == nil {
		return err
	}
	tail := &tail{file: f, in: bufio.NewReader(f), yield: yield}
	defer func() { tail.file.Close() }()
	for {
		more, err := tail.read()
		if err != nil || !more {
			return err
		}
		if kept != nil {
			kept()
			kept = nil
		}
		if !wait(ctx) {
			return nil
		}
		if err := tail.turn(j.Path); err != nil {
			return err
		}
	}
}

// full passes on the lines of the files that are full.
func (j *File) full(yield func(line []byte) bool) (more bool, err error) {
	for n := Kept; n > 0; n-- {
		f, err := open(j.numbered(n), os.O_RDONLY, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return false, fmt.Errorf("journal: %w", err)
		}
		tail := &tail{file: f, in: bufio.NewReader(f), yield: yield}
		more, err := tail.read()
		f.Close()
		if err != nil || !more {
			return more, err
		}
	}
	return true, nil
}

// first opens the file that lines are appended to; until there is one it waits. nil: ctx is done.
func (j *File) first(ctx context.Context, kept func()) (*os.File, error) {
	for told := false; ; {
		f, err := open(j.Path, os.O_RDONLY, 0)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("journal: %w", err)
		}
		if !told && kept != nil {
			kept()
			told = true
		}
		if !wait(ctx) {
			return nil, nil
		}
	}
}

func wait(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(followEvery):
		return true
	}
}

// A tail reads a file as it grows.
type tail struct {
	file  *os.File
	in    *bufio.Reader
	part  []byte // of a line whose end was not there yet
	yield func(line []byte) bool
}

// read passes on the whole lines that are there.
func (t *tail) read() (more bool, err error) {
	for {
		part, err := t.in.ReadSlice('\n')
		t.part = append(t.part, part...)
		switch {
		case len(t.part) > maxLine:
			return false, fmt.Errorf("journal: %s: a line of more than %d bytes", t.file.Name(), maxLine)
		case errors.Is(err, io.EOF):
			return true, nil
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return false, fmt.Errorf("journal: %w", err)
		}
		if !t.yield(bytes.TrimSuffix(t.part, []byte("\n"))) {
			return false, nil
		}
		t.part = t.part[:0]
	}
}

// turn goes on with the file at path, where that is another one now. What came into the old one meanwhile is read
// first.
func (t *tail) turn(path string) error {
	here, err := os.Stat(path)
	if err != nil {
		return nil // it is being turned over
	}
	mine, err := t.file.Stat()
	if err != nil || os.SameFile(here, mine) {
		return err
	}
	if more, err := t.read(); err != nil || !more {
		return err
	}
	f, err := open(path, os.O_RDONLY, 0)
	if err != nil {
		return nil
	}
	t.file.Close()
	t.file, t.part = f, nil
	t.in.Reset(f)
	return nil
}
