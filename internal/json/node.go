package json

import (
	"slices"
	"strings"
)

// A Kind is the first byte of a value's spelling, '0' for all numbers. The zero Kind is that of no
// value.
type Kind byte

const (
	KindNull   Kind = 'n'
	KindFalse  Kind = 'f'
	KindTrue   Kind = 't'
	KindNumber Kind = '0'
	KindString Kind = '"'
	KindArray  Kind = '['
	KindObject Kind = '{'
)

// IsBool tells of true and false.
func (k Kind) IsBool() bool { return k == KindTrue || k == KindFalse }

// A Node is a JSON value that remembers its spelling and its order.
type Node struct {
	Kind Kind
	At   int32  // where it was read: the byte offset of its name, where it is a member, else of itself
	Name string // the member's, where it is one
	Text string // a string's decoded content; the literal of a number, true, false and null
	Raw  string // as it was spelled; "" for what was built or changed
	Kids []Node // items, or members in their order
}

// Get returns the member with the name, nil if there is none. n may be nil. Of members with the
// same name, which only a loose reader takes, it is the first.
func (n *Node) Get(name string) *Node {
	if n == nil || n.Kind != KindObject {
		return nil
	}
	for i := range n.Kids {
		if n.Kids[i].Name == name {
			return &n.Kids[i]
		}
	}
	return nil
}

// Path is the value below, by the names of members; nil if there is none. n may be nil.
func (n *Node) Path(names ...string) *Node {
	for _, name := range names {
		n = n.Get(name)
	}
	return n
}

// Remove takes out the members of that name.
func (n *Node) Remove(name string) {
	n.Raw = ""
	n.Kids = slices.DeleteFunc(n.Kids, func(k Node) bool { return k.Name == name })
}

// Clone copies the value, so that a change of one is none of the other.
func (n *Node) Clone() Node {
	own := *n
	own.Kids = slices.Clone(n.Kids)
	for i := range own.Kids {
		own.Kids[i] = own.Kids[i].Clone()
	}
	return own
}

// Set replaces the member of that name, or adds it as the last one.
func (n *Node) Set(name string, v Node) {
	v.Name = name
	n.Raw = ""
	if old := n.Get(name); old != nil {
		*old = v
		return
	}
	n.Kids = append(n.Kids, v)
}

// Content is what a string says, "" for anything else. n may be nil. It is Text but for the nodes of a lazy [Reader],
// whose Raw it decodes.
func (n *Node) Content() string {
	if !n.IsString() {
		return ""
	}
	if n.Text != "" || len(n.Raw) <= len(`""`) {
		return n.Text
	}
	inside := n.Raw[1 : len(n.Raw)-1]
	if strings.IndexByte(inside, '\\') >= 0 {
		inside = unescape([]byte(inside))
	}
	return valid(inside)
}

// IsString tells of a string. n may be nil.
func (n *Node) IsString() bool { return n != nil && n.Kind == KindString }

// AppendJSON writes the value as it was spelled, as far as nothing changed. Whoever changes
// something deep inside must clear Raw on the way there.
func (n *Node) AppendJSON(b []byte) []byte {
	if n.Raw != "" {
		return append(b, n.Raw...)
	}
	return n.append(b, (*Node).AppendJSON)
}

// AppendCompact writes the value without white space, its scalars as they were spelled. It does not
// look at the Raw of arrays and objects, so that these may be changed freely.
func (n *Node) AppendCompact(b []byte) []byte {
	if n.Raw != "" && n.Kind != KindArray && n.Kind != KindObject {
		return append(b, n.Raw...)
	}
	return n.append(b, (*Node).AppendCompact)
}

// String is the value as AppendCompact writes it.
func (n *Node) String() string { return string(n.AppendCompact(nil)) }

// append writes the value, kid by kid.
func (n *Node) append(b []byte, kid func(*Node, []byte) []byte) []byte {
	switch n.Kind {
	case KindString:
		return AppendString(b, n.Content())
	case KindArray:
		b = append(b, '[')
		for i := range n.Kids {
			if i > 0 {
				b = append(b, ',')
			}
			b = kid(&n.Kids[i], b)
		}
		return append(b, ']')
	case KindObject:
		b = append(b, '{')
		for i := range n.Kids {
			if i > 0 {
				b = append(b, ',')
			}
			b = AppendString(b, n.Kids[i].Name)
			b = kid(&n.Kids[i], append(b, ':'))
		}
		return append(b, '}')
	}
	return append(b, n.Text...)
}

// AppendCanonical writes the value without white space, members by name, strings in one spelling.
// number may bring numbers to one spelling as well; nil leaves them as they are.
func (n *Node) AppendCanonical(b []byte, number func(text string) string) []byte {
	switch {
	case n.Kind == KindNumber && number != nil:
		return append(b, number(n.Text)...)
	case n.Kind != KindObject:
		return n.append(b, func(k *Node, b []byte) []byte { return k.AppendCanonical(b, number) })
	}
	b = append(b, '{')
	for i, k := range n.byName() {
		if i > 0 {
			b = append(b, ',')
		}
		b = AppendString(b, k.Name)
		b = k.AppendCanonical(append(b, ':'), number)
	}
	return append(b, '}')
}

func (n *Node) byName() []*Node {
	kids := make([]*Node, len(n.Kids))
	for i := range n.Kids {
		kids[i] = &n.Kids[i]
	}
	slices.SortStableFunc(kids, func(x, y *Node) int { return strings.Compare(x.Name, y.Name) })
	return kids
}
