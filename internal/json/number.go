package json

import "fmt"

const (
	maxNumber   = 1_000 // bytes of a number's text: far beyond float64, short enough for exact arithmetic
	maxExponent = 400   // a number's power of ten: float64 ends at 308, and 1e999999 would cost megabytes
)

// Number reads a number and says whether it is written as a plain integer. Unless the Scanner is
// loose, a number that is too large for exact arithmetic is an error: 1,000 bytes and a power of
// ten of 400 are taken.
func (s *Scanner) Number() (raw []byte, plain, ok bool) {
	start := s.Pos
	n, plain := number(s.Src[start:])
	if n == 0 {
		return nil, false, s.unexpected("a value")
	}
	raw = s.Src[start : start+n]
	if !s.Loose {
		if why := tooLarge(raw, plain); why != "" {
			return nil, false, s.fail(start, "%s", why)
		}
	}
	s.Pos += n
	return raw, plain, true
}

// IsNumber tells whether the text is one number, and not too large for exact arithmetic.
func IsNumber(text string) bool {
	raw := []byte(text)
	n, plain := number(raw)
	return n > 0 && n == len(raw) && tooLarge(raw, plain) == ""
}

// number returns the length of the number that src begins with, 0 if there is none.
func number(src []byte) (n int, plain bool) {
	i := 0
	if i < len(src) && src[i] == '-' {
		i++
	}
	d := digits(src[i:])
	if d == 0 {
		return 0, false
	}
	if src[i] == '0' {
		d = 1 // what follows a leading zero is not part of the number
	}
	i, plain = i+d, true
	if i < len(src) && src[i] == '.' {
		if d = digits(src[i+1:]); d == 0 {
			return 0, false
		}
		i, plain = i+1+d, false
	}
	if i < len(src) && src[i]|0x20 == 'e' {
		j := i + 1
		if j < len(src) && (src[j] == '+' || src[j] == '-') {
			j++
		}
		if d = digits(src[j:]); d == 0 {
			return 0, false
		}
		i, plain = j+d, false
	}
	return i, plain
}

// digits is how many src begins with.
func digits(src []byte) int {
	n := 0
	for n < len(src) && src[n] >= '0' && src[n] <= '9' {
		n++
	}
	return n
}

// tooLarge says why a number is beyond exact arithmetic, "" if it is not.
func tooLarge(raw []byte, plain bool) string {
	if len(raw) > maxNumber {
		return fmt.Sprintf("a number of %d digits: at most %d are taken", len(raw), maxNumber)
	}
	if plain || exponent(raw) <= maxExponent {
		return ""
	}
	return fmt.Sprintf("number %s is out of range", shown(raw))
}

// exponent is a number's power of ten without its sign, and some number above maxExponent for all
// that are.
func exponent(raw []byte) int {
	exp := 0
	for i, c := range raw {
		if c|0x20 != 'e' {
			continue
		}
		for _, d := range raw[i+1:] {
			if d >= '0' && d <= '9' && exp <= maxExponent {
				exp = exp*10 + int(d-'0')
			}
		}
	}
	return exp
}
