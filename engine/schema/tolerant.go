package schema

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A mender reads what models write for JSON. It guesses nothing: what might have been cut off or could be read in two
// ways is refused, and the content of a string is never changed.
type mender struct {
	scanner
	said []string // what was mended, each kind once
	open bool     // the text ended before all brackets were closed
}

// The kinds of mending, as the notes tell them.
const (
	saidFence    = "code fence removed"
	saidMark     = "byte order mark removed"
	saidQuotes   = "single quotes read as double quotes"
	saidNames    = "property names quoted"
	saidComma    = "trailing comma removed"
	saidBrace    = "missing closing bracket added"
	saidTail     = "superfluous closing bracket removed"
	saidPython   = "True, False, None read as true, false, null"
	saidControl  = "raw control characters in strings escaped"
	saidBackward = "backslashes kept where they begin no JSON escape"
)

// mendTree reads one value. Where strict JSON is given, nothing is said.
func mendTree(src []byte) (node, *mender, bool) {
	m := &mender{scanner: scanner{src: src, max: MaxDepth}}
	if n, strict, ok := parseTree(src, MaxDepth); ok {
		return n, m, true
	} else if strict.depth > MaxDepth || !utf8.Valid(src) {
		m.why, m.at = strict.why, strict.at
		return node{}, m, false
	}
	m.unfence()
	n, ok := m.value()
	ok = ok && m.tail()
	return n, m, ok
}

func (m *mender) say(what string) {
	if !slices.Contains(m.said, what) {
		m.said = append(m.said, what)
	}
}

// unfence removes a Markdown code fence around the whole.
func (m *mender) unfence() {
	body, marked := bytes.CutPrefix(m.src, []byte("\ufeff"))
	if marked {
		m.say(saidMark)
		m.pos = len(m.src) - len(body)
	}
	body = bytes.TrimSpace(body)
	fence := []byte("```")
	if !bytes.HasPrefix(body, fence) {
		return
	}
	m.pos = 0
	m.say(saidFence)
	line, rest, found := bytes.Cut(body[len(fence):], []byte("\n"))
	if !found || bytes.ContainsAny(line, "{[\"") {
		rest = bytes.TrimLeft(body[len(fence):], "abcdefghijklmnopqrstuvwxyz")
	}
	m.src = bytes.TrimSuffix(bytes.TrimSpace(rest), fence)
}

func (m *mender) value() (n node, ok bool) {
	switch c := m.peek(); {
	case m.pos >= len(m.src):
		return n, m.cut()
	case c == '{':
		n.kind = objectKind
		n.kids, ok = m.members()
	case c == '[':
		n.kind = arrayKind
		n.kids, ok = m.items()
	case c == '"' || c == '\'':
		n.kind = stringKind
		n.text, n.raw, ok = m.quoted()
	case c == '-' || c >= '0' && c <= '9':
		n.kind = numberKind
		n.text, ok = m.digits()
	default:
		n.kind, n.text, ok = m.bareWord()
	}
	return n, ok
}

// cut refuses text that ends where a value would have to follow.
func (m *mender) cut() bool {
	return m.fail(m.pos, "the text ends in the middle, it was probably cut off: send the whole call again, in smaller parts if it is long")
}

// quoted reads a string in either kind of quotes.
func (m *mender) quoted() (text, raw string, ok bool) {
	start := m.pos
	if m.src[start] == '"' {
		strict := m.scanner
		if in, isEscaped, ok := strict.text(); ok {
			m.pos = strict.pos
			if isEscaped {
				return unescape(in), string(m.src[start:m.pos]), true
			}
			s := string(m.src[start:m.pos])
			return s[1 : len(s)-1], s, true
		}
	} else {
		m.say(saidQuotes)
	}
	text, ok = m.loose(m.src[start])
	return text, "", ok
}

// loose reads a string with raw control characters and with backslashes that are no escapes.
func (m *mender) loose(quote byte) (string, bool) {
	var b strings.Builder
	start := m.pos
	for i := start + 1; i < len(m.src); {
		c := m.src[i]
		switch {
		case c == quote:
			m.pos = i + 1
			return b.String(), true
		case c == '\\' && quote == '\'' && i+1 < len(m.src) && m.src[i+1] == '\'':
			b.WriteByte('\'')
			i += 2
			continue
		case c == '\\':
			if n := escape(m.src[i:]); n > 0 {
				b.WriteRune(escaped(m.src[i : i+n]))
				i += n
				continue
			}
			m.say(saidBackward)
		case c < 0x20:
			m.say(saidControl)
		}
		b.WriteByte(c)
		i++
	}
	return "", m.fail(start, "the text ends inside a string, it was probably cut off: send the whole call again, in smaller parts if it is long")
}

func (m *mender) digits() (string, bool) {
	if bytes.HasPrefix(m.src[m.pos:], []byte("-Inf")) || bytes.HasPrefix(m.src[m.pos:], []byte("-inf")) {
		return "", m.notANumber("-Infinity")
	}
	raw, _, ok := m.number()
	if ok && m.pos >= len(m.src) && m.depth > 0 {
		return "", m.fail(m.pos, "the text ends in a number, which may be cut off: send the whole call again")
	}
	if !ok || !m.delimited() {
		return "", m.fail(m.pos, "want a number like 10 or 1.5")
	}
	return string(raw), true
}

// delimited says whether a bare word or number ends here.
func (m *mender) delimited() bool {
	return m.pos >= len(m.src) || strings.IndexByte(" \t\r\n,:]}", m.src[m.pos]) >= 0
}

// identifier reads a name without quotes.
func (m *mender) identifier() string {
	start := m.pos
	for m.pos < len(m.src) {
		c := m.src[m.pos]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == '$'
		if !letter && (m.pos == start || c != '-' && (c < '0' || c > '9')) {
			break
		}
		m.pos++
	}
	return string(m.src[start:m.pos])
}

func (m *mender) bareWord() (kind, string, bool) {
	at := m.pos
	switch word := m.identifier(); word {
	case "true", "false":
		return boolKind, word, m.delimited() || m.unexpected("',' after a value")
	case "null":
		return nullKind, word, m.delimited() || m.unexpected("',' after a value")
	case "True", "False":
		m.say(saidPython)
		return boolKind, strings.ToLower(word), m.delimited() || m.unexpected("',' after a value")
	case "None":
		m.say(saidPython)
		return nullKind, "null", m.delimited() || m.unexpected("',' after a value")
	case "NaN", "Infinity", "inf", "nan":
		m.pos = at
		return 0, "", m.notANumber(word)
	case "":
		return 0, "", m.unexpected("a value")
	default:
		return 0, "", m.fail(at, "text without quotes: %s", quote(word))
	}
}

func (m *mender) notANumber(word string) bool {
	return m.fail(m.pos, "%s is not a JSON number: send a number, or leave the property out", word)
}

func (m *mender) items() ([]node, bool) {
	if !m.enter() {
		return nil, false
	}
	var kids []node
	for comma := false; ; comma = true {
		if m.peek() == ']' && m.pos < len(m.src) {
			if comma {
				m.say(saidComma)
			}
			m.leave()
			return kids, true
		}
		n, ok := m.value()
		if !ok {
			return nil, false
		}
		kids = append(kids, n)
		again, ok := m.next(']')
		if !again || !ok {
			return kids, ok
		}
	}
}

func (m *mender) members() ([]node, bool) {
	if !m.enter() {
		return nil, false
	}
	var kids []node
	var names nameSet
	for comma := false; ; comma = true {
		if m.peek() == '}' && m.pos < len(m.src) {
			if comma {
				m.say(saidComma)
			}
			m.leave()
			return kids, true
		}
		at := m.pos
		n, ok := m.member()
		if !ok {
			return nil, false
		}
		if !names.add([]byte(n.name), false) {
			return nil, m.fail(at, "duplicate key %s", quote(n.name))
		}
		kids = append(kids, n)
		again, ok := m.next('}')
		if !again || !ok {
			return kids, ok
		}
	}
}

func (m *mender) member() (n node, ok bool) {
	var name string
	switch c := m.peek(); {
	case m.pos >= len(m.src):
		return n, m.cut()
	case c == '"' || c == '\'':
		if name, _, ok = m.quoted(); !ok {
			return n, false
		}
	default:
		if name = m.identifier(); name == "" {
			return n, m.unexpected("a property name in double quotes")
		}
		m.say(saidNames)
	}
	if m.peek() != ':' {
		if m.pos >= len(m.src) {
			return n, m.cut()
		}
		return n, m.unexpected("':' after a property name")
	}
	m.pos++
	n, ok = m.value()
	n.name = name
	return n, ok
}

// next reads what follows an element: a comma, the closing bracket, or the end of the text, which closes all.
func (m *mender) next(end byte) (again, ok bool) {
	c := m.peek()
	switch {
	case m.pos >= len(m.src):
		m.say(saidBrace)
		m.open = true
		m.depth--
		return false, true
	case c == ',':
		m.pos++
		return true, true
	case c == end:
		m.leave()
		return false, true
	}
	hint := ""
	if m.pos > 0 && (m.src[m.pos-1] == '"' || m.src[m.pos-1] == '\'') {
		hint = ` (a quote inside a string is written \")`
	}
	return false, m.unexpected(fmt.Sprintf("',' or '%c'%s", end, hint))
}

// tail accepts brackets that close nothing; they carry no content.
func (m *mender) tail() bool {
	for {
		switch c := m.peek(); {
		case m.pos >= len(m.src):
			return true
		case c == '}' || c == ']':
			m.say(saidTail)
			m.pos++
		case c == '{' || c == '[':
			return m.fail(m.pos, "a second value follows the first: send one object")
		default:
			return m.unexpected("the end")
		}
	}
}
