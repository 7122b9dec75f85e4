package cjk

import "unicode/utf8"

// Bytes with the highest bit, but for a few that mean something alone, are the first of two. Where the second is ASCII
// and the two mean nothing, it stands for itself.

// pair reads two bytes.
func pair(t *table, b []byte) (rune, int) {
	switch {
	case b[0] < firstLead || b[0] > lastLead:
		return utf8.RuneError, 1
	case len(b) < 2:
		return utf8.RuneError, more
	}
	r := t.pair(b[0], b[1])
	if r == 0 {
		return nothing(b[:2])
	}
	return r, 2
}

// nothing is what bytes mean that mean nothing together.
func nothing(b []byte) (rune, int) {
	if b[len(b)-1] < utf8.RuneSelf {
		return utf8.RuneError, len(b) - 1
	}
	return utf8.RuneError, len(b)
}

func readPair(t *table, _ *set, b []byte) (rune, int) {
	if b[0] < utf8.RuneSelf {
		return rune(b[0]), 1
	}
	return pair(t, b)
}

func readGBK(t *table, s *set, b []byte) (rune, int) {
	if b[0] == 0x80 {
		return '€', 1
	}
	return readPair(t, s, b)
}

// readGB18030 reads GBK, and four bytes: digits stand at the second and the fourth place. Where the third or the
// fourth is none of these, the first alone means nothing, since a digit follows it.
func readGB18030(t *table, s *set, b []byte) (rune, int) {
	if b[0] < firstLead || b[0] > lastLead || len(b) < 2 || b[1] < '0' || b[1] > '9' {
		return readGBK(t, s, b)
	}
	switch {
	case len(b) < 3:
		return utf8.RuneError, more
	case b[2] < firstLead || b[2] > lastLead:
		return utf8.RuneError, 1
	case len(b) < 4:
		return utf8.RuneError, more
	case b[3] < '0' || b[3] > '9':
		return utf8.RuneError, 1
	}
	place := ((int(b[0]-firstLead)*10+int(b[1]-'0'))*126+int(b[2]-firstLead))*10 + int(b[3]-'0')
	r := rune(utf8.RuneError)
	switch {
	case place < len(t.others):
		r = t.others[place]
	case place >= planes && place-planes <= utf8.MaxRune-0x10000:
		r = rune(place - planes + 0x10000)
	}
	return r, 4
}

// planes is where GB18030's list of what takes four bytes has the characters beyond U+FFFF.
const planes = 189000

// The katakana of half the width are bytes of their own, or behind an escape.
const (
	katakana      = 0xff61
	afterKatakana = 0xffa0
)

func readShiftJIS(t *table, s *set, b []byte) (rune, int) {
	switch {
	case b[0] == 0x80:
		return 0x80, 1
	case b[0] >= 0xa1 && b[0] <= 0xdf:
		return rune(b[0]) - 0xa1 + katakana, 1
	}
	return readPair(t, s, b)
}

func readEUCJP(t *table, s *set, b []byte) (rune, int) {
	if b[0] != 0x8f {
		return readPair(t, s, b)
	}
	switch {
	case len(b) < 2:
		return utf8.RuneError, more
	case b[1] < 0xa1 || b[1] > 0xfe:
		return nothing(b[:2])
	case len(b) < 3:
		return utf8.RuneError, more
	}
	r := t.triple(b[1], b[2])
	if r == 0 {
		return nothing(b[:3])
	}
	return r, 3
}

// The sets of ISO-2022-JP.
const (
	setASCII    set = 0
	setRoman    set = 'J'
	setKatakana set = 'I'
	setJIS      set = 'B'
)

const escape = 0x1b

// readEscaped reads a byte or two, as the set has it that the last escape led to. A line's end leads back to ASCII from
// the set of two bytes.
func readEscaped(t *table, s *set, b []byte) (rune, int) {
	switch {
	case b[0] >= utf8.RuneSelf:
		return utf8.RuneError, 1
	case b[0] == escape:
		return readEscape(s, b)
	}
	switch *s {
	case setKatakana:
		if b[0] < 0x21 || b[0] >= 0x60 {
			return utf8.RuneError, 1
		}
		return rune(b[0]) - 0x21 + katakana, 1
	case setJIS:
		if b[0] == '\n' {
			*s = setASCII
			return '\n', 1
		}
		if len(b) < 2 {
			return utf8.RuneError, more
		}
		r := t.pair(b[0]|0x80, b[1]|0x80)
		if r == 0 || b[1] >= utf8.RuneSelf || b[0] < 0x21 {
			return utf8.RuneError, 2
		}
		return r, 2
	}
	return rune(b[0]), 1
}

// readEscape goes to another set.
func readEscape(s *set, b []byte) (rune, int) {
	if len(b) < 3 {
		return utf8.RuneError, more
	}
	switch string(b[1:3]) {
	case "(B":
		*s = setASCII
	case "(J":
		*s = setRoman
	case "(I":
		*s = setKatakana
	case "$B", "$@":
		*s = setJIS
	default:
		return utf8.RuneError, 1
	}
	return -1, 3
}
