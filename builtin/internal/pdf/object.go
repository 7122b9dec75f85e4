package pdf

import (
	"bytes"
	"compress/zlib"
	"encoding/ascii85"
	"encoding/hex"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// The objects of a PDF: nil, bool, float64, text, name, ref, []any, dict, *stream; in programs also op.
type (
	name string            // without its slash
	text string            // the bytes of a string; its font, or a table, says what they mean
	op   string            // a word that is none of the others: an operator
	ref  struct{ num int } // the object of a number; generations are not told apart
	dict map[name]any
)

// A stream is bytes as they stand in the file, with the dictionary that says how they are packed.
type stream struct {
	dict dict
	raw  []byte
}

// sortedKeys has a damaged file give the same text each time it is read.
func sortedKeys(m map[int]any) []int { return slices.Sorted(maps.Keys(m)) }

// resolve follows a reference to its object; nil for one that does not exist.
func (d *document) resolve(v any) any {
	for range 20 { // a reference to a reference, not a circle
		r, ok := v.(ref)
		if !ok {
			return v
		}
		v = d.objects[r.num]
	}
	return nil
}

// dict is an object's dictionary, of a stream the one before it; nil for anything else.
func (d *document) dict(v any) dict {
	switch v := d.resolve(v).(type) {
	case dict:
		return v
	case *stream:
		return v.dict
	}
	return nil
}

// number is the value of an object that is a number; 0 and false for any other.
func (d *document) number(v any) (float64, bool) {
	n, ok := d.resolve(v).(float64)
	return n, ok
}

// decode undoes a stream's filters, as far as the bounds go. What is damaged is read up to the damage.
func (d *document) decode(s *stream) []byte {
	filters, ok := d.resolve(s.dict["Filter"]).([]any)
	if !ok && s.dict["Filter"] != nil {
		filters = []any{s.dict["Filter"]}
	}
	out := s.raw
	for _, f := range filters[:min(len(filters), 4)] { // nobody packs more often than twice
		var r io.Reader
		switch d.resolve(f) {
		case name("FlateDecode"), name("Fl"):
			z, err := zlib.NewReader(bytes.NewReader(out))
			if err != nil {
				return nil
			}
			r = z
		case name("ASCII85Decode"), name("A85"):
			r = ascii85.NewDecoder(bytes.NewReader(bytes.TrimSuffix(bytes.TrimSpace(out), []byte("~>"))))
		case name("ASCIIHexDecode"), name("AHx"):
			r = hex.NewDecoder(bytes.NewReader(bytes.TrimSuffix(bytes.TrimSpace(out), []byte(">"))))
		default:
			return nil // a picture, or what no text is written in
		}
		// An error is the damage: what came before it is text.
		out, _ = io.ReadAll(io.LimitReader(r, int64(max(0, min(maxStream, d.budget)))))
		d.budget -= len(out)
	}
	if len(filters) == 0 { // what is not compressed counts, too: a page may name one stream a million times
		d.budget -= len(out)
		if d.budget < 0 {
			return nil
		}
	}
	return out
}

// A parser reads objects from bytes; it never fails, it only ends. Of what is damaged it makes what comes nearest,
// since a reader of text has more from half a page than from an error. Every method moves on, or is at the end:
// whoever calls one in a loop comes to an end.
type parser struct {
	src   []byte
	at    int // the next byte
	depth int // of the brackets that are open
}

// isSpace, isDigit and isDelim are the classes of characters of ISO 32000, 7.2.3; what is in none of them is a
// regular character.
func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}
func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isDelim(c byte) bool { return bytes.IndexByte([]byte("()<>[]{}/%"), c) >= 0 }

func isRegular(c byte) bool { return !isSpace(c) && !isDelim(c) }

// has tells that these bytes come next.
func (p *parser) has(s string) bool {
	return bytes.HasPrefix(p.src[min(p.at, len(p.src)):], []byte(s))
}

// past is where bytes of a class end that begin at i; most is how many may be passed.
func (p *parser) past(i int, is func(byte) bool, most int) int {
	for most > 0 && i < len(p.src) && is(p.src[i]) {
		i++
		most--
	}
	return i
}

// space passes blanks and comments.
func (p *parser) space() {
	for p.at < len(p.src) {
		c := p.src[p.at]
		switch {
		case isSpace(c):
			p.at++
		case c == '%':
			for p.at < len(p.src) && p.src[p.at] != '\n' && p.src[p.at] != '\r' {
				p.at++
			}
		default:
			return
		}
	}
}

// object reads the next object; ok is false at the end and where a bracket closes.
func (p *parser) object() (v any, ok bool) {
	p.space()
	if p.at >= len(p.src) {
		return nil, false
	}
	c := p.src[p.at]
	switch {
	case c == '/':
		return p.name(), true
	case c == '(':
		return p.literal(), true
	case p.has("<<"):
		return p.dict()
	case c == '<':
		return p.hex(), true
	case c == '[':
		return p.array(), true
	case strings.IndexByte("]>)}{", c) >= 0:
		p.at++
		return nil, false
	}
	return p.word(), true
}

// regular takes the regular characters that follow, which may be none.
func (p *parser) regular() []byte {
	start := p.at
	p.at = p.past(start, isRegular, len(p.src))
	return p.src[start:p.at]
}

// name reads a name. A character that may not stand in one is written as # and two digits; what only looks so stays.
func (p *parser) name() name {
	p.at++
	raw := p.regular()
	if bytes.IndexByte(raw, '#') < 0 {
		return name(raw)
	}
	var out []byte
	for i := 0; i < len(raw); i++ {
		if raw[i] == '#' && i+2 < len(raw) {
			b, err := hex.DecodeString(string(raw[i+1 : i+3]))
			if err == nil {
				out = append(out, b[0])
				i += 2
				continue
			}
		}
		out = append(out, raw[i])
	}
	return name(out)
}

// constants are the words that stand for a value.
var constants = map[string]any{"true": true, "false": false, "null": nil}

// word is a number, a reference, a constant, or an operator.
func (p *parser) word() any {
	raw := p.regular()
	if len(raw) == 0 { // a delimiter that begins nothing: without this step nobody would ever get past it
		p.at++
		return nil
	}
	if v, is := constants[string(raw)]; is {
		return v
	}
	if strings.IndexByte("0123456789-+.", raw[0]) < 0 || len(raw) > 32 {
		return op(raw)
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return op(raw)
	}
	// Only what comes next tells a number from the beginning of a reference.
	if n >= 0 && n == float64(int32(n)) && p.reference() {
		return ref{int(n)}
	}
	return n
}

// reference takes "0 R" behind a number.
func (p *parser) reference() bool {
	start := p.past(p.at, isSpace, len(p.src))
	i := p.past(start, isDigit, 6)
	if i == start {
		return false
	}
	i = p.past(i, isSpace, len(p.src))
	if i >= len(p.src) || p.src[i] != 'R' || p.past(i+1, isRegular, 1) > i+1 {
		return false
	}
	p.at = i + 1
	return true
}

// integer reads a number that can be an offset or an object's number; ok is false for any other object.
func (p *parser) integer() (int, bool) {
	v, ok := p.object()
	n, is := v.(float64)
	return int(n), ok && is && n >= 0 && n < 1<<31
}

// array reads to the closing bracket, or to the end of what is there.
func (p *parser) array() []any {
	p.at++
	out := []any{}
	p.depth++
	if p.depth > maxDepth { // the end of the file ends all that is open
		p.at = len(p.src)
	}
	defer func() { p.depth-- }()
	for {
		v, ok := p.object()
		if !ok {
			return out
		}
		out = append(out, v)
	}
}

// dict reads a dictionary; ok is false where none begins. A key without a value, and what stands where a key should,
// is left out.
func (p *parser) dict() (dict, bool) {
	p.space()
	if !p.has("<<") {
		return nil, false
	}
	p.at += 2
	p.depth++
	if p.depth > maxDepth { // the end of the file ends all that is open
		p.at = len(p.src)
	}
	defer func() { p.depth-- }()
	out := dict{}
	for {
		k, ok := p.object()
		if n, is := k.(name); is { // else something stands where a key should, and is passed
			var v any
			if v, ok = p.object(); ok {
				out[n] = v
			}
		}
		if !ok {
			if p.has(">") {
				p.at++
			}
			return out, true
		}
	}
}

// stream is the bytes behind a dictionary: as long as it says if that is true, else up to the next "endstream".
func (p *parser) stream(d dict) (raw []byte, end int, ok bool) {
	p.space()
	if !p.has("stream") {
		return nil, 0, false
	}
	start := p.at + len("stream")
	for _, end := range []string{"\r\n", "\n", "\r"} {
		if bytes.HasPrefix(p.src[start:], []byte(end)) {
			start += len(end)
			break
		}
	}
	// The length is believed only where the stream really ends there; it is often wrong, or a reference.
	rest := p.src[start:]
	n, is := d["Length"].(float64)
	if is && n >= 0 && n < float64(len(rest)) {
		tail := bytes.TrimLeft(rest[int(n):min(len(rest), int(n)+20)], "\r\n \t")
		if bytes.HasPrefix(tail, []byte("endstream")) {
			return rest[:int(n)], start + int(n), true
		}
	}
	i := bytes.Index(rest, []byte("endstream"))
	if i < 0 {
		i = len(rest)
	}
	return bytes.TrimRight(rest[:i], "\r\n"), start + i, true
}
