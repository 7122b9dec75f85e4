package search

import (
	"slices"
	"sync"
	"sync/atomic"
)

// meter counts what is handed out, leaves out the first lines (Query.Offset) and stops after enough (Query.Limit). In
// the modes Files and Count it counts files.
type meter struct {
	lines, files atomic.Int64 // handed out so far
	limited      bool         // there is an offset or a limit
	byFile       bool         // files are counted, not lines
	endless      bool         // only an offset, no limit

	mu     sync.Mutex
	skip   int    // lines or files still to be left out
	budget int    // lines or files still to be handed out
	capped bool   // there was more
	held   []bool // by worker: it has mu, as more of its file is to come
}

func newMeter(q *Query) *meter {
	return &meter{
		limited: q.Limit > 0 || q.Offset > 0,
		byFile:  q.Mode != Lines,
		endless: q.Limit == 0,
		skip:    q.Offset,
		budget:  q.Limit,
	}
}

// total is what was handed out, and whether there was more.

func (m *meter) total() (files, lines int, capped bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return int(m.files.Load()), int(m.lines.Load()), m.capped
}

// want is how many lines of one file can still be of use. 0 is all.
func (m *meter) want() int {
	if m.byFile {
		return 0
	}
	return m.needed()
}

// needed is how many lines, or files, can still be of use: one more than allowed, to know whether there are more. 0 is
// all.
func (m *meter) needed() int {
	if !m.limited || m.endless {
		return 0
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.skip + m.budget + 1
}

// take hands a part of a file on.
func (j *job) take(worker int, f *File) error {
	if !j.meter.limited {
		return j.pass(worker, f)
	}
	m := j.meter
	if !m.held[worker] {
		m.mu.Lock()
		m.held[worker] = true
	}
	more := f.More
	err := j.takeSome(worker, f)
	if !more || err != nil {
		m.held[worker] = false
		m.mu.Unlock()
	}
	return err
}

// takeSome hands on what the offset and the limit leave of a part. The meter's lock is held.
func (j *job) takeSome(worker int, f *File) error {
	if j.meter.capped {
		return errEnough
	}
	j.meter.cut(f)
	if f.Count > 0 || len(f.Lines) > 0 || f.More {
		err := j.pass(worker, f)
		if err != nil {
			return err
		}
	}
	if j.meter.capped {
		j.stop.Store(true)
		return errEnough
	}
	return nil
}

// pass counts a part and gives it to the consumer, whose first error ends the search.
func (j *job) pass(worker int, f *File) error {
	j.meter.lines.Add(int64(f.Count))
	if !f.More {
		j.meter.files.Add(1)
	}
	err := j.out.take(worker, f)
	if err != nil {
		j.mu.Lock()
		defer j.mu.Unlock()
		if j.first == nil {
			j.first = err
		}
		j.stop.Store(true)
	}
	return err
}

// cut removes from f what comes before the offset or after the limit.
func (m *meter) cut(f *File) {
	if m.byFile {
		m.cutFile(f)
		return
	}
	kept := f.Lines[:0]
	count := 0
	for i := range f.Lines {
		switch l := &f.Lines[i]; {
		case l.Context && m.skip > 0:
			continue
		case l.Context:
		case m.skip > 0:
			m.skip--
			continue
		case m.budget == 0 && !m.endless:
			m.capped = true
		default:
			m.budget--
			count++
		}
		if m.capped {
			break
		}
		kept = append(kept, f.Lines[i])
	}
	f.Lines, f.Count = kept, count
	if m.capped {
		f.More = false
		f.dropLead()
	}
}

// dropLead removes context that only led to a line that was cut off.
func (f *File) dropLead() {
	last := -1
	for i := range f.Lines {
		if !f.Lines[i].Context {
			last = i
		}
	}
	if last < 0 {
		f.Lines = nil
	}
}

// cutFile counts files, which may come in parts: the last part decides.
func (m *meter) cutFile(f *File) {
	switch {
	case f.More:
	case m.skip > 0:
		m.skip--
		f.Count, f.Lines = 0, nil
	case m.budget == 0 && !m.endless:
		m.capped = true
		f.Count, f.Lines = 0, nil
	default:
		m.budget--
	}
}

// clone copies a part, so that it may be kept.
func (f *File) clone() *File {
	c := *f
	size := 0
	for i := range f.Lines {
		size += len(f.Lines[i].Text)
	}
	text := make([]byte, 0, size)
	c.Lines = slices.Clone(f.Lines)
	for i := range c.Lines {
		from := len(text)
		text = append(text, c.Lines[i].Text...)
		c.Lines[i].Text = text[from:len(text):len(text)]
	}
	return &c
}
