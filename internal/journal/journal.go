// Package journal appends lines to private files that are turned over when they are full.
package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"helve/internal/state"
)

const (
	// DefaultMax is where a file is turned over: some ten thousand calls.
	DefaultMax = 8 << 20
	// Kept is how many full files stay.
	Kept = 4
	// lookEvery is for how long a file that is not full is taken to be the one at Path: another
	// process may have moved it away, and what comes into it until then stays in it.
	lookEvery = 100 * time.Millisecond
	// maxLine bounds one line: what is longer was not made by us.
	maxLine = 4 << 20
)

// A File is a journal: Path, and Path.1 to Path.4 before it. Several processes may append to one.
// Methods are safe for concurrent use.
type File struct {
	Path string
	Max  int64 // bytes; 0 means DefaultMax

	// Chained has each line, which must be a JSON object, end with the member "prev": the SHA-256 of the line before it
	// without its line end, in hexadecimal, zeros in the first. It goes on over files and over the lines of other
	// processes. The file Path.head says what was last; see Verify.
	Chained bool

	// Fail is told why lines that were given to Later could not be written; nil: nobody.
	Fail func(error)

	late late

	mu   sync.Mutex
	w    writer // of a chained journal; the fields below are another's
	f    *os.File
	size int64     // of the file, as far as is known
	seen time.Time // when that the file is the one at Path was last looked at
}

// Append writes one line, as a whole. line has no line end.
func (j *File) Append(line []byte) error {
	if len(line) > maxLine {
		return fmt.Errorf("journal: a line of %d bytes is too long", len(line))
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.Chained {
		if err := j.write(append(j.late.take(), line)...); err != nil {
			return fmt.Errorf("journal: %w", err)
		}
		return nil
	}
	if err := j.open(); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	// One write to a file opened for appending: lines of two processes never mix.
	n, err := j.f.Write(append(line, '\n'))
	j.size += int64(n)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	// Behind what was appended: the lines of others count too.
	if end, err := j.f.Seek(0, io.SeekCurrent); err == nil {
		j.size = max(j.size, end)
	}
	return nil
}

// open makes sure that the file is the one at Path, and not full.
func (j *File) open() error {
	if j.f != nil {
		if time.Since(j.seen) < lookEvery && j.size < j.max() {
			return nil
		}
		here, err := os.Stat(j.Path)
		mine, err2 := j.f.Stat()
		if err == nil && err2 == nil && os.SameFile(here, mine) && mine.Size() < j.max() {
			j.size, j.seen = mine.Size(), time.Now()
			return nil
		}
		j.f.Close()
		j.f = nil
	}
	if err := state.MakeDir(filepath.Dir(j.Path)); err != nil {
		return err
	}
	if st, err := os.Stat(j.Path); err == nil && st.Size() >= j.max() {
		if err := j.turn(); err != nil {
			return err
		}
	}
	f, err := open(j.Path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	j.f, j.size, j.seen = f, 0, time.Time{} // the next line looks how large it is
	return err
}

func (j *File) max() int64 {
	if j.Max > 0 {
		return j.Max
	}
	return DefaultMax
}

// turn moves full files on by one, in one process at a time.
func (j *File) turn() error {
	unlock, err := state.Lock(filepath.Join(filepath.Dir(j.Path), "locks"), j.Path)
	if err != nil {
		return err
	}
	defer unlock()
	if st, err := os.Stat(j.Path); err != nil || st.Size() < j.max() { // another has done it
		return nil
	}
	for n := Kept; n > 0; n-- {
		if err := rename(j.numbered(n-1), j.numbered(n)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (j *File) numbered(n int) string {
	if n == 0 {
		return j.Path
	}
	return fmt.Sprintf("%s.%d", j.Path, n)
}

// Close closes the file. Append opens it again.
func (j *File) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.Chained {
		return errors.Join(j.write(j.late.take()...), j.closeWriter())
	}
	if j.f == nil {
		return nil
	}
	err := j.f.Close()
	j.f = nil
	return err
}
