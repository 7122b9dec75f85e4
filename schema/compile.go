package schema

import (
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// compiled is what equal schemas share.
type compiled struct {
	rule  *rule
	clean *node
	fast  bool // the rules say all
	notes []string

	draft    *jsonschema.Draft
	patterns map[string]pattern
	once     sync.Once
	full     *jsonschema.Schema // by once; nil when the library cannot compile it
}

func compileTree(root *node) *compiled {
	clean, c := cleanTree(root)
	r := &ruler{resolver: resolver{root: clean}, old: c.old, patterns: c.patterns, done: map[*node]*rule{}}
	form := &compiled{rule: r.rule(clean), clean: clean, draft: c.draft, patterns: c.patterns, notes: c.notes}
	form.fast = r.settle()
	if !form.fast && form.library() == nil {
		form.notes = append(form.notes, "/: cannot be compiled, nothing but JSON is checked")
		form.rule, form.fast = &rule{exact: true, types: isObject, maxItems: -1, maxRunes: -1}, true
		slices.Sort(form.notes)
		return form
	}
	form.readDefaults(r)
	slices.Sort(form.notes)
	if len(form.notes) > maxNotes {
		form.notes = append(form.notes[:maxNotes], "and more")
	}
	return form
}

// library compiles the cleaned schema for the library; nil when it refuses. Nothing is ever loaded.
func (f *compiled) library() *jsonschema.Schema {
	f.once.Do(func() {
		defer func() {
			if recover() != nil {
				f.full = nil
			}
		}()
		const here = "helve:schema"
		c := jsonschema.NewCompiler()
		c.UseLoader(deny{})
		c.DefaultDraft(f.draft)
		if c.AddResource(here, f.clean.value()) == nil {
			f.full, _ = c.Compile(here)
		}
	})
	return f.full
}

// deny loads nothing: the library's own loader opens file:// references.
type deny struct{}

func (deny) Load(string) (any, error) {
	return nil, errors.New("references to other documents are refused")
}

// readDefaults finds the defaults that may be filled in. One that its own schema refuses would make good arguments
// bad; null says no more than absence.
func (f *compiled) readDefaults(c *ruler) {
	for n, r := range c.done {
		props := n.get("properties")
		if props == nil || r.props == nil {
			continue
		}
		for i := range r.props {
			d := props.kids[i].get("default")
			if d == nil || d.kind == nullKind || i >= maxFast || len(d.raw) > maxDefault || !accepts(r.props[i].rule, d.raw) {
				continue
			}
			r.props[i].fallback = string(compact([]byte(d.raw)))
			text := string(append(appendString(nil, r.props[i].name), ':')) + r.props[i].fallback
			r.defaults = append(r.defaults, gapFill{prop: i, text: text})
		}
		slices.SortFunc(r.defaults, func(x, y gapFill) int { return strings.Compare(x.text, y.text) })
	}
}

// accepts says whether the value surely passes the rule.
func accepts(r *rule, value string) bool {
	f := fast{scanner: scanner{src: []byte(value), max: maxSchemaDepth}}
	return f.value(r) && f.end()
}
