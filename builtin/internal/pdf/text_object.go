package pdf

import (
	"bytes"
	"encoding/hex"
	"strconv"
)

// hex reads a string of digits. One that is never closed goes to the end, and a missing last digit is 0, as the
// format says.
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
	if len(digits)%2 == 1 { // the format says that a zero is meant behind it
		digits = append(digits, '0')
	}
	out := make([]byte, len(digits)/2)
	n, _ := hex.Decode(out, digits)
	return text(out[:n])
}

// escapes are what letters behind a backslash stand for; other characters stand for themselves.
var escapes = map[byte]byte{
	'n': '\n',
	'r': '\r',
	't': '\t',
	'b': '\b',
	'f': '\f',
}

// literal reads a string in brackets. Brackets in it come in pairs, or are escaped.
func (p *parser) literal() text {
	var out []byte
	open := 0
	for ; p.at < len(p.src); p.at++ {
		c := p.src[p.at]
		switch {
		case c == '(':
			open++
			if open > 1 {
				out = append(out, c)
			}
		case c == ')':
			open--
			if open == 0 {
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
	case p.has("\r\n"):
		p.at++
		return out
	case c == '\n' || c == '\r': // a line that goes on
		return out
	case isOctal(c): // one to three octal digits
		end := p.past(p.at, isOctal, 3)
		n, _ := strconv.ParseUint(string(p.src[p.at:end]), 8, 16)
		p.at = end - 1
		return append(out, byte(n))
	}
	return append(out, c)
}

func isOctal(c byte) bool { return c >= '0' && c <= '7' }
