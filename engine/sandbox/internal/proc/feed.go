package proc

import (
	"time"
)

// feed carries new output to Progress.
type feed struct {
	p        *Process
	out, err int64 // how far the streams were seen
	last     time.Time
}

// look passes on what came since the last look. Where nothing came for too long, it ends the command.
func (f *feed) look() {
	out := f.stream(f.p.Stdout, &f.out, false)
	err := f.stream(f.p.Stderr, &f.err, true)
	if out || err {
		f.last = time.Now()
	}
	if f.p.spec.Idle > 0 && time.Since(f.last) > f.p.spec.Idle {
		f.p.end(func(e *Exit) { e.Idle = true })
	}
}

// stream passes on one piece of a stream, and tells whether it had grown.
func (f *feed) stream(o *Output, seen *int64, stderr bool) bool {
	size := o.Size()
	if size <= *seen {
		return false
	}
	if f.p.spec.Progress == nil {
		*seen = size
		return true
	}
	data, next, _ := o.Since(*seen, maxChunk)
	if next < size-maxChunk { // far behind: the newest matters
		data, next, _ = o.Since(size-maxChunk, maxChunk)
	}
	*seen = next
	if len(data) > 0 {
		f.p.spec.Progress(Chunk{Stderr: stderr, Data: data})
	}
	return true
}

// drain passes on what came since the last look.
func (f *feed) drain() {
	f.stream(f.p.Stdout, &f.out, false)
	f.stream(f.p.Stderr, &f.err, true)
}
