package json

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A Patch changes single members of a text that people wrote, and leaves everything else byte for
// byte: comments, order, white space and spelling. The text is an object in JSON with comments, as
// [Plain] reads it.
type Patch struct {
	text    []byte // as it was written
	plain   []byte // and without its comments, of the same length
	root    Node
	newline string // as the text's first line ends
}

// NewPatch reads the text that is to be changed. A blank one is an empty object. The error is an
// *[Error].
func NewPatch(text []byte) (*Patch, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{\n}\n")
	}
	plain, err := Plain(text)
	if err != nil {
		return nil, err
	}
	r := Reader{Loose: true}
	root, err := r.Read(plain)
	if err != nil {
		return nil, err
	}
	return &Patch{text: text, plain: plain, root: root, newline: Newline(text)}, nil
}

// Newline is how a text ends its lines: as its first one does.
func Newline(text []byte) string {
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// Set returns the text with v at keys. Objects that are not there yet are made; something else in
// their place is an error. A new member comes last, in a line of its own unless its object stands
// in one line.
func (p *Patch) Set(keys []string, v Node) ([]byte, error) {
	at := &p.root
	for depth, key := range keys {
		if at.Kind != KindObject {
			return nil, fmt.Errorf("%s is not an object", strings.Join(keys[:depth], "."))
		}
		indent := p.indent(at, depth+1)
		member := at.Get(key)
		if member == nil {
			v = Within(keys[depth+1:], v)
			return p.add(at, QuoteString(key)+": "+p.pretty(&v, indent), indent), nil
		}
		if depth == len(keys)-1 {
			start, end := p.value(member)
			return p.replaced(start, end, p.pretty(&v, indent)), nil
		}
		at = member
	}
	return p.text, nil
}

// Append returns the text with v behind the last item of the list at keys, which is made if it is not there. What stands
// in the list stays byte for byte.
func (p *Patch) Append(keys []string, v Node) ([]byte, error) {
	at := &p.root
	for depth, key := range keys {
		if at.Kind != KindObject {
			return nil, fmt.Errorf("%s is not an object", strings.Join(keys[:depth], "."))
		}
		if at = at.Get(key); at == nil {
			return p.Set(keys, Node{Kind: KindArray, Kids: []Node{v}})
		}
	}
	if at.Kind != KindArray {
		return nil, fmt.Errorf("%s is not a list", strings.Join(keys, "."))
	}
	if len(at.Kids) == 0 {
		return p.Set(keys, Node{Kind: KindArray, Kids: []Node{v}})
	}
	last := at.Kids[len(at.Kids)-1]
	end := int(last.At) + len(last.Raw)
	indent := strings.Repeat("  ", len(keys)+1)
	return p.replaced(end, end, ","+p.newline+indent+p.pretty(&v, indent)), nil
}

// Within puts a value into objects of one member each.
func Within(keys []string, v Node) Node {
	for _, key := range slices.Backward(keys) {
		outer := Node{Kind: KindObject}
		outer.Set(key, v)
		v = outer
	}
	return v
}

// Unset returns the text without the member at keys and without the comments that are its own:
// those in the lines above it and the one behind it. Where there is no such member, that is the
// text as it was.
func (p *Patch) Unset(keys []string) []byte {
	at, last := &p.root, len(keys)-1
	for _, key := range keys[:last] {
		at = at.Get(key)
	}
	if at == nil || at.Kind != KindObject {
		return p.text
	}
	i := slices.IndexFunc(at.Kids, func(kid Node) bool { return kid.Name == keys[last] })
	if i < 0 {
		return p.text
	}
	return p.drop(at, i)
}

// RemoveItem returns the text without an item of the list at keys and without the comments that are its own, as Unset
// has it. Where there is no such item, that is the text as it was.
func (p *Patch) RemoveItem(keys []string, i int) []byte {
	at := &p.root
	for _, key := range keys {
		at = at.Get(key)
	}
	if at == nil || at.Kind != KindArray || i < 0 || i >= len(at.Kids) {
		return p.text
	}
	return p.drop(at, i)
}

// Items are where the items of the list at keys stand, start and end of each; none where there is no list.
func (p *Patch) Items(keys []string) (at [][2]int) {
	list := &p.root
	for _, key := range keys {
		list = list.Get(key)
	}
	if list == nil || list.Kind != KindArray {
		return nil
	}
	for i := range list.Kids {
		start, end := p.value(&list.Kids[i])
		at = append(at, [2]int{start, end})
	}
	return at
}

func (p *Patch) replaced(start, end int, with string) []byte {
	return slices.Concat(p.text[:start], []byte(with), p.text[end:])
}

// value is where the value of a member, or of an item of a list, stands.
func (p *Patch) value(member *Node) (start, end int) {
	start = int(member.At)
	if named := skipName(p.plain, start); named >= 0 {
		start = named
	}
	return start, start + len(member.Raw)
}

// inside is where the content of an object stands, from behind its first bracket to its last.
func (p *Patch) inside(object *Node) (start, end int) {
	if object == &p.root {
		start = int(object.At)
		end = start + len(object.Raw)
	} else {
		start, end = p.value(object)
	}
	return start + 1, end - 1
}

// gap is what stands before the name of a member: from the end of the value before, or from the
// bracket.
func (p *Patch) gap(object *Node, i int) (start, end int) {
	if i == 0 {
		start, _ = p.inside(object)
	} else {
		_, start = p.value(&object.Kids[i-1])
	}
	return start, int(object.Kids[i].At)
}

// comma is the place of the comma that follows what ends at start, -1 if none does before end.
func (p *Patch) comma(start, end int) int {
	for i := start; i < end; {
		switch {
		case isSpace(p.text[i]):
			i++
		case p.text[i] == ',':
			return i
		default:
			behind := behindComment(p.text, i)
			if behind <= i {
				return -1
			}
			i = behind
		}
	}
	return -1
}

// indent is the white space before the members of an object. depth is how deep they are, for an
// object that has none in lines of their own.
func (p *Patch) indent(object *Node, depth int) string {
	for i := range object.Kids {
		start, end := p.gap(object, i)
		before := p.text[start:end]
		if at := bytes.LastIndexByte(before, '\n'); at >= 0 {
			line := before[at+1:]
			return string(line[:space(line, 0)])
		}
	}
	return strings.Repeat("  ", depth)
}

// add puts a member behind the last one.
func (p *Patch) add(object *Node, member, indent string) []byte {
	at, shut := p.inside(object)
	before := ""
	if n := len(object.Kids); n > 0 {
		_, at = p.value(&object.Kids[n-1])
		comma := p.comma(at, shut)
		if comma >= 0 { // whoever wrote one behind the last member wants one there again
			at, member = comma+1, member+","
		} else {
			before = ","
		}
		if p.inOneLine(object) {
			return p.replaced(at, at, before+" "+member)
		}
	}
	behind := p.text[at:shut]
	line, ends := restOfLine(behind)
	if ends && line > 0 && behind[line-1] == '\r' {
		line--
	}
	upTo := at + line
	if !ends { // the bracket gets a line of its own
		upTo = shut
		line = len(bytes.TrimRight(behind, " \t"))
		member += p.newline + strings.TrimSuffix(indent, "  ")
	}
	// A comment behind the last value stays with it.
	return p.replaced(at, upTo, before+string(behind[:line])+p.newline+indent+member)
}

func (p *Patch) inOneLine(object *Node) bool {
	for i := range object.Kids {
		start, end := p.gap(object, i)
		if bytes.IndexByte(p.text[start:end], '\n') >= 0 {
			return false
		}
	}
	return true
}

// drop removes a member.
func (p *Patch) drop(object *Node, i int) []byte {
	from, name := p.gap(object, i)
	_, to := p.value(&object.Kids[i])
	next := len(object.Kids) > i+1
	_, until := p.inside(object)
	if next {
		until = int(object.Kids[i+1].At)
	}
	kept := from // of what stands before
	comma := p.comma(from, name)
	if comma >= 0 {
		kept = comma + 1
	}
	own := p.comma(to, until)
	if own >= 0 {
		to = own + 1
	}
	line, _ := restOfLine(p.text[kept:name]) // it belongs to the member before
	behind, _ := restOfLine(p.text[to:until])
	head := p.text[:kept+line]
	if comma >= 0 && !next && own < 0 { // the member before is the last one now
		head = slices.Concat(p.text[:comma], p.text[kept:kept+line])
	}
	return slices.Concat(head, p.text[to+behind:])
}

// restOfLine is the length of what comes before the first line end that is in no block comment, and
// whether there is one.
func restOfLine(b []byte) (n int, ends bool) {
	for i := 0; i < len(b); {
		if b[i] == '\n' {
			return i, true
		}
		i = max(behindComment(b, i), i+1)
	}
	return 0, false
}

// oneLine is up to how many bytes a value stands in one line.
const oneLine = 60

// pretty is a value as people write it, its lines but the first indented by indent.
func (p *Patch) pretty(v *Node, indent string) string {
	compact := v.AppendCompact(nil)
	var out bytes.Buffer
	if len(compact) > oneLine && json.Indent(&out, compact, indent, "  ") == nil {
		return strings.ReplaceAll(out.String(), "\n", p.newline)
	}
	return string(v.appendSpaced(nil))
}

// appendSpaced writes the value in one line, with a space behind colons and commas.
func (n *Node) appendSpaced(b []byte) []byte {
	if n.Kind != KindArray && n.Kind != KindObject {
		return n.AppendCompact(b)
	}
	open, shut := byte('['), byte(']')
	if n.Kind == KindObject {
		open, shut = '{', '}'
	}
	b = append(b, open)
	for i := range n.Kids {
		if i > 0 {
			b = append(b, ", "...)
		}
		if n.Kind == KindObject {
			b = append(AppendString(b, n.Kids[i].Name), ": "...)
		}
		b = n.Kids[i].appendSpaced(b)
	}
	return append(b, shut)
}
