package charset

import "unicode/utf8"

// The sets of ISO-2022-JP, by the sequences that lead to them. It is Shift_JIS's and EUC-JP's cousin: the two bytes of
// a character are those of EUC-JP without their highest bits.
const (
	setASCII    = "\x1b(B"
	setKanji    = "\x1b$B"
	setKatakana = "\x1b(I"
	setRare     = "\x1b$(D" // JIS X 0212, which is read and not written
)

// sets are the sequences that are read, with the sets that they mean.
var sets = []struct{ sequence, set string }{
	{setASCII, setASCII}, {"\x1b(J", setASCII}, {setKanji, setKanji}, {"\x1b$@", setKanji},
	{setKatakana, setKatakana}, {setRare, setRare},
}

func unescape(b []byte, runes []rune) []byte {
	var out []byte
	set := setASCII
	for len(b) > 0 {
		if next, n := sequence(b); n > 0 {
			set = next
			b = b[n:]
			continue
		}
		if b[0] == '\n' {
			set = setASCII
		}
		r, n := inSet(b, set, runes)
		out = utf8.AppendRune(out, r)
		b = b[n:]
	}
	return out
}

// sequence is the set that a sequence at the beginning of b leads to, and its length.
func sequence(b []byte) (set string, n int) {
	for _, s := range sets {
		if len(b) >= len(s.sequence) && string(b[:len(s.sequence)]) == s.sequence {
			return s.set, len(s.sequence)
		}
	}
	return "", 0
}

// inSet is the character that b begins with, and its length.
func inSet(b []byte, set string, runes []rune) (rune, int) {
	switch c := b[0]; {
	case c >= utf8.RuneSelf || c == '\x1b':
		return utf8.RuneError, 1
	case set == setASCII:
		return rune(c), 1
	case set == setKatakana:
		if c < 0x21 || c >= 0x60 {
			return utf8.RuneError, 1
		}
		return rune(c) + 0xff61 - 0x21, 1
	case c == '\n':
		return '\n', 1
	case c < 0x21 || len(b) < 2 || b[1] < 0x21 || b[1] >= utf8.RuneSelf:
		return utf8.RuneError, 1
	}
	c := code(b[0])<<8 | code(b[1]) | 0x8080
	if set == setRare {
		c |= 0x8f << 16
	}
	return known(at(runes, c)), 2
}

func escape(s []byte, t *table) ([]byte, bool) {
	out := make([]byte, 0, 2*len(s))
	now := setASCII
	into := func(set string) {
		if set != now {
			now = set
			out = append(out, set...)
		}
	}
	for _, r := range string(s) {
		if r < utf8.RuneSelf {
			into(setASCII)
			out = append(out, byte(r))
			continue
		}
		c := t.code(r)
		switch {
		case c>>8 == 0x8e:
			into(setKatakana)
			out = append(out, byte(c)&0x7f)
		case c == 0 || c > 0xffff:
			return nil, false
		default:
			into(setKanji)
			out = (c & 0x7f7f).bytes(out)
		}
	}
	into(setASCII)
	return out, true
}
