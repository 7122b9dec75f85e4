package schema

import (
	"strconv"
	"strings"
)

// unpercent reads the %XX of a URI's fragment, RFC 3986. ok is false for a % without two
// hexadecimal digits.
func unpercent(s string) (text string, ok bool) {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, "%")
		b.WriteString(before)
		if !found {
			return b.String(), true
		}
		if len(after) < 2 {
			return "", false
		}
		c, err := strconv.ParseUint(after[:2], 16, 8)
		if err != nil {
			return "", false
		}
		b.WriteByte(byte(c))
		s = after[2:]
	}
}
