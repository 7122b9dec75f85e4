package cjk

import "unicode/utf8"

// append appends a code.
func (c code) append(dst []byte) []byte {
	for shift := 24; shift > 0; shift -= 8 {
		if c >= 1<<shift {
			dst = append(dst, byte(c>>shift))
		}
	}
	return append(dst, byte(c))
}

func writePairs(t *table, _ *set, dst []byte, r rune) ([]byte, bool) {
	switch {
	case r < 0:
		return dst, true
	case r < utf8.RuneSelf:
		return append(dst, byte(r)), true
	}
	c := t.reverse().of(r)
	if c == 0 {
		return dst, false
	}
	return c.append(dst), true
}

func writeGBK(t *table, s *set, dst []byte, r rune) ([]byte, bool) {
	if r == '€' {
		return append(dst, 0x80), true
	}
	return writePairs(t, s, dst, r)
}

func writeGB18030(t *table, s *set, dst []byte, r rune) ([]byte, bool) {
	if r >= 0x10000 {
		return place(planes + int(r) - 0x10000).append(dst), true
	}
	return writePairs(t, s, dst, r)
}

func writeShiftJIS(t *table, s *set, dst []byte, r rune) ([]byte, bool) {
	switch {
	case r == 0x80:
		return append(dst, 0x80), true
	case r >= katakana && r < afterKatakana:
		return append(dst, byte(r-katakana+0xa1)), true
	}
	return writePairs(t, s, dst, r)
}

// writeEscaped writes ISO-2022-JP, which ends in ASCII. It cannot have an escape among its characters.
func writeEscaped(t *table, s *set, dst []byte, r rune) ([]byte, bool) {
	switch {
	case r < 0:
		return s.to(dst, setASCII, "\x1b(B"), true
	case r == escape:
		return dst, false
	case r < utf8.RuneSelf:
		return append(s.to(dst, setASCII, "\x1b(B"), byte(r)), true
	case r >= katakana && r < afterKatakana:
		return append(s.to(dst, setKatakana, "\x1b(I"), byte(r-katakana+0x21)), true
	}
	c := t.reverse().of(r)
	if c < 1<<8 || c >= 1<<16 {
		return dst, false
	}
	return append(s.to(dst, setJIS, "\x1b$B"), byte(c>>8)&0x7f, byte(c)&0x7f), true
}

// to goes to a set of characters.
func (s *set) to(dst []byte, next set, escape string) []byte {
	if *s == next {
		return dst
	}
	*s = next
	return append(dst, escape...)
}
