package check

import (
	"path"
	"slices"
	"strings"

	"helve/internal/git"
)

// A word is a part of a line for a shell that may mean a path.
type word struct {
	text  string
	loose bool // an expansion stands before it, so that it may begin anywhere: "$(git rev-parse --show-toplevel)/x"
	into  bool // the line changes to this directory
}

// maxWords bounds the words of one value: nobody writes a longer one by hand.
const maxWords = 1000

// pathWords lists the words of a line for a shell that may mean a path: whatever its quotes hold is read as well, as
// another shell may get it. Names of programs without a slash are none: PATH finds them. Of a command of git's own the
// words count that have a slash or a dot, and all of them where it may run another command. False: there are too many.
func pathWords(line string) ([]word, bool) {
	s := &wordScanner{begin: true}
	s.scan(line)
	s.endCommand()
	return s.out, len(s.out) <= maxWords
}

// A wordScanner cuts a line at blanks, quotation marks and whatever means something to a shell.
type wordScanner struct {
	out     []word
	command []word // the words of one command
	text    strings.Builder
	begin   bool // the next word is the name of a program
	loose   bool // an expansion has just ended
	program string
}

func (s *wordScanner) scan(line string) {
	for i := 0; i < len(line) && len(s.out) <= maxWords; i++ {
		switch c := line[i]; c {
		case ' ', '\t', '\r':
			s.end()
			s.loose = false
		case '\n', ';', '|', '&', '(', '{':
			s.endCommand()
		case ')', '}', '`':
			s.endCommand()
			s.loose = true
		case '\'', '"', '=', ',', ':', '<', '>', '@':
			s.end()
		case '\\':
			if i++; i < len(line) {
				s.text.WriteByte(line[i])
			}
		case '$':
			i = s.expansion(line, i)
		default:
			s.text.WriteByte(c)
		}
	}
}

// expansion goes behind the name of a variable, and tells where that ends. $HOME and $PWD are known.
func (s *wordScanner) expansion(line string, i int) int {
	rest := strings.TrimPrefix(line[i+1:], "{")
	from := len(line) - len(rest)
	n := 0
	for n < len(rest) && (git.IsNameByte(rest[n]) && rest[n] != '-' || rest[n] == '_') {
		n++
	}
	end := from + n
	whole := from == i+1 || strings.HasPrefix(rest[n:], "}")
	if whole && from > i+1 {
		end++
	}
	switch {
	case n == 0:
		s.end()
		s.loose = true
		return i
	case whole && rest[:n] == "HOME":
		s.text.WriteByte('~')
	case whole && rest[:n] == "PWD":
		s.text.WriteByte('.')
	default:
		s.end()
		s.loose = true
	}
	return end - 1
}

// end ends a word.
func (s *wordScanner) end() {
	text := s.text.String()
	s.text.Reset()
	if text == "" {
		return
	}
	w := word{text: text, loose: s.loose}
	s.loose = false
	if !s.begin {
		s.command = append(s.command, w)
		return
	}
	if slices.Contains(leading, text) {
		return
	}
	s.begin = false
	s.program = text
	if strings.Contains(text, "/") {
		s.command = append(s.command, w)
	}
}

// leading are words of a shell before the name of a program.
var leading = []string{"!", "exec", "command", "builtin", "env", "nohup", "nice", "time", "sudo", "if", "then", "else",
	"elif", "do", "while", "until"}

// switches are values that are no paths.
var switches = []string{"true", "false", "yes", "no", "on", "off"}

// endCommand ends a command of the line.
func (s *wordScanner) endCommand() {
	s.end()
	all := !strings.HasPrefix(path.Base(s.program), "git") || slices.ContainsFunc(s.command, runsMore)
	for i, w := range s.command {
		w.into = i > 0 && s.command[i-1].text == "-C" || s.program == "cd" || s.program == "pushd"
		if w = w.bare(); w.text != "" && (all || strings.ContainsAny(w.text, "/.")) {
			s.out = append(s.out, w)
		}
	}
	s.command, s.program, s.begin = nil, "", true
}

// runsMore reports a word by which a command of git's own runs another one, or looks elsewhere for its files.
func runsMore(w word) bool { return slices.Contains(gitObeys()["repository"], w.text) }

// bare is a word without the option that it is glued to; empty if it can mean no path.
func (w word) bare() word {
	const longest = 4096 // Linux takes no longer path
	if strings.HasPrefix(w.text, "-") {
		w.text = w.text[min(len(w.text), len("-x")):]
		if !strings.ContainsAny(w.text, "/.") {
			w.text = ""
		}
	}
	number := strings.Trim(w.text, "0123456789.") == "" && w.text != ".."
	if number || len(w.text) > longest || slices.Contains(switches, w.text) {
		w.text = ""
	}
	return w
}

// cutGlob cuts a path in front of the first part with a character of a pattern.
func cutGlob(at string) (before, rest string, globs bool) {
	i := strings.IndexAny(at, "*?[")
	if i < 0 {
		return at, "", false
	}
	slash := strings.LastIndexByte(at[:i], '/')
	return at[:slash+1], at[slash+1:], true
}
