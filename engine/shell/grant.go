package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// grant returns the narrowest pattern that covers a command, or "" when it must be asked about each time: one that runs
// others, hides behind a wrapper, or has a word that will be another next time.
func grant(t *tables, c *Command) string {
	if !c.Static || c.Wrapped || c.Program != c.Words[0] {
		return ""
	}
	isGit := c.Program == "git"
	if t.never[c.Program] || t.wrappers[c.Program] != nil && !isGit {
		return ""
	}
	if isGit && len(c.Words) > 1 && option(c.Words[1]) {
		return "" // git -c …, whose settings run programs
	}
	for n := 3; n >= 2; n-- {
		if len(c.Words) < n {
			continue
		}
		begin := strings.Join(c.Words[:n], " ")
		if t.grants[begin] {
			return begin + " *"
		}
	}
	return joinWords(c.Words)
}

// joinWords writes words so that splitPattern reads the same words again. A grant is shown, stored and edited as text:
// if it were read otherwise, more would be allowed than was said.
func joinWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		q, err := syntax.Quote(w, syntax.LangBash)
		if err != nil {
			return ""
		}
		if w == "*" { // a word, and not the end of the pattern
			q = `'*'`
		}
		quoted[i] = q
	}
	pattern := strings.Join(quoted, " ")
	read, rest, ok := splitPattern(pattern)
	if !ok || rest || !slices.Equal(read, words) {
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
	trimmed, rest = strings.CutSuffix(trimmed, " *")
	vars := newVariables()
	e := expander{vars: &vars, at: &places{paths: newPaths(Options{}), dirs: []string{unknownDir}}}
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash))
	for w, err := range parser.WordsSeq(strings.NewReader(trimmed)) {
		if err != nil {
			return nil, false, false
		}
		got := e.word(w)
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
	if !ok || !c.Static || c.Wrapped {
		return false
	}
	return fits(len(words), rest, c) && slices.Equal(words, c.Words[:len(words)])
}

// fits reports that a pattern of n words, with or without any others behind them, has the length of a command.
func fits(n int, rest bool, c Command) bool {
	return n == len(c.Words) || rest && n < len(c.Words)
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
	return fits(len(words), rest, c) && slices.Equal(words[1:], c.Words[1:len(words)])
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
