package search

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strings"
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
