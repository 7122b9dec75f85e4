package history

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// A mark is a place in the journal behind the calls that were in it at a moment. It may be kept in a file.
type mark struct {
	At   time.Time `json:"time"`
	Size int64     `json:"size"` // 0: there was no journal
	Tail Digest    `json:"tail"` // of its last bytes, which tell it from one that was written anew
}

// tailSize is how much of a journal's end tells it from another.
const tailSize = 256

// markOf is the end of a journal as it is now.
func markOf(path string) (mark, error) {
	m := mark{At: time.Now().UTC()}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return m, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return m, err
	}
	m.Size = st.Size()
	m.Tail, err = tailOf(f, m.Size)
	return m, err
}

// tailOf is the digest of what stands before an offset.
func tailOf(f io.ReaderAt, size int64) (Digest, error) {
	text := make([]byte, min(size, tailSize))
	if _, err := f.ReadAt(text, size-int64(len(text))); err != nil && err != io.EOF {
		return "", err
	}
	return digestOf(text), nil
}

// readFrom reads what came behind a mark. Where the journal was written anew since, the calls' times tell.
func (s *Store) readFrom(m mark) (*log, error) {
	if m.Size == 0 {
		return readLog(s.journal(), s.o.Roots, s.moved)
	}
	f, err := os.Open(s.journal())
	if errors.Is(err, fs.ErrNotExist) { // all was forgotten since
		return &log{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if tail, err := tailOf(f, m.Size); err != nil || tail != m.Tail {
		return s.readSince(m.At)
	}
	return s.readBehind(f, m.Size, m.At)
}
