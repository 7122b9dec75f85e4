package proc

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"helve/internal/pipes"
)

// Output is one stream of a command. The command writes into a pipe, not into the file itself: "> /dev/stdout" would
// truncate that. A pump carries it into a file without a name, of which the first and the last half of the bound stay
// readable. Nobody ever waits for the pipe's end, so a child that keeps it open holds up nothing. Reads never wait.
type Output struct {
	r, w   *os.File           // the pipe; w is closed here once the command has it
	tee    func([]byte) error // gets it first; nil: nobody does
	pumped chan struct{}

	mu   sync.Mutex
	f    *os.File
	half int64 // of the bound: the file is a head of this size and behind it a ring of this size
	size int64 // bytes written by the command
	err  error // of the file; what came after it is counted, not kept
}

const (
	// pumpSize is how much is carried at once, of a command that prints much.
	pumpSize = 128 << 10
	// settle is how long a pipe stays open after the tree has ended, before a writer that was not found is given up.
	// What the tree wrote is read first, however long that takes.
	settle = 100 * time.Millisecond
	// maxLeft is more than a tree can leave unread: what the pump has in its hands and the most that the kernel lets
	// a pipe hold. What comes beyond it is of a writer that goes on.
	maxLeft = pumpSize + 1<<20
)

func newOutput(dir string, keep int64, tee func([]byte) error) (*Output, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return newOutputOn(r, w, dir, keep, tee)
}

// newOutputOn is the output that is written to w and read from r, which it closes, also where it fails.
func newOutputOn(r, w *os.File, dir string, keep int64, tee func([]byte) error) (*Output, error) {
	f, err := tempFile(dir)
	if err != nil {
		return nil, errors.Join(err, r.Close(), w.Close())
	}
	o := &Output{
		r:      r,
		w:      w,
		f:      f,
		half:   max(keep/2, 1),
		tee:    tee,
		pumped: make(chan struct{}),
	}
	go o.pump()
	return o, nil
}

// pump ends when all writers have ended, or when drain gives up on them.
func (o *Output) pump() {
	defer close(o.pumped)
	defer o.r.Close()
	buf := make([]byte, 4<<10) // most commands print little
	for {
		n, err := o.r.Read(buf)
		if n > 0 && o.tee != nil && o.tee(buf[:n]) != nil {
			return // with the pipe closed the command is told that nobody reads
		}
		o.keep(buf[:n])
		if err != nil {
			return
		}
		if n == len(buf) && n < pumpSize {
			buf = make([]byte, 2*n)
		}
	}
}

// started closes the command's end of the pipe in this process.
func (o *Output) started() { o.w.Close() }

// settled waits a moment until what the first process wrote is in the file. Others may go on writing, so neither the
// pipe's end nor an empty pipe may ever come: after some 20 ms it is given up.
func (o *Output) settled() {
	for range 20 {
		before := o.Size()
		select {
		case <-o.pumped:
			return
		case <-time.After(time.Millisecond):
		}
		if o.Size() == before && pipes.Unread(o.r) == 0 {
			return
		}
	}
}

// drain waits until what the ended tree wrote is in the file.
func (o *Output) drain() {
	for start := o.Size(); ; {
		select {
		case <-o.pumped:
			return
		case <-time.After(settle):
		}
		if pipes.Unread(o.r) == 0 || o.Size()-start > maxLeft {
			break
		}
	}
	if o.r.SetReadDeadline(time.Now()) != nil { // a system without deadlines for pipes
		o.r.Close()
		return
	}
	<-o.pumped
}

// keep stores what was written, the oldest part of the ring making room.
func (o *Output) keep(data []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(data) > 0 && o.f != nil {
		at, room := o.place(o.size)
		n := min(room, int64(len(data)))
		if o.err == nil {
			_, o.err = o.f.WriteAt(data[:n], at)
		}
		o.size += n
		data = data[n:]
	}
}

// place says where in the file a byte of the stream is kept, and how many follow it there without a gap. The file is
// the head, then the ring; the ring's first byte in the file is the stream's at half, 2·half, 3·half, …
func (o *Output) place(offset int64) (at, room int64) {
	if offset < o.half {
		return offset, o.half - offset
	}
	in := (offset - o.half) % o.half
	return o.half + in, o.half - in
}

// Size is the number of bytes that were written so far, dropped ones included.
func (o *Output) Size() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.size
}

// Dropped is the number of bytes that are no longer readable.
func (o *Output) Dropped() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return max(o.size-2*o.half, 0)
}

// Since returns up to limit bytes from the cursor on, the cursor after them, and how many bytes before them were
// dropped. A cursor beyond the end gives nothing.
func (o *Output) Since(cursor int64, limit int) (data []byte, next, lost int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.f == nil {
		return nil, cursor, 0
	}
	cursor = max(cursor, 0)
	tail := o.size - o.half // where the ring begins; below half while nothing was dropped
	if cursor >= o.half && cursor < tail {
		cursor, lost = tail, tail-cursor
	}
	n := min(int64(limit), o.size-cursor)
	if cursor < o.half && o.size > 2*o.half {
		n = min(n, o.half-cursor) // the dropped middle begins there
	}
	if n <= 0 {
		return nil, cursor, lost
	}
	data = make([]byte, 0, n)
	for int64(len(data)) < n {
		at, room := o.place(cursor)
		part := data[len(data):min(int64(len(data))+room, n)]
		got, err := o.f.ReadAt(part, at)
		data, cursor = data[:len(data)+got], cursor+int64(got)
		if err != nil {
			break
		}
	}
	return data, cursor, lost
}

// HeadTail returns at most limit bytes: the whole stream if it is not longer (tail is then empty), else its first and
// its last half, and how many bytes lie between them. What could not be kept counts among these; see Err.
func (o *Output) HeadTail(limit int) (head, tail []byte, between int64) {
	size := o.Size()
	if size <= int64(limit) && o.Dropped() == 0 {
		head, _, _ = o.Since(0, limit)
		return head, nil, size - int64(len(head))
	}
	half := limit / 2
	head, next, _ := o.Since(0, half)
	last := max(size-int64(half), next) // the halves must not overlap
	tail, _, _ = o.Since(last, half)
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

// Err is the error of the file behind, a full disk for example. What came after it is counted in Size and cannot be
// read.
func (o *Output) Err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// close frees pipe and file. What was read before stays with the reader; later reads give nothing.
func (o *Output) close() error {
	o.w.Close() // closed already where the command was started
	o.drain()
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.f == nil {
		return nil
	}
	err := closeTemp(o.f)
	o.f = nil
	return err
}
