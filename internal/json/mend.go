package json

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Mended says what [Mend] did.
type Mended struct {
	Said []string // what was mended, each kind once
	Open bool     // the text ended before all brackets were closed
}

// The kinds of mending, as the notes tell them.
const (
	SaidFence    = "code fence removed"
	SaidMark     = "byte order mark removed"
	SaidQuotes   = "single quotes read as double quotes"
	SaidNames    = "property names quoted"
	SaidComma    = "trailing comma removed"
	SaidBrace    = "missing closing bracket added"
	SaidTail     = "superfluous closing bracket removed"
	SaidPython   = "True, False, None read as true, false, null"
	SaidControl  = "raw control characters in strings escaped"
	SaidBackward = "backslashes kept where they begin no JSON escape"
)

// Mend reads what models write for JSON: with trailing commas, single quotes, names without quotes,
// code fences, raw line breaks, Python's True and None, one closing bracket too few or too many. It
// guesses nothing: what might have been cut off or could be read in two ways is an *[Error], and
// the content of a string is never changed. Where strict JSON is given, it is read as [Read] does
// and nothing is said.
func Mend(src []byte) (Node, Mended, error) {
	r := Reader{}
	n, err := r.Read(src)
	if err == nil {
		return n, Mended{}, nil
	}
	if r.scan.Depth > MaxDepth || !utf8.Valid(src) { // no mending helps
		return Node{}, Mended{}, err
	}
	r.mend = &Mended{}
	r.scratch = r.scratch[:0]
	r.scan = Scanner{Src: src, Max: MaxDepth}
	r.unfence()
	n = Node{}
	if !r.value(&n) || !r.mendEnd() {
		return Node{}, *r.mend, r.scan.err()
	}
	return n, *r.mend, nil
}

// say notes what was mended. A model learns from one note, not from a hundred of a kind.
func (r *Reader) say(what string) {
	if !slices.Contains(r.mend.Said, what) {
		r.mend.Said = append(r.mend.Said, what)
	}
}

// ended tells whether nothing is left.
func (r *Reader) ended() bool { return r.scan.Pos >= len(r.scan.Src) }

// unfence removes a Markdown code fence around the whole.
func (r *Reader) unfence() {
	s := &r.scan
	body, marked := bytes.CutPrefix(s.Src, []byte("\ufeff"))
	if marked {
		r.say(SaidMark)
		s.Pos = len(s.Src) - len(body)
	}
	body, fenced := bytes.CutPrefix(bytes.TrimSpace(body), []byte("```"))
	if !fenced {
		return
	}
	r.say(SaidFence)
	line, rest, found := bytes.Cut(body, []byte("\n"))
	if !found || bytes.ContainsAny(line, "{[\"") { // the value begins behind the language, in the same line
		rest = bytes.TrimLeft(body, "abcdefghijklmnopqrstuvwxyz")
	}
	s.Pos = 0
	s.Src = bytes.TrimSuffix(bytes.TrimSpace(rest), []byte("```"))
}

// The words for what may have been cut off: half of a call must not run.
const (
	cutAnywhere = "the text ends in the middle, it was probably cut off: send the whole call again, in smaller parts if it is long"
	cutInString = "the text ends inside a string, it was probably cut off: send the whole call again, in smaller parts if it is long"
	cutInNumber = "the text ends in a number, which may be cut off: send the whole call again"
)

// mendScalar reads what is no bracket into n.
func (r *Reader) mendScalar(n *Node) (ok bool) {
	if r.ended() {
		return r.scan.fail(r.scan.Pos, cutAnywhere)
	}
	switch c := r.scan.Src[r.scan.Pos]; {
	case c == '"' || c == '\'':
		n.Kind = KindString
		n.Text, n.Raw, ok = r.quoted()
	case c == '-' || c >= '0' && c <= '9':
		n.Kind = KindNumber
		n.Text, ok = r.mendNumber()
	default:
		n.Kind, n.Text, ok = r.bareWord()
	}
	return ok
}

// quoted reads a string in either kind of quotes. raw is its spelling where that is strict.
func (r *Reader) quoted() (text, raw string, ok bool) {
	s := &r.scan
	start := s.Pos
	quote := s.Src[start]
	if quote == '\'' {
		r.say(SaidQuotes)
	} else {
		strict := *s
		if in, escaped, ok := strict.Text(); ok {
			s.Pos = strict.Pos
			spelled := string(s.Src[start:s.Pos])
			if escaped {
				return unescape(in), spelled, true
			}
			return spelled[1 : len(spelled)-1], spelled, true
		}
	}
	text, ok = r.brokenString(quote)
	return text, "", ok
}

// brokenString reads a string with raw control characters and with backslashes that are no escapes.
func (r *Reader) brokenString(quote byte) (string, bool) {
	s := &r.scan
	var b strings.Builder
	for i := s.Pos + 1; i < len(s.Src); {
		c := s.Src[i]
		switch {
		case c == quote:
			s.Pos = i + 1
			return b.String(), true
		case c == '\\' && quote == '\'' && i+1 < len(s.Src) && s.Src[i+1] == '\'':
			b.WriteByte('\'')
			i += 2
			continue
		case c == '\\':
			if n := escape(s.Src[i:], false); n > 0 {
				b.WriteRune(meant(s.Src[i : i+n]))
				i += n
				continue
			}
			r.say(SaidBackward)
		case c < 0x20:
			r.say(SaidControl)
		}
		b.WriteByte(c)
		i++
	}
	return "", s.fail(s.Pos, cutInString)
}

// mendNumber wants a number to end where it stands: 12 of 12 apples is no 12.
func (r *Reader) mendNumber() (string, bool) {
	s := &r.scan
	rest := s.Src[s.Pos:]
	if bytes.HasPrefix(rest, []byte("-Inf")) || bytes.HasPrefix(rest, []byte("-inf")) {
		return "", r.notANumber("-Infinity")
	}
	raw, _, ok := s.Number()
	if ok && r.ended() && s.Depth > 0 {
		return "", s.fail(s.Pos, cutInNumber)
	}
	if !ok || !r.delimited() {
		return "", s.fail(s.Pos, "want a number like 10 or 1.5")
	}
	return string(raw), true
}

func (r *Reader) notANumber(word string) bool {
	return r.scan.fail(r.scan.Pos, "%s is not a JSON number: send a number, or leave the property out", word)
}

// delimited says whether a word or number ends here.
func (r *Reader) delimited() bool {
	return r.ended() || strings.IndexByte(" \t\r\n,:]}", r.scan.Src[r.scan.Pos]) >= 0
}

// identifier reads a name without quotes.
func (r *Reader) identifier() string {
	s := &r.scan
	start := s.Pos
	for s.Pos < len(s.Src) {
		c := s.Src[s.Pos]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == '$'
		inside := c == '-' || c >= '0' && c <= '9'
		if !letter && (!inside || s.Pos == start) {
			break
		}
		s.Pos++
	}
	return string(s.Src[start:s.Pos])
}

// bareWord reads a word that stands for a value in JSON or in Python. Any other is a string whose
// quotes are missing, and where it ends is a guess.
func (r *Reader) bareWord() (kind Kind, text string, ok bool) {
	at := r.scan.Pos
	word := r.identifier()
	switch word {
	case "true", "false", "null":
		text = word
	case "True", "False":
		r.say(SaidPython)
		text = strings.ToLower(word)
	case "None":
		r.say(SaidPython)
		text = "null"
	case "NaN", "Infinity", "inf", "nan":
		r.scan.Pos = at
		return 0, "", r.notANumber(word)
	case "":
		return 0, "", r.scan.unexpected("a value")
	default:
		return 0, "", r.scan.fail(at, "text without quotes: %s", shown([]byte(word)))
	}
	return Kind(text[0]), text, r.delimited() || r.scan.unexpected("',' after a value")
}

// mendMember reads a member whose name may stand in single quotes or in none.
func (r *Reader) mendMember(n *Node, names *Names) (ok bool) {
	s := &r.scan
	at := s.Pos
	if r.ended() {
		return s.fail(at, cutAnywhere)
	}
	name := ""
	if c := s.Src[at]; c == '"' || c == '\'' {
		if name, _, ok = r.quoted(); !ok {
			return false
		}
	} else {
		if name = r.identifier(); name == "" {
			return s.unexpected("a property name in double quotes")
		}
		r.say(SaidNames)
	}
	switch colon := s.Peek() == ':'; {
	case !colon && r.ended():
		return s.fail(s.Pos, cutAnywhere)
	case !colon:
		return s.unexpected("':' after a property name")
	}
	s.Pos++
	if !r.value(n) {
		return false
	}
	if !names.Add([]byte(name), false) {
		return s.twice(at, []byte(name))
	}
	n.At, n.Name = int32(at), name
	return true
}

// mendMore reads what follows an element: a comma, the closing bracket, or the end of the text,
// which closes all.
func (r *Reader) mendMore(shut byte) (again, ok bool) {
	s := &r.scan
	switch c := s.Peek(); {
	case r.ended():
		r.say(SaidBrace)
		r.mend.Open = true
		s.Depth--
		return false, true
	case c == ',':
		s.Pos++
		if s.Peek() != shut {
			return true, true
		}
		r.say(SaidComma)
		s.leave()
		return false, true
	case c == shut:
		s.leave()
		return false, true
	}
	hint := ""
	if before := s.Src[s.Pos-1]; before == '"' || before == '\'' {
		hint = ` (a quote inside a string is written \")`
	}
	return false, s.unexpected(fmt.Sprintf("',' or '%c'%s", shut, hint))
}

// mendEnd accepts brackets that close nothing; they carry no content.
func (r *Reader) mendEnd() bool {
	s := &r.scan
	for {
		switch c := s.Peek(); {
		case r.ended():
			return true
		case c == '}' || c == ']':
			r.say(SaidTail)
			s.Pos++
		default:
			return s.End()
		}
	}
}
