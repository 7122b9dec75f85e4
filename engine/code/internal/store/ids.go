package store

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
)

// PlainIDs is the same state with IDs that hold no blank and no colon: these are written as in a URL (%20, %3A). An
// ID is understood in both forms, whichever it was answered in.
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

func plainID(id string) string {
	if strings.IndexFunc(id, odd) < 0 {
		return id
	}
	var b strings.Builder
	for _, c := range id {
		if !odd(c) {
			b.WriteRune(c)
			continue
		}
		for _, one := range []byte(string(c)) {
			fmt.Fprintf(&b, "%%%02X", one)
		}
	}
	return b.String()
}

// odd tells what a plain ID writes in another way.
func odd(c rune) bool { return c == ':' || c == '%' || unicode.IsSpace(c) || unicode.IsControl(c) }

// RawID undoes plainID. What it does not write stays as it is: operator%= is a name.
func RawID(id string) string {
	if strings.IndexByte(id, '%') < 0 {
		return id
	}
	raw, err := url.PathUnescape(id)
	if err != nil {
		return id
	}
	return raw
}
