package setup

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// A jsonFile is a file of JSON, comments and trailing commas allowed, with an object of servers by name.
type jsonFile struct {
	key   string // of the object
	entry entry
}

func jsonForm(key string, e entry) form { return jsonFile{key, e} }

// bom is what some editors of Windows put before a text.
var bom = []byte("\xef\xbb\xbf")

// set changes only what belongs to the line where helve is there already: an environment that
// somebody added stays.
func (f jsonFile) set(text []byte, l Line) ([]byte, error) {
	return editJSON(text, func(root *hujson.Object, s style) error {
		servers, err := s.inner(root, f.key, s.unit)
		if err != nil {
			return err
		}
		ours, err := s.inner(servers, Name, indentOf(servers, s.unit+s.unit))
		if err != nil {
			return err
		}
		for _, m := range f.entry(l) {
			s.put(ours, m, indentOf(ours, s.unit+s.unit+s.unit))
		}
		return nil
	})
}

func (f jsonFile) unset(text []byte) ([]byte, error) {
	return editJSON(text, func(root *hujson.Object, _ style) error {
		m := find(root, f.key)
		if m == nil {
			return nil
		}
		if servers, ok := m.Value.Value.(*hujson.Object); ok {
			drop(servers, Name)
		}
		return nil
	})
}

func (f jsonFile) snippet(l Line) string {
	text, err := f.set(nil, l)
	if err != nil {
		panic(fmt.Sprintf("setup: %v", err)) // an empty file can be changed
	}
	return string(text)
}

// A style is how a file is written.
type style struct {
	unit    string // one step of indentation
	newline string
	flat    bool // all in one line
}

// editJSON changes the object that a text holds. What it does not touch stays byte for byte.
func editJSON(text []byte, edit func(root *hujson.Object, s style) error) ([]byte, error) {
	body, marked := bytes.CutPrefix(text, bom)
	if len(bytes.TrimSpace(body)) == 0 {
		body = []byte("{\n}\n")
	}
	v, err := hujson.Parse(body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", err, errByHand)
	}
	root, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("its value is no object: %w", errByHand)
	}
	s := style{unit: indentOf(root, "  "), newline: newlineOf(body)}
	if s.unit == "" {
		s.unit = "  "
	}
	s.flat = len(root.Members) > 0 && !bytes.ContainsRune(bytes.TrimSpace(body), '\n')
	if err := edit(root, s); err != nil {
		return nil, err
	}
	out := v.Pack()
	if marked {
		out = slices.Concat(bom, out)
	}
	return out, nil
}

// newlineOf is how a text ends its lines: as its first one does.
func newlineOf(text []byte) string {
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// inner is the object under a key, which is added where it is missing.
func (s style) inner(o *hujson.Object, key, indent string) (*hujson.Object, error) {
	m := find(o, key)
	if m == nil {
		s.add(o, key, &hujson.Object{}, indent)
		m = find(o, key)
	}
	in, ok := m.Value.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("%s is no object: %w", key, errByHand)
	}
	return in, nil
}

// put sets a member. One that has the value already stays as it is written.
func (s style) put(o *hujson.Object, m member, indent string) {
	value := hujsonOf(text(m.value))
	old := find(o, m.name)
	switch {
	case old == nil:
		s.add(o, m.name, value, indent)
	case !same(old.Value, hujson.Value{Value: value}):
		old.Value.Value = value
	}
}

// same tells whether two values mean the same, however they are written.
func same(a, b hujson.Value) bool {
	a, b = a.Clone(), b.Clone()
	a.Minimize()
	b.Minimize()
	return bytes.Equal(a.Pack(), b.Pack())
}

func hujsonOf(text string) hujson.ValueTrimmed {
	v, err := hujson.Parse([]byte(text))
	if err != nil {
		panic(errors.Join(errors.New("setup: "+text), err)) // we made the text
	}
	return v.Value
}

// find is the last member of a name: the one that counts where a name stands twice.
func find(o *hujson.Object, name string) *hujson.ObjectMember {
	for i := range slices.Backward(o.Members) {
		if l, ok := o.Members[i].Name.Value.(hujson.Literal); ok && l.String() == name {
			return &o.Members[i]
		}
	}
	return nil
}

// indentOf is the white space before the members of an object that stand in lines of their own,
// else the usual one.
func indentOf(o *hujson.Object, usual string) string {
	for _, m := range o.Members {
		before := string(m.Name.BeforeExtra)
		if i := strings.LastIndexByte(before, '\n'); i >= 0 {
			return before[i+1:]
		}
	}
	return usual
}

// add appends a member, in a line of its own unless the others share one.
func (s style) add(o *hujson.Object, name string, v hujson.ValueTrimmed, indent string) {
	oneLine := s.flat || len(o.Members) > 0
	for _, m := range o.Members {
		oneLine = oneLine && !bytes.ContainsRune(m.Name.BeforeExtra, '\n')
	}
	m := hujson.ObjectMember{
		Name:  hujson.Value{BeforeExtra: hujson.Extra(s.newline + indent), Value: hujson.String(name)},
		Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: v},
	}
	switch {
	case oneLine && len(o.Members) == 0:
		m.Name.BeforeExtra = nil
	case oneLine:
		m.Name.BeforeExtra = hujson.Extra(" ")
	case !bytes.ContainsRune(o.AfterExtra, '\n'):
		o.AfterExtra = append(o.AfterExtra, s.newline+strings.TrimSuffix(indent, s.unit)...)
	}
	if n := len(o.Members); n > 0 {
		last := &o.Members[n-1].Value
		if last.AfterExtra != nil { // a comma follows it, so the new one gets one too
			m.Value.AfterExtra = hujson.Extra{}
		}
		// A comment behind the last value, up to the end of its line, stays with that value.
		line, below := splitLine(o.AfterExtra)
		m.Name.BeforeExtra = append(slices.Clone(line), m.Name.BeforeExtra...)
		o.AfterExtra = below
	}
	o.Members = append(o.Members, m)
}

// drop removes the members of a name, with the comments in the lines above them and behind them.
func drop(o *hujson.Object, name string) {
	for i := len(o.Members) - 1; i >= 0; i-- {
		if l, ok := o.Members[i].Name.Value.(hujson.Literal); !ok || l.String() != name {
			continue
		}
		next := &o.AfterExtra
		if i+1 < len(o.Members) {
			next = &o.Members[i+1].Name.BeforeExtra
		}
		before, _ := splitLine(o.Members[i].Name.BeforeExtra) // what stands behind the member before
		_, after := splitLine(*next)
		*next = slices.Concat(before, after)
		o.Members = slices.Delete(o.Members, i, i+1)
	}
}

// splitLine cuts before the first line end that is not inside a comment of the form /* */.
func splitLine(x hujson.Extra) (line, below hujson.Extra) {
	for i := 0; i < len(x); i++ {
		switch {
		case x[i] == '\n', bytes.HasPrefix(x[i:], []byte("\r\n")):
			return x[:i:i], x[i:]
		case bytes.HasPrefix(x[i:], []byte("/*")):
			i += 2 + max(0, bytes.Index(x[i+2:], []byte("*/")))
		case bytes.HasPrefix(x[i:], []byte("//")):
			i += max(0, bytes.IndexByte(x[i:], '\n')) - 1
		}
	}
	return nil, x
}
