package proc

import (
	"errors"
	"io"
	"os"
	"sync"
)

// Output is one stream of a command: a file without a name that the command appends to. Of a stream longer than its bound
// the middle is dropped. Reads never wait. A hostile command can damage its own output, nothing else.
type Output struct {
	keep int64
	mu   sync.Mutex
	f    *os.File
	from int64 // dropped: from here
	to   int64 // to here
	end  int64 // the size when the file was closed
}

// slack is how far a stream may grow over its bound before its middle is dropped: one system call for each.
const slack = 4 << 20

// blockSize is the granularity at which file systems free the middle of a file.
const blockSize = 4096

func newOutput(dir string, keep int64) (*Output, error) {
	f, err := tempFile(dir)
	if err != nil {
		return nil, err
	}
	return &Output{keep: keep, f: f}, nil
}

// Size is the number of bytes that were written so far, dropped ones included.
func (o *Output) Size() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.size()
}

func (o *Output) size() int64 {
	if o.f == nil {
		return o.end
	}
	st, err := o.f.Stat()
	if err != nil {
		return o.end
	}
	return st.Size()
}

// Dropped is the number of bytes that are no longer readable.
func (o *Output) Dropped() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.to - o.from
}

// Since returns up to limit bytes from the cursor on, the cursor after them, and how many bytes before them were dropped.
// A cursor beyond the end gives nothing.
func (o *Output) Since(cursor int64, limit int) (data []byte, next, lost int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.f == nil {
		return nil, cursor, 0
	}
	cursor = max(cursor, 0)
	if cursor >= o.from && cursor < o.to {
		lost = o.to - cursor
		cursor = o.to
	}
	n := min(int64(limit), o.size()-cursor)
	if cursor < o.from {
		n = min(n, o.from-cursor)
	}
	if n <= 0 {
		return nil, cursor, lost
	}
	data = make([]byte, n)
	got, err := o.f.ReadAt(data, cursor)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, cursor, lost
	}
	return data[:got], cursor + int64(got), lost
}

// HeadTail returns at most limit bytes: the whole stream if it is not longer (tail is then empty), else its first and its
// last half, and how many bytes lie between them.
func (o *Output) HeadTail(limit int) (head, tail []byte, between int64) {
	size := o.Size()
	if size <= int64(limit) {
		head, _, between = o.Since(0, limit)
		return head, nil, between
	}
	half := limit / 2
	head, next, _ := o.Since(0, half)
	tail, _, _ = o.Since(size-int64(half), half)
	return head, tail, size - int64(len(tail)) - next
}

// Reader reads the whole stream from its start; a dropped middle is left out.
func (o *Output) Reader() io.Reader { return &outputReader{o: o} }

type outputReader struct {
	o  *Output
	at int64
}

func (r *outputReader) Read(p []byte) (int, error) {
	data, next, _ := r.o.Since(r.at, len(p))
	if len(data) == 0 {
		return 0, io.EOF
	}
	r.at = next
	return copy(p, data), nil
}

// bound drops the middle of a stream that outgrew its bound. False: it could not, and the file is far too large.
func (o *Output) bound() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.f == nil {
		return true
	}
	size := o.size()
	if size-(o.to-o.from) <= o.keep+slack {
		return true
	}
	from := (o.keep/2 + blockSize - 1) / blockSize * blockSize
	to := (size - o.keep/2) / blockSize * blockSize
	start := max(from, o.to)
	if to <= start {
		return true
	}
	if err := punch(o.f, start, to-start); err != nil {
		return size < 2*o.keep
	}
	o.from, o.to = from, to
	return true
}

func (o *Output) close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.f == nil {
		return nil
	}
	o.end = o.size()
	err := closeTemp(o.f)
	o.f = nil
	return err
}
