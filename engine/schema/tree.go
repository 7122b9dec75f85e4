package schema

import (
	"slices"
	"strings"
	"unicode/utf8"
)

type kind uint8

const (
	nullKind kind = 1 + iota
	boolKind
	numberKind
	stringKind
	arrayKind
	objectKind
)

// A node is a JSON value that remembers its spelling and its order.
type node struct {
	kind kind
	name string // the member's name, where it is one
	text string // a string's decoded content; otherwise the literal
	raw  string // the spelling in the source; "" when the node was built or changed
	kids []node // items, or members in order
}

// get returns the member with the name, nil if there is none.
func (n *node) get(name string) *node {
	if n == nil || n.kind != objectKind {
		return nil
	}
	for i := range n.kids {
		if n.kids[i].name == name {
			return &n.kids[i]
		}
	}
	return nil
}

func (n *node) isString() bool { return n != nil && n.kind == stringKind }

// A treeParser builds nodes from strict JSON. Names, texts and raws are parts of one string: nothing is copied twice.
type treeParser struct {
	scanner
	all     string
	scratch []node
}

// parseTree reads one strict JSON value. The scanner tells the error.
func parseTree(src []byte, depth int) (node, *scanner, bool) {
	p := &treeParser{scanner: scanner{src: src, max: depth}, all: string(src)}
	n, ok := p.value()
	ok = ok && p.end()
	return n, &p.scanner, ok
}

func (p *treeParser) value() (n node, ok bool) {
	c := p.peek()
	start := p.pos
	switch c {
	case '{':
		n.kind = objectKind
		n.kids, ok = p.members()
	case '[':
		n.kind = arrayKind
		n.kids, ok = p.items()
	case '"':
		var raw []byte
		var escaped bool
		n.kind = stringKind
		raw, escaped, ok = p.text()
		n.text = p.decoded(start+1, raw, escaped)
	case 't', 'f', 'n':
		n.kind, ok = p.word()
	default:
		n.kind = numberKind
		_, _, ok = p.number()
	}
	if !ok {
		return node{}, false
	}
	n.raw = p.all[start:p.pos]
	if n.kind < stringKind {
		n.text = n.raw
	}
	return n, true
}

func (p *treeParser) decoded(start int, raw []byte, escaped bool) string {
	if escaped {
		return unescape(raw)
	}
	return p.all[start : start+len(raw)]
}

func (p *treeParser) items() ([]node, bool) {
	if !p.enter() {
		return nil, false
	}
	mark := len(p.scratch)
	again, ok := p.peek() != ']', true
	for again && ok {
		n, good := p.value()
		if !good {
			return nil, false
		}
		p.scratch = append(p.scratch, n)
		again, ok = p.more(']')
	}
	return p.close(mark), ok
}

func (p *treeParser) members() ([]node, bool) {
	if !p.enter() {
		return nil, false
	}
	var names nameSet
	mark := len(p.scratch)
	again, ok := p.peek() != '}', true
	for again && ok {
		p.space()
		at := p.pos
		raw, escaped, good := p.key()
		if !good {
			return nil, false
		}
		if !names.add(raw, escaped) {
			return nil, p.fail(at, "duplicate key %s", quoteBytes(raw))
		}
		n, good := p.value()
		if !good {
			return nil, false
		}
		n.name = p.decoded(at+1, raw, escaped)
		p.scratch = append(p.scratch, n)
		again, ok = p.more('}')
	}
	return p.close(mark), ok
}

func (p *treeParser) close(mark int) []node {
	p.leave()
	kids := slices.Clone(p.scratch[mark:])
	p.scratch = p.scratch[:mark]
	return kids
}

// unescape decodes the inside of a strict JSON string.
func unescape(raw []byte) string {
	var b strings.Builder
	b.Grow(len(raw))
	for i := 0; i < len(raw); {
		c := raw[i]
		if c != '\\' {
			b.WriteByte(c)
			i++
			continue
		}
		n := escape(raw[i:])
		b.WriteRune(escaped(raw[i : i+n]))
		i += n
	}
	return b.String()
}

// escaped returns the rune of one valid escape sequence.
func escaped(seq []byte) rune {
	switch seq[1] {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'u':
		r, _ := hex4(seq)
		if len(seq) == 12 {
			low, _ := hex4(seq[6:])
			r = (r-0xD800)<<10 | (low - 0xDC00) + 0x10000
		}
		return r
	}
	return rune(seq[1])
}

// runes counts the characters of a string's inside.
func runes(raw []byte, isEscaped bool) int {
	if !isEscaped {
		return utf8.RuneCount(raw)
	}
	n := 0
	for i := 0; i < len(raw); n++ {
		if raw[i] == '\\' {
			i += escape(raw[i:])
			continue
		}
		_, size := utf8.DecodeRune(raw[i:])
		i += size
	}
	return n
}

// appendJSON writes the node, as it was spelled where nothing changed.
func (n *node) appendJSON(b []byte) []byte {
	switch {
	case n.raw != "":
		return append(b, n.raw...)
	case n.kind == stringKind:
		return appendString(b, n.text)
	case n.kind == arrayKind:
		b = append(b, '[')
		for i := range n.kids {
			if i > 0 {
				b = append(b, ',')
			}
			b = n.kids[i].appendJSON(b)
		}
		return append(b, ']')
	case n.kind == objectKind:
		b = append(b, '{')
		for i := range n.kids {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, n.kids[i].name), ':')
			b = n.kids[i].appendJSON(b)
		}
		return append(b, '}')
	}
	return append(b, n.text...)
}

// appendCanonical writes the node without white space, members by name, strings in one spelling.
func (n *node) appendCanonical(b []byte) []byte { return n.appendSorted(b, false) }

// appendEqual is appendCanonical with numbers by value: equal values are written alike.
func (n *node) appendEqual(b []byte) []byte { return n.appendSorted(b, true) }

func (n *node) appendSorted(b []byte, byValue bool) []byte {
	switch {
	case n.kind == stringKind:
		return appendString(b, n.text)
	case n.kind == numberKind && byValue:
		return append(b, plainNumber(n.text)...)
	case n.kind == arrayKind:
		b = append(b, '[')
		for i := range n.kids {
			if i > 0 {
				b = append(b, ',')
			}
			b = n.kids[i].appendSorted(b, byValue)
		}
		return append(b, ']')
	case n.kind == objectKind:
		b = append(b, '{')
		for i, k := range n.sorted() {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, k.name), ':')
			b = k.appendSorted(b, byValue)
		}
		return append(b, '}')
	}
	return append(b, n.text...)
}

// sorted returns an object's members by name.
func (n *node) sorted() []*node {
	order := make([]*node, len(n.kids))
	for i := range n.kids {
		order[i] = &n.kids[i]
	}
	slices.SortFunc(order, func(x, y *node) int { return strings.Compare(x.name, y.name) })
	return order
}

// appendString writes a JSON string, escaping no more than JSON asks for.
func appendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(append(b, s[start:]...), '"')
}
