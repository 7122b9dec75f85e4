package child

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"
)

// A spec says how one value is written: what stands between % and the kind, or behind the colon of a field.
type spec struct {
	fill      rune
	align     rune // < > ^ or = ; 0: as the value's kind has it
	sign      byte // + or blank: of numbers that are not negative
	alternate bool // 0x before hexadecimal numbers, and so on
	zero      bool // zeros in place of blanks, behind the sign
	width     int
	group     string // between thousands
	precision int    // -1: none
	kind      rune   // 0: as the value has it
	percent   bool   // it is one of %, which has kinds of its own
}

// parseSpec reads what stands behind the colon of a field.
func parseSpec(text string) (spec, error) {
	s := spec{precision: -1}
	rest := text
	if first, size := utf8.DecodeRuneInString(rest); size > 0 && size < len(rest) && isAlign(rest[size]) {
		s.fill, s.align, rest = first, rune(rest[size]), rest[size+1:]
	} else if rest != "" && isAlign(rest[0]) {
		s.align, rest = rune(rest[0]), rest[1:]
	}
	if rest != "" && strings.IndexByte("+- ", rest[0]) >= 0 {
		if rest[0] != '-' {
			s.sign = rest[0]
		}
		rest = rest[1:]
	}
	rest, s.alternate = strings.CutPrefix(rest, "#")
	rest, s.zero = strings.CutPrefix(rest, "0")
	s.width, rest = leadingNumber(rest)
	if rest != "" && (rest[0] == ',' || rest[0] == '_') {
		s.group, rest = rest[:1], rest[1:]
	}
	if behind, ok := strings.CutPrefix(rest, "."); ok {
		if behind == "" || behind[0] < '0' || behind[0] > '9' {
			return s, fmt.Errorf("format: %q has no number behind its dot", text)
		}
		s.precision, rest = leadingNumber(behind)
	}
	if rest != "" {
		kind, size := utf8.DecodeRuneInString(rest)
		s.kind, rest = kind, rest[size:]
	}
	if rest != "" || s.kind != 0 && !strings.ContainsRune("sdboxXeEfFgGnc%", s.kind) {
		return s, fmt.Errorf("format: %q is no format: [fill][<>^=][+][#][0][width][,][.precision][sdxbofeg%%]", text)
	}
	return s, s.bounded()
}

// isAlign tells a sign that says where a value stands in its width.
func isAlign(c byte) bool { return strings.IndexByte("<>^=", c) >= 0 }

// bounded refuses what would only fill the memory.
func (s spec) bounded() error {
	if s.width > maxWidth || s.precision > maxWidth {
		return fmt.Errorf("format: a width or a precision is larger than %d", maxWidth)
	}
	return nil
}

// format writes a value.
func (s spec) format(v starlark.Value) (string, error) {
	kind := s.kind
	if kind == 0 {
		kind = kindOf(v, s.precision >= 0)
	}
	switch kind {
	case 's', 'r', 'a':
		return s.text(v, kind)
	case 'c':
		return s.character(v)
	case 'd', 'i', 'u', 'n', 'b', 'o', 'x', 'X':
		if f, ok := v.(starlark.Float); ok && !s.percent {
			if kind == 'n' {
				return s.float(f, 'g')
			}
			return "", fmt.Errorf("format: %c wants an int, not %v: int(x), or f in place of %c", kind, v, kind)
		}
		return s.integer(v, kind)
	case 'e', 'E', 'f', 'F', 'g', 'G', '%':
		return s.float(v, kind)
	}
	return "", fmt.Errorf("unknown conversion %%%c", kind)
}

// kindOf is how a value is written that no kind is given for.
func kindOf(v starlark.Value, precise bool) rune {
	switch v.(type) {
	case starlark.Int:
		return 'd'
	case starlark.Float:
		if precise {
			return 'g'
		}
	}
	return 's'
}

// text writes any value as a text.
func (s spec) text(v starlark.Value, kind rune) (string, error) {
	text, plain := starlark.AsString(v)
	if !plain || kind != 's' {
		text = v.String()
	}
	if s.precision >= 0 {
		text = firstRunes(text, s.precision)
	}
	if _, number := v.(starlark.Float); number && s.kind == 0 {
		minus, digits := sign(text)
		return s.number(minus, digits)
	}
	return s.pad(text, '<')
}

// firstRunes is the start of a text.
func firstRunes(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}

// character writes the character with a number, or a text of one character.
func (s spec) character(v starlark.Value) (string, error) {
	if text, ok := starlark.AsString(v); ok {
		if utf8.RuneCountInString(text) != 1 {
			return "", errors.New("%c format requires a single-character string")
		}
		return s.pad(text, '<')
	}
	n, err := starlark.AsInt32(v)
	if err != nil || n < 0 || n > utf8.MaxRune {
		return "", fmt.Errorf("%%c format requires a valid Unicode code point, got %s", v)
	}
	return s.pad(string(rune(n)), '<')
}

// integer writes a whole number.
func (s spec) integer(v starlark.Value, kind rune) (string, error) {
	n, err := starlark.NumberToInt(number(v))
	if err != nil {
		return "", fmt.Errorf("%%%c format requires integer: %w", kind, err)
	}
	digits, prefix := digitsOf(n.BigInt(), kind)
	minus, digits := sign(digits)
	if s.percent && s.precision > len(digits) {
		digits = strings.Repeat("0", s.precision-len(digits)) + digits
	}
	if s.alternate {
		minus += prefix
	}
	return s.number(minus, digits)
}

// digitsOf are the digits of a number, and what stands before them in the alternate form.
func digitsOf(n *big.Int, kind rune) (digits, prefix string) {
	switch kind {
	case 'b':
		return n.Text(2), "0b"
	case 'o':
		return n.Text(8), "0o"
	case 'x':
		return n.Text(16), "0x"
	case 'X':
		return strings.ToUpper(n.Text(16)), "0X"
	}
	return n.String(), ""
}

// sign cuts the sign off a number.
func sign(text string) (minus, digits string) {
	if rest, ok := strings.CutPrefix(text, "-"); ok {
		return "-", rest
	}
	return "", strings.TrimPrefix(text, "+")
}

// sixDigits is the precision of floats that none is given for, as in C.
const sixDigits = 6

// float writes a number with a fraction.
func (s spec) float(v starlark.Value, kind rune) (string, error) {
	f, ok := starlark.AsFloat(number(v))
	if !ok {
		return "", fmt.Errorf("%%%c format requires float, not %s", kind, v.Type())
	}
	unit, precision := "", s.precision
	if kind == '%' {
		f, unit, kind = f*100, "%", 'f'
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		minus, digits := sign(strings.ToLower(strconv.FormatFloat(f, 'f', -1, 64)))
		s.zero = false
		return s.number(minus, digits+unit)
	}
	if precision < 0 {
		precision = sixDigits
	}
	if kind == 'F' {
		kind = 'f'
	}
	if (kind == 'g' || kind == 'G') && precision == 0 {
		precision = 1
	}
	minus, digits := sign(strconv.FormatFloat(f, byte(kind), precision, 64))
	return s.number(minus, digits+unit)
}

// number puts sign, groups and width to the digits of a number.
func (s spec) number(minus, digits string) (string, error) {
	if s.group != "" {
		digits = grouped(digits, s.group)
	}
	if s.sign != 0 && !strings.HasPrefix(minus, "-") {
		minus = string(s.sign) + minus
	}
	fill := s.fill
	if s.zero && fill == 0 && s.align != '<' {
		fill = '0'
	}
	inside := s.align == '=' || s.align == 0 && fill == '0'
	if room := s.width - utf8.RuneCountInString(minus+digits); inside && room > 0 {
		if fill == 0 {
			fill = ' '
		}
		return minus + strings.Repeat(string(fill), room) + digits, nil
	}
	return s.pad(minus+digits, '>')
}

// grouped has a mark between the thousands of a number.
func grouped(digits, mark string) string {
	end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(digits)
	}
	whole, rest := digits[:end], digits[end:]
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + mark + whole[i:]
	}
	return whole + rest
}

// pad fills a text up to the width.
func (s spec) pad(text string, usual rune) (string, error) {
	room := s.width - utf8.RuneCountInString(text)
	if room <= 0 {
		return text, nil
	}
	fill, align := s.fill, s.align
	if fill == 0 {
		fill = ' '
	}
	if align == 0 || align == '=' {
		align = usual
		if s.percent { // as in C: to the right, texts too
			align = '>'
		}
	}
	blank := string(fill)
	switch align {
	case '<':
		return text + strings.Repeat(blank, room), nil
	case '^':
		return strings.Repeat(blank, room/2) + text + strings.Repeat(blank, room-room/2), nil
	}
	return strings.Repeat(blank, room) + text, nil
}
