package search

import (
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// wideOrder tells by its byte order mark that a text is UTF-16, and whether the high byte of each unit comes first.
func wideOrder(b []byte) (wide, high bool) {
	if len(b) < 2 {
		return false, false
	}
	high = b[0] == 0xfe && b[1] == 0xff
	return high || b[0] == 0xff && b[1] == 0xfe, high
}

// wideReader reads UTF-16 as UTF-8. What is no character becomes U+FFFD. Unlike other readers it fills what it is
// given unless the file ends.
type wideReader struct {
	src  io.Reader
	high bool
	raw  []byte // bytes read and not yet decoded
	buf  []byte
	rest []byte // of a character that did not fit
	err  error
}

// newWideReader reads the rest of src after begun, which it copies and which begins with the mark.
func newWideReader(src io.Reader, begun []byte, high bool) *wideReader {
	r := &wideReader{src: src, high: high, buf: make([]byte, window)}
	r.raw = r.buf[:copy(r.buf, begun[2:])]
	if len(begun) < window {
		r.err = io.EOF
	}
	return r
}

// Read reads like io.Reader.
func (r *wideReader) Read(p []byte) (int, error) {
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	for n < len(p) {
		c, err := r.next()
		if err != nil {
			return n, err
		}
		if n+utf8.UTFMax <= len(p) {
			n += utf8.EncodeRune(p[n:], c)
			continue
		}
		one := utf8.AppendRune(nil, c)
		k := copy(p[n:], one)
		n, r.rest = n+k, one[k:]
	}
	return n, nil
}

// next decodes one character.
func (r *wideReader) next() (rune, error) {
	err := r.more()
	if err != nil {
		return 0, err
	}
	if len(r.raw) == 1 { // half a unit at the end
		r.raw = nil
		return utf8.RuneError, nil
	}
	c := r.unit()
	r.raw = r.raw[2:]
	if !utf16.IsSurrogate(c) {
		return c, nil
	}
	err = r.more()
	if err != nil && err != io.EOF {
		return 0, err
	}
	if len(r.raw) < 2 {
		return utf8.RuneError, nil
	}
	pair := utf16.DecodeRune(c, r.unit())
	if pair != utf8.RuneError { // else the next unit is a character of its own
		r.raw = r.raw[2:]
	}
	return pair, nil
}

// unit is the next unit of 16 bits.
func (r *wideReader) unit() rune {
	a, b := rune(r.raw[0]), rune(r.raw[1])
	if r.high {
		return a<<8 | b
	}
	return b<<8 | a
}

// more makes sure that there are two bytes to decode, or one that is the last.
func (r *wideReader) more() error {
	for len(r.raw) < 2 && r.err == nil {
		n := copy(r.buf, r.raw)
		k, err := r.src.Read(r.buf[n:])
		r.raw, r.err = r.buf[:n+k], err
	}
	switch {
	case len(r.raw) >= 2:
		return nil
	case len(r.raw) == 1 && r.err == io.EOF:
		return nil
	}
	return r.err
}

// wide searches a file in UTF-16, of which begun has been read into the buffer, as if it were UTF-8.
func (s *scanner) wide(h io.Reader, begun []byte, high bool) error {
	r := newWideReader(h, begun, high)
	n, err := fill(r, s.buf, 0)
	if err != nil {
		return s.close(err)
	}
	if n < len(s.buf) {
		return s.close(s.only(s.buf[:n]))
	}
	defer s.shrink()
	return s.close(s.windows(r))
}
