package json

import (
	"bytes"
	"encoding/json"
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hidden tells of a character that a person does not see and a model may read: controls but line
// ends and tabs, formats (zero width, bidirectional, TAG) and private ones.
func Hidden(r rune) bool {
	if r < utf8.RuneSelf {
		return r < 0x20 && r != '\n' && r != '\t' && r != '\r' || r == 0x7f
	}
	return r == utf8.RuneError || unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Co)
}

// joiner makes one sign of several, in emoji and in many scripts. It is hidden, and nothing is
// meant by that.
const joiner = '\u200d'

// tag tells of a character that no text has a use for: controls, and TAG characters, which spell
// ASCII invisibly.
func tag(r rune) bool {
	return r < 0x20 && r != '\n' && r != '\t' && r != '\r' || r == 0x7f || r >= 0xe0000 && r <= 0xe007f
}

// Visible is s without hidden characters and terminal sequences, and how many of these there were.
// Joiners go uncounted. It is for what is said about tools; Tame is for content.
func Visible(s string) (string, int) { return strip(s, Hidden) }

// Tame is s without terminal sequences, controls and TAG characters, and how many of these there
// were. Zero-width and directional characters stay: scripts and files have them.
func Tame(s string) (string, int) { return strip(s, tag) }

func strip(s string, bad func(rune) bool) (string, int) {
	if clean(s, bad) {
		return s, 0
	}
	n := 0
	var b strings.Builder
	for i := 0; i < len(s); {
		if k := sequence(s[i:]); k > 0 {
			n++
			i += k
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case !bad(r):
			b.WriteString(s[i : i+size])
		case r != joiner && !(r == utf8.RuneError && size == 3):
			n++
		}
		i += size
	}
	return b.String(), n
}

func clean(s string, bad func(rune) bool) bool {
	for i := 0; i < len(s); {
		if i+8 <= len(s) {
			v := word64(s[i:])
			m := (v-0x20*ones)&^v&tops | v&tops | zero(v^0x7f*ones)
			if m == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(m) / 8
		}
		if c := s[i]; c < 0x20 && c != '\n' && c != '\t' || c >= 0x7f {
			return strings.IndexFunc(s, bad) < 0
		}
		i++
	}
	return true
}

// sequence is the length of the terminal sequence at the start of s, 0 for none.
func sequence(s string) int {
	if len(s) < 2 || s[0] != '\x1b' {
		return 0
	}
	switch s[1] {
	case '[': // CSI: parameters, then one letter
		for i := 2; i < len(s) && i < 64; i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
		}
	case ']', 'P', '_', '^': // OSC and its like, up to BEL or ST
		if i := strings.IndexAny(s, "\a\u009c"); i > 0 {
			_, n := utf8.DecodeRuneInString(s[i:])
			return i + n
		}
		if i := strings.Index(s, "\x1b\\"); i > 0 {
			return i + 2
		}
	}
	return 2
}

// Clean applies Visible or Tame to every string of a JSON value and tells how much went. What is
// clean comes back as it is; of the rest only the strings concerned change.
func Clean(b []byte, by func(string) (string, int)) (json.RawMessage, int) {
	if ascii(b) && !bytes.Contains(b, []byte(`\u`)) && !bytes.Contains(b, []byte("\x7f")) {
		return b, 0
	}
	total := 0
	var out []byte
	done := 0
	for i := 0; i < len(b); i++ {
		if b[i] != '"' {
			continue
		}
		text := Scanner{Src: b, Pos: i, Loose: true}
		raw, escaped, ok := text.Text()
		if !ok {
			return b, 0
		}
		s := decoded(raw, escaped)
		if v, n := by(s); v != s {
			total += n
			out = AppendString(append(out, b[done:i]...), v)
			done = text.Pos
		}
		i = text.Pos - 1
	}
	if out == nil {
		return b, 0
	}
	return append(out, b[done:]...), total
}

// word64 is the first eight bytes of s, the first one lowest. The compiler makes one load of it.
func word64(s string) uint64 {
	_ = s[7]
	low := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24
	return low | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
