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
	pos    syntax.Pos
}

// procSubst is the name under which a command finds the output of <(…): its number varies, its place does not.
const procSubst = "/dev/fd/63"

// wordReader turns the parts of one word into its value.
type wordReader struct {
	z     *analyzer
	out   strings.Builder
	w     word
	ended bool // lead is complete
	brace bool // an unquoted { was seen
	first bool
}

func (z *analyzer) word(x *syntax.Word) word {
	r := wordReader{z: z, first: true}
	r.w = word{static: true, known: true, pos: x.Pos()}
	if len(x.Parts) == 1 {
		if p, ok := x.Parts[0].(*syntax.ProcSubst); ok && p.Op == syntax.CmdIn {
			r.w.text, r.w.lead = procSubst, procSubst
			return r.w
		}
	}
	for _, p := range x.Parts {
		r.part(p, false)
		r.first = false
	}
	r.w.text = r.out.String()
	if !r.ended {
		r.w.lead = r.w.text
	}
	if r.w.text == "[" || r.w.text == "[[" { // the command, not a pattern
		r.w.glob, r.w.lead = false, r.w.text
	}
	return r.w
}

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
	default: // substitutions, arithmetic, extended globs
		r.unknown("$(…)", quoted)
	}
}

// unknown adds a part that only bash will know.
func (r *wordReader) unknown(source string, quoted bool) {
	r.endLead()
	r.w.static, r.w.known = false, false
	if !quoted {
		r.w.split = true
	}
	r.out.WriteString(source)
}

func (r *wordReader) endLead() {
	if !r.ended {
		r.ended, r.w.lead = true, r.out.String()
	}
}

func (r *wordReader) single(p *syntax.SglQuoted) {
	if !p.Dollar {
		r.out.WriteString(p.Value)
		return
	}
	text, plain := unescapeANSI(p.Value)
	if !plain {
		r.endLead()
		r.w.static, r.w.known = false, false
	}
	r.out.WriteString(text)
}

// param adds a variable: known when this script set it to a constant, or when it is HOME.
func (r *wordReader) param(p *syntax.ParamExp, quoted bool) {
	name := ""
	if p.Param != nil {
		name = p.Param.Value
	}
	value, ok := r.z.vars[name]
	if !ok && name == "HOME" && r.z.o.Home != "" {
		value, ok = r.z.o.Home, true
	}
	if !ok && name == "HOME" && r.out.Len() == 0 {
		r.endLead()
		r.w.static, r.w.home = false, true
		r.out.WriteByte('~')
		return
	}
	if !ok || !plainParam(p) {
		r.unknown("$"+name, quoted)
		return
	}
	r.endLead()
	r.w.static = false
	if !quoted {
		r.w.split = true
	}
	r.out.WriteString(value)
}

// plainParam reports $name or ${name}, without operators, which may assign, execute or evaluate.
func plainParam(p *syntax.ParamExp) bool {
	return p.Param != nil && p.Flags == nil && !p.Excl && !p.Length && !p.Width && !p.IsSet && p.NestedParam == nil &&
		p.Index == nil && p.Modifiers == nil && p.Slice == nil && p.Repl == nil && p.Names == 0 && p.Exp == nil
}

// literal removes backslashes and notes unquoted globs, braces and the leading tilde.
func (r *wordReader) literal(s string, quoted bool) {
	if !quoted && r.first && strings.HasPrefix(s, "~") {
		s = r.tilde(s)
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
	case next == '\n':
	case quoted && strings.IndexByte("$`\"\\", next) < 0:
		r.out.WriteByte('\\')
		r.out.WriteByte(next)
	default:
		r.out.WriteByte(next)
	}
	return i + 1
}

func (r *wordReader) special(s string, i int) {
	switch c := s[i]; {
	case c == '*' || c == '?' || c == '[':
		r.endLead()
		r.w.glob = true
	case c == '{':
		r.brace = true
	case r.brace && (c == ',' || c == '.' && i+1 < len(s) && s[i+1] == '.'):
		// {a,b} becomes several words.
		r.endLead()
		r.w.static, r.w.known, r.w.split, r.w.lead = false, false, true, ""
	}
}

// tilde replaces ~ and ~/… by the home directory. ~name is another user's home: outside, whatever it is.
func (r *wordReader) tilde(s string) string {
	name, rest, slash := strings.Cut(s[1:], "/")
	if name == "" && r.z.o.Home != "" {
		r.out.WriteString(r.z.o.Home)
		if slash {
			return "/" + rest
		}
		return ""
	}
	r.endLead()
	r.w.static, r.w.home = false, true
	return s
}

// unescapeANSI decodes the inside of $'…'. plain says that only escapes were used whose meaning no shell disputes.
func unescapeANSI(s string) (text string, plain bool) {
	var b strings.Builder
	plain = true
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if j := strings.IndexByte(`ntr\'"aefbv`, s[i]); j >= 0 {
			b.WriteByte("\n\t\r\\'\"\a\x1b\f\b\v"[j])
			continue
		}
		plain = false
		n, digits, base := numericEscape(s[i:])
		if digits == "" { // not an escape after all
			b.WriteString(`\` + s[i:i+1])
			continue
		}
		b.WriteRune(parseDigits(digits, base))
		i += n - 1
	}
	return b.String(), plain
}

// numericEscape reads \xHH, \uHHHH, \UHHHHHHHH or \NNN, without its backslash, and returns its length.
func numericEscape(s string) (n int, digits string, base rune) {
	start, most, set, base := 1, 2, "0123456789abcdefABCDEF", rune(16)
	switch s[0] {
	case 'x':
	case 'u':
		most = 4
	case 'U':
		most = 8
	default:
		start, most, set, base = 0, 3, "01234567", 8
	}
	end := start
	for end < len(s) && end < start+most && strings.IndexByte(set, s[end]) >= 0 {
		end++
	}
	return max(end, 1), s[start:end], base
}

func parseDigits(s string, base rune) rune {
	var v rune
	for _, c := range strings.ToLower(s) {
		d := c - '0'
		if c >= 'a' {
			d = c - 'a' + 10
		}
		v = v*base + d
	}
	return v
}
