package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	rawjson "helve/internal/json"
)

// Repair is Mend with further names for top-level parameters, which may be nil: from → to.
func (s *Schema) Repair(
	args json.RawMessage, names map[string]string,
) (fixed json.RawMessage, notes []string, err error) {
	m, err := s.Mend(args, Leeway{Names: names})
	return m.Args, m.Notes, err
}

// Mend returns arguments that Check accepts, mended without guessing where that is possible, and
// notes that say what was mended. It reads JSON as models write it (trailing commas, single quotes,
// unquoted names, code fences, raw line breaks, a missing last bracket, True and None), and it
// turns values into the type that the schema asks for where only one reading exists: "10" into 10
// for an integer, JSON text into the array or object it spells, one value into a list of it, an
// enum value or a name in another spelling into the schema's.
//
// What a closed object does not know is refused, with the names that it knows and the nearest of
// them. Left out in silence are names under which models say why they call: explanation, reason,
// reasoning, rationale, thought, thinking, purpose, intent, summary, justification, comment, note,
// description, title and _meta. An object that takes other names keeps them.
//
// A string for a string parameter is never touched. Arguments that Check accepts come back as Check
// returns them, without notes. The error is an *Invalid about what could not be mended; the notes
// beside it say what could.
func (s *Schema) Mend(args json.RawMessage, leeway Leeway) (Mended, error) {
	if len(args) > MaxArguments || isBlank(args) {
		fixed, err := s.Check(args)
		return Mended{Args: fixed}, err
	}
	form := s.compile()
	if fixed, ok := form.accept(args); ok {
		return Mended{Args: fixed}, nil
	}
	r := repairer{rule: form.rule, leeway: leeway}
	m, err := r.mend(s, args)
	if err != nil && len(m.Ignored) > 0 {
		// A call that is refused is refused for all that is wrong with it.
		r = repairer{rule: form.rule, leeway: leeway}
		r.leeway.Ignore = false
		return r.mend(s, args)
	}
	return m, err
}

// A repairer mends one call's arguments.
type repairer struct {
	rule    *rule
	leeway  Leeway
	notes   []string
	more    int // notes beyond maxNotes
	ignored []string
	why     map[string]string // what is wrong with a name that stays, by its path
}

// mend does the whole work: what comes back is what the schema accepts.
func (r *repairer) mend(s *Schema, args []byte) (Mended, error) {
	mended, bad := r.run(args)
	if bad != nil {
		return Mended{}, bad
	}
	fixed, err := s.Check(mended)
	m := Mended{Args: fixed, Notes: r.told(), Ignored: r.ignored}
	if wrong, ok := err.(*Invalid); ok {
		r.explain(wrong)
	}
	return m, err
}

// refuse remembers why a name cannot stand where it does: the schema only says that it is unknown.
func (r *repairer) refuse(path, why string) {
	if r.why == nil {
		r.why = map[string]string{}
	}
	if len(r.why) < maxFound {
		r.why[shortPath(path)] = why
	}
}

// explain puts what the repairer knows into the words of a refusal. The names that there are stand where a name is told
// of that nobody knows, and not behind words that say what to do.
func (r *repairer) explain(bad *Invalid) {
	names := ""
	for i := range bad.Violations {
		v := &bad.Violations[i]
		if why := r.why[v.Path]; why != "" {
			if _, listed, ok := strings.Cut(v.Message, "nown are "); ok {
				names = listed
			}
			v.Message = why
		} else if strings.HasPrefix(v.Message, "unknown property") {
			v.Message = withKnown(v.Message, names)
			names = ""
		}
	}
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
	text := fmt.Sprintf(format, args...)
	if path != "" {
		text = shortPath(path) + ": " + text
	}
	switch {
	case slices.Contains(r.notes, text):
	case len(r.notes) >= maxNotes:
		r.more++
	default:
		r.notes = append(r.notes, text)
	}
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
		if r.leeway.Names[w] == "" && inner.find(w) < 0 && r.unwrap(root, w, inner) {
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
		k := &root.Kids[i]
		toolName := k.Name == "name" && inner.find("name") < 0 && k.Kind == rawjson.KindString
		switch {
		case k.Name != name && !toolName:
			return false
		case toolName && r.leeway.Mine != nil && !r.leeway.Mine.Named(k.Text):
			r.refuse(k.Name, quote(k.Text)+" is not the name of this tool: call the one that you mean, with its arguments alone")
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

// refuses says whether the object surely breaks the rule by its names alone: then a repair harms
// nothing.
func (r *rule) refuses(n *node) bool {
	for i := range r.props {
		if r.props[i].required && n.Get(r.props[i].name) == nil {
			return true
		}
	}
	return r.closed && slices.ContainsFunc(n.Kids, func(k node) bool { return r.find(k.Name) < 0 })
}
