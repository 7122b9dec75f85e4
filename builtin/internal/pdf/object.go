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
)

// The objects of a PDF: nil, bool, float64, text, name, ref, []any, dict, *stream; in programs also op.
type (
	name string
	text string
	op   string
	ref  struct{ num int }
	dict map[name]any
)

type stream struct {
	dict dict
	raw  []byte
}

func sortedKeys(m map[int]any) []int { return slices.Sorted(maps.Keys(m)) }

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

func (d *document) dict(v any) dict {
	switch v := d.resolve(v).(type) {
	case dict:
		return v
	case *stream:
		return v.dict
	}
	return nil
}

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
	for _, f := range filters[:min(len(filters), 4)] {
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
		out, _ = io.ReadAll(io.LimitReader(r, int64(max(0, min(maxStream, d.budget)))))
		d.budget -= len(out)
	}
	if len(filters) == 0 { // what is not compressed counts, too: a page may name one stream a million times
		if d.budget -= len(out); d.budget < 0 {
			return nil
		}
	}
	return out
}

// A parser reads objects from bytes; it never fails, it only ends.
type parser struct {
	src   []byte
	at    int
	depth int
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}
func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isDelim(c byte) bool { return bytes.IndexByte([]byte("()<>[]{}/%"), c) >= 0 }

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
	case c == '<' && p.at+1 < len(p.src) && p.src[p.at+1] == '<':
		return p.dict()
	case c == '<':
		return p.hex(), true
	case c == '[':
		return p.array(), true
	case c == ']' || c == '>' || c == ')' || c == '}' || c == '{':
		p.at++
		return nil, false
	}
	return p.word(), true
}

func (p *parser) regular() []byte {
	start := p.at
	for p.at < len(p.src) && !isSpace(p.src[p.at]) && !isDelim(p.src[p.at]) {
		p.at++
	}
	return p.src[start:p.at]
}

func (p *parser) name() name {
	p.at++
	raw := p.regular()
	if bytes.IndexByte(raw, '#') < 0 {
		return name(raw)
	}
	var out []byte
	for i := 0; i < len(raw); i++ {
		if raw[i] == '#' && i+2 < len(raw) {
			if b, err := hex.DecodeString(string(raw[i+1 : i+3])); err == nil {
				out = append(out, b[0])
				i += 2
				continue
			}
		}
		out = append(out, raw[i])
	}
	return name(out)
}

// word is a number, a reference, a constant, or an operator.
func (p *parser) word() any {
	raw := p.regular()
	if len(raw) == 0 {
		p.at++
		return nil
	}
	switch string(raw) {
	case "true":
		return true
	case "false":
		return false
	case "null":
		return nil
	}
	if c := raw[0]; !isDigit(c) && c != '-' && c != '+' && c != '.' || len(raw) > 32 {
		return op(raw)
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return op(raw)
	}
	if n >= 0 && n == float64(int32(n)) && p.reference() {
		return ref{int(n)}
	}
	return n
}

// reference takes "0 R" behind a number.
func (p *parser) reference() bool {
	i := p.at
	space := func() {
		for i < len(p.src) && isSpace(p.src[i]) {
			i++
		}
	}
	space()
	start := i
	for i < len(p.src) && isDigit(p.src[i]) && i-start < 6 {
		i++
	}
	if i == start {
		return false
	}
	space()
	if i >= len(p.src) || p.src[i] != 'R' || i+1 < len(p.src) && !isSpace(p.src[i+1]) && !isDelim(p.src[i+1]) {
		return false
	}
	p.at = i + 1
	return true
}

func (p *parser) integer() (int, bool) {
	v, ok := p.object()
	n, is := v.(float64)
	return int(n), ok && is && n >= 0 && n < 1<<31
}

func (p *parser) array() []any {
	p.at++
	out := []any{}
	if p.depth++; p.depth > maxDepth {
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

func (p *parser) dict() (dict, bool) {
	p.space()
	if !bytes.HasPrefix(p.src[min(p.at, len(p.src)):], []byte("<<")) {
		return nil, false
	}
	p.at += 2
	if p.depth++; p.depth > maxDepth {
		p.at = len(p.src)
	}
	defer func() { p.depth-- }()
	out := dict{}
	for {
		k, ok := p.object()
		if !ok {
			if p.at < len(p.src) && p.src[p.at] == '>' {
				p.at++
			}
			return out, true
		}
		if n, is := k.(name); is {
			v, ok := p.object()
			if !ok {
				if p.at < len(p.src) && p.src[p.at] == '>' {
					p.at++
				}
				return out, true
			}
			out[n] = v
		}
	}
}

func (p *parser) hex() text {
	end := bytes.IndexByte(p.src[p.at:], '>')
	if end < 0 {
		end = len(p.src) - p.at - 1
	}
	var digits []byte
	for _, c := range p.src[p.at+1 : p.at+max(end, 1)] {
		if !isSpace(c) {
			digits = append(digits, c)
		}
	}
	p.at += end + 1
	if len(digits)%2 == 1 {
		digits = append(digits, '0')
	}
	out := make([]byte, len(digits)/2)
	n, _ := hex.Decode(out, digits)
	return text(out[:n])
}

var escapes = map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'f': '\f'}

func (p *parser) literal() text {
	var out []byte
	open := 0
	for ; p.at < len(p.src); p.at++ {
		c := p.src[p.at]
		switch {
		case c == '(':
			if open++; open > 1 {
				out = append(out, c)
			}
		case c == ')':
			if open--; open == 0 {
				p.at++
				return text(out)
			}
			out = append(out, c)
		case c == '\\' && p.at+1 < len(p.src):
			p.at++
			out = p.escape(out)
		default:
			out = append(out, c)
		}
	}
	return text(out)
}

// escape reads what stands behind a backslash; at its end the parser is at its last byte.
func (p *parser) escape(out []byte) []byte {
	c := p.src[p.at]
	if e, ok := escapes[c]; ok {
		return append(out, e)
	}
	switch {
	case c == '\r' && p.at+1 < len(p.src) && p.src[p.at+1] == '\n':
		p.at++
		return out
	case c == '\n' || c == '\r':
		return out
	case c >= '0' && c <= '7':
		n := 0
		start := p.at
		for p.at < len(p.src) && p.at-start < 3 && p.src[p.at] >= '0' && p.src[p.at] <= '7' {
			n = n*8 + int(p.src[p.at]-'0')
			p.at++
		}
		p.at--
		return append(out, byte(n))
	}
	return append(out, c)
}

// stream is the bytes behind a dictionary: as long as it says if that is true, else up to the next "endstream".
func (p *parser) stream(d dict) (raw []byte, end int, ok bool) {
	p.space()
	if !bytes.HasPrefix(p.src[min(p.at, len(p.src)):], []byte("stream")) {
		return nil, 0, false
	}
	start := p.at + len("stream")
	if bytes.HasPrefix(p.src[start:], []byte("\r\n")) {
		start += 2
	} else if start < len(p.src) && (p.src[start] == '\n' || p.src[start] == '\r') {
		start++
	}
	rest := p.src[start:]
	if n, is := d["Length"].(float64); is && n >= 0 && n < float64(len(rest)) {
		if tail := bytes.TrimLeft(rest[int(n):min(len(rest), int(n)+20)], "\r\n \t"); bytes.HasPrefix(tail, []byte("endstream")) {
			return rest[:int(n)], start + int(n), true
		}
	}
	i := bytes.Index(rest, []byte("endstream"))
	if i < 0 {
		i = len(rest)
	}
	return bytes.TrimRight(rest[:i], "\r\n"), start + i, true
}
