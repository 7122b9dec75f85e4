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
	flushed := p.flushAll()
	if err == nil {
		err = flushed
	}
	return sum, err
}

// flushAt is how many bytes a worker collects before it writes them.
const flushAt = 64 << 10

// printer is a consumer that writes what it is given as text.
type printer struct {
	w     io.Writer
	q     *Query
	desks []desk // by worker

	mu     sync.Mutex
	groups bool  // a group has been written
	err    error // the writer's first
}

// desk is one worker's output. The padding keeps two workers off one cache line.
type desk struct {
	buf  []byte
	held bool // it has the printer's lock, as more of its file is to come
	last int  // number of the last line of the file at hand
	_    [64]byte
}

func (p *printer) begin(workers int) { p.desks = make([]desk, workers) }

func (p *printer) take(worker int, f *File) error {
	d := &p.desks[worker]
	switch p.q.Mode {
	case Files:
		d.path(f, '\n')
	case Count:
		if !f.More {
			d.path(f, ':')
			d.number(f.Count, '\n')
		}
	default:
		d.lines(f, p.q.grouped(), p.q.Columns)
	}
	mayWait := len(d.buf) < flushAt && p.q.Sort == Unsorted
	if mayWait && !f.More && !d.held {
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

// groupMark separates groups of lines that do not follow each other.
const groupMark = "--\n"

// write writes what a worker has collected. The lock is held.
func (p *printer) write(d *desk) error {
	b := d.buf
	if p.q.grouped() && !p.groups && len(b) > len(groupMark) {
		b = b[len(groupMark):] // there is none before the first group, and no worker knows which that is
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
		d := &p.desks[i]
		if len(d.buf) == 0 {
			continue
		}
		err := p.flush(d, false)
		if err != nil {
			return err
		}
	}
	return p.err
}

// lines writes the lines of a part.
func (d *desk) lines(f *File, grouped, columns bool) {
	for i := range f.Lines {
		l := &f.Lines[i]
		follows := d.last > 0 && (l.Number == d.last || l.Number == d.last+1)
		if grouped && !follows {
			d.buf = append(d.buf, groupMark...)
		}
		d.last = l.Number
		sep := byte(':')
		if l.Context {
			sep = '-'
		}
		d.path(f, sep)
		d.number(l.Number, sep)
		if l.Column > 0 && columns {
			d.number(l.Column, sep)
		}
		d.buf = append(d.buf, l.Text...)
		d.buf = append(d.buf, '\n')
	}
	if !f.More {
		d.last = 0
	}
}

func (d *desk) path(f *File, sep byte) {
	d.buf = append(d.buf, f.Path...)
	d.buf = append(d.buf, sep)
}

func (d *desk) number(n int, sep byte) {
	d.buf = strconv.AppendInt(d.buf, int64(n), 10)
	d.buf = append(d.buf, sep)
}
