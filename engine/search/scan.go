package search

import (
	"bytes"
	"errors"
	"io"
	"sync/atomic"

	"helve/engine/tree"
)

const (
	// window are the bytes of a file in memory at a time: it fits the second-level cache and holds all but a few
	// source files.
	window = 1 << 20
	// binaryHead: a NUL this near the beginning makes a file binary, as in ripgrep.
	binaryHead = 64 << 10
	// maxWhole are the bytes of a file that multi-line mode takes: it needs all of it at once.
	maxWhole = 512 << 20
)

// scanner searches files, one at a time. A worker has one. Places in the text are those in buf, which slides over a
// large file.
type scanner struct {
	q    *Query
	x    *machine
	buf  []byte
	emit func(*File) error // called with s.file, at least once for every file with a match
	max  int               // lines wanted of a file; 0: all

	// The file at hand.
	file  File
	dir   string // prefix of its path
	name  string
	found int  // lines found in it
	parts bool // some of it has been emitted
	dead  bool // and was refused

	// Where in it the scanner is.
	base    int64 // offset in the file of buf[0]
	number  int   // the number of the line that begins at counted
	counted int
	shown   int // lines before it have been emitted as context or match
	after   int // lines of context still due
	hit     int // with Invert: where the next line begins that matches
}

func newScanner(q *Query, m *matcher, stop *atomic.Bool, buf []byte) *scanner {
	return &scanner{q: q, x: m.machine(stop), buf: buf}
}

var (
	errBinary = errors.New("binary") // the file has matches and is not to be shown
	errEnough = errors.New("enough") // nothing more is wanted: no failure
)

// whole searches an open file from its beginning.
func (s *scanner) whole(dir, name string, h tree.Handle) error {
	n, err := fill(h, s.buf, 0)
	if err != nil {
		return err
	}
	s.open(dir, name, 0, 1)
	rest := io.Reader(h)
	if n == len(s.buf) {
		rest = asItIs(h, n)
	}
	wide, high := wideOrder(s.buf[:n])
	if wide {
		return s.wide(rest, s.buf[:n], high)
	}
	if n < len(s.buf) {
		return s.close(s.only(s.buf[:n]))
	}
	defer s.shrink()
	return s.close(s.windows(rest))
}

// asItIs is the rest of a file, of which n bytes have been read, up to where it ends now. A file may grow while it is
// searched, by what the search prints for one: the search would never come to its end. Where the system tells no size,
// as for the files of the kernel, the rest is whatever comes.
func asItIs(h tree.Handle, n int) io.Reader {
	st, _, err := h.Stat()
	if err != nil || st.Size < int64(n) {
		return h
	}
	return io.LimitReader(h, st.Size-int64(n))
}

// open begins a file, of which the line number begins at offset base.
func (s *scanner) open(dir, name string, base int64, number int) {
	s.dir, s.name = dir, name
	s.file = File{Lines: s.file.Lines[:0]}
	s.base, s.number, s.counted, s.shown = base, number, 0, 0
	s.after, s.found, s.parts, s.dead = 0, 0, false, false
}

// close emits what is left, even if the file could not be read to its end: a part that was emitted must have its last.
func (s *scanner) close(err error) error {
	if err == errBinary && !s.parts {
		return err
	}
	if (s.file.Count > 0 || s.parts) && !s.dead {
		failed := s.send()
		if failed != nil {
			return failed
		}
	}
	if err == errEnough {
		return nil
	}
	return err
}

// send hands a part on.
func (s *scanner) send() error {
	s.file.Path = s.dir + s.name
	err := s.emit(&s.file)
	s.dead = err != nil
	return err
}

// fill reads until b is full or the file ends. A read that returns less than asked from a regular file is the last.
func fill[R io.Reader](h R, b []byte, n int) (int, error) {
	for n < len(b) {
		k, err := h.Read(b[n:])
		n += k
		if err == io.EOF || err == nil && n < len(b) {
			break
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// only searches a file that is all in b. Whether it is binary matters only if something is found.
func (s *scanner) only(b []byte) error {
	b = s.skipBOM(b)
	if s.q.Multiline {
		return s.multi(b)
	}
	s.begin()
	start, end := s.next(b, 0)
	if start < 0 {
		return nil
	}
	nul := bytes.IndexByte(b, 0)
	if nul >= 0 && nul < binaryHead {
		return errBinary
	}
	if nul >= 0 {
		b = b[:nul]
		if start >= nul {
			return nil
		}
		end = min(end, nul)
		s.begin()
	}
	return s.lines(b, start, end, true)
}

// skipBOM drops a byte order mark; ^ then matches after it.
func (s *scanner) skipBOM(b []byte) []byte {
	if s.base == 0 && bytes.HasPrefix(b, []byte("\xef\xbb\xbf")) {
		s.base = 3
		return b[3:]
	}
	return b
}

// begin prepares for a new text in the buffer.
func (s *scanner) begin() {
	s.x.begin()
	s.hit = -1
}

// next finds the next line to report, which with Invert is one that does not match.
func (s *scanner) next(b []byte, pos int) (start, end int) {
	if !s.q.Invert {
		start, end = s.x.next(b, pos)
		if start >= len(b) { // behind the last line end there is no line, although ^$ matches
			return -1, -1
		}
		return start, end
	}
	for pos < len(b) && !s.x.stop.Load() {
		if s.hit < pos {
			s.hit, _ = s.x.next(b, pos)
			if s.hit < 0 {
				s.hit = len(b)
			}
		}
		end = lineEnd(b, pos)
		if pos != s.hit {
			return pos, end
		}
		pos = end + 1
	}
	return -1, -1
}

// lines reports the lines of b from the first found one on. last says that the file ends with b.
func (s *scanner) lines(b []byte, start, end int, last bool) error {
	for start >= 0 {
		err := s.report(b, start, end)
		if err != nil {
			return err
		}
		if end+1 >= len(b) {
			break
		}
		start, end = s.next(b, end+1)
	}
	s.trail(b, len(b), last)
	return nil
}

// report adds one line found, with its context.
func (s *scanner) report(b []byte, start, end int) error {
	s.found++
	s.file.Count++
	if s.q.Parts && s.q.Mode == Count {
		s.file.Count += s.countMatches(b[start:end]) - 1
	}
	if s.q.Mode != Lines {
		if s.q.Mode == Files || s.enough() {
			return errEnough
		}
		return nil
	}
	s.trail(b, start, true)
	s.lead(b, start)
	s.add(b, start, end, false)
	s.after = s.q.After
	full := s.max > 0 && s.found >= s.max
	if full || s.enough() {
		s.trail(b, len(b), true)
		return errEnough
	}
	return nil
}

// enough reports whether no more lines are wanted of this file.
func (s *scanner) enough() bool { return s.q.PerFile > 0 && s.found >= s.q.PerFile }

// add appends the line at b[start:end], which lies at or after all added before: so line ends are counted once.
func (s *scanner) add(b []byte, start, end int, context bool) {
	s.number += bytes.Count(b[s.counted:start], []byte{'\n'})
	s.counted = start
	s.shown = end + 1
	l := Line{
		Number:  s.number,
		Offset:  s.base + int64(start),
		Text:    b[start:end],
		Context: context,
	}
	if s.q.Columns && !context {
		l.Column = s.column(l.Text)
	}
	if s.q.Parts && !context {
		s.matches(l)
		return
	}
	s.append(l)
}

// append adds a line, cut if it is too long.
func (s *scanner) append(l Line) {
	if s.q.MaxText > 0 && len(l.Text) > s.q.MaxText {
		l.Text = l.Text[:s.q.MaxText]
		l.Cut = true
	}
	s.file.Lines = append(s.file.Lines, l)
}

// matches adds each match in a line.
func (s *scanner) matches(l Line) {
	line, at := l.Text, l.Offset
	s.eachMatch(line, func(start, end int) {
		l.Offset = at + int64(start)
		l.Column = start + 1
		l.Text = line[start:end]
		s.append(l)
	})
}

// countMatches is how many matches a line has. It has one at least: it was found.
func (s *scanner) countMatches(line []byte) int {
	n := 0
	s.eachMatch(line, func(int, int) { n++ })
	return max(n, 1)
}

// eachMatch finds the matches in a line. An empty one right behind another does not count, as in ripgrep.
func (s *scanner) eachMatch(line []byte, found func(start, end int)) {
	for pos, last := 0, -1; pos <= len(line); {
		start, end := s.x.lazyVM().find(line, pos)
		if start < 0 {
			return
		}
		if end > start || start != last {
			found(start, end)
		}
		pos, last = end, end
		if start == end {
			if pos == len(line) {
				return
			}
			_, n := decode(line[pos:])
			pos += n
		}
	}
}

// column is where in a line the first match begins. A line that does not match has no such place.
func (s *scanner) column(line []byte) int {
	if s.q.Invert {
		return 1
	}
	at, _ := s.x.span(line)
	return max(at, 0) + 1
}

// trail adds the lines after a match, up to limit.
func (s *scanner) trail(b []byte, limit int, last bool) {
	for s.after > 0 && s.shown < limit {
		end := lineEnd(b, s.shown)
		if end == len(b) && !last {
			return
		}
		s.after--
		s.add(b, s.shown, end, true)
	}
}

// lead adds the lines before the one at start that have not been added yet.
func (s *scanner) lead(b []byte, start int) {
	from := start
	for n := 0; n < s.q.Before && from > s.shown; n++ {
		from = bytes.LastIndexByte(b[:from-1], '\n') + 1
	}
	for from < start {
		end := lineEnd(b, from)
		s.add(b, from, end, true)
		from = end + 1
	}
}
