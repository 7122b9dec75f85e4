package dialect

import (
	"slices"
	"strings"

	rawjson "helve/internal/json"
)

// A node is a JSON value that keeps its order and the spelling of its scalars.
type node struct {
	kind byte   // '{' '[' '"' '0' number 't' 'f' 'n'; 0: nothing
	name string // the member's name, where it is one
	raw  string // the spelling of a scalar
	kids []node // items, or members in order
}

// maxDepth is how deep values may nest: as deep as arguments may.
const maxDepth = 512

// parser reads strict JSON that is known to be valid, or tells that it is not. Texts are parts of one string.
type parser struct {
	src     string
	at      int
	scratch []node
	arena   *arena
}

func parse(b []byte) (node, bool) { return (*arena)(nil).parse(b) }

// parse reads a value whose nodes are the arena's.
func (a *arena) parse(b []byte) (node, bool) {
	p := parser{src: string(b), arena: a}
	if a != nil {
		p.scratch = a.scratch
	}
	n, ok := p.value(0)
	p.space()
	if a != nil {
		a.scratch = p.scratch[:0]
	}
	return n, ok && p.at == len(p.src)
}

func (p *parser) space() {
	for p.at < len(p.src) && (p.src[p.at] == ' ' || p.src[p.at] == '\n' || p.src[p.at] == '\t' || p.src[p.at] == '\r') {
		p.at++
	}
}

func (p *parser) value(depth int) (node, bool) {
	p.space()
	if p.at >= len(p.src) || depth > maxDepth {
		return node{}, false
	}
	start := p.at
	switch c := p.src[p.at]; c {
	case '{', '[':
		return p.group(c, depth)
	case '"':
		return node{kind: '"', raw: p.text()}, p.at > start
	}
	for p.at < len(p.src) && strings.IndexByte(",]} \n\t\r:", p.src[p.at]) < 0 {
		p.at++
	}
	return scalar(p.src[start:p.at])
}

func scalar(raw string) (node, bool) {
	switch raw {
	case "true", "false", "null":
		return node{kind: raw[0], raw: raw}, true
	}
	return node{kind: '0', raw: raw}, raw != "" && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9') && rawjson.Valid([]byte(raw))
}

// text moves behind a string and returns its spelling; the position stays where it does not end.
func (p *parser) text() string {
	for i := p.at + 1; i < len(p.src); i++ {
		switch p.src[i] {
		case '\\':
			i++
		case '"':
			s := p.src[p.at : i+1]
			p.at = i + 1
			return s
		}
	}
	return ""
}

func (p *parser) group(open byte, depth int) (node, bool) {
	p.at++
	base := len(p.scratch)
	shut := open + 2 // '{' '}' and '[' ']' stand two apart
	for first := true; ; first = false {
		p.space()
		if p.at < len(p.src) && p.src[p.at] == shut && first {
			p.at++
			return node{kind: open}, true
		}
		name, ok := p.key(open)
		if !ok {
			return node{}, false
		}
		n, ok := p.value(depth + 1)
		if !ok {
			return node{}, false
		}
		n.name = name
		p.scratch = append(p.scratch, n)
		p.space()
		if p.at >= len(p.src) || p.src[p.at] != ',' && p.src[p.at] != shut {
			return node{}, false
		}
		p.at++
		if p.src[p.at-1] == shut {
			out := node{kind: open, kids: append(p.arena.kids(len(p.scratch)-base), p.scratch[base:]...)}
			p.scratch = p.scratch[:base]
			return out, true
		}
	}
}

func (p *parser) key(open byte) (string, bool) {
	if open == '[' {
		return "", true
	}
	if p.at >= len(p.src) || p.src[p.at] != '"' {
		return "", false
	}
	raw := p.text()
	p.space()
	if raw == "" || p.at >= len(p.src) || p.src[p.at] != ':' {
		return "", false
	}
	p.at++
	return unquote(raw), true
}

// unquote is the content of a string's spelling.
func unquote(raw string) string {
	if len(raw) >= 2 && strings.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	s, _ := rawjson.String([]byte(raw))
	return s
}

func (n *node) get(name string) *node {
	if n == nil || n.kind != '{' {
		return nil
	}
	for i := range n.kids {
		if n.kids[i].name == name {
			return &n.kids[i]
		}
	}
	return nil
}

// text is a string's content, "" for anything else.
func (n *node) text() string {
	if n == nil || n.kind != '"' {
		return ""
	}
	return unquote(n.raw)
}

// texts are the strings of an array, or the one string.
func (n *node) texts() []string {
	if n == nil {
		return nil
	}
	if n.kind == '"' {
		if i := slices.Index(typeNames, n.text()); i >= 0 {
			return typeNames[i : i+1 : i+1]
		}
		return []string{n.text()}
	}
	out := make([]string, 0, len(n.kids))
	for i := range n.kids {
		if n.kids[i].kind == '"' {
			out = append(out, n.kids[i].text())
		}
	}
	return out
}

func (n *node) set(name string, v node) {
	v.name = name
	if old := n.get(name); old != nil {
		*old = v
		return
	}
	n.kids = append(n.kids, v)
}

// usual is how many members a declared schema has: more are rare.
const usual = 5

func object(members ...node) node {
	return node{kind: '{', kids: append(make([]node, 0, max(usual, len(members))), members...)}
}

func array(items ...node) node { return node{kind: '[', kids: items} }

// typeNames are the texts that schemas are full of, and their spellings.
var (
	typeNames = []string{"string", "object", "integer", "number", "boolean", "array", "null"}
	typeTexts = []string{`"string"`, `"object"`, `"integer"`, `"number"`, `"boolean"`, `"array"`, `"null"`}
)

func text(s string) node {
	if len(s) <= len("boolean") {
		if i := slices.Index(typeNames, s); i >= 0 {
			return node{kind: '"', raw: typeTexts[i]}
		}
	}
	return node{kind: '"', raw: rawjson.QuoteString(s)}
}

func truth(b bool) node {
	if b {
		return node{kind: 't', raw: "true"}
	}
	return node{kind: 'f', raw: "false"}
}

func textList(list []string) node {
	out := node{kind: '[', kids: make([]node, 0, len(list))}
	for _, s := range list {
		out.kids = append(out.kids, text(s))
	}
	return out
}

func named(name string, n node) node {
	n.name = name
	return n
}

// append writes the value without white space.
func (n *node) append(b []byte) []byte {
	switch n.kind {
	case '{', '[':
		b = append(b, n.kind)
		for i := range n.kids {
			if i > 0 {
				b = append(b, ',')
			}
			if n.kind == '{' {
				b = append(rawjson.AppendString(b, n.kids[i].name), ':')
			}
			b = n.kids[i].append(b)
		}
		return append(b, n.kind+2)
	}
	return append(b, n.raw...)
}

func (n *node) String() string { return string(n.append(nil)) }
