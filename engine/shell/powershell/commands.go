package powershell

import (
	"slices"
	"strings"
)

// A command is one command of a text, as far as the text shows, or an expression in its place.
type command struct {
	words     []token // the first is the program
	writes    []token // the files that its output goes to
	called    bool    // by & or dot: the first word is a program even in quotes
	at        int
	line, col int
	into      string // the variable that takes its value, in lower case
}

// keywords begin statements that are more than commands. Behind them a command may stand.
var keywords = strings.Fields("if elseif else foreach for while do until switch function filter class enum param begin " +
	"process end try catch finally throw return break continue exit trap using data dynamicparam workflow in default")

// A splitter makes commands of tokens. A bracket begins a new place for commands, and behind its end the command goes
// on that it stands in.
type splitter struct {
	src    string
	out    []command
	cur    command
	around []command // those that go on behind the brackets that are open
	file   bool      // the next word is the file of a redirection
}

// commands splits the tokens of a text into commands, also those inside of brackets.
func commands(l *lexer) []command {
	s := &splitter{src: l.src}
	for _, t := range l.toks {
		s.take(t)
	}
	s.flush()
	for _, c := range slices.Backward(s.around) {
		s.cur = c
		s.flush()
	}
	return s.out
}

func (s *splitter) flush() {
	if len(s.cur.words)+len(s.cur.writes) > 0 {
		s.out = append(s.out, s.cur)
	}
	s.cur = command{}
}

// empty tells that the next word begins a command.
func (s *splitter) empty() bool { return len(s.cur.words) == 0 && !s.cur.called }

func (s *splitter) take(t token) {
	file := s.file
	s.file = t.kind == redirect
	switch t.kind {
	case end, pipe, chain:
		s.flush()
	case opening:
		s.add(token{kind: word, text: t.text, at: t.at})
		s.around = append(s.around, s.cur)
		s.cur = command{}
	case closing:
		s.flush()
		if n := len(s.around); n > 0 {
			s.cur = s.around[n-1]
			s.around = s.around[:n-1]
		}
	case call:
		s.flush() // behind a command it means: in the background
		s.cur.called = true
	case word:
		if file {
			s.cur.writes = append(s.cur.writes, t)
			return
		}
		s.word(t)
	}
}

// word takes a word, and finds where the words before it were no command: assignments, keywords, foreach ($x in …).
func (s *splitter) word(t token) {
	afterVariable := len(s.cur.words) == 1 && isVariable(s.src, s.cur.words[0])
	switch {
	case s.empty() && !t.quoted && t.text == ".":
		s.cur.called = true // which runs a script in this place
	case s.empty() && isKeyword(t):
		s.add(token{kind: word, text: t.text, at: t.at})
		s.flush()
	case afterVariable && (t.text == "=" || t.text == "+="):
		name := strings.ToLower(strings.Trim(s.src[s.cur.words[0].at:t.at], "${} \t"))
		s.flush()
		s.cur.into = name
	case afterVariable && t.text == "in":
		s.flush()
	default:
		s.add(t)
	}
}

func (s *splitter) add(t token) {
	if len(s.cur.words) == 0 {
		s.cur.at = t.at
	}
	s.cur.words = append(s.cur.words, t)
}

// isKeyword tells that a word begins a statement that is more than a command.
func isKeyword(t token) bool {
	return !t.quoted && slices.Contains(keywords, strings.ToLower(t.text))
}

// isVariable tells that a word is a variable, whatever is known of its value.
func isVariable(src string, t token) bool { return src[t.at] == '$' }

// constants notes the texts that variables are set to, and tells whether there were any. Set more than once, a variable
// may hold any of them: the last is what is looked at, and nothing that has a variable in it is read-only.
func constants(all []command, vars map[string]string) bool {
	found := false
	for _, c := range all {
		if c.into != "" && len(c.words) == 1 && c.words[0].static {
			vars[c.into] = c.words[0].text
			found = true
		}
	}
	return found
}
