package tree

import "strings"

// wildmatch reports whether the glob p matches all of s, as git's wildmatch does with WM_PATHNAME: * and ? stop at a
// slash, ** between slashes crosses them. It compares bytes. Two remembered positions replace recursion, so the cost
// is at most len(p)·len(s)² for any pattern.
func wildmatch[T string | []byte](p string, s T) bool {
	var pi, si int
	star, starAt := -1, 0 // where to go on after the last *, and how much it has eaten
	deep, deepAt := -1, 0 // the same for the last **/
	for si < len(s) {
		if pi < len(p) && p[pi] == '*' {
			if isDeep(p, pi) {
				if pi+2 == len(p) {
					return true
				}
				pi += 3
				deep, deepAt, star = pi, si, -1
				continue
			}
			for pi < len(p) && p[pi] == '*' {
				pi++
			}
			star, starAt = pi, si
			continue
		}
		if n, ok := matchOne(p[pi:], s[si]); ok {
			pi, si = pi+n, si+1
			continue
		}
		if star >= 0 && s[starAt] != '/' {
			starAt++
			pi, si = star, starAt
			continue
		}
		if deep < 0 {
			return false
		}
		for deepAt < len(s) && s[deepAt] != '/' {
			deepAt++
		}
		if deepAt++; deepAt > len(s) {
			return false
		}
		pi, si, star = deep, deepAt, -1
	}
	for pi < len(p) && p[pi] == '*' {
		pi++
	}
	return pi == len(p)
}

// isDeep reports whether the ** at p[i:] stands alone between slashes.
func isDeep(p string, i int) bool {
	return strings.HasPrefix(p[i:], "**") && (i == 0 || p[i-1] == '/') && (i+2 == len(p) || p[i+2] == '/')
}

// matchOne matches the first element of p, which is not a star, against c and returns the element's length.
func matchOne(p string, c byte) (int, bool) {
	if p == "" {
		return 0, false
	}
	switch p[0] {
	case '?':
		return 1, c != '/'
	case '[':
		return matchClass(p, c)
	case '\\':
		return 2, len(p) > 1 && p[1] == c
	}
	return 1, p[0] == c
}

// matchClass matches a bracket expression. One that is never closed matches nothing, as in git.
func matchClass(p string, c byte) (int, bool) {
	i, negated, found := 1, false, false
	if i < len(p) && (p[i] == '!' || p[i] == '^') {
		negated = true
		i++
	}
	for first := true; ; first = false {
		if i >= len(p) {
			return 0, false
		}
		if p[i] == ']' && !first {
			break
		}
		if n, ok := matchNamed(p[i:], c); n > 0 {
			found = found || ok
			i += n
			continue
		}
		lo, n := classByte(p[i:])
		i += n
		hi := lo
		if i+1 < len(p) && p[i] == '-' && p[i+1] != ']' {
			hi, n = classByte(p[i+1:])
			i += 1 + n
		}
		if n == 0 {
			return 0, false
		}
		found = found || lo <= c && c <= hi
	}
	return i + 1, found != negated && c != '/'
}

func classByte(p string) (byte, int) {
	if p[0] != '\\' {
		return p[0], 1
	}
	if len(p) < 2 {
		return 0, 0
	}
	return p[1], 2
}

// matchNamed matches a POSIX class such as [:alpha:] at the start of p; its length is 0 when there is none.
func matchNamed(p string, c byte) (int, bool) {
	if !strings.HasPrefix(p, "[:") {
		return 0, false
	}
	end := strings.Index(p, ":]")
	if end < 0 {
		return 0, false
	}
	return end + 2, inNamed(p[2:end], c)
}

func inNamed(name string, c byte) bool {
	lower, upper, digit := 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9'
	switch name {
	case "alpha":
		return lower || upper
	case "digit":
		return digit
	case "alnum":
		return lower || upper || digit
	case "lower":
		return lower
	case "upper":
		return upper
	case "xdigit":
		return digit || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
	case "space":
		return c == ' ' || '\t' <= c && c <= '\r'
	case "blank":
		return c == ' ' || c == '\t'
	case "punct":
		return c > ' ' && c < 0x7f && !lower && !upper && !digit
	case "print":
		return c >= ' ' && c < 0x7f
	case "graph":
		return c > ' ' && c < 0x7f
	case "cntrl":
		return c < ' ' || c == 0x7f
	}
	return false
}
