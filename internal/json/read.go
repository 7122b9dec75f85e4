package json

import (
	"math"
	"slices"
)

// A Reader builds trees. Its fields must not change while it reads; it may read several texts, one
// after the other.
type Reader struct {
	Max   int  // levels allowed; 0 means MaxDepth
	Loose bool // the grammar alone counts: see the package's table
	Lazy  bool // strings get no Text: [Node.Content] decodes it from Raw, each time it is asked

	// Take gives the room for n nodes: an empty slice with that capacity. nil takes it from the
	// heap.
	Take func(n int) []Node

	scan    Scanner
	all     string // the text; names, texts and spellings of the nodes are parts of it
	scratch []Node // elements of the lists that are still open
	mend    *Mended
}

// Read reads one value, a strict one unless the Reader's fields say otherwise. It copies src, once.
// The error is an *[Error].
func (r *Reader) Read(src []byte) (Node, error) {
	if len(src) > math.MaxInt32 { // a Node's place is an int32
		return Node{}, &Error{At: math.MaxInt32, Why: "more than 2 GB"}
	}
	depth := r.Max
	if depth == 0 {
		depth = MaxDepth
	}
	r.scan = Scanner{Src: src, Max: depth, Loose: r.Loose}
	r.all = string(src)
	if r.scratch == nil {
		r.scratch = make([]Node, 0, usualOpen)
	}
	r.scratch = r.scratch[:0]
	var n Node
	if !r.value(&n) || !r.scan.End() {
		return Node{}, r.scan.err()
	}
	return n, nil
}

// usualOpen is how many elements wait for the end of their list at a time, in a usual schema or
// call.
const usualOpen = 8

// Read reads one strict value that nests at most depth levels deep. The error is an *[Error].
func Read(src []byte, depth int) (Node, error) {
	r := Reader{Max: depth}
	return r.Read(src)
}

// value reads any value into n, which is empty.
func (r *Reader) value(n *Node) (ok bool) {
	s := &r.scan
	c := s.Peek()
	start := s.Pos
	n.At = int32(start)
	switch {
	case c == '{':
		n.Kind = KindObject
		n.Kids, ok = r.members()
	case c == '[':
		n.Kind = KindArray
		n.Kids, ok = r.items()
	case r.mend != nil:
		return r.mendScalar(n)
	case c == '"':
		raw, escaped, good := s.Text()
		n.Kind, ok = KindString, good
		if !r.Lazy {
			n.Text = r.content(start+1, raw, escaped)
		}
	case c == 't' || c == 'f' || c == 'n':
		n.Kind, ok = s.Word()
		n.Text = r.all[start:s.Pos]
	default:
		_, _, ok = s.Number()
		n.Kind, n.Text = KindNumber, r.all[start:s.Pos]
	}
	if r.mend == nil { // else what is inside may be spelled otherwise now
		n.Raw = r.all[start:s.Pos]
	}
	return ok
}

// content decodes a string whose inside begins at start.
func (r *Reader) content(start int, raw []byte, escaped bool) string {
	text := r.all[start : start+len(raw)]
	if escaped {
		text = unescape(raw)
	}
	if r.Loose && !ascii(raw) {
		text = valid(text)
	}
	return text
}

// items reads a list. Its elements gather in the scratch, which the lists around it use too.
func (r *Reader) items() ([]Node, bool) {
	mark := len(r.scratch)
	again, ok := r.scan.Enter(']')
	for again && ok {
		var n Node
		if !r.value(&n) {
			return nil, false
		}
		r.scratch = append(r.scratch, n)
		again, ok = r.more(']')
	}
	return r.close(mark), ok
}

func (r *Reader) members() ([]Node, bool) {
	if r.Loose {
		return r.membersOf(nil)
	}
	var names Names
	return r.membersOf(&names)
}

// membersOf reads an object whose names must differ. With names nil they need not.
func (r *Reader) membersOf(names *Names) ([]Node, bool) {
	mark := len(r.scratch)
	again, ok := r.scan.Enter('}')
	for again && ok {
		var n Node
		if !r.member(&n, names) {
			return nil, false
		}
		r.scratch = append(r.scratch, n)
		again, ok = r.more('}')
	}
	return r.close(mark), ok
}

func (r *Reader) member(n *Node, names *Names) bool {
	r.scan.Space()
	at := r.scan.Pos
	if r.mend != nil {
		return r.mendMember(n, names)
	}
	raw, escaped, ok := r.scan.Key()
	if !ok {
		return false
	}
	if names != nil && !names.Add(raw, escaped) {
		return r.scan.twice(at, raw)
	}
	ok = r.value(n)
	n.At, n.Name = int32(at), r.content(at+1, raw, escaped)
	return ok
}

func (r *Reader) more(shut byte) (again, ok bool) {
	if r.mend != nil {
		return r.mendMore(shut)
	}
	return r.scan.More(shut)
}

// close takes the elements of a list from the scratch.
func (r *Reader) close(mark int) []Node {
	kids := r.scratch[mark:]
	r.scratch = r.scratch[:mark]
	if r.Take == nil {
		return slices.Clone(kids)
	}
	return append(r.Take(len(kids)), kids...)
}
