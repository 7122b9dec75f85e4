package policy

import (
	"errors"
	"path"
	"strings"

	"helve/tool"
)

// A CommandLine is a command line understood, as package shell does it.
type CommandLine struct {
	Decision tool.Decision // on its own: Allow only reads, Deny is catastrophic and never runs, Ask is everything else
	Reason   string
	Commands []Command
	Mentions []string // files that words of it may name, written as targets: rules that deny reading them, or ask, hold for the line
	Whole    bool     // nothing but Commands needs a decision: rules that allow each of them allow the line
}

// A Command is one simple command.
type Command struct {
	Words    []string // after quote removal, the program first
	Program  string   // base name of the first word, "" if it is computed at run time
	Static   bool     // all words are known
	Wrapped  bool     // found behind another one: sudo, timeout, sh -c
	ReadOnly bool
}

// plainWords are the characters that mean themselves to every shell.
const plainWords = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@%+,="

// unanalysed is a command line that nobody could explain: its words if they are plain, else one that may be anything.
func unanalysed(line string) CommandLine {
	words := strings.Fields(line)
	plain := len(words) > 0 && !strings.ContainsAny(words[0], "=~") && !strings.ContainsAny(line, "\n\r")
	for _, w := range words {
		plain = plain && strings.Trim(w, plainWords) == ""
	}
	if !plain {
		return CommandLine{Decision: tool.Ask, Commands: []Command{{}}}
	}
	return CommandLine{Decision: tool.Ask, Whole: true, Commands: []Command{{Words: words, Program: path.Base(words[0]), Static: true}}}
}

// splitWords splits at white space, with single and double quotes and backslashes as a shell has them, and tells which words were quoted.
func splitWords(s string) (words []string, quoted []bool, err error) {
	var w strings.Builder
	var quote byte
	in, q := false, false
	flush := func() {
		if in {
			words, quoted = append(words, w.String()), append(quoted, q)
		}
		w.Reset()
		in, q = false, false
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote == 0 && (c == ' ' || c == '\t'):
			flush()
		case quote == 0 && (c == '\'' || c == '"'):
			quote, in, q = c, true, true
		case quote != 0 && c == quote:
			quote = 0
		case c == '\\' && quote != '\'' && i+1 < len(s):
			i++
			w.WriteByte(s[i])
			in, q = true, true
		default:
			w.WriteByte(c)
			in = true
		}
	}
	flush()
	if quote != 0 {
		return nil, nil, errors.New("a quote in it does not end")
	}
	return words, quoted, nil
}
