package json

import "bytes"

// Plain makes JSON of JSON with comments: // and /* … */ stand between values, and a comma may
// follow the last element of a list, as people write them into configurations. Both become blanks,
// so that every byte that is left stands where it stood and the places in errors and nodes are
// those of src, which stays as it is. The error is an *[Error].
func Plain(src []byte) ([]byte, error) {
	out := bytes.Clone(src)
	last := -1 // the place of what came last that is neither blank nor comment
	before := -1
	for i := 0; i < len(out); {
		next := i + 1
		switch c := out[i]; {
		case isSpace(c):
			i++
			continue
		case c == '/':
			behind := behindComment(out, i)
			if behind < 0 {
				return nil, &Error{At: i, Why: "a comment that does not end"}
			}
			if behind > i {
				blank(out[i:behind])
				i = behind
				continue
			}
		case c == '"':
			next = behindString(out, i)
		case c == '}' || c == ']':
			// A comma that follows no element stays, for the reader to complain of.
			if last >= 0 && out[last] == ',' && before >= 0 && bytes.IndexByte([]byte("{[,:"), out[before]) < 0 {
				out[last] = ' '
			}
		}
		before, last = last, i
		i = next
	}
	return out, nil
}

// behindComment is the place behind the comment that begins at i: i where none begins, -1 where it
// does not end.
func behindComment(b []byte, i int) int {
	switch {
	case bytes.HasPrefix(b[i:], []byte("//")):
		if n := bytes.IndexByte(b[i:], '\n'); n >= 0 {
			return i + n
		}
		return len(b)
	case bytes.HasPrefix(b[i:], []byte("/*")):
		n := bytes.Index(b[i+2:], []byte("*/"))
		if n < 0 {
			return -1
		}
		return i + 2 + n + 2
	}
	return i
}

// blank overwrites all but line ends, which number the lines.
func blank(b []byte) {
	for i, c := range b {
		if c != '\n' {
			b[i] = ' '
		}
	}
}
