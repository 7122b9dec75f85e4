package code

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// PlainIDs is the same state with IDs that hold no blank and no colon: these are written as in a URL (%20, %3A). An ID is
// understood in both forms, whichever it was answered in.
func (s *Snapshot) PlainIDs() *Snapshot {
	t := *s
	t.plain = true
	return &t
}

// id is an ID as answers show it.
func (s *Snapshot) id(id string) string {
	if !s.plain {
		return id
	}
	return plainID(id)
}

const hexDigits = "0123456789ABCDEF"

func plainID(id string) string {
	odd := func(c rune) bool { return c == ':' || c == '%' || unicode.IsSpace(c) || unicode.IsControl(c) }
	if strings.IndexFunc(id, odd) < 0 {
		return id
	}
	var b strings.Builder
	for i := 0; i < len(id); {
		c, n := utf8.DecodeRuneInString(id[i:])
		if !odd(c) {
			b.WriteString(id[i : i+n])
			i += n
			continue
		}
		for ; n > 0; n-- {
			b.WriteByte('%')
			b.WriteByte(hexDigits[id[i]>>4])
			b.WriteByte(hexDigits[id[i]&15])
			i++
		}
	}
	return b.String()
}

// rawID undoes plainID. What plainID does not write stays as it is: operator%= is a name.
func rawID(id string) string {
	if strings.IndexByte(id, '%') < 0 {
		return id
	}
	var b strings.Builder
	for i := 0; i < len(id); i++ {
		if id[i] == '%' && i+2 < len(id) {
			high, low := strings.IndexByte(hexDigits, id[i+1]), strings.IndexByte(hexDigits, id[i+2])
			c := byte(high<<4 | low)
			if high >= 0 && low >= 0 && (c <= ' ' || c == ':' || c == '%' || c >= 0x7f) {
				b.WriteByte(c)
				i += 2
				continue
			}
		}
		b.WriteByte(id[i])
	}
	return b.String()
}
