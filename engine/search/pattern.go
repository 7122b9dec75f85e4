package search

import (
	"errors"
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

// PatternError says what is wrong with a pattern and where.
type PatternError struct {
	Pattern string
	Offset  int    // byte in Pattern, -1 if not known
	Reason  string // "missing closing )"
	Hint    string // what to write instead; may be empty
}

func (e *PatternError) Error() string {
	s := fmt.Sprintf("pattern %q: %s", e.Pattern, e.Reason)
	if e.Offset >= 0 {
		s += fmt.Sprintf(" at byte %d", e.Offset)
	}
	if e.Hint != "" {
		s += ": " + e.Hint
	}
	return s
}

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

// explain turns the parser's error into one with a place and a way out.
func explain(p string, err error) error {
	e := &PatternError{Pattern: p, Offset: -1, Reason: err.Error()}
	var se *syntax.Error
	if !errors.As(err, &se) {
		return e
	}
	e.Reason = string(se.Code)
	e.Offset = placeOf(p, se)
	if se.Expr != "" && len(se.Expr) < 40 && se.Expr != p {
		e.Reason += fmt.Sprintf(": `%s`", se.Expr)
	}
	at, what := lookAround(p)
	if at >= 0 {
		e.Offset, e.Reason, e.Hint = at, what, rewrite(p, at)
		return e
	}
	switch se.Code {
	case syntax.ErrMissingParen:
		e.Offset = unclosed(p)
		e.Hint = `write \( for a parenthesis, or search for fixed text`
	case syntax.ErrUnexpectedParen:
		e.Offset = unopened(p)
		e.Hint = `write \) for a parenthesis, or search for fixed text`
	case syntax.ErrMissingBracket:
		e.Hint = `write \[ for a bracket, or search for fixed text`
	case syntax.ErrInvalidRepeatSize, syntax.ErrLarge:
		e.Hint = "repeat at most 1000 times, nested repeats multiplied; use * or + instead"
	case syntax.ErrMissingRepeatArgument:
		e.Hint = "put a backslash before it to search for it"
	case syntax.ErrInvalidEscape, syntax.ErrTrailingBackslash:
		e.Hint = `write \\ for a backslash, or search for fixed text`
	}
	return e
}

// placeOf finds where in the pattern the parser's complaint is about: the same text may be elsewhere, and be right
// there. It is the place up to which the pattern alone gets the same complaint.
func placeOf(p string, se *syntax.Error) int {
	switch {
	case se.Code == syntax.ErrTrailingBackslash:
		return len(p) - 1
	case se.Expr == "":
		return -1
	}
	for at := 0; at < len(p); at++ {
		i := strings.Index(p[at:], se.Expr)
		if i < 0 {
			break
		}
		at += i
		_, err := syntax.Parse(widenClasses(p[:at+len(se.Expr)]), flags)
		var here *syntax.Error
		if errors.As(err, &here) && here.Code == se.Code {
			return at
		}
	}
	return strings.Index(p, se.Expr)
}

// unclosed finds the parenthesis that is never closed, unopened the one that closes nothing; -1 if there is none.
func unclosed(p string) int {
	var open []int
	scanParens(p, func(i int) { open = append(open, i) }, func(int) {
		if len(open) > 0 {
			open = open[:len(open)-1]
		}
	})
	if len(open) == 0 {
		return -1
	}
	return open[len(open)-1]
}

func unopened(p string) int {
	depth, at := 0, -1
	scanParens(p, func(int) { depth++ }, func(i int) {
		depth--
		if depth < 0 && at < 0 {
			at = i
		}
	})
	return at
}

// scanParens calls open and closed for each parenthesis that means a group, with its place.
func scanParens(p string, open, closed func(int)) {
	inClass := false
	for i := 0; i < len(p); i++ {
		switch c := p[i]; {
		case c == '\\':
			i++
		case inClass:
			inClass = c != ']'
		case c == '[':
			inClass = true
			i += classOpening(p[i:]) - 1
		case c == '(':
			open(i)
		case c == ')':
			closed(i)
		}
	}
}

// unsupported are the groups that an engine without backtracking cannot do.
var unsupported = []struct{ open, reason string }{
	{"(?=", "look-around is not supported"},
	{"(?!", "look-around is not supported"},
	{"(?<=", "look-around is not supported"},
	{"(?<!", "look-around is not supported"},
	{"(?>", "atomic groups are not supported"},
}

// lookAround finds what an engine without backtracking cannot do, and the words for it; -1 if there is nothing.
func lookAround(p string) (int, string) {
	for i := 0; i+1 < len(p); i++ {
		if p[i] == '\\' {
			if isBackreference(p[i+1:]) {
				return i, "backreferences are not supported"
			}
			i++
			continue
		}
		for _, u := range unsupported {
			if strings.HasPrefix(p[i:], u.open) {
				return i, u.reason
			}
		}
	}
	return -1, ""
}

// isBackreference reports whether what comes behind a backslash is 1 to 9, or k with a name.
func isBackreference(p string) bool {
	if '1' <= p[0] && p[0] <= '9' {
		return true
	}
	return len(p) > 1 && p[0] == 'k' && strings.IndexByte("<{'", p[1]) >= 0
}

// rewrite shows how to do without, where that is simple.
func rewrite(p string, at int) string {
	if p[at] == '\\' {
		return "search for the repeated part spelled out, or match more and look at the lines"
	}
	body, rest, ok := splitGroup(p[at:])
	if !ok {
		return "match more and look at the lines"
	}
	before := p[:at]
	switch {
	case strings.HasPrefix(body, "?>"):
		return fmt.Sprintf("write `%s(?:%s)%s`", before, body[2:], rest)
	case strings.HasPrefix(body, "?<="):
		return fmt.Sprintf("the line is what is found, so write `%s(?:%s)%s`", before, body[3:], rest)
	case strings.HasPrefix(body, "?="):
		if rest == "" {
			return fmt.Sprintf("the line is what is found, so write `%s(?:%s)`", before, body[2:])
		}
	case strings.HasPrefix(body, "?!") && len(body) == 3 && rest == "":
		return fmt.Sprintf("write `%s(?:[^%s]|$)`", before, body[2:])
	case strings.HasPrefix(body, "?<!") && len(body) == 4 && before == "":
		return fmt.Sprintf("write `(?:^|[^%s])%s`", body[3:], rest)
	}
	return "match more, then search the result again with invert for what it must not hold"
}

// splitGroup splits "(body)rest".
func splitGroup(p string) (body, rest string, ok bool) {
	depth, end := 0, -1
	scanParens(p, func(int) { depth++ }, func(i int) {
		depth--
		if depth == 0 && end < 0 {
			end = i
		}
	})
	if end < 0 {
		return "", "", false
	}
	return p[1:end], p[end+1:], true
}
