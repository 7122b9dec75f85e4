package search

import (
	"bytes"
	"fmt"
	"io"
	"slices"
)

// windows searches a file that does not fit the buffer, whose first part is in it. Every round searches the complete
// lines of the buffer, emits what it found, and moves the rest, with the lines that may become context, to the front.
func (s *scanner) windows(h io.Reader) error {
	if s.q.Multiline {
		return s.allAtOnce(h)
	}
	n := len(s.buf)
	from := n - len(bytes.TrimPrefix(s.buf, []byte("\xef\xbb\xbf"))) // behind the mark
	s.shown = from
	for last := false; ; {
		b := s.buf[:n]
		nul := bytes.IndexByte(b[from:], 0)
		if nul >= 0 {
			if s.base+int64(from+nul) < binaryHead {
				return s.binary(b, from)
			}
			b, last = b[:from+nul], true
		}
		done := len(b)
		if !last && len(b) <= maxLine { // a longer line is searched in pieces
			done = max(bytes.LastIndexByte(b, '\n')+1, from)
		}
		err := s.piece(b[:done], from, last)
		if err != nil || last {
			return err
		}
		if s.x.stop.Load() {
			return errEnough
		}
		n, from, err = s.slide(n, done)
		if err != nil {
			return err
		}
		n, err = fill(h, s.buf, n)
		if err != nil {
			return err
		}
		last = n < len(s.buf)
	}
}

// binary ends a file that is binary, which is worth telling if it matches.
func (s *scanner) binary(b []byte, from int) error {
	s.begin()
	start, _ := s.next(b, from)
	if start < 0 {
		return nil
	}
	return errBinary
}

// piece searches some lines that follow those searched before.
func (s *scanner) piece(b []byte, from int, last bool) error {
	s.begin()
	start, end := s.next(b, from)
	return s.lines(b, start, end, last)
}

// slide emits what was found and drops what is no longer needed of the buffer's n bytes, of which done have been
// searched. It makes room if a line fills all of it.
func (s *scanner) slide(n, done int) (int, int, error) {
	keep := done
	for i := 0; i < s.q.Before && keep > s.shown; i++ {
		keep = bytes.LastIndexByte(s.buf[:keep-1], '\n') + 1
	}
	if len(s.file.Lines) > 0 {
		s.file.More, s.parts = true, true
		err := s.send() // the lines found point into the buffer, which is about to change
		if err != nil {
			return 0, 0, err
		}
		s.file = File{Lines: s.file.Lines[:0]}
	}
	s.number += bytes.Count(s.buf[s.counted:keep], []byte{'\n'})
	s.counted = 0
	s.base += int64(keep)
	s.shown = max(s.shown-keep, 0)
	if keep == 0 && n == len(s.buf) {
		s.buf = append(make([]byte, 0, 2*n), s.buf...)[:2*n]
	}
	copy(s.buf, s.buf[keep:n])
	return n - keep, done - keep, nil
}

// shrink gives back what one very long line needed.
func (s *scanner) shrink() {
	if len(s.buf) > 8*window {
		s.buf = make([]byte, window)
	}
}

// allAtOnce reads the rest of the file for a search over lines.
func (s *scanner) allAtOnce(h io.Reader) error {
	b, n := slices.Clone(s.buf), len(s.buf)
	for n == len(b) {
		if n > maxWhole || s.x.stop.Load() {
			break
		}
		b = append(b, make([]byte, n)...)
		var err error
		n, err = fill(h, b, n)
		if err != nil {
			return err
		}
	}
	if n > maxWhole {
		return fmt.Errorf("more than %d bytes: multiline takes no larger files: search without multiline", maxWhole)
	}
	return s.only(b[:n])
}

// multi searches all of b for matches that may extend over lines. The cheap tests come first: most files have no match.
func (s *scanner) multi(b []byte) error {
	x := s.x
	x.begin()
	if x.m.finder != nil && x.m.finder.find(&x.state, b, 0) < 0 {
		return nil
	}
	if !x.m.everything {
		_, found := x.lazyDFA().find(b, 0)
		if found == noMatch {
			return nil
		}
	}
	start, end := x.lazyVM().find(b, 0)
	if start < 0 {
		return nil
	}
	nul := bytes.IndexByte(b, 0)
	if nul >= 0 && nul < binaryHead {
		return errBinary
	}
	if nul >= 0 {
		b = b[:nul]
		start, end = x.lazyVM().find(b, 0)
	}
	return s.spans(b, start, end)
}

// spans reports the lines that matches touch, each once.
func (s *scanner) spans(b []byte, start, end int) error {
	for from := 0; start >= 0; {
		last := max(start, end-1)
		at := max(bytes.LastIndexByte(b[:start], '\n')+1, from)
		for at <= last && at < len(b) {
			stop := lineEnd(b, at)
			err := s.report(b, at, stop)
			if err != nil {
				return err
			}
			at = stop + 1
		}
		from = at
		next := end
		if end == start {
			if next >= len(b) {
				break
			}
			_, n := decode(b[next:])
			next += n
		}
		start, end = s.x.lazyVM().find(b, next)
	}
	s.trail(b, len(b), true)
	return nil
}
