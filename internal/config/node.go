package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Place is where a value is set. Line counts from 1, 0 where there is none.
type Place struct {
	Layer string `json:"layer,omitempty"` // flags, project, user, managed, default
	File  string `json:"file,omitempty"`  // "" for flags and defaults
	Line  int    `json:"line,omitempty"`
}

// String is file:line, or the layer's name.
func (p Place) String() string {
	switch {
	case p.File == "":
		return p.Layer
	case p.Line == 0:
		return p.File
	}
	return p.File + ":" + strconv.Itoa(p.Line)
}

type kind byte

const (
	object kind = iota
	array
	scalar
)

// A node is a value of a file with its place. Objects keep their order.
type node struct {
	kind   kind
	at     Place
	text   string // of a scalar: JSON
	fields []field
	items  []*node
}

type field struct {
	name string
	val  *node
}

func (n *node) get(name string) *node {
	if n == nil {
		return nil
	}
	for i := range n.fields {
		if n.fields[i].name == name {
			return n.fields[i].val
		}
	}
	return nil
}

// path is the node below, nil if there is none.
func (n *node) path(keys ...string) *node {
	for _, k := range keys {
		n = n.get(k)
	}
	return n
}

func (n *node) set(name string, v *node) {
	for i := range n.fields {
		if n.fields[i].name == name {
			n.fields[i].val = v
			return
		}
	}
	n.fields = append(n.fields, field{name, v})
}

func (n *node) remove(name string) {
	n.fields = slices.DeleteFunc(n.fields, func(f field) bool { return f.name == name })
}

// clone copies the structure; leaves are shared, they never change.
func (n *node) clone() *node {
	if n == nil || n.kind == scalar {
		return n
	}
	own := *n
	own.fields = slices.Clone(n.fields)
	own.items = slices.Clone(n.items)
	for i := range own.fields {
		own.fields[i].val = own.fields[i].val.clone()
	}
	for i := range own.items {
		own.items[i] = own.items[i].clone()
	}
	return &own
}

// str is a string scalar's value.
func (n *node) str() (string, bool) {
	if n == nil || n.kind != scalar || !strings.HasPrefix(n.text, `"`) {
		return "", false
	}
	if plain := n.text[1 : len(n.text)-1]; !strings.Contains(plain, "\\") {
		return plain, true
	}
	var s string
	err := json.Unmarshal([]byte(n.text), &s)
	return s, err == nil
}

func (n *node) appendJSON(b []byte) []byte {
	switch n.kind {
	case scalar:
		return append(b, n.text...)
	case array:
		b = append(b, '[')
		for i, it := range n.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = it.appendJSON(b)
		}
		return append(b, ']')
	}
	b = append(b, '{')
	for i, f := range n.fields {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, quote(f.name)...), ':')
		b = f.val.appendJSON(b)
	}
	return append(b, '}')
}

func (n *node) json() json.RawMessage { return n.appendJSON(nil) }

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// what a value is, for messages.
func (n *node) what() string {
	switch n.kind {
	case object:
		return "an object"
	case array:
		return "a list"
	}
	switch {
	case n.text == "null":
		return "null"
	case n.text == "true", n.text == "false":
		return n.text
	case strings.HasPrefix(n.text, `"`):
		return "the string " + shorten(n.text)
	}
	return "the number " + shorten(n.text)
}

// maxNesting bounds brackets in brackets. No key needs more than six; the parsers recurse.
const maxNesting = 100

// nested refuses text whose brackets nest too deep, before a parser recurses into it. It does not know strings: a string full of opening
// brackets is refused too.
func nested(text []byte) error {
	depth := 0
	for _, c := range text {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(0, depth-1)
		}
		if depth > maxNesting {
			return fmt.Errorf("brackets nest deeper than %d", maxNesting)
		}
	}
	return nil
}

// lines turns offsets into line numbers.
type lines []int

func newLines(text []byte) lines {
	var ends lines
	for i, c := range text {
		if c == '\n' {
			ends = append(ends, i)
		}
	}
	return ends
}

func (l lines) at(offset int) int {
	i, _ := slices.BinarySearch(l, offset)
	return i + 1
}
