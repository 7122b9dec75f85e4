package refactor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"helve/engine/code"
	"helve/engine/code/internal/store"
)

// Parameter is one of a new list of parameters: one that was there before, by its name, or a new one.
type Parameter struct {
	Name string
	// Type, Value and Default make it a new one: calls pass the value. Without one they leave it out, and it is the
	// default.
	Type, Value string
	Default     string // in JavaScript, TypeScript and Python
	// Old is the name of one that was there before and is called Name from now on, in these languages.
	Old string
}

// maxParameters bounds a list: nobody calls a function with more.
const maxParameters = 64

// signing is the plan of a new list of parameters while it is made.
type signing struct {
	*subject
	plan   *judge
	want   []Parameter
	params []parameter // of the definition that was asked for
	from   []int       // of each wanted one its place in old, or -1: it is new
	gone   []int       // places in old that are not wanted

	value   map[int]*tokens // of the new ones
	renames map[int]string  // new names, by places in old
	ofType  bool            // it has no receiver, or its type is that
}

// parameter is one of a list.
type parameter struct {
	piece
	name string // empty where it has none
	typ  string // as written, in Go
	rest bool   // it takes all arguments that are left

	// In JavaScript, TypeScript and Python:
	nameAt   int      // offset of the name
	optional bool     // calls may leave it out
	question bool     // it is written a?: it has no default
	named    bool     // **kw, which takes all that are left and have a name
	mark     bool     // * or /, which are none
	words    []string // names in its type and default
}

// ChangeSignature plans to give the function or method called name other parameters, with all calls of it: in Go,
// JavaScript, TypeScript and Python. What it cannot be sure of, it refuses with a *RefusedError.
func ChangeSignature(ctx context.Context, in *code.Snapshot, name string, to []Parameter) (*Changes, error) {
	return planned(ctx, in, name, (*subject).standIn, func(j *judge) []func() error {
		c := newSigning(j, to)
		return []func() error{
			c.changeable, c.extend, c.readOld, c.match, j.scan, j.hazards, j.decide, c.rewrite, c.finish,
		}
	})
}

func newSigning(j *judge, to []Parameter) *signing {
	return &signing{subject: j.subject, plan: j, want: to, value: map[int]*tokens{}, renames: map[int]string{}}
}

// rewrite gives each place that is meant its new list.
func (c *signing) rewrite() error {
	for _, f := range c.plan.found {
		c.rivals(f)
	}
	for _, f := range c.plan.found {
		if len(f.uses) > 0 {
			c.lang.rewrite(&signingFile{signing: c, scan: f, t: tokensOf(c.x, c.file(f.file).Path, f.src)})
		}
	}
	return c.plan.refusedOpen("%d places speak against other parameters of %s")
}

func (c *signing) finish() error {
	c.plan.finish()
	if c.changes.Edits > maxEdits {
		return refused("", "%s has more than the %d places that one call may edit", c.old, maxEdits)
	}
	return nil
}

// changeable refuses what has no list of parameters that one may change.
func (c *signing) changeable() error {
	y := c.group[0]
	f, d := c.file(y.File), c.r.Def(y)
	switch {
	case !d.Kind.Callable():
		return refused("", "%s is a %s: it has no parameters", c.id(), d.Kind)
	case f.Test && isGoTest(c.old) != "" && d.Owner == 0:
		return refused("", "go test says what parameters %s has", c.old)
	case len(c.want) > maxParameters:
		return refused("", "%d parameters are more than %d", len(c.want), maxParameters)
	}
	return c.lang.changeable(c)
}

// readOld reads the parameters that the definition has.
func (c *signing) readOld() error {
	y := c.group[0]
	f, d := c.file(y.File), c.r.Def(y)
	src, err := c.r.Tree.Text(c.ctx, f.Path)
	if err != nil {
		return err
	}
	if store.Digest(src) != f.Digest {
		return refused("Repeat the call.", "%s changed meanwhile", f.Path)
	}
	t := tokensOf(c.x, f.Path, src)
	_, params, why := c.lang.declaration(c, t, y.File, d, c.lang.nameOf(t, d, c.old))
	if why != "" {
		return byHand("the parameters of %s: %s", c.id(), why)
	}
	c.changes.Texts = 0
	c.params = params
	return nil
}

// notRead says of a list that it could not be read.
const notRead = "they were not understood"

// match finds which parameters stay, which are new and which go.
func (c *signing) match() error {
	taken := map[string]bool{}
	for i, w := range c.want {
		at, err := c.place(i, w)
		if err != nil {
			return err
		}
		if at >= 0 && slices.Contains(c.from, at) || taken[w.Name] && w.Name != "_" {
			return refused("", "two parameters would be called %s", w.Name)
		}
		taken[w.Name] = true
		c.from = append(c.from, at)
	}
	for i, p := range c.params {
		if !slices.Contains(c.from, i) {
			c.gone = append(c.gone, i)
		} else if p.last(c.lang.habits().keywords) && c.from[len(c.from)-1] != i {
			return refused("", "%s takes all arguments that are left: it has to stay the last", p.label(i))
		}
	}
	if slices.Equal(c.from, inOrder(len(c.params))) && len(c.renames) == 0 {
		return refused("", "%s has these parameters already: %s", c.id(), c.labels())
	}
	return c.orderFits()
}

// last reports whether nothing can stand behind a parameter: arguments with names can stand behind what takes the rest.
func (p *parameter) last(keywords bool) bool { return p.named || p.rest && !keywords }

// place is the place of a wanted parameter among the old ones, -1 for a new one.
func (c *signing) place(i int, w Parameter) (int, error) {
	isNew := w.Type+w.Value+w.Default != ""
	name := cmp.Or(w.Old, w.Name)
	for k, p := range c.params {
		switch {
		case p.label(k) != name:
		case isNew:
			return 0, refused("Name it alone: its type and default stay as they are.",
				"%s has a parameter %s already", c.id(), name)
		case w.Old != "" && w.Old != w.Name:
			return k, c.checkRename(k, w)
		default:
			return k, nil
		}
	}
	if !isNew || w.Old != "" {
		return 0, refused(c.lang.habits().needs, "%s has no parameter %q; it has: %s", c.id(), name, c.labels())
	}
	if why := c.lang.badName(w.Name); why != "" && w.Name != "_" {
		return 0, refused("Choose another name.", "%q %s", w.Name, why)
	}
	return -1, c.lang.checkNew(c, i, w)
}

// checkRename refuses names that a parameter cannot have.
func (c *signing) checkRename(k int, w Parameter) error {
	p := &c.params[k]
	switch why := c.lang.badName(w.Name); {
	case !c.lang.habits().renames:
		return refused("Edit it by hand: no call names it.",
			"parameters are renamed in JavaScript, TypeScript and Python")
	case why != "":
		return refused("Choose another name.", "%q %s", w.Name, why)
	case p.name == "" || p.mark:
		return refused("", "parameter %s has no name of its own", w.Old)
	}
	c.renames[k] = w.Name
	return nil
}

// label is what a parameter is called by who asks: its name, or its number where it has none.
func (p *parameter) label(i int) string {
	if p.name == "" || p.name == "_" {
		return fmt.Sprint(i + 1)
	}
	return p.name
}

func (c *signing) labels() string {
	var list []string
	for i := range c.params {
		list = append(list, c.params[i].label(i))
	}
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

// orderFits refuses orders of parameters that the language does not take.
func (c *signing) orderFits() error {
	open, rest := "", false // one that may be left out, and whether all behind need a name
	for i, k := range c.from {
		p := parameter{name: c.want[i].Name, optional: c.want[i].Default != ""}
		if k >= 0 {
			p = c.params[k]
		}
		rest = rest || p.rest || p.mark
		switch {
		case p.mark && i == len(c.from)-1:
			return refused("", "a parameter has to stand behind %s", p.name)
		case p.question, c.lang.habits().keywords && p.optional && !rest:
			open = p.label(k)
		case open != "" && !p.optional && !p.rest && !p.named && !rest:
			return refused("Give another order.",
				"%s may be left out: %s, which may not, cannot stand behind it", open, p.label(k))
		}
	}
	if c.moved() {
		return c.speakOfOthers()
	}
	return nil
}

// moved reports whether parameters that stay change their order.
func (c *signing) moved() bool {
	var stay []int
	for _, k := range c.from {
		if k >= 0 {
			stay = append(stay, k)
		}
	}
	return !slices.IsSorted(stay)
}

// speakOfOthers refuses another order where the default or type of a parameter speaks of another one.
func (c *signing) speakOfOthers() error {
	for k, p := range c.params {
		for _, word := range c.params[k].words {
			for j, other := range c.params {
				if j != k && other.name == word {
					return byHand("%s speaks of %s: they stay in this order", p.label(k), word)
				}
			}
		}
	}
	return nil
}

// rivals refuses methods beside which others of that name stand, in types that one may take for the other.
func (c *signing) rivals(f *scan) {
	if !c.lang.imports() || !c.member {
		return
	}
	for s, d := range c.plan.others(f) {
		if c.r.IsMember(f.file, d) {
			c.plan.unsure(f, s.Line, "another type has this name: one may be used for the other")
		}
	}
}

// oneVersion refuses functions that have several versions in one place.
func (c *signing) oneVersion() error {
	parents := map[store.DefID]bool{}
	for _, z := range c.group {
		parent := store.At(z.File, c.r.Def(z).Parent)
		if parents[parent] {
			return byHand("%s has several versions in one place", c.id())
		}
		parents[parent] = true
	}
	return nil
}

// variadic reports whether the last of the old parameters takes all arguments that are left.
func (c *signing) variadic() bool { return len(c.params) > 0 && c.params[len(c.params)-1].rest }
