package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word is one argument, as far as the text tells what bash will make of it.
type word struct {
	text   string // the value; a part that is not known stands as its source text
	lead   string // the text before the first glob character or unknown part
	static bool   // text is exactly one argument, known
	known  bool   // text is what bash makes of it as far as one can tell, constants of this script included
	glob   bool   // expands to names below its static part
	split  bool   // an unquoted expansion: may become several words or none
	home   bool   // starts with ~ and the home directory is not known
	blank  bool   // holds a quoted blank, at which nothing is split
	oneOf  []word // the words that the variable of a loop goes through: it is one of these
	inner  string // what <(…) would give to read, where that is known
	pos    syntax.Pos
}

// fixed reports a word that is exactly one argument, known as it stands.
func (w word) fixed() bool { return w.static && !w.glob }

// computed reports a word of which only bash will know what paths it names.
func (w word) computed() bool { return !w.known || w.split || !w.static && !w.glob }

// blanks are what separates words, while a script does not set IFS.
const blanks = " \t\n"

// procSubst is the name under which a command finds the output of <(…): its number varies, its place does not.
const procSubst = "/dev/fd/63"

// expander makes of words what bash would, as far as the text tells. It notes nothing and asks about nothing.
type expander struct {
	vars   *variables
	at     *places
	folds  int  // substitutions inside substitutions that are being evaluated
	partly bool // an output that was worked out has parts that are computed
}

// wordReader turns the parts of one word into its value.
type wordReader struct {
	e     *expander
	out   strings.Builder
	w     word
	ended bool // lead is complete
	brace bool // an unquoted { was seen
	first bool
}

// word reads one word as bash would expand it. What a person sees in the command line and what runs differ here, so
// whatever is not certain is marked as not static, and most judges ask about such a word.
func (e *expander) word(x *syntax.Word) word {
	r := wordReader{e: e, first: true}
	r.w = word{static: true, known: true, pos: x.Pos()}
	if len(x.Parts) == 1 {
		p, ok := x.Parts[0].(*syntax.ProcSubst)
		if ok && p.Op == syntax.CmdIn {
			r.w.text = procSubst
			r.w.lead = procSubst
			r.w.inner, _ = e.produced(p.Stmts)
			return r.w
		}
	}
	for _, p := range x.Parts {
		r.part(p, false)
		r.first = false
	}
	list := e.loopWord(x)
	if len(list) > 0 {
		r.w.oneOf = list
		r.w.split = false
		r.w.lead = loopLead(list)
	}
	r.w.text = r.out.String()
	if !r.ended {
		r.w.lead = r.w.text
	}
	if r.w.text == "[" || r.w.text == "[[" { // the command, not a pattern
		r.w.glob = false
		r.w.lead = r.w.text
	}
	return r.w
}

// part adds one part of a word. quoted says that double quotes are around it.
func (r *wordReader) part(p syntax.WordPart, quoted bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		r.literal(p.Value, quoted)
	case *syntax.SglQuoted:
		r.single(p)
	case *syntax.DblQuoted:
		if p.Dollar {
			r.unknown("", true) // translated by the locale
		}
		for _, q := range p.Parts {
			r.part(q, true)
		}
	case *syntax.ParamExp:
		r.param(p, quoted)
	case *syntax.CmdSubst:
		r.substitution(p, quoted)
	default: // arithmetic, extended globs: each of them asks by itself
		r.unknown("$(…)", quoted)
	}
}

// unknown adds a part that only bash will know.
func (r *wordReader) unknown(source string, quoted bool) {
	r.endLead()
	r.w.static = false
	r.w.known = false
	if !quoted {
		r.w.split = true
	}
	r.out.WriteString(source)
}

// endLead keeps what was certain so far: it tells at least where a path lies, or that a word is no option.
func (r *wordReader) endLead() {
	if !r.ended {
		r.ended = true
		r.w.lead = r.out.String()
	}
}

// single adds '…' or $'…'. An escape of the latter may stand for a blank.
func (r *wordReader) single(p *syntax.SglQuoted) {
	escaped := p.Dollar && strings.Contains(p.Value, `\`)
	if escaped || strings.ContainsAny(p.Value, blanks) {
		r.w.blank = true
	}
	if !p.Dollar {
		r.out.WriteString(p.Value)
		return
	}
	text, plain, known := unescapeANSI(p.Value)
	if !plain { // shells disagree about such escapes, so a person may have meant something else
		r.endLead()
		r.w.static = false
		r.w.known = r.w.known && known
	}
	r.out.WriteString(text)
}

// value adds a text that bash computes as far as one can tell.
func (r *wordReader) value(text string, quoted bool) {
	r.endLead()
	r.w.static = false
	if !quoted {
		r.w.split = true
	}
	if quoted && strings.ContainsAny(text, blanks) {
		r.w.blank = true
	}
	r.out.WriteString(text)
}

// literal removes backslashes and notes unquoted globs, braces and the leading tilde.
func (r *wordReader) literal(s string, quoted bool) {
	if !quoted && r.first && strings.HasPrefix(s, "~") {
		s = r.tilde(s)
	}
	if strings.ContainsAny(s, blanks) {
		r.w.blank = true
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '\\' && i+1 < len(s) {
			i = r.escape(s, i, quoted)
			continue
		}
		if !quoted {
			r.special(s, i)
		}
		r.out.WriteByte(c)
	}
}

// escape writes what the backslash at s[i] protects and returns the last index used.
func (r *wordReader) escape(s string, i int, quoted bool) int {
	switch next := s[i+1]; {
	case next == '\n': // the line goes on
	case quoted && strings.IndexByte("$`\"\\", next) < 0: // there, it protects nothing else and stays
		r.out.WriteByte('\\')
		r.out.WriteByte(next)
	default:
		r.out.WriteByte(next)
	}
	return i + 1
}

// special notes an unquoted character that makes bash expand the word.
func (r *wordReader) special(s string, i int) {
	c := s[i]
	behindAssign := i > 0 && (s[i-1] == '=' || s[i-1] == ':')
	twoDots := c == '.' && i+1 < len(s) && s[i+1] == '.'
	switch {
	case c == '~' && behindAssign && assigns(s):
		// In what looks like an assignment bash replaces these, too: dd if=~/x
		r.endLead()
		r.w.static = false
		r.w.known = false
	case c == '*' || c == '?' || c == '[':
		r.endLead()
		r.w.glob = true
	case c == '{':
		r.brace = true
	case r.brace && (c == ',' || twoDots):
		// {a,b} becomes several words.
		r.endLead()
		r.w.static = false
		r.w.known = false
		r.w.split = true
		r.w.lead = ""
	}
}

// assigns reports a word that begins as an assignment does, also where it is an argument.
func assigns(s string) bool {
	name, _, ok := strings.Cut(s, "=")
	return ok && name != "" && strings.Trim(strings.ToLower(name), identifier+"+") == ""
}

// tilde replaces ~ and ~/… by the home directory. ~name is another user's home: outside, whatever it is.
func (r *wordReader) tilde(s string) string {
	name, rest, slash := strings.Cut(s[1:], "/")
	dir, ok := r.e.variable("PWD")
	if ok && name == "+" {
		r.endLead()
		r.w.static = false
		r.out.WriteString(dir)
		return strings.TrimPrefix(s, "~+")
	}
	if name == "" && r.e.at.home != "" {
		r.out.WriteString(r.e.at.home)
		if slash {
			return "/" + rest
		}
		return ""
	}
	r.endLead()
	r.w.static = false
	r.w.home = true
	return s
}

// identifier are the characters of a variable's name, in lower case.
const identifier = "abcdefghijklmnopqrstuvwxyz_0123456789"
