package schema

import (
	"encoding/json"
	"fmt"
	"strings"

	rawjson "helve/internal/json"
)

// A Violation is one thing that is wrong with the arguments.
type Violation struct {
	Path    string `json:"path"`    // where: edits[1].replace_all; empty for the arguments as a whole
	Message string `json:"message"` // what, and what to write instead: want boolean, got string "yes"
}

// Invalid is the error of Check and Repair: all violations, sorted by path.
type Invalid struct {
	Violations []Violation // at least one, at most 20
	More       int         // how many there are beyond those
}

func (e *Invalid) Error() string {
	var b strings.Builder
	b.WriteString("Parameter validation failed: ")
	for i, v := range e.Violations {
		if i > 0 {
			b.WriteString("; ")
		}
		if v.Path != "" {
			b.WriteString(v.Path + ": ")
		}
		b.WriteString(v.Message)
	}
	if e.More > 0 {
		fmt.Fprintf(&b, "; and %d more", e.More)
	}
	return b.String()
}

// invalid is an error about the arguments as a whole.
func invalid(format string, args ...any) *Invalid {
	return &Invalid{Violations: []Violation{{Message: fmt.Sprintf(format, args...)}}}
}

// Check validates arguments and returns those to use: the same bytes, or a copy in which absent
// properties have their defaults and whole numbers for integers are written as such (10.0 becomes
// 10, which Go can read into an int). Empty arguments and null stand for {}. Defaults of null, and
// those that their own schema refuses, are left out. The error is an *Invalid. Check does not
// change args.
func (s *Schema) Check(args json.RawMessage) (json.RawMessage, error) {
	if len(args) > MaxArguments {
		return nil, invalid("the arguments have %d bytes, at most %d are taken", len(args), MaxArguments)
	}
	if isBlank(args) {
		args = json.RawMessage("{}")
	}
	form := s.compile()
	if out, ok := form.accept(args); ok {
		return out, nil
	}
	out, bad := form.judge(args)
	if bad != nil {
		return nil, bad
	}
	return out, nil
}

// accept is the quick way: arguments with their defaults, or "not sure".
func (f *compiled) accept(args []byte) (filled []byte, ok bool) {
	if !f.fast {
		return nil, false
	}
	v := fast{Scanner: rawjson.Scanner{Src: args, Max: MaxDepth}}
	if v.Peek() != '{' || !v.value(f.rule) || !v.End() {
		return nil, false
	}
	return v.fill(), true
}

// isBlank says whether the arguments stand for none.
func isBlank(args []byte) bool {
	s := rawjson.Scanner{Src: args}
	c := s.Peek()
	if c == 'n' {
		_, ok := s.Word()
		return ok && s.Peek() == 0 && s.Pos == len(args)
	}
	return c == 0 && s.Pos == len(args)
}

// judge is the thorough way: it builds values, evaluates every keyword and explains.
func (f *compiled) judge(args []byte) ([]byte, *Invalid) {
	root, err := rawjson.Read(args, MaxDepth)
	if err != nil {
		return nil, invalid("the arguments are not valid JSON: %s", err)
	}
	if root.Kind != rawjson.KindObject {
		return nil, invalid("want an object like {\"name\": value}, got %s", describe(&root))
	}
	if bad := f.validate(&root); bad != nil {
		return nil, bad
	}
	done := root
	if !f.complete(&done) {
		return args, nil
	}
	if !f.fast && f.validate(&done) != nil {
		return args, nil // a default broke a rule that joins several properties
	}
	return done.AppendJSON(make([]byte, 0, len(args)+256)), nil
}

// complete fills in defaults and writes whole numbers plainly, as far as the rules reach. It says
// whether anything changed; nodes are copied before they change.
func (f *compiled) complete(root *node) bool { return complete(f.rule, root, 0) }

// complete goes down as far as rules reach. Alternatives end it: whose defaults would count is not
// certain.
func complete(r *rule, n *node, depth int) bool {
	r, _ = r.plain()
	if r == nil || depth > MaxDepth {
		return false
	}
	switch n.Kind {
	case rawjson.KindNumber:
		return plainInteger(r, n)
	case rawjson.KindArray:
		return eachKid(n, func(_ int, k *node) bool { return complete(r.items, k, depth+1) })
	case rawjson.KindObject:
		changed := eachKid(n, func(_ int, k *node) bool { return complete(r.child(k.Name), k, depth+1) })
		return fillDefaults(n, r) || changed
	}
	return false
}

// child returns the rule for the member with the name, nil for none.
func (r *rule) child(name string) *rule {
	if i := r.find(name); i >= 0 {
		return r.props[i].rule
	}
	return r.additional
}

// eachKid lets change every kid. The kids are copied first, the first time that one changes.
func eachKid(n *node, change func(i int, k *node) bool) bool {
	copied := false
	for i := range n.Kids {
		k := n.Kids[i]
		if !change(i, &k) {
			continue
		}
		if !copied {
			n.Kids = append([]node(nil), n.Kids...)
			copied = true
		}
		n.Kids[i] = k
	}
	if copied {
		n.Raw = ""
	}
	return copied
}

// fillDefaults adds the properties that are absent and have a default.
func fillDefaults(n *node, r *rule) bool {
	changed := false
	for _, d := range r.defaults {
		p := &r.props[d.prop]
		if n.Get(p.name) != nil {
			continue
		}
		v, err := rawjson.Read([]byte(p.fallback), maxSchemaDepth)
		if err != nil {
			continue
		}
		if !changed {
			n.Kids, n.Raw = append([]node(nil), n.Kids...), ""
		}
		v.Name = p.name
		n.Kids = append(n.Kids, v)
		changed = true
	}
	return changed
}

// plainInteger writes 10.0 and 1e3 as 10 and 1000 where the schema wants an integer.
func plainInteger(r *rule, n *node) bool {
	if r.types&isInteger == 0 || r.types&isNumber != 0 || isDigits(n.Text) {
		return false
	}
	v, ok := rational(n.Text)
	if !ok || !v.IsInt() {
		return false
	}
	n.Text, n.Raw = v.Num().String(), ""
	return true
}
