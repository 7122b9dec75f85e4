package refactor

import (
	"slices"
	"strings"

	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// This file reads the lists of JavaScript, TypeScript and Python, whose items hold commas of their own.

// maxAngles bounds how many tokens stand between < and >.
const maxAngles = 400

// angles is the token that closes the < at token i, or -1 where that is none that holds types.
func (t *tokens) angles(i int) int {
	open, depth := 0, 0
	for end := min(i+maxAngles, len(t.list)); i < end; i++ {
		switch {
		case t.is(i, "<"):
			open++
		case t.is(i, ">"):
			open--
		case t.is(i, "&& || == === != !== ++ --"):
			return -1
		}
		if depth += t.turn(i); depth < 0 {
			return -1
		}
		if open == 0 {
			if depth != 0 {
				return -1
			}
			return i
		}
	}
	return -1
}

// arguments reads the brackets that token i opens, of a language whose items hold commas of their own: those of type
// arguments and of lambda. declared says that these are parameters. It is not ok where a comma may be read in two ways.
func (t *tokens) arguments(i int, between commas, declared bool) (*brackets, bool) {
	if !t.is(i, "(") {
		return nil, false
	}
	last := t.closing(i)
	if last < 0 {
		return nil, false
	}
	b := &brackets{open: t.list[i].End, end: t.list[last].Start}
	commas := commaReader{t: t, commas: between, declared: declared}
	from := b.open
	for k := i + 1; k < last; k++ {
		b.comments = b.comments || t.remark(t.list[k-1].End, t.list[k].Start)
		next, parts, ok := commas.at(k)
		if !ok {
			return nil, false
		}
		if k = next; parts {
			b.items = append(b.items, t.trimmed(from, t.list[k].Start))
			from = t.list[k].End
		}
	}
	b.comments = b.comments || t.remark(t.list[last-1].End, b.end)
	if rest := t.trimmed(from, b.end); rest.from < rest.end {
		b.items = append(b.items, rest)
	}
	empty := slices.ContainsFunc(b.items, func(p piece) bool { return p.from >= p.end })
	return b, !empty
}

// A commaReader tells the commas between the items of a list from those in them.
type commaReader struct {
	t *tokens
	commas
	declared bool
	depth    int
	lambdas  int  // that have no colon yet
	value    bool // the item has a default
}

// at reads token k. It answers where to go on, and whether this is a comma between items.
func (c *commaReader) at(k int) (next int, parts, ok bool) {
	c.depth += c.t.turn(k)
	switch {
	case c.depth != 0:
	case c.lambda && c.t.is(k, "lambda"):
		c.lambdas++
	case c.t.is(k, ":") && c.lambdas > 0:
		c.lambdas--
	case c.t.is(k, "="):
		c.value = true
	case c.angles && c.t.is(k, "<"):
		return c.angle(k)
	case c.t.is(k, ",") && c.lambdas == 0:
		c.value = false
		return k, true, true
	}
	return k, false, true
}

// angle reads a < of JavaScript: what it opens is skipped where it holds types. A comma behind any other may be read
// in two ways.
func (c *commaReader) angle(k int) (next int, parts, ok bool) {
	end := c.t.angles(k)
	switch {
	case end <= 0 || !c.t.holdsComma(k, end):
		return k, false, true
	case c.declared && !c.value, c.t.is(end+1, "("):
		return end, false, true
	}
	return k, false, false
}

// holdsComma reports whether a comma stands between two tokens.
func (t *tokens) holdsComma(from, end int) bool {
	for ; from < end; from++ {
		if t.is(from, ",") {
			return true
		}
	}
	return false
}

// later reports whether the tokens from first to last are a function, which is called later.
func (t *tokens) later(first, last int) bool {
	switch {
	case t.is(first, "function lambda"):
		return true
	case t.is(first, "async"):
		return t.is(first+1, "function ( =>")
	case t.name(first):
		return t.is(first+1, "=>")
	case t.is(first, "("):
		end := t.closing(first)
		return end < last && t.is(end+1, "=>")
	}
	return false
}

// callsAt reports whether token i calls what stands before it, which begins at first or behind: f(…) or f`…`.
func (t *tokens) callsAt(i, first int) bool {
	switch {
	case i <= first:
		return false
	case t.is(i, "("):
		value := t.word(i-1) || t.is(i-1, ") ] } > !")
		return value && !t.is(i-1, "in of or and not if else return typeof")
	case strings.HasPrefix(t.text(i), "`"):
		return t.word(i-1) || t.is(i-1, ") ]")
	}
	return false
}

// setsAt reports whether token i gives something another value: =, +=, ++, delete.
func (t *tokens) setsAt(i int) bool {
	if t.is(i, "++ -- delete") {
		return true
	}
	assigns := t.list[i].Kind == syntax.TokenOther && strings.HasSuffix(t.text(i), "=")
	return assigns && !t.is(i, "== === != !== <= >=")
}

// commas are where those of a list's items stand besides in brackets: in lambdas, and in type arguments.
type commas struct{ lambda, angles bool }

// called reads the arguments that token k opens.
func (t *tokens) called(k int, between commas) (b *brackets, why string) {
	if !t.is(k, "(") || k == 0 {
		return nil, "it is used as a value"
	}
	b, ok := t.arguments(k, between, false)
	if !ok {
		return nil, "the arguments were not understood"
	}
	return b, ""
}

// nameIn is the token of a definition's name, one of those that fit.
func (t *tokens) nameIn(d *store.Def, name string, fits func(i int) bool) int {
	i := t.at(int(d.Start))
	for depth := 0; i < len(t.list) && t.list[i].Start < int(d.End); i++ {
		if depth == 0 && t.text(i) == name && fits(i) {
			return i
		}
		depth += t.turn(i)
	}
	return i
}

// keyIn reports whether the name at token i is a key between brackets of a kind, for what stands around it.
func (t *tokens) keyIn(i int, open byte, before, after string) bool {
	at := bracketAround(t.src, t.list[i].Start)
	return t.is(i-1, before) && t.is(i+1, after) && at >= 0 && t.src[at] == open
}
