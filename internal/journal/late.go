package journal

import (
	"fmt"
	"sync"
	"time"
)

const (
	// lateTime is how long a line that need not be there at once waits for others. Who calls one tool after the other
	// makes some dozen calls in it, which are one write then.
	lateTime = 5 * time.Millisecond
	// mostLate bounds the lines that wait, in bytes: the file is turned over by size, and one write goes beyond that.
	mostLate = 256 << 10
)

// A late is what lines wait in.
type late struct {
	mu    sync.Mutex
	lines [][]byte
	size  int
	timer *time.Timer // under way while lines wait; nil: none do
}

// Later is Append for a line that may come a moment after what it tells of: lateTime at most, or with the next line that
// may not, or with Close. Many are one write. The caller leaves line to the journal. Where it cannot be written, Fail is
// told. Only a chained journal has lines wait.
func (j *File) Later(line []byte) {
	if !j.Chained || len(line) > maxLine {
		j.failed(j.Append(line))
		return
	}
	if j.late.add(line, j.writeWaiting) {
		j.writeWaiting()
	}
}

// add has a line wait. It tells whether so much waits that it is to be written now.
func (l *late) add(line []byte, write func()) (full bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
	l.size += len(line)
	if l.timer == nil {
		l.timer = time.AfterFunc(lateTime, write)
	}
	return l.size > mostLate
}

// take is what waits. Whoever takes it holds the journal's own lock, so that lines stay in their order.
func (l *late) take() [][]byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := l.lines
	l.lines, l.size = nil, 0
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
	return lines
}

// writeWaiting writes what waits.
func (j *File) writeWaiting() {
	j.mu.Lock()
	err := j.write(j.late.take()...)
	j.mu.Unlock()
	if err != nil {
		err = fmt.Errorf("journal: %w", err)
	}
	j.failed(err)
}

func (j *File) failed(err error) {
	if err != nil && j.Fail != nil {
		j.Fail(err)
	}
}
