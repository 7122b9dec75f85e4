package policy

import (
	"errors"
	"path"
	"strings"

	"helve/tool"
)

// plainWords are the characters that mean themselves to every shell.
const plainWords = "abcdefghijklmnopqrstuvwxyz" +
	"ABCDEFGHIJKLMNOPQRSTUVWXYZ" +
	"0123456789" +
	"_-./:@%+,="

// unanalysed is a command line that nobody could explain: its words if they are plain, else one that may be anything.
func unanalysed(line string) tool.CommandLine {
	words := strings.Fields(line)
	if !plain(line, words) {
		return tool.CommandLine{Decision: tool.Ask, Commands: []tool.SimpleCommand{{}}}
	}
	only := tool.SimpleCommand{
		Words:   words,
		Program: path.Base(words[0]),
		Static:  true,
	}
	return tool.CommandLine{Decision: tool.Ask, Whole: true, Commands: []tool.SimpleCommand{only}}
}

// plain tells that a line is one command of words that every shell takes as they are written.
func plain(line string, words []string) bool {
	if len(words) == 0 || strings.ContainsAny(line, "\n\r") {
		return false
	}
	if strings.ContainsAny(words[0], "=~") { // an assignment, or somebody's home
		return false
	}
	for _, w := range words {
		if strings.Trim(w, plainWords) != "" {
			return false
		}
	}
	return true
}

// A wordPattern matches commands by their words.
type wordPattern struct {
	words []string
	rest  bool // ends in *: more words may follow
}

func newWords(pattern string) (wordPattern, error) {
	var s splitter
	if err := s.split(pattern); err != nil {
		return wordPattern{}, err
	}
	w := wordPattern{words: s.words}
	last := len(w.words) - 1
	if last > 0 && w.words[last] == "*" && !s.quoted[last] {
		w.words = w.words[:last]
		w.rest = true
	}
	return w, nil
}

// fits tells that so many words can be those of the pattern.
func (w wordPattern) fits(n int) bool {
	return n == len(w.words) || w.rest && n > len(w.words)
}

// sameWord compares one word of a pattern, which may have wildcards, with one of a command.
func sameWord(want, have string) bool {
	return want == have || strings.Contains(want, "*") && wild(want, have)
}

// allows tells that the command has exactly these words. What is hidden behind another command, or known only at run
// time, never has.
func (w wordPattern) allows(c *tool.SimpleCommand) bool {
	if !c.Static || c.Wrapped || len(w.words) == 0 || !w.fits(len(c.Words)) {
		return false
	}
	if w.words[0] != c.Words[0] { // no wildcard opens a program
		return false
	}
	return sameWords(w.words[1:], c.Words[1:])
}

// sameWords compares the words of a pattern with the first of a command.
func sameWords(want, have []string) bool {
	for i := range want {
		if !sameWord(want[i], have[i]) {
			return false
		}
	}
	return true
}

// meets tells that the command may have these words: wherever it stands, by its program's bare name too, with whatever
// words are not known. One word alone means the program with any arguments.
func (w wordPattern) meets(c *tool.SimpleCommand) bool {
	if len(w.words) == 0 || c.Program == "" && len(c.Words) == 0 {
		return true
	}
	program := path.Base(w.words[0])
	if c.Program != "" && c.Program != program && c.Words[0] != w.words[0] {
		return false
	}
	if !c.Static || len(w.words) == 1 {
		return true
	}
	return w.fits(len(c.Words)) && sameWords(w.words[1:], c.Words[1:])
}

// A splitter splits text at white space, with single and double quotes and backslashes as a shell has them.
type splitter struct {
	words  []string
	quoted []bool // for each word: some of it was

	word   strings.Builder
	inWord bool
	marked bool // some of the word was quoted
}

func (s *splitter) flush() {
	if s.inWord {
		s.words = append(s.words, s.word.String())
		s.quoted = append(s.quoted, s.marked)
	}
	s.word.Reset()
	s.inWord, s.marked = false, false
}

func (s *splitter) split(text string) error {
	var quote byte // in which we are, 0 outside
	for i := 0; i < len(text); i++ {
		c := text[i]
		bare := quote == 0
		switch {
		case bare && (c == ' ' || c == '\t'):
			s.flush()
		case bare && (c == '\'' || c == '"'):
			quote = c
			s.inWord, s.marked = true, true
		case !bare && c == quote:
			quote = 0
		case c == '\\' && quote != '\'' && i+1 < len(text):
			i++
			s.word.WriteByte(text[i])
			s.inWord, s.marked = true, true
		default:
			s.word.WriteByte(c)
			s.inWord = true
		}
	}
	s.flush()
	if quote != 0 {
		return errors.New("a quote in it does not end")
	}
	return nil
}
