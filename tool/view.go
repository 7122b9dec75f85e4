package tool

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"helve/internal/names"
)

// A View is what a kit offers, or a registry holds, at one moment. It never changes; its slices are
// shared and must not be modified.
type View struct {
	of       *snapshot
	revision uint64

	specs   []*Spec // offered and listed, in stable order
	rest    []*Spec // offered and not listed
	all     []*entry
	byName  map[string]*entry // public names
	aliases map[string]*entry
	byID    map[Origin]*entry

	spell   sync.Once
	spelled map[string][]*entry // every historical spelling
	folded  map[string][]*entry // the same, folded
}

type entry struct {
	tool    Tool
	spec    *Spec
	name    string
	listed  *Spec // what lists show of it: spec, unless a Listing says otherwise
	offered bool
	shown   bool    // in lists
	verdict Verdict // of the listing

	once   sync.Once
	digest Digest

	wholly sync.Once
	whole  *Spec // as programs call it: without the defaults that are limits for models
}

// concluding is the entry of what Conclude is to do.
func (c *Call) concluding() *entry {
	s := c.concludes.Spec()
	return &entry{tool: c.concludes, spec: s, listed: s, name: s.Name, offered: true}
}

// spare is the definition by which the arguments of a program are checked.
func (e *entry) spare() *Spec {
	e.wholly.Do(func() {
		own := *e.spec
		own.Input = own.wholeInput()
		e.whole = &own
	})
	return e.whole
}

// definition is the digest of the tool's definition.
func (e *entry) definition() Digest {
	e.once.Do(func() { e.digest = e.spec.Digest() })
	return e.digest
}

// newView names and sorts tools. lists judges each one, show tells what is
// listed of what is offered; nil: all of it.
func newView(
	of *snapshot, tools []Tool, name func(*Spec) string, lists func(*Spec) Verdict, show func(*Spec) bool,
) *View {
	v := &View{
		of:      of,
		byName:  make(map[string]*entry, len(tools)),
		aliases: map[string]*entry{},
		byID:    make(map[Origin]*entry, len(tools)),
	}
	block := make([]entry, len(tools))
	v.all = make([]*entry, len(tools))
	for i, t := range tools {
		e := &block[i]
		e.tool, e.spec = t, t.Spec()
		e.listed = e.spec
		e.name = name(e.spec)
		e.verdict = lists(e.spec)
		e.offered = e.verdict.Decision != Deny
		v.all[i] = e
		v.byName[e.name] = e
		v.byID[e.spec.Origin] = e
	}
	slices.SortFunc(v.all, stable)
	v.specs = make([]*Spec, 0, len(tools))
	for _, e := range v.all {
		switch {
		case e.offered && (show == nil || show(e.spec)):
			e.shown = true
			v.specs = append(v.specs, e.spec)
		case e.offered:
			v.rest = append(v.rest, e.spec)
		}
		for _, a := range e.spec.Aliases {
			if _, taken := v.aliases[a]; !taken && ours(e.spec) {
				v.aliases[a] = e
			}
		}
	}
	return v
}

var ranks = map[OriginKind]int{Builtin: 0, Go: 1, Command: 2, MCP: 3, Remote: 4}

// stable orders by source and then by name, so that a prompt cache survives a tool that comes or
// goes elsewhere.
func stable(a, b *entry) int {
	return cmp.Or(
		cmp.Compare(ranks[a.spec.Origin.Kind], ranks[b.spec.Origin.Kind]),
		strings.Compare(a.spec.Origin.Server, b.spec.Origin.Server),
		strings.Compare(a.name, b.name),
	)
}

// Specs are the tools offered, in stable order: built-in, Go, command, then by server, then by pool;
// by name within each.
func (v *View) Specs() []*Spec { return v.specs }

// Unlisted are the tools that can be called by name but that lists leave out (KitOptions.Show), in
// stable order.
func (v *View) Unlisted() []*Spec { return v.rest }

// Len is the number of tools offered.
func (v *View) Len() int { return len(v.specs) }

// Name is the public name of a spec of this view, "" for any other.
func (v *View) Name(s *Spec) string {
	if e := v.byID[s.Origin]; e != nil {
		return e.name
	}
	return ""
}

// A Withheld tool is registered but not offered, and why.
type Withheld struct {
	Spec    *Spec
	Name    string
	Verdict Verdict
}

// Withheld are the registered tools that this view does not offer, in stable order.
func (v *View) Withheld() []Withheld {
	var out []Withheld
	for _, e := range v.all {
		if !e.offered {
			out = append(out, Withheld{e.spec, e.name, e.verdict})
		}
	}
	return out
}

// Get is Lookup for those who do not ask why.
func (v *View) Get(name string) (Tool, bool) {
	t, bad := v.Lookup(name)
	return t, bad == nil
}

// Has tells whether Get finds the name.
func (v *View) Has(name string) bool {
	_, ok := v.Get(name)
	return ok
}

// ByTitle are the tools offered in the order of their display names, for people.
func (v *View) ByTitle() []*Spec {
	out := slices.Clone(v.specs)
	slices.SortStableFunc(out, func(a, b *Spec) int {
		x, y := strings.ToLower(a.DisplayName()), strings.ToLower(b.DisplayName())
		return cmp.Or(strings.Compare(x, y), strings.Compare(v.Name(a), v.Name(b)))
	})
	return out
}

// Where are the offered tools that satisfy a condition, in stable order. Source, category, tag and
// kind are conditions.
func (v *View) Where(is func(*Spec) bool) []*Spec {
	var out []*Spec
	for _, s := range v.specs {
		if is(s) {
			out = append(out, s)
		}
	}
	return out
}

// From is the condition that a tool comes from this source, as Origin.Source names it.
func From(source string) func(*Spec) bool {
	return func(s *Spec) bool { return s.Origin.Source() == source }
}

// InCategory is the condition that a tool's topic is this one.
func InCategory(c string) func(*Spec) bool { return func(s *Spec) bool { return s.Category == c } }

// Tagged is the condition that a tool carries this tag.
func Tagged(tag string) func(*Spec) bool {
	return func(s *Spec) bool { return slices.Contains(s.Tags, tag) }
}

// OfKind is the condition that this is the worst that a tool does.
func OfKind(k Kind) func(*Spec) bool { return func(s *Spec) bool { return s.Kind == k } }

// Counts tells how many offered tools come from each kind of origin.
func (v *View) Counts() map[OriginKind]int {
	out := map[OriginKind]int{}
	for _, s := range v.specs {
		out[s.Origin.Kind]++
	}
	return out
}

// Matches is the condition that name, display name or short description contain the query, whatever
// the case.
func (v *View) Matches(query string) func(*Spec) bool {
	q := strings.ToLower(strings.TrimSpace(query))
	return func(s *Spec) bool {
		return strings.Contains(strings.ToLower(v.Name(s)+"\n"+s.DisplayName()+"\n"+s.Doc.Short), q)
	}
}

// Search finds the offered tools that match, those that do so by name first.
func (v *View) Search(query string) []*Spec {
	found := v.Where(v.Matches(query))
	q := strings.ToLower(strings.TrimSpace(query))
	slices.SortStableFunc(found, func(a, b *Spec) int { return cmp.Compare(v.rank(a, q), v.rank(b, q)) })
	return found
}

func (v *View) rank(s *Spec, q string) int {
	if strings.Contains(strings.ToLower(v.Name(s)+"\n"+s.DisplayName()), q) {
		return 0
	}
	return 1
}

// Prompt describes the set as text, for models that take no declarations.
func (v *View) Prompt() string {
	var b strings.Builder
	for i, s := range v.specs {
		if i > 0 {
			b.WriteString("\n\n")
		}
		fmt.Fprintf(&b, "## %s\n%s\nParameters: %s", v.Name(s), s.Doc.Full(), s.Input.JSON())
	}
	return b.String()
}

// Changes tells what has come to new since old, and what has gone: what listeners call registered
// and unregistered. A tool whose definition changed is in both. old may be nil.
func Changes(old, new *View) (registered, unregistered []*Spec) {
	return missing(new, old), missing(old, new)
}

func missing(in, from *View) []*Spec {
	if in == nil {
		return nil
	}
	return in.Where(func(s *Spec) bool {
		if from == nil {
			return true
		}
		e := from.byID[s.Origin]
		return e == nil || !e.offered || e.listed != s && e.listed.Digest() != s.Digest()
	})
}

// Spellings are all the names under which a tool may be called, the public ones among them, best
// first.
func (s *Spec) Spellings() []string {
	out := append([]string{s.Name}, s.Aliases...)
	switch s.Origin.Kind {
	case MCP:
		public := names.Qualified(s.Origin.Server, s.Origin.Name)
		out = slices.Concat([]string{public}, out, names.Spellings(s.Origin.Server, s.Origin.Name))
	case Remote:
		public := names.OfPool(s.Origin.Server, s.Origin.Name)
		out = slices.Concat([]string{public}, out, names.PoolSpellings(s.Origin.Server, s.Origin.Name))
	case Command:
		out = append(out, "cmd__"+s.Origin.Name, names.GenerateValidName(s.Origin.Name))
	}
	slices.Sort(out[1:])
	return slices.Compact(out)
}
