package search

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxPatterns     = 1000     // patterns in one query: more is a job for a file of words, not for an agent
	maxPatternBytes = 64 << 10 // all of them together
	maxProgram      = 20_000   // instructions: a line costs their number times its length in the worst case
	flags           = syntax.Perl &^ syntax.OneLine
)

// parsePatterns turns the patterns of a query into one tree.
func parsePatterns(q *Query) (*syntax.Regexp, error) {
	if len(q.Patterns) == 0 {
		return nil, &PatternError{
			Offset: -1,
			Reason: "there is none",
			Hint:   "give a pattern; an empty one matches every line",
		}
	}
	total := 0
	for _, p := range q.Patterns {
		total += len(p)
	}
	if len(q.Patterns) > maxPatterns || total > maxPatternBytes {
		first := q.Patterns[0]
		return nil, &PatternError{
			Pattern: first[:min(len(first), 40)],
			Offset:  -1,
			Reason:  fmt.Sprintf("%d patterns of %d bytes", len(q.Patterns), total),
			Hint:    fmt.Sprintf("at most %d and %d bytes", maxPatterns, maxPatternBytes),
		}
	}
	fold := q.IgnoreCase || q.SmartCase && lowerCase(q)
	alt := &syntax.Regexp{Op: syntax.OpAlternate}
	for _, p := range q.Patterns {
		re, err := parsePattern(p, q, fold)
		if err != nil {
			return nil, err
		}
		alt.Sub = append(alt.Sub, re)
	}
	if len(alt.Sub) == 1 {
		return alt.Sub[0], nil
	}
	return alt, nil
}

// parsePattern turns one pattern into a tree, whose classes are those of Unicode.
func parsePattern(p string, q *Query, fold bool) (*syntax.Regexp, error) {
	if !utf8.ValidString(p) {
		return nil, &PatternError{Pattern: p, Offset: firstInvalid(p), Reason: "not UTF-8"}
	}
	f := syntax.Flags(flags)
	if fold {
		f |= syntax.FoldCase
	}
	text := p
	if q.Fixed {
		f |= syntax.Literal
	} else {
		text = widenClasses(p)
	}
	re, err := syntax.Parse(text, f)
	if err != nil {
		return nil, explain(p, err)
	}
	if !q.Multiline && needsNewline(re) {
		return nil, &PatternError{
			Pattern: p,
			Offset:  -1,
			Reason:  "it can only match across lines",
			Hint:    "switch multiline on, or give the lines as patterns of their own",
		}
	}
	if q.WholeLine {
		line := []*syntax.Regexp{{Op: syntax.OpBeginLine}, re, {Op: syntax.OpEndLine}}
		re = &syntax.Regexp{Op: syntax.OpConcat, Flags: f, Sub: line}
	}
	return re, nil
}

// firstInvalid is the place of the first byte that is not UTF-8. The mark for such bytes may itself be in the text:
// that is three bytes long.
func firstInvalid(p string) int {
	for i, r := range p {
		_, n := utf8.DecodeRuneInString(p[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
	}
	return -1
}

// needsNewline reports whether the pattern names a line end that it cannot do without.
func needsNewline(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral:
		return strings.ContainsRune(string(re.Rune), '\n')
	case syntax.OpCapture, syntax.OpPlus:
		return needsNewline(re.Sub[0])
	case syntax.OpRepeat:
		return re.Min > 0 && needsNewline(re.Sub[0])
	case syntax.OpConcat:
		return slices.ContainsFunc(re.Sub, needsNewline)
	case syntax.OpAlternate:
		without := func(sub *syntax.Regexp) bool { return !needsNewline(sub) }
		return !slices.ContainsFunc(re.Sub, without)
	}
	return false
}

// widenClasses rewrites \w, \d, \s and their complements, which are ASCII in Go, to what they are in Unicode. \b
// stays: the matcher knows Unicode's words.
func widenClasses(p string) string {
	var b strings.Builder
	inClass := false
	for len(p) > 0 {
		n := 1 // bytes of p that belong together
		text := ""
		switch {
		case p[0] == '\\':
			n, text = widenEscape(p, inClass)
		case p[0] == '[' && !inClass:
			inClass = true
			n = classOpening(p)
		case p[0] == '[':
			n = namedClass(p)
		case p[0] == ']':
			inClass = false
		}
		if text == "" {
			text = p[:n]
		}
		b.WriteString(text)
		p = p[n:]
	}
	return b.String()
}

// widenEscape is the length of the escape at the start of p, and what to write in its place; "" for the same. What
// comes after \Q is text, up to \E, but not within a bracket expression.
func widenEscape(p string, inClass bool) (int, string) {
	if len(p) == 1 {
		return 1, ""
	}
	if p[1] == 'Q' && !inClass {
		end := strings.Index(p, `\E`)
		if end < 0 {
			end = len(p)
		}
		return end, ""
	}
	text := perlClass(p[1])
	if text != "" && !inClass {
		text = "[" + text + "]"
	}
	return 2, text
}

// namedClass is the length of a class such as [:alpha:] within a bracket expression, 1 for a bracket that is none.
func namedClass(p string) int {
	end := strings.Index(p, ":]")
	if !strings.HasPrefix(p, "[:") || end <= 0 {
		return 1
	}
	return end + len(":]")
}

// classOpening is the length of [, [^, []  or [^]: a bracket that comes first stands for itself.
func classOpening(p string) int {
	n := 1
	if n < len(p) && p[n] == '^' {
		n++
	}
	if n < len(p) && p[n] == ']' {
		n++
	}
	return n
}

// lowerCase reports whether the patterns hold text, and none of it in upper case: then SmartCase ignores case.
func lowerCase(q *Query) bool {
	text := false
	for _, p := range q.Patterns {
		for i := 0; i < len(p); {
			r, n := utf8.DecodeRuneInString(p[i:])
			switch {
			case q.Fixed:
			case r == '\\':
				n = escapeLength(p[i:])
				r = escaped(p[i:min(i+n, len(p))])
			case strings.ContainsRune(operators, r):
				r = 0
			}
			if unicode.IsUpper(r) {
				return false
			}
			text = text || r != 0
			i += n
		}
	}
	return text
}

// operators are the characters that are no text in a pattern.
const operators = `.^$*+?()[]{}|`

// escaped is the character that \x41, \x{41} or \. stands for, 0 for other escapes.
func escaped(e string) rune {
	if len(e) == 2 && !isWordByte(e[1]) {
		return rune(e[1])
	}
	if !strings.HasPrefix(e, `\x`) {
		return 0
	}
	n, err := strconv.ParseUint(strings.Trim(e[2:], "{}"), 16, 31)
	if err != nil {
		return 0
	}
	return rune(n)
}

// escapeLength is the length of the escape at the start of p, with the braces of \p{…} and \x{…}.
func escapeLength(p string) int {
	if len(p) <= 2 || strings.IndexByte("pPx", p[1]) < 0 {
		_, n := utf8.DecodeRuneInString(p[1:])
		return 1 + n
	}
	end := strings.IndexByte(p, '}')
	switch {
	case p[2] == '{' && end > 0:
		return end + 1
	case p[1] == 'x':
		return len(`\x41`)
	}
	return len(`\pL`)
}
