package schema

import (
	"encoding/json"
	"fmt"
	"slices"

	rawjson "helve/internal/json"
)

// Repair returns arguments that Check accepts, mended without guessing where that is possible, and notes that say what
// was mended. It reads JSON as models write it (trailing commas, single quotes, unquoted names, code fences, raw line
// breaks, a missing last bracket, True and None), and it turns values into the type that the schema asks for where only
// one reading exists: "10" into 10 for an integer, JSON text into the array or object it spells, one value into a list
// of it, an enum value or a name in another spelling into the schema's. What a closed object does not know is dropped,
// unless it resembles a parameter. aliases, which may be nil, are further names for top-level parameters: from → to.
//
// A string for a string parameter is never touched. Arguments that Check accepts come back as Check returns them,
// without notes. The error is an *Invalid about what could not be mended; the notes beside it say what could.
func (s *Schema) Repair(args json.RawMessage, aliases map[string]string) (fixed json.RawMessage, notes []string, err error) {
	if len(args) > MaxArguments || isBlank(args) {
		fixed, err = s.Check(args)
		return fixed, nil, err
	}
	form := s.compile()
	if form.fast {
		if f := (fast{Scanner: rawjson.Scanner{Src: args, Max: MaxDepth}}); f.Peek() == '{' && f.value(form.rule) && f.End() {
			return f.fill(), nil, nil
		}
	}
	r := repairer{rule: form.rule, aliases: aliases}
	mended, bad := r.run(args)
	if bad != nil {
		return nil, nil, bad
	}
	if len(r.notes) == 0 {
		fixed, err = s.Check(args)
		return fixed, nil, err
	}
	if fixed, err = s.Check(mended); err == nil {
		return fixed, r.told(), nil
	}
	if r.dropped { // the words should be about what the model sent
		r = repairer{rule: form.rule, aliases: aliases, keep: true}
		if mended, bad = r.run(args); bad == nil {
			if _, kept := s.Check(mended); kept != nil {
				err = kept
			}
		}
	}
	return nil, r.told(), err
}

// A repairer mends one call's arguments.
type repairer struct {
	rule    *rule
	aliases map[string]string
	keep    bool // drop nothing
	dropped bool
	notes   []string
	more    int // notes beyond maxNotes
}

func (r *repairer) run(args []byte) ([]byte, *Invalid) {
	root, m, err := rawjson.Mend(args)
	if err != nil {
		return nil, invalid("the arguments are not valid JSON: %s", err)
	}
	for _, what := range m.Said {
		r.note("", "%s", what)
	}
	changed := r.outside(&root)
	changed = r.value(r.rule, &root, "", 0) || changed
	if !changed && len(m.Said) == 0 {
		return args, nil
	}
	return root.AppendJSON(make([]byte, 0, len(args)+64)), nil
}

func (r *repairer) note(path, format string, args ...any) {
	if len(r.notes) >= maxNotes {
		r.more++
		return
	}
	text := fmt.Sprintf(format, args...)
	if path != "" {
		text = shortPath(path) + ": " + text
	}
	r.notes = append(r.notes, text)
}

func (r *repairer) told() []string {
	if r.more > 0 {
		return append(r.notes, fmt.Sprintf("and %d more", r.more))
	}
	return r.notes
}

// wrappers are names under which models send all arguments together.
var wrappers = []string{"arguments", "args", "input", "parameters", "params"}

// outside unpacks arguments that stand in a string or under one more name.
func (r *repairer) outside(root *node) bool {
	inner, _ := r.rule.plain()
	changed := false
	if root.Kind == rawjson.KindString && r.parsed(root, isObject, nil, "") {
		changed = true
	}
	if inner == nil || root.Kind != rawjson.KindObject || !inner.refuses(root) {
		return changed
	}
	for _, w := range wrappers {
		if r.aliases[w] == "" && inner.find(w) < 0 && r.unwrap(root, w, inner) {
			return true
		}
	}
	return changed
}

// unwrap replaces {"arguments":{…}}, beside which a name may stand, by what is inside.
func (r *repairer) unwrap(root *node, name string, inner *rule) bool {
	held := root.Get(name)
	if held == nil || len(root.Kids) > 2 {
		return false
	}
	for i := range root.Kids {
		if k := &root.Kids[i]; k.Name != name && (k.Name != "name" || inner.find("name") >= 0 || k.Kind != rawjson.KindString) {
			return false
		}
	}
	v := *held
	if v.Kind == rawjson.KindString && !r.parsed(&v, isObject, nil, name) || v.Kind != rawjson.KindObject {
		return false
	}
	r.note("", "arguments taken out of %s", quote(name))
	v.Name = ""
	*root = v
	return true
}

// refuses says whether the object surely breaks the rule by its names alone: then a repair harms nothing.
func (r *rule) refuses(n *node) bool {
	for i := range r.props {
		if r.props[i].required && n.Get(r.props[i].name) == nil {
			return true
		}
	}
	return r.closed && slices.ContainsFunc(n.Kids, func(k node) bool { return r.find(k.Name) < 0 })
}
