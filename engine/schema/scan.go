package schema

import (
	"encoding/binary"
	"fmt"
	"unicode/utf8"
)

// A scanner walks over strict JSON (RFC 8259) without building anything. Stricter than encoding/json: invalid UTF-8,
// lone surrogates and duplicate keys are errors, because each would change or lose content silently.
type scanner struct {
	src   []byte
	pos   int
	depth int
	max   int    // levels allowed
	blank bool   // white space was seen
	why   string // the first error, "" for none
	at    int    // its place, a byte offset
}

func (s *scanner) fail(at int, format string, args ...any) bool {
	if s.why == "" {
		s.why, s.at = fmt.Sprintf(format, args...), at
	}
	return false
}

func (s *scanner) space() {
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
			s.blank = true
		default:
			return
		}
	}
}

// peek returns the next byte after white space, 0 at the end.
func (s *scanner) peek() byte {
	s.space()
	if s.pos >= len(s.src) {
		return 0
	}
	return s.src[s.pos]
}

func (s *scanner) unexpected(want string) bool {
	if s.pos >= len(s.src) {
		return s.fail(s.pos, "it ends where %s should follow", want)
	}
	r, _ := utf8.DecodeRune(s.src[s.pos:])
	return s.fail(s.pos, "want %s, got %q", want, r)
}

func (s *scanner) enter() bool {
	s.depth++
	s.pos++
	if s.depth > s.max {
		return s.fail(s.pos-1, "nested more than %d deep", s.max)
	}
	return true
}

func (s *scanner) leave() {
	s.depth--
	s.pos++
}

// text reads the string whose opening quote is at pos and returns what stands between the quotes, escapes and all.
func (s *scanner) text() (raw []byte, escaped, ok bool) {
	start, high := s.pos+1, false
	for i := start; ; {
		i += plain(s.src[i:])
		if i >= len(s.src) {
			return nil, false, s.fail(start-1, "a string is not closed")
		}
		switch c := s.src[i]; {
		case c == '"':
			s.pos = i + 1
			raw = s.src[start:i]
			if high && !utf8.Valid(raw) {
				return nil, false, s.fail(start, "text that is not valid UTF-8")
			}
			return raw, escaped, true
		case c == '\\':
			n := escape(s.src[i:])
			if n == 0 {
				return nil, false, s.fail(i, "invalid escape %s: write a backslash as \\\\", quoteBytes(s.src[i:min(i+6, len(s.src))]))
			}
			escaped = true
			i += n
		case c < 0x20:
			return nil, false, s.fail(i, "raw control character %q in a string: write it as an escape", rune(c))
		default:
			high = high || c >= utf8.RuneSelf
			i++
		}
	}
}

// plain returns how many bytes src begins with that stand for themselves in a string: printable ASCII but the quote and
// the backslash, eight at a time. What is left over when the last eight hold something else is looked at one by one.
func plain(src []byte) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(src); i += 8 {
		w := binary.LittleEndian.Uint64(src[i:])
		quote, back := w^('"'*ones), w^('\\'*ones)
		if (w|(w-0x20*ones)|(quote-ones)|(back-ones))&tops != 0 {
			break
		}
	}
	return i
}

// escape returns the length of the escape sequence that src begins with, 0 if it is not one. A lone surrogate is none.
func escape(src []byte) int {
	if len(src) < 2 {
		return 0
	}
	switch src[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
	default:
		return 0
	}
	r, ok := hex4(src)
	switch {
	case !ok, r >= 0xDC00 && r < 0xE000:
		return 0
	case r < 0xD800 || r >= 0xE000:
		return 6
	}
	if low, ok := hex4(src[6:]); !ok || src[6] != '\\' || src[7] != 'u' || low < 0xDC00 || low > 0xDFFF {
		return 0
	}
	return 12
}

// hex4 reads the four digits of a six byte \uXXXX.
func hex4(src []byte) (rune, bool) {
	if len(src) < 6 {
		return 0, false
	}
	var r rune
	for _, c := range src[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// number reads a number and says whether it is written as a plain integer.
func (s *scanner) number() (raw []byte, plain, ok bool) {
	start := s.pos
	n, plain := number(s.src[start:])
	if n == 0 {
		return nil, false, s.unexpected("a value")
	}
	raw = s.src[start : start+n]
	if why := tooLarge(raw); why != "" {
		return nil, false, s.fail(start, "%s", why)
	}
	s.pos += n
	return raw, plain, true
}

// number returns the length of the JSON number that src begins with, 0 if there is none.
func number(src []byte) (n int, plain bool) {
	i := 0
	if i < len(src) && src[i] == '-' {
		i++
	}
	d := digits(src[i:])
	if d == 0 {
		return 0, false
	}
	if src[i] == '0' {
		d = 1
	}
	i, plain = i+d, true
	if i < len(src) && src[i] == '.' {
		if d = digits(src[i+1:]); d == 0 {
			return 0, false
		}
		i, plain = i+1+d, false
	}
	if i < len(src) && src[i]|0x20 == 'e' {
		j := i + 1
		if j < len(src) && (src[j] == '+' || src[j] == '-') {
			j++
		}
		if d = digits(src[j:]); d == 0 {
			return 0, false
		}
		i, plain = j+d, false
	}
	return i, plain
}

func digits(src []byte) int {
	n := 0
	for n < len(src) && src[n] >= '0' && src[n] <= '9' {
		n++
	}
	return n
}

// tooLarge says why a number is beyond exact arithmetic, "" if it is not.
func tooLarge(raw []byte) string {
	if len(raw) > maxNumber {
		return fmt.Sprintf("a number of %d digits: at most %d are taken", len(raw), maxNumber)
	}
	for i, c := range raw {
		if c|0x20 != 'e' {
			continue
		}
		exp := 0
		for _, d := range raw[i+1:] {
			if d >= '0' && d <= '9' && exp <= maxExponent {
				exp = exp*10 + int(d-'0')
			}
		}
		if exp > maxExponent {
			return fmt.Sprintf("number %s is out of range", quoteBytes(raw))
		}
	}
	return ""
}

// word reads true, false or null.
func (s *scanner) word() (kind, bool) {
	rest := s.src[s.pos:]
	for _, w := range [...]struct {
		text string
		kind kind
	}{{"true", boolKind}, {"false", boolKind}, {"null", nullKind}} {
		if len(rest) >= len(w.text) && string(rest[:len(w.text)]) == w.text {
			s.pos += len(w.text)
			return w.kind, true
		}
	}
	return 0, s.unexpected("a value")
}

// key reads a member's name and the colon.
func (s *scanner) key() (raw []byte, escaped, ok bool) {
	if s.peek() != '"' {
		return nil, false, s.unexpected("a property name in double quotes")
	}
	raw, escaped, ok = s.text()
	if !ok {
		return nil, false, false
	}
	if s.peek() != ':' {
		return nil, false, s.unexpected("':' after a property name")
	}
	s.pos++
	return raw, escaped, true
}

// more reads the comma between members or items; false at the closing bracket or on an error.
func (s *scanner) more(end byte) (again, ok bool) {
	switch s.peek() {
	case ',':
		s.pos++
		if s.peek() == end {
			return false, s.unexpected("another element after ','")
		}
		return true, true
	case end:
		return false, true
	}
	return false, s.unexpected(fmt.Sprintf("',' or '%c'", end))
}

// skip reads any value.
func (s *scanner) skip() bool {
	switch s.peek() {
	case '{':
		return s.skipObject()
	case '[':
		return s.skipArray()
	case '"':
		_, _, ok := s.text()
		return ok
	case 't', 'f', 'n':
		_, ok := s.word()
		return ok
	}
	_, _, ok := s.number()
	return ok
}

func (s *scanner) skipArray() bool {
	if !s.enter() {
		return false
	}
	again, ok := s.peek() != ']', true
	for again && ok {
		if !s.skip() {
			return false
		}
		again, ok = s.more(']')
	}
	if ok {
		s.leave()
	}
	return ok
}

func (s *scanner) skipObject() bool {
	if !s.enter() {
		return false
	}
	var names nameSet
	again, ok := s.peek() != '}', true
	for again && ok {
		at := s.pos
		raw, escaped, good := s.key()
		if !good {
			return false
		}
		if !names.add(raw, escaped) {
			return s.fail(at, "duplicate key %s", quoteBytes(raw))
		}
		if !s.skip() {
			return false
		}
		again, ok = s.more('}')
	}
	if ok {
		s.leave()
	}
	return ok
}

// end checks that nothing but white space follows.
func (s *scanner) end() bool {
	switch s.peek() {
	case 0:
		if s.pos >= len(s.src) {
			return true
		}
	case '{', '[', '"':
		return s.fail(s.pos, "a second value follows the first: send one object")
	}
	return s.unexpected("the end")
}

// A nameSet finds duplicate names, without allocation for small objects.
type nameSet struct {
	few  [12][]byte
	n    int
	many map[string]struct{}
}

// add says whether the name is new.
func (s *nameSet) add(raw []byte, escaped bool) bool {
	if escaped {
		raw = []byte(unescape(raw))
	}
	if s.many == nil {
		for _, k := range s.few[:s.n] {
			if string(k) == string(raw) {
				return false
			}
		}
		if s.n < len(s.few) {
			s.few[s.n] = raw
			s.n++
			return true
		}
		s.many = make(map[string]struct{}, 4*len(s.few))
		for _, k := range s.few {
			s.many[string(k)] = struct{}{}
		}
	}
	if _, dup := s.many[string(raw)]; dup {
		return false
	}
	s.many[string(raw)] = struct{}{}
	return true
}
