package policy

import (
	"errors"
	"path"
	"strings"

	"helve/tool"
)

// plainWords are the characters that mean themselves to every shell.
const plainWords = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@%+,="

// unanalysed is a command line that nobody could explain: its words if they are plain, else one that may be anything.
func unanalysed(line string) tool.CommandLine {
	words := strings.Fields(line)
	plain := len(words) > 0 && !strings.ContainsAny(words[0], "=~") && !strings.ContainsAny(line, "\n\r")
	for _, w := range words {
		plain = plain && strings.Trim(w, plainWords) == ""
	}
	if !plain {
		return tool.CommandLine{Decision: tool.Ask, Commands: []tool.SimpleCommand{{}}}
	}
	only := tool.SimpleCommand{Words: words, Program: path.Base(words[0]), Static: true}
	return tool.CommandLine{Decision: tool.Ask, Whole: true, Commands: []tool.SimpleCommand{only}}
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
