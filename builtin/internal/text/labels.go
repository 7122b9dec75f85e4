package text

import (
	_ "embed"
	"strings"
	"sync"
	"unicode/utf8"

	"helve/builtin/internal/charset"
)

// labelLines has a line for each encoding of the web: its name, then the other labels that browsers know it by. They
// are those of the WHATWG's Encoding Standard.
//
//go:embed labels.txt
var labelLines string

// others are the encodings of the web that are no charsets of their own.
var others = map[string]Codec{
	"replacement": nothing{},
	"utf-16be":    UTF16BE.codec,
	"utf-16le":    UTF16LE.codec,
	"utf-8":       plain{},
}

// nothing is how a browser reads encodings that would hide what a page says: not at all.
type nothing struct{}

func (nothing) Decode([]byte) []byte         { return []byte("\ufffd") }
func (nothing) Encode([]byte) ([]byte, bool) { return nil, false }

// plain is UTF-8.
type plain struct{}

func (plain) Encode(s []byte) ([]byte, bool) { return s, true }

// Decode gives each byte that belongs to no character a U+FFFD of its own.
func (plain) Decode(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for _, r := range string(b) {
		out = utf8.AppendRune(out, r)
	}
	return out
}

// names are the encodings' names by their labels.
var names = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(labelLines) {
		labels := strings.Fields(line)
		for _, l := range labels {
			out[l] = labels[0]
		}
	}
	return out
})

// Labelled is the encoding that a page means by a label, and its name; nil for a label that is none.
func Labelled(label string) (codec Codec, name string) {
	name = names()[strings.ToLower(strings.Trim(label, "\t\n\r\f "))]
	if c := charset.Named(name); c != nil {
		return c, name
	}
	return others[name], name
}
