package search

import (
	"context"
	"io"
	"strconv"
	"sync"
)

// Print searches and writes what it finds in ripgrep's form without headings: path:line:text, with context
// path-line-text and -- between groups; in mode Files the path, in mode Count path:count. Workers format on their own
// and write whole files, so that a hundred thousand lines cost little. Names are written as they are, whatever bytes
// they hold.
func (e *Engine) Print(ctx context.Context, w io.Writer, q Query) (Summary, error) {
	p := &printer{w: w, q: &q}
	sum, err := e.grep(ctx, &q, p)
	if flushed := p.flushAll(); err == nil {
		err = flushed
	}
	return sum, err
}

// flushAt is how many bytes a worker collects before it writes them.
const flushAt = 64 << 10

type printer struct {
	w      io.Writer
	q      *Query
	mu     sync.Mutex
	desks  []desk
	groups bool // a group has been written
	err    error
}

// desk is one worker's output. The padding keeps two workers off one cache line.
type desk struct {
	buf  []byte
	held bool
	last int // number of the last line of the file at hand
	_    [64]byte
}

func (p *printer) begin(workers int) { p.desks = make([]desk, workers) }

func (p *printer) take(worker int, f *File) error {
	d := &p.desks[worker]
	switch p.q.Mode {
	case Files:
		d.buf = append(append(d.buf, f.Path...), '\n')
	case Count:
		if !f.More {
			d.buf = append(append(d.buf, f.Path...), ':')
			d.buf = append(strconv.AppendInt(d.buf, int64(f.Count), 10), '\n')
		}
	default:
		d.lines(f, p.q.grouped(), p.q.Columns)
	}
	if len(d.buf) < flushAt && !f.More && !d.held && p.q.Sort == Unsorted {
		return nil
	}
	return p.flush(d, f.More)
}

// flush writes a worker's output. While more of its file is to come, nobody else writes.
func (p *printer) flush(d *desk, more bool) error {
	if !d.held {
		p.mu.Lock()
	}
	d.held = more
	err := p.write(d)
	if !more {
		p.mu.Unlock()
	}
	return err
}

func (p *printer) write(d *desk) error {
	b := d.buf
	if p.q.grouped() && !p.groups && len(b) > 3 {
		b = b[3:] // no -- before the first group
		p.groups = true
	}
	d.buf = d.buf[:0]
	if p.err == nil && len(b) > 0 {
		_, p.err = p.w.Write(b)
	}
	return p.err
}

func (p *printer) flushAll() error {
	for i := range p.desks {
		if d := &p.desks[i]; len(d.buf) > 0 {
			if err := p.flush(d, false); err != nil {
				return err
			}
		}
	}
	return p.err
}

func (d *desk) lines(f *File, grouped, columns bool) {
	b := d.buf
	for i := range f.Lines {
		l := &f.Lines[i]
		if grouped && l.Number != d.last && l.Number != d.last+1 || grouped && d.last == 0 {
			b = append(b, "--\n"...)
		}
		d.last = l.Number
		sep := byte(':')
		if l.Context {
			sep = '-'
		}
		b = append(append(b, f.Path...), sep)
		b = append(strconv.AppendInt(b, int64(l.Number), 10), sep)
		if l.Column > 0 && columns {
			b = append(strconv.AppendInt(b, int64(l.Column), 10), sep)
		}
		b = append(append(b, l.Text...), '\n')
	}
	d.buf = b
	if !f.More {
		d.last = 0
	}
}
