package schema

import (
	"slices"
	"sort"

	rawjson "helve/internal/json"
)

// compiled is what equal schemas share.
type compiled struct {
	rule  *rule
	clean *node
	fast  bool // the rules say all
	notes []string

	draft     draft
	patterns  map[string]pattern
	targets   map[string]*node // what references point at
	leftovers map[*node]bool   // schemas that ask what no other keyword has judged
}

// compileTree makes of a guarded schema what both validators work with. It is done once for all
// schemas of the same bytes, and nothing of it changes afterwards.
func compileTree(root *node) *compiled {
	clean, c := cleanTree(root)
	r := &ruler{resolver: resolver{root: clean}, patterns: c.patterns, done: map[*node]*rule{}}
	form := &compiled{
		rule: r.rule(clean), clean: clean, draft: c.draft, patterns: c.patterns, notes: c.notes,
		targets: map[string]*node{"#": clean}, leftovers: map[*node]bool{},
	}
	form.fast = r.settle()
	if defs := clean.Get("$defs"); defs != nil {
		for i := range defs.Kids {
			form.targets["#/$defs/"+defs.Kids[i].Name] = &defs.Kids[i]
		}
	}
	form.findLeftovers(clean)
	form.readDefaults(r)
	slices.Sort(form.notes)
	if len(form.notes) > maxNotes {
		form.notes = append(form.notes[:maxNotes], "and more")
	}
	return form
}

// findLeftovers remembers the schemas that have to know what their other keywords judged: keeping
// account of it costs, and few schemas ask for it.
func (f *compiled) findLeftovers(n *node) {
	if n.Get("unevaluatedProperties") != nil || n.Get("unevaluatedItems") != nil {
		f.leftovers[n] = true
	}
	_ = subschemas(n, func(sub *node, _ bool) error { f.findLeftovers(sub); return nil })
}

// readDefaults finds the defaults that may be filled in. One that its own schema refuses would make
// good arguments bad; null says no more than absence.
func (f *compiled) readDefaults(c *ruler) {
	for n, r := range c.done {
		props := n.Get("properties")
		if props == nil || r.props == nil {
			continue
		}
		for i := range r.props {
			d := props.Kids[i].Get("default")
			if d == nil || d.Kind == rawjson.KindNull {
				continue
			}
			if i >= maxFast || len(d.Raw) > maxDefault || !accepts(r.props[i].rule, d.Raw) {
				continue
			}
			r.props[i].fallback = string(rawjson.Compact([]byte(d.Raw)))
			text := string(append(rawjson.AppendString(nil, r.props[i].name), ':')) + r.props[i].fallback
			r.defaults = append(r.defaults, gapFill{prop: i, text: text})
		}
		sort.SliceStable(r.defaults, func(i, j int) bool { return r.defaults[i].text < r.defaults[j].text })
	}
}

// accepts says whether the value surely passes the rule.
func accepts(r *rule, value string) bool {
	f := fast{Scanner: rawjson.Scanner{Src: []byte(value), Max: maxSchemaDepth}}
	return f.value(r) && f.End()
}
