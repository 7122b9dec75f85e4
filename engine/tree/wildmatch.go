package tree

import "strings"

// wildmatch reports whether the glob p matches all of s, as git's wildmatch does with WM_PATHNAME: * and ? stop at a
// slash, ** between slashes crosses them. It compares bytes. Two remembered positions replace recursion, so the cost
// is at most len(p)·len(s)² for any pattern.
//
// A star first takes nothing. Where the rest does not match, the last * takes one byte more and the rest is tried
// again; where that would take a slash, the last **/ takes one more directory and forgets the stars behind it, which
// begin anew.
func wildmatch[T string | []byte](p string, s T) bool {
	var pi, si int
	star, starAt := -1, 0 // where to go on after the last *, and how much it has eaten
	deep, deepAt := -1, 0 // the same for the last **/
	for si < len(s) {
		if pi < len(p) && p[pi] == '*' {
			if !isDeep(p, pi) {
				pi = afterStars(p, pi)
				star, starAt = pi, si
				continue
			}
			if pi+2 == len(p) {
				return true // a/** takes whatever there is
			}
			pi += 3
			deep, deepAt, star = pi, si, -1
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
		deepAt++
		if deepAt > len(s) {
			return false
		}
		pi, si, star = deep, deepAt, -1
	}
	return afterStars(p, pi) == len(p)
}

// afterStars is the place behind the stars at p[i:], which may be none.
func afterStars(p string, i int) int {
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i
}

// isDeep reports whether the ** at p[i:] has a slash, or nothing, on both sides.
func isDeep(p string, i int) bool {
	if !strings.HasPrefix(p[i:], "**") {
		return false
	}
	begins := i == 0 || p[i-1] == '/'
	ends := i+2 == len(p) || p[i+2] == '/'
	return begins && ends
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

// matchClass matches a bracket expression and returns its length. One that is never closed matches nothing, as in git;
// its length is 0. A slash is in no class, negated ones included.
func matchClass(p string, c byte) (int, bool) {
	i, negated := 1, false
	if i < len(p) && (p[i] == '!' || p[i] == '^') {
		negated = true
		i++
	}
	found, broken := false, false
	for first := true; i < len(p); first = false {
		if p[i] == ']' && !first { // []a] is a class of ] and a
			return i + 1, found != negated && !broken && c != '/'
		}
		var ok bool
		name, n := className(p[i:])
		if n > 0 {
			ranges, known := namedClasses[name]
			broken = broken || !known // a name that nobody knows spoils the whole class, as in git
			ok = inRanges(ranges, c)
		} else {
			n, ok = matchRange(p[i:], c)
		}
		if n == 0 {
			return 0, false
		}
		found = found || ok
		i += n
	}
	return 0, false
}

// matchRange matches one byte of a class, or a range such as a-z, and returns its length; 0 where a backslash ends
// the pattern. A minus at the end of a class means itself. Of a range that goes down, such as z-a, git takes the
// first byte.
func matchRange(p string, c byte) (int, bool) {
	lo, n := classByte(p)
	if n+1 >= len(p) || p[n] != '-' || p[n+1] == ']' {
		return n, n > 0 && lo == c
	}
	hi, m := classByte(p[n+1:])
	if m == 0 {
		return 0, false
	}
	return n + 1 + m, lo == c || lo <= c && c <= hi
}

// classByte is the first byte of p, or the one that a backslash protects, and how many bytes say so.
func classByte(p string) (byte, int) {
	if p[0] != '\\' {
		return p[0], 1
	}
	if len(p) < 2 {
		return 0, 0
	}
	return p[1], 2
}

// className is the name of a POSIX class such as [:alpha:] at the start of p, and the length of the whole; 0 when there
// is none. As in git the first ] ends it: without a colon before it, the [ is one like any other.
func className(p string) (string, int) {
	rest, ok := strings.CutPrefix(p, "[:")
	if !ok {
		return "", 0
	}
	name, _, closed := strings.Cut(rest, "]")
	name, ok = strings.CutSuffix(name, ":")
	if !closed || !ok {
		return "", 0
	}
	return name, len("[:") + len(name) + len(":]")
}

// byteRange are the bytes from lo to hi, both included.
type byteRange struct{ lo, hi byte }

func inRanges(list []byteRange, c byte) bool {
	for _, r := range list {
		if r.lo <= c && c <= r.hi {
			return true
		}
	}
	return false
}

// namedClasses are the classes of POSIX in its own locale, where only ASCII has letters.
var namedClasses = map[string][]byteRange{
	"alpha":  {{'A', 'Z'}, {'a', 'z'}},
	"digit":  {{'0', '9'}},
	"alnum":  {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}},
	"lower":  {{'a', 'z'}},
	"upper":  {{'A', 'Z'}},
	"xdigit": {{'0', '9'}, {'A', 'F'}, {'a', 'f'}},
	"space":  {{'\t', '\r'}, {' ', ' '}},
	"blank":  {{'\t', '\t'}, {' ', ' '}},
	"punct":  {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}},
	"print":  {{' ', '~'}},
	"graph":  {{'!', '~'}},
	"cntrl":  {{0, 0x1f}, {0x7f, 0x7f}},
}
