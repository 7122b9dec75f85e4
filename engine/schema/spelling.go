package schema

import (
	"encoding/json"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"sync"

	rawjson "helve/internal/json"
)

// A Spelling is another way to say what parameters say: under another name, in another unit, in
// other words. Of the zero value only To is needed: the same value under another name. A value that
// a spelling cannot say in the schema's words is refused, never guessed.
type Spelling struct {
	// To is the parameter that is meant.
	To string

	// Times multiplies a number: 1000 for seconds where the parameter has milliseconds. 0 leaves it
	// as it is.
	Times int64
	// Not means that true is false here, and false true.
	Not bool
	// Words are what each text, or true and false, is called here. Any other value is refused.
	Words map[string]string

	// Each names a parameter for each item of a list, instead of To. An item that is -1, the end,
	// is left out.
	Each []string

	// Only is a value, as JSON, that says what holds anyhow: it is left out. Every other value is
	// refused, or left out where Else says why it means nothing here.
	Only string
	Else string
	// Moot says why the value means nothing here: it is left out, and the reason noted.
	Moot string
}

// Named tells whether a name, as a model writes it, is that of a tool.
type Named interface{ Named(name string) bool }

// Leeway says what Mend may do beyond what the schema allows. The zero value: nothing.
type Leeway struct {
	// Names are further names of top-level parameters: from → to.
	Names map[string]string
	// Spellings are further ways to say what parameters say, by name. Those of the objects in a
	// list stand behind its path: todos[].step.
	Spellings map[string]Spelling

	// Mine tells whether a name of a tool is that of the tool which is called. Models send the name
	// beside the arguments, and that of another tool is refused. nil: every name is.
	Mine Named

	// Ignore leaves out names that mean nothing, and tells which, instead of refusing them: for
	// tools that only read.
	Ignore bool
}

// Mended is what became of arguments.
type Mended struct {
	Args    json.RawMessage // which Check accepts, with its defaults; nil beside an error
	Notes   []string        // what was mended, a sentence each
	Ignored []string        // what was left out because no parameter is called so: at most 16 in each object
}

// idle are names under which models say why they call. They mean nothing for the work, unless a
// parameter is called so.
var idle = map[string]bool{
	"explanation":   true,
	"reason":        true,
	"reasoning":     true,
	"rationale":     true,
	"thought":       true,
	"thinking":      true,
	"purpose":       true,
	"intent":        true,
	"summary":       true,
	"justification": true,
	"comment":       true,
	"note":          true,
	"description":   true,
	"title":         true,
}

// isIdle tells that a name means nothing for the work. With an underscore before it, it is a note
// of the protocol's.
func isIdle(name string) bool {
	bare := strings.TrimLeft(name, "_")
	return idle[strings.ToLower(bare)] || bare == "meta" && bare != name
}

// anyItem makes one path of those of all items of a list.
var anyItem = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\[[0-9]+\]`)
})

// spelling is what another name of a parameter says, folded where no other reading exists. key is
// its name in the table.
func (r *repairer) spelling(path, name string) (key string, s Spelling, ok bool) {
	if len(r.leeway.Spellings) == 0 {
		return "", Spelling{}, false
	}
	name = seen(name)
	prefix := ""
	if path != "" {
		prefix = anyItem().ReplaceAllString(path, "[]") + "."
	}
	if s, ok := r.leeway.Spellings[prefix+name]; ok {
		return prefix + name, s, true
	}
	folded, found := fold(name), 0
	if !isFoldable(name, folded) {
		return "", Spelling{}, false
	}
	for from, meant := range r.leeway.Spellings {
		rest, here := strings.CutPrefix(from, prefix)
		if here && fold(rest) == folded {
			key, s = from, meant
			found++
		}
	}
	return key, s, found == 1
}

// translate says in the schema's own words what members say in others. What cannot be said so
// stays, and is refused.
func (r *repairer) translate(rule *rule, n *node, path string) bool {
	if len(r.leeway.Spellings) == 0 {
		return false
	}
	out := node{Kind: rawjson.KindObject, Kids: make([]node, 0, len(n.Kids))}
	for i := range n.Kids {
		k := n.Kids[i]
		key, s, ok := r.spelling(path, k.Name)
		if !ok || rule.find(k.Name) >= 0 {
			out.Kids = append(out.Kids, k)
			continue
		}
		said, why := s.say(k)
		if why == "" {
			why = said.clash(rule, n, &out)
		}
		switch {
		case why != "":
			r.refuse(step(path, k.Name), why)
			out.Kids = append(out.Kids, k)
			continue
		case s.Moot != "":
			r.note(key, "left out: %s", s.Moot)
		case s.Else != "" && k.Kind != rawjson.KindNull && !s.holds(k):
			r.note(key, "%s left out: %s", clip(string(k.AppendCompact(nil))), s.Else)
		case k.Kind == rawjson.KindNull:
			r.note(step(path, k.Name), saidNull)
		}
		for _, p := range said {
			r.note(step(path, p.Name), "%s", given(k, p))
		}
		out.Kids = append(out.Kids, said...)
		n.Raw = ""
	}
	n.Kids = out.Kids
	return n.Raw == ""
}

// meaning is what a member says in the schema's words: nothing for what has no meaning.
type meaning []node

// clash tells why a meaning cannot stand in an object, "" if it can: a parameter has one value.
func (m meaning) clash(rule *rule, before, after *node) string {
	for _, p := range m {
		switch {
		case rule.find(p.Name) < 0:
			return "it means " + p.Name + ", which is no parameter here"
		case before.Get(p.Name) != nil || after.Get(p.Name) != nil:
			return "it means " + p.Name + ", which is given as well: give one of them"
		}
	}
	return ""
}

// given tells how a parameter was given, with its value where that is another one.
func given(k, p node) string {
	text := "given as " + quote(k.Name)
	if k.Kind == rawjson.KindArray || !sameValue(&k, &p) {
		text += ", read as " + clip(string(p.AppendCompact(nil)))
	}
	return text
}

// say is what a member says in the schema's words. why is "" unless its value cannot be said so.
func (s Spelling) say(k node) (said meaning, why string) {
	switch {
	case s.Moot != "", k.Kind == rawjson.KindNull:
		return nil, ""
	case s.Only != "":
		if s.holds(k) || s.Else != "" {
			return nil, ""
		}
		return nil, "only " + s.Only + " is possible here, got " + describe(&k)
	case len(s.Each) > 0:
		return s.each(k)
	}
	v, why := s.value(k)
	v.Name = s.To
	return meaning{v}, why
}

// holds tells of the value that says what holds anyhow.
func (s Spelling) holds(k node) bool {
	return k.Text == s.Only || string(k.AppendCompact(nil)) == s.Only
}

// each gives every item of a list to a parameter of its own.
func (s Spelling) each(k node) (said meaning, why string) {
	if k.Kind != rawjson.KindArray || len(k.Kids) != len(s.Each) {
		return nil, "want an array of " + list(s.Each, "and") + ", got " + describe(&k)
	}
	for i, item := range k.Kids {
		if item.Text == "-1" {
			continue
		}
		item.Name = s.Each[i]
		said = append(said, item)
	}
	return said, ""
}

// value is a value in the parameter's unit and words.
func (s Spelling) value(k node) (v node, why string) {
	switch {
	case s.Words != nil:
		return s.word(k)
	case s.Not:
		return negated(k)
	case s.Times != 0:
		return s.times(k)
	}
	return k, ""
}

// word says one of the listed words as the parameter has it: as a truth or a number where it is
// written like one.
func (s Spelling) word(k node) (v node, why string) {
	word, ok := s.Words[strings.ToLower(k.Text)]
	if !ok || k.Kind != rawjson.KindString && !k.Kind.IsBool() {
		return k, "want " + list(slices.Sorted(maps.Keys(s.Words)), "or") + ", got " + describe(&k)
	}
	if v, err := rawjson.Read([]byte(word), 1); err == nil { // a truth or a number
		return v, ""
	}
	return node{Kind: rawjson.KindString, Text: word}, ""
}

// negated says the opposite of a truth, which may stand in a text.
func negated(k node) (v node, why string) {
	if k.Kind.IsBool() || k.Kind == rawjson.KindString {
		switch strings.ToLower(k.Text) {
		case "true":
			return node{Kind: rawjson.KindFalse, Text: "false"}, ""
		case "false":
			return node{Kind: rawjson.KindTrue, Text: "true"}, ""
		}
	}
	return k, "want boolean, got " + describe(&k)
}

// times multiplies a number, or one that stands in a text, exactly.
func (s Spelling) times(k node) (v node, why string) {
	n, ok := new(big.Rat), false
	if k.Kind == rawjson.KindNumber || k.Kind == rawjson.KindString {
		n, ok = rational(k.Text)
	}
	if !ok {
		return k, "want number, got " + describe(&k)
	}
	n.Mul(n, new(big.Rat).SetInt64(s.Times))
	digits, _ := n.FloatPrec()
	return node{Kind: rawjson.KindNumber, Text: n.FloatString(digits)}, ""
}
