package shell

import (
	"strings"
)

// unescapeANSI decodes the inside of $'…'. plain says that only escapes were used whose meaning no shell disputes,
// known that the others are understood too.
func unescapeANSI(s string) (text string, plain, known bool) {
	var b strings.Builder
	plain, known = true, true
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		simple := strings.IndexByte(`ntr\'"?aefbv`, s[i])
		if simple >= 0 {
			b.WriteByte("\n\t\r\\'\"?\a\x1b\f\b\v"[simple])
			continue
		}
		plain = false
		n, digits, base := numericEscape(s[i:])
		if digits == "" { // a control character, or no escape after all
			known = false
			b.WriteString(`\` + s[i:i+1])
			continue
		}
		v := parseDigits(digits, base)
		if v == 0 {
			return b.String(), false, known // bash ends the text there
		}
		if s[i] == 'u' || s[i] == 'U' {
			b.WriteRune(v)
		} else {
			b.WriteByte(byte(v))
		}
		i += n - 1
	}
	return b.String(), plain, known
}

// numericEscape reads \xHH, \uHHHH, \UHHHHHHHH or \NNN, without its backslash, and returns its length.
func numericEscape(s string) (n int, digits string, base rune) {
	start, most := 1, 2
	set := "0123456789abcdefABCDEF"
	base = 16
	switch s[0] {
	case 'x': // \x41
	case 'u':
		most = 4
	case 'U':
		most = 8
	default: // \101, or no number at all
		start, most = 0, 3
		set = "01234567"
		base = 8
	}
	end := start
	for end < len(s) && end < start+most && strings.IndexByte(set, s[end]) >= 0 {
		end++
	}
	return max(end, 1), s[start:end], base
}

// parseDigits is the number that digits spell, without a bound: there are eight at most.
func parseDigits(s string, base rune) rune {
	var v rune
	for _, c := range strings.ToLower(s) {
		d := c - '0'
		if c >= 'a' {
			d = c - 'a' + 10
		}
		v = v*base + d
	}
	return v
}
