package refactor

import (
	"bytes"
	"slices"
	"strings"

	"helve/engine/code/internal/syntax"
)

// tokens are those of one text.
type tokens struct {
	src  []byte
	list []syntax.Token
}

// tokensOf reads a text as the file at path.
func tokensOf(x *syntax.Extractor, path string, src []byte) *tokens {
	x.Watch()
	x.Rows(path, src)
	return &tokens{src, x.Tokens()}
}

// text is the token i, empty where there is none.
func (t *tokens) text(i int) string {
	if i < 0 || i >= len(t.list) {
		return ""
	}
	return string(t.src[t.list[i].Start:t.list[i].End])
}

// is reports whether the token i is one of those in a list, which blanks part.
func (t *tokens) is(i int, list string) bool {
	if i < 0 || i >= len(t.list) {
		return false
	}
	text := t.src[t.list[i].Start:t.list[i].End]
	for len(list) > 0 {
		end := strings.IndexByte(list, ' ')
		if end < 0 {
			end = len(list)
		}
		if string(text) == list[:end] {
			return true
		}
		list = list[min(end+1, len(list)):]
	}
	return false
}

// name reports whether the token i is a name that has no meaning of the language's.
func (t *tokens) name(i int) bool {
	return i >= 0 && i < len(t.list) && t.list[i].Kind == syntax.TokenName
}

// word reports whether the token i is a name or a keyword.
func (t *tokens) word(i int) bool {
	return t.name(i) || i >= 0 && i < len(t.list) && t.list[i].Kind == syntax.TokenKeyword
}

// leftmost reports whether token i begins a line that is not indented.
func (t *tokens) leftmost(i int) bool {
	at := t.list[i].Start
	return t.list[i].First && lineStart(t.src, at) == at
}

// bare reports whether the token i is a name that stands behind no dot.
func (t *tokens) bare(i int) bool { return t.name(i) && !t.is(i-1, ". ?.") }

func (t *tokens) quoted(i int) bool {
	return i < len(t.list) && t.list[i].Kind == syntax.TokenText
}

// at is the first token that begins at an offset or behind it.
func (t *tokens) at(off int) int {
	low, high := 0, len(t.list)
	for low < high {
		if mid := (low + high) / 2; t.list[mid].Start < off {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// within are the tokens between two offsets.
func (t *tokens) within(from, end int) (first, last int) { return t.at(from), t.at(end) }

// closing is the token that closes the bracket at i, or -1.
func (t *tokens) closing(i int) int {
	depth := 0
	for ; i < len(t.list); i++ {
		if depth += t.turn(i); depth == 0 {
			return i
		}
	}
	return -1
}

// turn is 1 for an opening bracket, -1 for a closing one, 0 for all else.
func (t *tokens) turn(i int) int {
	if t.list[i].Kind != syntax.TokenOther {
		return 0
	}
	switch t.src[t.list[i].Start] {
	case '(', '[', '{':
		return 1
	case ')', ']', '}':
		return -1
	}
	return 0
}

// depth is how many more brackets open than close from token first to last.
func (t *tokens) depth(first, last int) (depth int) {
	for i := first; i < min(last, len(t.list)); i++ {
		depth += t.turn(i)
	}
	return depth
}

// names are the names that stand alone in the tokens from first to last.
func (t *tokens) names(first, last int) []string {
	var list []string
	for i := first; i < last; i++ {
		if t.bare(i) && !slices.Contains(list, t.text(i)) {
			list = append(list, t.text(i))
		}
	}
	return list
}

// packages are the names before a dot in the tokens from first to last: packages, and what else has members.
func (t *tokens) packages(first, last int) []string {
	var list []string
	for i := first; i < last; i++ {
		if t.bare(i) && t.is(i+1, ".") && !slices.Contains(list, t.text(i)) {
			list = append(list, t.text(i))
		}
	}
	return list
}

// has reports whether one of the tokens is in a list.
func (t *tokens) has(list string) bool {
	return slices.ContainsFunc(inOrder(len(t.list)), func(i int) bool { return t.is(i, list) })
}

// piece is a part of a text, between byte offsets, without the blanks around it.
type piece struct{ from, end int }

func (p piece) holds(at int) bool    { return p.from <= at && at < p.end }
func (p piece) in(src []byte) string { return string(src[p.from:p.end]) }

// trimmed leaves out the blanks around a part of the text.
func (t *tokens) trimmed(from, end int) piece {
	part := t.src[from:end]
	from += len(part) - len(bytes.TrimLeft(part, " \t\r\n"))
	return piece{from, max(from, from+len(bytes.TrimSpace(part)))}
}

// brackets are a pair of round ones, and what commas separate in them.
type brackets struct {
	open, end int // offsets: behind the opening one, and before the closing one
	items     []piece
	comments  bool // a comment that ends with its line stands in them
	// lead stands before the first item where there is none yet: the receiver of Python's methods is no item.
	lead string
}

// brackets reads the pair that token i opens.
func (t *tokens) brackets(i int) (*brackets, bool) {
	if !t.is(i, "(") {
		return nil, false
	}
	last := t.closing(i)
	if last < 0 {
		return nil, false
	}
	b := &brackets{open: t.list[i].End, end: t.list[last].Start}
	from, depth := b.open, 0
	for k := i + 1; k <= last; k++ {
		b.comments = b.comments || t.remark(t.list[k-1].End, t.list[k].Start)
		if depth += t.turn(k); depth == 0 && t.is(k, ",") {
			b.items = append(b.items, t.trimmed(from, t.list[k].Start))
			from = t.list[k].End
		}
	}
	if rest := t.trimmed(from, b.end); rest.from < rest.end { // nothing stands behind a comma at the end
		b.items = append(b.items, rest)
	}
	return b, true
}

// remark reports whether a comment that ends with its line stands between two offsets, where no token does.
func (t *tokens) remark(from, end int) bool {
	gap := t.src[from:max(from, end)]
	return bytes.Contains(gap, []byte("//")) || bytes.Contains(gap, []byte("#"))
}

// oneExpression reports whether the tokens are one expression as far as brackets and commas tell, with no comment.
func (t *tokens) oneExpression() bool {
	depth, end := 0, 0
	for i := range t.list {
		if len(bytes.TrimSpace(t.src[end:t.list[i].Start])) > 0 {
			return false // a comment
		}
		end = t.list[i].End
		if depth += t.turn(i); depth < 0 || depth == 0 && t.is(i, ", ;") {
			return false
		}
	}
	return depth == 0 && len(t.list) > 0 && len(bytes.TrimSpace(t.src[end:])) == 0
}

func inOrder(n int) []int {
	var list []int
	for i := range n {
		list = append(list, i)
	}
	return list
}
