package text

import (
	"bytes"
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"

	"helve/builtin/internal/charset"
)

// Bounds of a sample: the beginning of a file, and a part of its middle and end, where a file that begins with ASCII
// shows what it is. Evidence is what of it is judged character by character.
const (
	headSample  = 64 << 10
	otherSample = 32 << 10
	maxEvidence = 32 << 10
)

// Sample reads what Detect needs of a file: all of a small one.
func Sample(r io.ReaderAt, size int64) ([]byte, error) {
	if size <= headSample+2*otherSample {
		return readAt(r, 0, size)
	}
	head, err := readAt(r, 0, headSample)
	if err != nil {
		return nil, err
	}
	sample := wholeLines(head, false)
	for _, at := range []int64{size/2 - otherSample/2, size - otherSample} {
		part, err := readAt(r, at, otherSample)
		if err != nil {
			return nil, err
		}
		sample = append(sample, wholeLines(part, true)...)
	}
	return sample, nil
}

// readAt reads n bytes, or as many as there are: the file may become shorter meanwhile.
func readAt(r io.ReaderAt, at, n int64) ([]byte, error) {
	b := make([]byte, n)
	m, err := r.ReadAt(b, at)
	if err == io.EOF {
		err = nil
	}
	return b[:m], err
}

// wholeLines cuts a part of a file at line breaks, where every encoding that contains ASCII may be cut. A part without
// a break is kept at the start of a file, less a character that may be cut, and is no use elsewhere.
func wholeLines(b []byte, inside bool) []byte {
	if inside {
		b = b[bytes.IndexByte(b, '\n')+1:]
	}
	i := bytes.LastIndexByte(b, '\n')
	if i >= 0 {
		return b[:i+1]
	}
	if inside {
		return nil
	}
	return b[:len(b)&^3]
}

// Detect tells the encoding of a file from its whole content or from a Sample. A file that is not text is ErrBinary.
// UTF-8 wins whenever most of what is not ASCII is valid UTF-8; among other encodings it is a judgement by what the
// characters would be, and a single-byte encoding that it does not know is taken for ISO-8859-1 or windows-1252.
func Detect(b []byte) (Encoding, error) {
	if e, ok := byMark(b); ok {
		return e, nil
	}
	if bytes.IndexByte(b, 0) >= 0 {
		return wide(b)
	}
	if controls(b, 10) {
		return Encoding{}, fmt.Errorf("%w: it is full of control characters", ErrBinary)
	}
	if escapes(b) {
		return ISO2022JP, nil
	}
	if utf8.Valid(b) {
		return UTF8, nil
	}
	proof := evidence(b)
	if mostlyUTF8(proof) {
		return UTF8, nil
	}
	if controls(b, 50) { // old encodings are guessed, and texts in them have none
		return Encoding{}, fmt.Errorf("%w: it has control characters and is not UTF-8", ErrBinary)
	}
	e := legacy(proof)
	switch {
	case e == GB18030 && within(GBK, b): // what others read as GBK must stay that
		return GBK, nil
	case e == Western || e == Windows1252 || e == Latin1:
		return fallback(b), nil
	case e.single() && !within(e, b): // one stray byte must not keep a file from being edited
		return fallback(b), nil
	}
	return e, nil
}

// single tells whether an encoding has one byte for each character.
func (e Encoding) single() bool {
	c, ok := e.codec.(*charset.Charset)
	return ok && c.Single()
}

// within tells that a text is one of this encoding to the last byte. Of a sample that was cut in a character the last
// bytes do not count.
func within(e Encoding, b []byte) bool {
	for cut := 0; cut < 2 && cut <= len(b); cut++ {
		_, err := e.Decode(b[:len(b)-cut])
		if err == nil {
			return true
		}
	}
	return false
}

// byMark is the encoding that a byte order mark names. The marks of UTF-32 come first: that of UTF-16LE begins one
// of them.
func byMark(b []byte) (Encoding, bool) {
	for _, e := range []Encoding{UTF8Mark, UTF32LEMark, UTF32BEMark, UTF16LEMark, UTF16BEMark} {
		if bytes.HasPrefix(b, []byte(e.mark)) {
			return e, true
		}
	}
	return Encoding{}, false
}

// wideSample is how much of a file is looked at for UTF-16 without a mark; leastWide how many of its characters are
// evidence enough.
const (
	wideSample = 16 << 10
	leastWide  = 12
)

// wide tells UTF-16 without a mark from binary. In texts of Latin letters one half of most units is zero, and the other
// half hardly ever (it is in U+4E00, the Chinese for one). Other texts consist of letters, with line ends or blanks
// between them; read the wrong way round, they do not.
func wide(b []byte) (Encoding, error) {
	b = b[:min(len(b), wideSample)&^1]
	var zero [2]int
	for i, c := range b {
		if c == 0 {
			zero[i&1]++
		}
	}
	best, most := Encoding{}, 0
	for i, e := range []Encoding{UTF16BE, UTF16LE} {
		latin := 5*zero[i] > len(b) && 8*zero[1-i] < zero[i]
		if latin && readable(e.Show(b)) {
			return e, nil
		}
		n := running(e.Show(b))
		if n > most {
			best, most = e, n
		}
	}
	if most > 0 {
		return best, nil
	}
	return Encoding{}, fmt.Errorf("%w: it has NUL bytes", ErrBinary)
}

// readable tells that every character is one that is written.
func readable(s string) bool {
	for _, r := range s {
		if r == utf8.RuneError || !unicode.IsGraphic(r) && !unicode.IsSpace(r) {
			return false
		}
	}
	return true
}

// running is how many blanks and line ends stand in a running text of letters, 0 for what is none.
func running(s string) int {
	if !readable(s) {
		return 0
	}
	letters, gaps, n := 0, 0, 0
	for _, r := range s {
		n++
		letters += b2i(unicode.IsLetter(r))
		gaps += b2i(r == ' ' || r == '\n')
	}
	if n < leastWide || letters < n/2 {
		return 0
	}
	return gaps
}

// controls tells whether more than one in share bytes of a file's beginning is a control character that texts do not
// use.
func controls(b []byte, share int) bool {
	b = b[:min(len(b), headSample)]
	n := 0
	for _, c := range b {
		if c < ' ' && (c < '\a' || c > '\r') && c != 0x1b {
			n++
		}
	}
	return n > len(b)/share
}

// escapes tells whether a file that is all ASCII switches to Japanese and back, as old mail does.
func escapes(b []byte) bool {
	if bytes.IndexByte(b, 0x1b) < 0 || !bytes.Contains(b, []byte("\x1b$B")) && !bytes.Contains(b, []byte("\x1b$@")) {
		return false
	}
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	_, err := ISO2022JP.Decode(b)
	return err == nil
}

// evidence collects the lines with bytes beyond ASCII, as far as the bound goes.
func evidence(b []byte) []byte {
	var out []byte
	for len(b) > 0 && len(out) < maxEvidence {
		i := bytes.IndexFunc(b, func(r rune) bool { return r >= utf8.RuneSelf })
		if i < 0 {
			break
		}
		start := bytes.LastIndexByte(b[:i], '\n') + 1
		end := len(b)
		j := bytes.IndexByte(b[i:], '\n')
		if j >= 0 {
			end = i + j + 1
		}
		if end-start > maxEvidence {
			start, end = i, cutLine(b, i)
		}
		out = append(out, b[start:end]...)
		b = b[end:]
	}
	return out
}

// cutLine ends a piece of a long line where no encoding has the second byte of a character: at a blank or a mark.
func cutLine(b []byte, from int) int {
	end := from + maxEvidence
	for i := min(end, len(b)) - 1; i > from; i-- {
		if b[i] < '0' {
			return i
		}
	}
	return min(end, len(b))
}

// mostlyUTF8 allows for a few broken characters in a file of UTF-8: one in four.
func mostlyUTF8(b []byte) bool {
	good, bad := 0, 0
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case r == utf8.RuneError && n <= 1:
			bad++
		case n > 1:
			good++
		}
		b = b[n:]
	}
	return good > 3*bad
}
