package json

// tooDeep stands in place of what was nested too deep.
const tooDeep = `"[nested too deep: left out]"`

// Flat is JSON without what nests deeper than most readers take: a text stands in its place, and all around it is as it
// was. It tells whether there was any. What is no JSON is not checked.
func Flat(src []byte) ([]byte, bool) {
	var out []byte
	depth, from, cut := 0, 0, 0
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case '"':
			i = afterText(src, i)
		case '{', '[':
			depth++
			if depth == MaxDepth+1 {
				cut = i
			}
		case '}', ']':
			if depth == MaxDepth+1 {
				out = append(out, src[from:cut]...)
				out = append(out, tooDeep...)
				from = i + 1
			}
			depth--
		}
	}
	if out == nil {
		return src, false
	}
	return append(out, src[from:]...), true
}

// afterText is where a text ends that begins at i.
func afterText(src []byte, i int) int {
	for i++; i < len(src) && src[i] != '"'; i++ {
		if src[i] == '\\' {
			i++
		}
	}
	return i
}
