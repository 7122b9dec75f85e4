package policy

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// fold is the form in which paths are compared where case does not count: of the runes that a file system may take for
// one another it has one. Texts of ASCII, which nearly all are, are those in lower case.
func fold(s string) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return strings.Map(foldRune, s)
		}
	}
	return strings.ToLower(s)
}

// foldRune takes the first of the runes that differ by case only, by Unicode's simple folding, in lower case.
func foldRune(r rune) rune {
	first, cased := r, false
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		first, cased = min(first, other), true
	}
	if !cased {
		return r
	}
	return unicode.ToLower(first)
}

// foldPattern is the glob that matches folded texts: those of which the pattern matches a text that differs by case
// only. Letters fold as those of a text do; a class is made anew, since its ends are no letters of it: [X-c] has Y.
func foldPattern(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); {
		if pattern[i] == '[' {
			c, n := newClass(pattern[i:])
			b.WriteString(c.folded())
			i += n
			continue
		}
		if pattern[i] == '\\' {
			b.WriteByte('\\')
			i++
		}
		r, n := utf8.DecodeRuneInString(pattern[i:])
		if r != utf8.RuneError {
			b.WriteRune(foldRune(r))
		} else {
			b.WriteString(pattern[i : i+n])
		}
		i += n
	}
	return b.String()
}

// A class is what stands between brackets in a glob.
type class struct {
	negated bool
	runes   []span
}

// A span of runes, both ends in it.
type span struct{ from, to rune }

func (s span) has(r rune) bool { return s.from <= r && r <= s.to }

// newClass reads the class that a valid glob begins with, and says how long it is.
func newClass(glob string) (class, int) {
	i := 1
	c := class{negated: i < len(glob) && (glob[i] == '^' || glob[i] == '!')}
	if c.negated {
		i++
	}
	next := func() rune {
		if glob[i] == '\\' && i+1 < len(glob) {
			i++
		}
		r, n := utf8.DecodeRuneInString(glob[i:])
		i += n
		return r
	}
	for i < len(glob) && glob[i] != ']' {
		s := span{from: next()}
		s.to = s.from
		if i+1 < len(glob) && glob[i] == '-' && glob[i+1] != ']' {
			i++
			s.to = next()
		}
		c.runes = append(c.runes, s)
	}
	return c, min(i+1, len(glob))
}

func (c class) has(r rune) bool {
	return slices.ContainsFunc(c.runes, func(s span) bool { return s.has(r) })
}

// folded is the class for folded texts: it has a rune when the class has one that differs by case only. A negated class
// leaves out what it has with all its cases.
func (c class) folded() string {
	out := class{negated: c.negated, runes: slices.Clone(c.runes)}
	for _, cased := range unicode.CaseRanges {
		for r := rune(cased.Lo); r <= rune(cased.Hi); r++ {
			switch in := c.has(r); {
			case in && !c.negated:
				out.add(foldRune(r))
			case !in && c.negated:
				out.remove(foldRune(r))
			}
		}
	}
	return out.String()
}

func (c *class) add(r rune) {
	if !c.has(r) {
		c.runes = append(c.runes, span{r, r})
	}
}

func (c *class) remove(r rune) {
	var left []span
	for _, s := range c.runes {
		if !s.has(r) {
			left = append(left, s)
			continue
		}
		if s.from < r {
			left = append(left, span{s.from, r - 1})
		}
		if r < s.to {
			left = append(left, span{r + 1, s.to})
		}
	}
	c.runes = left
}

// String writes the class for a glob. One without runes has the one that no path can have.
func (c class) String() string {
	var b strings.Builder
	b.WriteByte('[')
	if c.negated {
		b.WriteByte('^')
	}
	for _, s := range c.runes {
		writeEnd(&b, s.from)
		if s.from != s.to {
			b.WriteByte('-')
			writeEnd(&b, s.to)
		}
	}
	if len(c.runes) == 0 {
		b.WriteByte(0)
	}
	return b.String() + "]"
}

// writeEnd writes a rune of a class so that it means itself.
func writeEnd(b *strings.Builder, r rune) {
	if strings.ContainsRune(`\]-^![`, r) {
		b.WriteByte('\\')
	}
	b.WriteRune(r)
}
