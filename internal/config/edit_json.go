package config

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

func parseForEdit(text []byte) (*hujson.Value, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{\n}\n")
	}
	v, err := hujson.Parse(text)
	return &v, err
}

// setJSON puts a value into an object, or an object in it. What stands around it stays byte for byte.
func setJSON(text []byte, keys []string, v *node) ([]byte, error) {
	root, err := parseForEdit(text)
	if err != nil {
		return nil, err
	}
	at := root
	for depth, k := range keys {
		o, ok := at.Value.(*hujson.Object)
		if !ok {
			return nil, fmt.Errorf("config: %s is not an object", strings.Join(keys[:depth], "."))
		}
		last := depth == len(keys)-1
		m := member(o, k)
		if m == nil {
			addMember(o, k, rest(keys[depth+1:], v), indentOf(o, depth+1))
			return root.Pack(), nil
		}
		if last {
			m.Value.Value = valueOf(v.pretty(indentOf(o, depth+1)))
		}
		at = &m.Value
	}
	return root.Pack(), nil
}

// rest is the value inside the objects that are not there yet.
func rest(keys []string, v *node) *node {
	for _, k := range slices.Backward(keys) {
		v = &node{fields: []field{{k, v}}}
	}
	return v
}

func valueOf(text string) hujson.ValueTrimmed {
	v, err := hujson.Parse([]byte(text))
	if err != nil {
		panic(err) // we made the text
	}
	return v.Value
}

func member(o *hujson.Object, name string) *hujson.ObjectMember {
	for i := range o.Members {
		if l, ok := o.Members[i].Name.Value.(hujson.Literal); ok && l.String() == name {
			return &o.Members[i]
		}
	}
	return nil
}

// indentOf is the white space before the members of an object that stands in lines of its own.
func indentOf(o *hujson.Object, depth int) string {
	for _, m := range o.Members {
		before := m.Name.BeforeExtra
		if i := bytes.LastIndexByte(before, '\n'); i >= 0 {
			return string(before[i+1:])
		}
	}
	return strings.Repeat("  ", depth)
}

// addMember appends, in a line of its own unless the object stands in one line.
func addMember(o *hujson.Object, name string, v *node, indent string) {
	oneLine := len(o.Members) > 0
	for _, m := range o.Members {
		oneLine = oneLine && !bytes.ContainsRune(m.Name.BeforeExtra, '\n')
	}
	m := hujson.ObjectMember{
		Name:  hujson.Value{BeforeExtra: hujson.Extra("\n" + indent), Value: hujson.String(name)},
		Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: valueOf(v.pretty(indent))},
	}
	if oneLine {
		m.Name.BeforeExtra = hujson.Extra(" ")
	} else if !bytes.ContainsRune(o.AfterExtra, '\n') {
		o.AfterExtra = append(o.AfterExtra, "\n"+strings.TrimSuffix(indent, "  ")...)
	}
	if n := len(o.Members); n > 0 {
		last := &o.Members[n-1].Value
		if last.AfterExtra != nil { // a comma follows it, and the new one gets one too
			m.Value.AfterExtra = hujson.Extra{}
		}
		// A comment behind the last value, up to the end of its line, stays with it.
		line, below := splitLine(o.AfterExtra)
		m.Name.BeforeExtra = append(hujson.Extra(line), m.Name.BeforeExtra...)
		o.AfterExtra = below
	}
	o.Members = append(o.Members, m)
}

// splitLine cuts before the first line end that is not inside a block comment.
func splitLine(x hujson.Extra) (line, below hujson.Extra) {
	for i := 0; i < len(x); i++ {
		switch {
		case x[i] == '\n':
			return x[:i:i], x[i:]
		case bytes.HasPrefix(x[i:], []byte("/*")):
			i += 2 + max(0, bytes.Index(x[i+2:], []byte("*/")))
		case bytes.HasPrefix(x[i:], []byte("//")):
			i += max(0, bytes.IndexByte(x[i:], '\n')) - 1
		}
	}
	return nil, x
}

func unsetJSON(text []byte, keys []string) ([]byte, error) {
	root, err := parseForEdit(text)
	if err != nil {
		return nil, err
	}
	at := root
	for i, k := range keys {
		o, ok := at.Value.(*hujson.Object)
		if !ok {
			return text, nil
		}
		m := member(o, k)
		if m == nil {
			return text, nil
		}
		if i == len(keys)-1 {
			dropMember(o, k)
		}
		at = &m.Value
	}
	return root.Pack(), nil
}

// dropMember removes a member with the comments that are its own: those in the lines above it, and the one behind it.
func dropMember(o *hujson.Object, name string) {
	for i := range o.Members {
		if l, ok := o.Members[i].Name.Value.(hujson.Literal); !ok || l.String() != name {
			continue
		}
		next := &o.AfterExtra
		if i+1 < len(o.Members) {
			next = &o.Members[i+1].Name.BeforeExtra
		}
		before, _ := splitLine(o.Members[i].Name.BeforeExtra) // behind the member before
		_, after := splitLine(*next)
		*next = slices.Concat(before, after)
		o.Members = slices.Delete(o.Members, i, i+1)
		return
	}
}
