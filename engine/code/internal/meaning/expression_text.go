package meaning

func IdentEnd(s string, i int) int {
	for i < len(s) {
		switch s[i] {
		case '.', '(', '[', ']', '{', '}', '^', ',', '?':
			return i
		}
		i++
	}
	return i
}

// closing is the offset behind the bracket that closes the one at i, or 0.
func closing(s string, i int) int {
	depth := 0
	for ; i < len(s); i++ {
		switch s[i] {
		case '[', '{', '(':
			depth++
		case ']', '}', ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// Part is the n-th of the expressions that commas separate in s.
func Part(s string, n int) string {
	depth, start := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '[', '{', '(':
			depth++
		case ']', '}', ')':
			depth--
		case ',', ';': // what stands behind a semicolon is no result: see parameterOf
			if depth == 0 {
				if n == 0 {
					return s[start:i]
				}
				if s[i] == ';' {
					return ""
				}
				n--
				start = i + 1
			}
		}
	}
	if n > 0 {
		return ""
	}
	return s[start:]
}
