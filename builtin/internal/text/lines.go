package text

import (
	"bytes"
	"context"
	"io"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

// How a file is passed: chunk bytes at a read, and a mark in the index every stride bytes, so that the second look at
// any line reads one stride. A 50 MB file has 800 marks.
const (
	chunk  = 128 << 10
	stride = 64 << 10
)

// Bounds of a window where the caller gives none: the bytes kept of a line (2,000 characters of four bytes) and of all.
const (
	defaultLineBytes = 8000
	defaultBytes     = 1 << 20
)

// maxLine is how far the end of one line is looked for: what has longer lines is no text that anybody reads, and may be
// a sparse file of any size.
const maxLine = 256 << 20

// An Index finds lines in one file of any size. It remembers sparsely how many lines it has passed, and never more than
// it had to pass. It is for one state of one file; a file that only grew may keep its index. It is safe for concurrent
// use.
type Index struct {
	encoding Encoding
	newline  []byte

	mu    sync.Mutex
	marks []int64 // marks[i] is the number of line ends before byte i*stride
	at    int64   // bytes passed
	ends  int64   // line ends before at
}

// NewIndex is an index for a file of an encoding. The sample that told the encoding also tells whether lines end with a
// carriage return alone.
func NewIndex(e Encoding, sample []byte) *Index {
	end := byte('\n')
	if bytes.IndexByte(sample, '\n') < 0 && bytes.IndexByte(sample, '\r') >= 0 {
		end = '\r'
	}
	return &Index{encoding: e, newline: e.newline(end)}
}

// Want says which lines a window holds. The zero value of a bound is its default.
type Want struct {
	First     int64 // the first line, from 0
	Count     int   // lines at most
	LineBytes int   // bytes kept of one line; 0 is 8000
	Bytes     int   // bytes kept of all; 0 is 1 MiB
}

// A Line of a window.
type Line struct {
	Text string // decoded, without its ending; characters that are cut or invalid are U+FFFD or left out

	// Cut is how many bytes of the line LineBytes left out. Above 256 MiB it is at least so many, and the window ends
	// with the line.
	Cut int64
}

// A Window is some lines of a file.
type Window struct {
	Lines []Line
	More  bool  // there are lines after these
	Full  bool  // the bound on Bytes ended the window before Count lines
	Total int64 // lines of the file where that is known, else -1; a final line end adds no line
}

// Window reads lines of a file that has size bytes now. What was appended since is not looked at; where the file became
// shorter the window ends. It reads what it must to find the first line, once, and then the lines themselves; the
// context is looked at between reads.
func (x *Index) Window(ctx context.Context, r io.ReaderAt, size int64, w Want) (*Window, error) {
	if w.LineBytes <= 0 {
		w.LineBytes = defaultLineBytes
	}
	if w.Bytes <= 0 {
		w.Bytes = defaultBytes
	}
	out := &Window{Total: -1}
	s := &scanner{
		index: x,
		ctx:   ctx,
		r:     r,
		size:  size,
	}
	found, err := x.seek(s, w.First)
	if err != nil {
		return nil, err
	}
	if found {
		err := s.fill(out, w)
		if err != nil {
			return nil, err
		}
	}
	out.Total = x.known(r, size)
	if found && !out.More && !out.Full {
		out.Total = max(w.First, 0) + int64(len(out.Lines))
	}
	return out, nil
}

// Total counts the lines of the file, passing what was not passed before.
func (x *Index) Total(ctx context.Context, r io.ReaderAt, size int64) (int64, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	err := x.pass(ctx, r, size, -1)
	if err != nil {
		return 0, err
	}
	return x.total(r), nil
}

// known is the total if the whole file was passed, else -1.
func (x *Index) known(r io.ReaderAt, size int64) int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.at < size {
		return -1
	}
	return x.total(r)
}

// total counts a last line that has no end.
func (x *Index) total(r io.ReaderAt) int64 {
	unit := int64(len(x.newline))
	if x.at-int64(len(x.encoding.mark)) < unit {
		return x.ends
	}
	last := make([]byte, unit)
	n, _ := r.ReadAt(last, x.at-unit)
	if n == len(last) && bytes.Equal(last, x.newline) {
		return x.ends
	}
	return x.ends + 1
}

// seek puts a scanner where a line begins; found is false when the file has fewer lines.
func (x *Index) seek(s *scanner, line int64) (found bool, err error) {
	if line <= 0 {
		s.at = int64(len(x.encoding.mark))
		s.buf = make([]byte, stride)
		return s.at < s.size, nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if s.size < x.at {
		x.marks, x.at, x.ends = nil, 0, 0
	}
	err = x.pass(s.ctx, s.r, s.size, line)
	if err != nil || x.ends < line {
		return false, err
	}
	i := sort.Search(len(x.marks), func(i int) bool { return x.marks[i] >= line }) - 1
	s.at, s.buf = int64(i)*stride, make([]byte, stride)
	return s.skip(line - x.marks[i])
}

// pass counts line ends until it has passed the end of as many lines as wanted, -1 for all.
func (x *Index) pass(ctx context.Context, r io.ReaderAt, size, lines int64) error {
	if x.at >= size || lines >= 0 && x.ends >= lines {
		return nil
	}
	buf := make([]byte, min(chunk, max(size-x.at, int64(len(x.newline)))))
	for x.at < size && (lines < 0 || x.ends < lines) {
		if err := ctx.Err(); err != nil {
			return err
		}
		// Reads end at a stride, so that marks stand at its multiples.
		n, err := r.ReadAt(buf[:min(int64(len(buf)), size-x.at, chunk-x.at%stride)], x.at)
		x.count(buf[:n])
		if err != nil && err != io.EOF {
			return err
		}
		if n == 0 {
			return nil
		}
	}
	return nil
}

// count passes bytes, setting marks.
func (x *Index) count(b []byte) {
	for len(b) > 0 {
		if x.at%stride == 0 && int64(len(x.marks)) == x.at/stride {
			x.marks = append(x.marks, x.ends)
		}
		n := min(int64(len(b)), stride-x.at%stride)
		x.ends += int64(x.countEnds(b[:n]))
		x.at += n
		b = b[n:]
	}
}

// countEnds counts the line ends in bytes that begin with a unit.
func (x *Index) countEnds(b []byte) int {
	if len(x.newline) == 1 {
		return bytes.Count(b, x.newline)
	}
	n := 0
	for {
		i := x.indexEnd(b)
		if i < 0 {
			return n
		}
		n++
		b = b[i+len(x.newline):]
	}
}

// indexEnd finds a line end; in wide encodings only where a unit begins. The bytes must begin with one.
func (x *Index) indexEnd(b []byte) int {
	width := len(x.newline)
	if width == 1 {
		return bytes.IndexByte(b, x.newline[0])
	}
	for at := 0; ; {
		i := bytes.Index(b[at:], x.newline)
		if i < 0 {
			return -1
		}
		at += i
		if at%width == 0 {
			return at
		}
		at += width - at%width
	}
}

// A scanner reads lines one after the other, keeping the beginning of each.
type scanner struct {
	index *Index
	ctx   context.Context
	r     io.ReaderAt
	at    int64 // the byte after buf's content
	size  int64
	buf   []byte
	left  []byte // read, not yet used
}

// skip passes line ends; ok is false where the file ends with the last of them.
func (s *scanner) skip(ends int64) (ok bool, err error) {
	for {
		err := s.read()
		if err != nil || len(s.left) == 0 {
			return false, err
		}
		for {
			i := s.index.indexEnd(s.left)
			if i < 0 {
				break
			}
			s.left = s.left[i+len(s.index.newline):]
			ends--
			if ends == 0 {
				return len(s.left) > 0 || s.at < s.size, nil
			}
		}
	}
}

// fill reads the lines of a window.
func (s *scanner) fill(out *Window, w Want) error {
	kept := 0
	for len(out.Lines) < w.Count {
		if kept >= w.Bytes {
			out.Full = true
			break
		}
		raw, cut, ok, err := s.next(min(w.LineBytes, w.Bytes-kept))
		if err != nil || !ok {
			return err
		}
		out.Full = cut > maxLine
		kept += len(raw)
		shown, lost := s.index.show(raw, cut > 0)
		out.Lines = append(out.Lines, Line{Text: shown, Cut: cut + int64(lost)})
		if out.Full {
			break
		}
	}
	out.More = len(s.left) > 0 || s.at < s.size
	return nil
}

// next reads a line; ok is false at the end of the file.
func (s *scanner) next(keep int) (raw []byte, cut int64, ok bool, err error) {
	for {
		if len(s.left) == 0 {
			err := s.read()
			if err != nil || len(s.left) == 0 {
				return raw, cut, ok, err
			}
		}
		ok = true
		part, end := s.left, s.index.indexEnd(s.left)
		if end >= 0 {
			part = s.left[:end]
		}
		n := min(len(part), keep-len(raw))
		raw = append(raw, part[:n]...)
		cut += int64(len(part) - n)
		if end >= 0 {
			s.left = s.left[end+len(s.index.newline):]
			return raw, cut, true, nil
		}
		s.left = nil
		if cut > maxLine {
			return raw, cut, true, nil
		}
	}
}

// read fills the buffer. At the end of the file, or of what is left of it, nothing is in left.
func (s *scanner) read() error {
	if err := s.ctx.Err(); err != nil || s.at >= s.size {
		return err
	}
	n, err := s.r.ReadAt(s.buf[:min(int64(len(s.buf)), s.size-s.at)], s.at)
	s.at += int64(n)
	s.left = s.buf[:n]
	if n == 0 {
		s.at = s.size // the file became shorter
	}
	if err == io.EOF {
		err = nil
	}
	return err
}

// show decodes a line's beginning. A character that the cut went through is left out: lost says how many bytes more
// that are.
func (x *Index) show(raw []byte, cut bool) (shown string, lost int) {
	if !cut {
		return x.encoding.Show(bytes.TrimSuffix(raw, x.encoding.newline('\r'))), 0
	}
	whole := raw[:len(raw)/len(x.newline)*len(x.newline)]
	if x.encoding.codec == nil {
		whole = trimPartial(whole)
	}
	return strings.TrimRight(x.encoding.Show(whole), "\ufffd"), len(raw) - len(whole)
}

// trimPartial drops the beginning of a character that was cut.
func trimPartial(b []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		c := b[len(b)-i]
		if utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}
