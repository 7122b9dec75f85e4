package tool

import (
	"encoding/json"
	"slices"
	"strings"

	"helve/engine/schema"
	"helve/internal/names"
)

// Mend brings a model's arguments into the form of the tool's schema, as a call does: by Params, by
// Translate and by what schema.Schema.Mend knows. A tool of our own that only reads goes on without
// names that no parameter has, and says so; every other refuses them.
func (s *Spec) Mend(args json.RawMessage) (schema.Mended, error) {
	ours := s.Origin.Kind == Builtin || s.Origin.Kind == Go
	return s.Input.Mend(args, schema.Leeway{
		Names:     s.Params,
		Spellings: s.Translate,
		Mine:      (*ownName)(s),
		Ignore:    s.Kind == Read && ours, // that another's tool only reads is its own word
	})
}

// An ownName knows its tool's names. A pointer that is there anyhow costs a call nothing; a function
// would be made for each.
type ownName Spec

// Named tells whether a name, as a model writes it, is that of this tool: in any of its spellings, or
// behind the prefix of a client, mcp__helve__read.
func (o *ownName) Named(name string) bool {
	s := (*Spec)(o)
	bare, _ := names.Strip(name)
	for _, own := range s.Spellings() {
		if names.Fold(name) == names.Fold(own) || names.Fold(bare) == names.Fold(own) {
			return true
		}
	}
	for _, mark := range []string{"__", ".", "/", ":", "helve_"} {
		if strings.HasSuffix(name, mark+s.Name) {
			return true
		}
	}
	return false
}

// A telling is what became of the arguments, in words.
type telling struct {
	ignored  string // "" for none
	repaired []string
}

func tellingOf(name string, m schema.Mended) telling {
	t := telling{repaired: m.Notes}
	quoted := make([]string, len(m.Ignored))
	for i, path := range m.Ignored {
		quoted[i] = `"` + shown(path) + `"`
		if strings.HasPrefix(path, "[") { // a name that is no word is quoted already
			quoted[i] = strings.Trim(shown(path), "[]")
		}
	}
	switch len(quoted) {
	case 0:
	case 1:
		t.ignored = quoted[0] + " is no parameter of " + name
	default:
		t.ignored = strings.Join(quoted, ", ") + " are no parameters of " + name
	}
	return t
}

// notes are for people and programs.
func (t telling) notes() []string {
	if t.ignored == "" {
		return t.repaired
	}
	return append([]string{"ignored: " + t.ignored}, t.repaired...)
}

// Tell puts into a result what Mend made of the arguments of a call to the tool of that name, as a
// Kit does.
func (r *Result) Tell(name string, m schema.Mended) { tellingOf(name, m).tell(r) }

// tell puts into the result what became of the arguments: what was ignored is the first line that
// the model reads, what was repaired the last. An error comes first. A question has no text to add
// to.
func (t telling) tell(r *Result) {
	r.Repairs = t.notes()
	if r.Need != nil || len(r.Repairs) == 0 {
		return
	}
	ignored, repaired := bracketed("ignored: ", t.ignored), bracketed("repaired: ", strings.Join(t.repaired, "; "))
	if r.Err != nil {
		r.Parts = slices.Concat(r.Parts, ignored, repaired)
		return
	}
	r.Parts = slices.Concat(ignored, r.Parts, repaired)
}

// bracketed is a line of ours among a tool's, none for no text.
func bracketed(what, text string) []Part {
	if text == "" {
		return nil
	}
	return []Part{Text("[" + what + text + "]")}
}
