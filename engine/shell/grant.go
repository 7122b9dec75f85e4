package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// grant returns the narrowest pattern that covers a command, or "" when it must be asked about each time.
func (z *analyzer) grant(c *Command) string {
	if !c.Static || c.Wrapped || c.Program != c.Words[0] || z.t.never[c.Program] || z.t.wrappers[c.Program] != nil && c.Program != "git" {
		return ""
	}
	if c.Program == "git" && len(c.Words) > 1 && strings.HasPrefix(c.Words[1], "-") {
		return ""
	}
	for n := 3; n >= 2; n-- {
		if len(c.Words) >= n && z.t.grants[strings.Join(c.Words[:n], " ")] {
			return strings.Join(c.Words[:n], " ") + " *"
		}
	}
	return joinWords(c.Words)
}

// joinWords writes words so that splitPattern reads the same words again.
func joinWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		q, err := syntax.Quote(w, syntax.LangBash)
		if err != nil {
			return ""
		}
		if w == "*" {
			q = `'*'`
		}
		quoted[i] = q
	}
	pattern := strings.Join(quoted, " ")
	if read, rest, ok := splitPattern(pattern); !ok || rest || !slices.Equal(read, words) {
		return "" // characters that only escapes write, on which shells do not agree
	}
	return pattern
}

// splitPattern reads the words of a pattern; rest says that it ends in an unquoted *.
func splitPattern(pattern string) (words []string, rest, ok bool) {
	trimmed := strings.TrimSpace(pattern)
	if trimmed == "*" {
		return nil, true, true
	}
	if cut, found := strings.CutSuffix(trimmed, " *"); found {
		trimmed, rest = cut, true
	}
	z := newAnalyzer(Options{})
	for w, err := range syntax.NewParser(syntax.Variant(syntax.LangBash)).WordsSeq(strings.NewReader(trimmed)) {
		if err != nil {
			return nil, false, false
		}
		got := z.word(w)
		if !got.static {
			return nil, false, false
		}
		words = append(words, got.text)
	}
	return words, rest, len(words) > 0
}

// Matches reports that a pattern allows this command: "go test *" any command that starts with these words, "make all"
// exactly this one. Only a command whose words are all known and that no wrapper hides can match.
func Matches(pattern string, c Command) bool {
	words, rest, ok := splitPattern(pattern)
	if !ok || !c.Static || c.Wrapped || len(words) > len(c.Words) || !rest && len(words) != len(c.Words) {
		return false
	}
	return slices.Equal(words, c.Words[:len(words)])
}

// Touches reports that a pattern of a rule that denies or asks meets this command: by the program's base name, behind
// wrappers too, and where a word is not known as if it were the pattern's.
func Touches(pattern string, c Command) bool {
	words, rest, ok := splitPattern(pattern)
	if !ok || len(words) == 0 {
		return ok
	}
	if c.Program != words[0] && (len(c.Words) == 0 || c.Words[0] != words[0]) {
		return false
	}
	if !c.Static {
		return true
	}
	// A pattern of one word names the program, with whatever arguments.
	if len(words) == 1 {
		return true
	}
	if len(words) > len(c.Words) || !rest && len(words) != len(c.Words) {
		return false
	}
	return slices.Equal(words[1:], c.Words[1:len(words)])
}

// Covered reports that every command that asks is allowed by one of the patterns, and that nothing else in the
// command line asks: no redirection into a file, no assignment, nothing computed.
func (a Analysis) Covered(patterns []string) bool {
	if a.Verdict != Ask || a.Err != nil || a.barred {
		return a.Verdict == ReadOnly
	}
	for _, c := range a.Commands {
		allowed := slices.ContainsFunc(patterns, func(p string) bool { return Matches(p, c) })
		if c.Verdict != ReadOnly && !allowed {
			return false
		}
	}
	return true
}
