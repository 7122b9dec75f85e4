package json

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// MaxDepth is how deep values may nest. Arguments of real calls stay under ten; readers recurse
// once for each level.
const MaxDepth = 512

// A Scanner walks over JSON and builds nothing. It stops at the first error and keeps it. Each
// method that reads something wants to be called where that begins: see [Scanner.Peek].
type Scanner struct {
	Src   []byte
	Pos   int  // of the next byte
	Depth int  // brackets that are open
	Max   int  // how many may be
	Loose bool // the grammar alone counts: see the package's table

	Why string // the first error, "" for none
	At  int    // where it is, a byte offset
}

// An Error is why something is not JSON.
type Error struct {
	At  int // a byte offset
	Why string
}

func (e *Error) Error() string { return fmt.Sprintf("byte %d: %s", e.At, e.Why) }

func (s *Scanner) err() error { return &Error{At: s.At, Why: s.Why} }

// fail keeps the error if it is the first. It returns false, the verdict.
func (s *Scanner) fail(at int, format string, args ...any) bool {
	if s.Why == "" {
		s.Why, s.At = fmt.Sprintf(format, args...), at
	}
	return false
}

// Space moves to the next byte that is not white space.
func (s *Scanner) Space() {
	for s.Pos < len(s.Src) && isSpace(s.Src[s.Pos]) {
		s.Pos++
	}
}

func isSpace(c byte) bool { return c <= ' ' && uint64(1)<<c&(1<<' '|1<<'\t'|1<<'\n'|1<<'\r') != 0 }

// Peek returns the next byte after white space, 0 at the end.
func (s *Scanner) Peek() byte {
	s.Space()
	if s.Pos >= len(s.Src) {
		return 0
	}
	return s.Src[s.Pos]
}

// unexpected is what fails where something else should stand.
func (s *Scanner) unexpected(want string) bool {
	if s.Pos >= len(s.Src) {
		return s.fail(s.Pos, "it ends where %s should follow", want)
	}
	r, _ := utf8.DecodeRune(s.Src[s.Pos:])
	return s.fail(s.Pos, "want %s, got %q", want, r)
}

// Enter reads an opening bracket, shut being the one that closes it. again says whether an element
// follows; the closing bracket of an empty pair is read as well. A loop over elements looks like
// this:
//
//	again, ok := s.Enter(']')
//	for again && ok {
//		…read one element…
//		again, ok = s.More(']')
//	}
func (s *Scanner) Enter(shut byte) (again, ok bool) {
	s.Depth++
	s.Pos++
	if s.Depth > s.Max {
		return false, s.fail(s.Pos-1, "nested more than %d deep", s.Max)
	}
	if s.Peek() == shut {
		s.leave()
		return false, true
	}
	return true, true
}

// More reads the comma after an element, or the bracket that closes the list: then again is false.
func (s *Scanner) More(shut byte) (again, ok bool) {
	switch s.Peek() {
	case ',':
		s.Pos++
		if s.Peek() == shut {
			return false, s.unexpected("another element after ','")
		}
		return true, true
	case shut:
		s.leave()
		return false, true
	}
	return false, s.unexpected(fmt.Sprintf("',' or '%c'", shut))
}

func (s *Scanner) leave() {
	s.Depth--
	s.Pos++
}

// Key reads a member's name and the colon. raw is what stands between the quotes.
func (s *Scanner) Key() (raw []byte, escaped, ok bool) {
	if s.Peek() != '"' {
		return nil, false, s.unexpected("a property name in double quotes")
	}
	raw, escaped, ok = s.Text()
	if !ok {
		return nil, false, false
	}
	if s.Peek() != ':' {
		return nil, false, s.unexpected("':' after a property name")
	}
	s.Pos++
	return raw, escaped, true
}

// Word reads true, false or null.
func (s *Scanner) Word() (Kind, bool) {
	word := ""
	kind := Kind(s.Src[s.Pos])
	switch kind {
	case KindTrue:
		word = "true"
	case KindFalse:
		word = "false"
	case KindNull:
		word = "null"
	}
	end := s.Pos + len(word)
	if word == "" || end > len(s.Src) || string(s.Src[s.Pos:end]) != word {
		return 0, s.unexpected("a value")
	}
	s.Pos = end
	return kind, true
}

// Skip reads any value. Names of an object must differ, also where the Scanner is loose.
func (s *Scanner) Skip() bool {
	switch s.Peek() {
	case '{':
		return s.skipObject()
	case '[':
		again, ok := s.Enter(']')
		for again && ok {
			if !s.Skip() {
				return false
			}
			again, ok = s.More(']')
		}
		return ok
	case '"':
		_, _, ok := s.Text()
		return ok
	case 't', 'f', 'n':
		_, ok := s.Word()
		return ok
	}
	_, _, ok := s.Number()
	return ok
}

func (s *Scanner) skipObject() bool {
	var names Names
	again, ok := s.Enter('}')
	for again && ok {
		at := s.Pos
		raw, escaped, good := s.Key()
		if !good {
			return false
		}
		if !names.Add(raw, escaped) {
			return s.twice(at, raw)
		}
		if !s.Skip() {
			return false
		}
		again, ok = s.More('}')
	}
	return ok
}

func (s *Scanner) twice(at int, raw []byte) bool { return s.fail(at, "duplicate key %s", shown(raw)) }

// End checks that nothing but white space follows.
func (s *Scanner) End() bool {
	switch s.Peek() {
	case 0:
		if s.Pos >= len(s.Src) {
			return true
		}
	case '{', '[', '"':
		return s.fail(s.Pos, "a second value follows the first: send one object")
	}
	return s.unexpected("the end")
}

// Names finds names that stand twice. The zero value is empty; up to a dozen names take no memory.
type Names struct {
	few  [12][]byte
	n    int
	many map[string]struct{}
}

// Add tells whether the name is new. raw is what stands between the quotes; it is kept.
func (s *Names) Add(raw []byte, escaped bool) bool {
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
	if _, there := s.many[string(raw)]; there {
		return false
	}
	s.many[string(raw)] = struct{}{}
	return true
}

// maxShown is how many letters of a name or text an error shows.
const maxShown = 60

// shown is a text of any length on one short line.
func shown(raw []byte) string {
	head := string(raw[:min(len(raw), utf8.UTFMax*maxShown+1)])
	n := 0
	for i := range head {
		if n++; n > maxShown {
			return strconv.Quote(head[:i]) + "…"
		}
	}
	return strconv.Quote(head)
}
