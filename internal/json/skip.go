package json

// What looks for the end of raw values passes places along instead of keeping them in a Scanner: in
// a register they are a third faster, and messages are read this way. A place of -1 means that the
// JSON is malformed.

// space is the place of the first byte from i on that is no white space.
func space(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

// end wants nothing but white space from i on.
func end(b []byte, i int) error {
	if i < 0 || space(b, i) != len(b) {
		return ErrSyntax
	}
	return nil
}

// enter is the place of the first element of the list whose bracket is at i, or the one behind its
// closing bracket.
func enter(b []byte, i int, shut byte) (next int, again bool) {
	i = space(b, i+1)
	if i < len(b) && b[i] == shut {
		return i + 1, false
	}
	return i, true
}

// more is the place of the element that follows one which ends at i, or the one behind the closing
// bracket.
func more(b []byte, i int, shut byte) (next int, again bool) {
	i = space(b, i)
	switch {
	case i >= len(b):
		return -1, false
	case b[i] == shut:
		return i + 1, false
	case b[i] == ',':
		return space(b, i+1), true
	}
	return -1, false
}

// skip is the place behind the value that begins at i. levels is how many brackets it may have in
// one another.
func skip(b []byte, i, levels int) int {
	if i >= len(b) {
		return -1
	}
	switch c := b[i]; c {
	case '"':
		return skipText(b, i)
	case '{':
		return skipObject(b, i, levels)
	case '[':
		return skipArray(b, i, levels)
	case 't':
		return skipWord(b, i, "true")
	case 'f':
		return skipWord(b, i, "false")
	case 'n':
		return skipWord(b, i, "null")
	}
	n, _ := number(b[i:])
	if n == 0 {
		return -1
	}
	return i + n
}

func skipWord(b []byte, i int, word string) int {
	behind := i + len(word)
	if behind > len(b) || string(b[i:behind]) != word {
		return -1
	}
	return behind
}

// skipText does not decode: half a surrogate pair is for whoever reads the value.
func skipText(b []byte, i int) int {
	quote, _ := closingQuote(b, i+1, true)
	if quote < 0 {
		return -1
	}
	return quote + 1
}

// skipName is the place behind the name that begins at i and its colon.
func skipName(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	if i = skipText(b, i); i < 0 {
		return -1
	}
	if i = space(b, i); i >= len(b) || b[i] != ':' {
		return -1
	}
	return space(b, i+1)
}

// skipObject takes a name that stands twice: whoever wants the object looks for that.
func skipObject(b []byte, i, levels int) int {
	if levels == 0 {
		return -1
	}
	i, again := enter(b, i, '}')
	for again {
		if i = skipName(b, i); i < 0 {
			return -1
		}
		if i = skip(b, i, levels-1); i < 0 {
			return -1
		}
		i, again = more(b, i, '}')
	}
	return i
}

func skipArray(b []byte, i, levels int) int {
	if levels == 0 {
		return -1
	}
	i, again := enter(b, i, ']')
	for again {
		if i = skip(b, i, levels-1); i < 0 {
			return -1
		}
		i, again = more(b, i, ']')
	}
	return i
}
