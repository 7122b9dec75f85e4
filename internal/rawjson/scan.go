package rawjson

import "math/bits"

func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

func end(b []byte, i int) error {
	if space(b, i) != len(b) {
		return ErrSyntax
	}
	return nil
}

// next is the place after a value in a list: at the next one, or behind the bracket that closes it. -1: neither.
func next(b []byte, i int, closing byte) (int, bool) {
	i = space(b, i)
	switch {
	case i >= len(b):
		return -1, false
	case b[i] == closing:
		return i + 1, false
	case b[i] == ',':
		return space(b, i+1), true
	}
	return -1, false
}

// value is the end of the value that starts at i, or -1.
func value(b []byte, i, depth int) int {
	if i >= len(b) || depth > MaxDepth {
		return -1
	}
	switch c := b[i]; {
	case c == '"':
		return text(b, i)
	case c == '{':
		return object(b, i, depth)
	case c == '[':
		return array(b, i, depth)
	case c == '-' || c >= '0' && c <= '9':
		return number(b, i)
	}
	return word(b, i)
}

func word(b []byte, i int) int {
	for _, w := range [...]string{"true", "false", "null"} {
		if len(b)-i >= len(w) && string(b[i:i+len(w)]) == w {
			return i + len(w)
		}
	}
	return -1
}

func object(b []byte, i, depth int) int {
	i = space(b, i+1)
	if i < len(b) && b[i] == '}' {
		return i + 1
	}
	for more := true; more; {
		if i >= len(b) || b[i] != '"' {
			return -1
		}
		if i = text(b, i); i < 0 {
			return -1
		}
		if i = space(b, i); i >= len(b) || b[i] != ':' {
			return -1
		}
		if i = value(b, space(b, i+1), depth+1); i < 0 {
			return -1
		}
		if i, more = next(b, i, '}'); i < 0 {
			return -1
		}
	}
	return i
}

func array(b []byte, i, depth int) int {
	i = space(b, i+1)
	if i < len(b) && b[i] == ']' {
		return i + 1
	}
	for more := true; more; {
		if i = value(b, i, depth+1); i < 0 {
			return -1
		}
		if i, more = next(b, i, ']'); i < 0 {
			return -1
		}
	}
	return i
}

// text is the end of the string that starts at i, or -1.
func text(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	for i++; ; {
		if i = plain(b, i); i >= len(b) {
			return -1
		}
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			if i = escape(b, i+1); i < 0 {
				return -1
			}
		default:
			return -1
		}
	}
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// zero marks the lowest byte of v that is zero; marks above it may be wrong.
func zero(v uint64) uint64 { return (v - ones) & ^v & highs }

// plain is the place of the first byte at or behind i that cannot stand in a JSON string as it is: a quote, a backslash, a control. It
// looks at eight bytes at a time.
func plain[T []byte | string](b T, i int) int {
	for ; i+8 <= len(b); i += 8 {
		v := word64(b[i : i+8])
		if m := zero(v^'"'*ones) | zero(v^'\\'*ones) | (v-0x20*ones)&^v&highs; m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c == '"' || c == '\\' || c < 0x20 {
			break
		}
	}
	return i
}

func word64[T []byte | string](b T) uint64 {
	_ = b[7]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

func escape(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	if b[i] != 'u' {
		switch b[i] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			return i + 1
		}
		return -1
	}
	if len(b) < i+5 {
		return -1
	}
	for _, c := range b[i+1 : i+5] {
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F') {
			return -1
		}
	}
	return i + 5
}

func number(b []byte, i int) int {
	if b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if i = digits(b, i); i < 0 {
		return -1
	}
	if i < len(b) && b[i] == '.' {
		if i = digits(b, i+1); i < 0 {
			return -1
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		return digits(b, i)
	}
	return i
}

func digits(b []byte, i int) int {
	start := i
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	if i == start {
		return -1
	}
	return i
}
