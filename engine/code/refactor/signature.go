package refactor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"helve/engine/code"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
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
	ctx, cancel := context.WithTimeout(ctx, maxPlanning)
	defer cancel()
	of, err := staying(ctx, in, name)
	if err != nil {
		return nil, err
	}
	c := newSigning(of, to)
	if err := c.sign(); err != nil {
		return nil, err
	}
	if err := of.inTime(); err != nil {
		return nil, err
	}
	return of.changes, nil
}

func newSigning(of *subject, to []Parameter) *signing {
	return &signing{subject: of, plan: newJudge(of, of.standIn()), want: to, value: map[int]*tokens{}, renames: map[int]string{}}
}

// sign finds all places that mean the definition and rewrites each.
func (c *signing) sign() error {
	if err := c.changeable(); err != nil {
		return err
	}
	if err := c.lang.extend(c.subject); err != nil {
		return err
	}
	if err := c.readOld(); err != nil {
		return err
	}
	if err := c.match(); err != nil {
		return err
	}
	if err := c.plan.scan(); err != nil {
		return err
	}
	if err := c.lang.hazards(c.plan.mentions); err != nil {
		return err
	}
	if err := c.plan.decide(); err != nil {
		return err
	}
	for _, f := range c.plan.found {
		c.rivals(f)
	}
	for _, f := range c.plan.found {
		if len(f.uses) > 0 {
			c.rewrite(f)
		}
	}
	if len(c.plan.open) > 0 {
		return c.plan.refusedPlaces("%d places speak against other parameters of %s")
	}
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
	if c.family != syntax.Go {
		return c.changeableScript()
	}
	return nil
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
	_, params, why := c.declaration(t, y.File, d, c.nameOf(t, d))
	if why != "" {
		return byHand("the parameters of %s: %s", c.id(), why)
	}
	c.changes.Texts = 0
	c.params = params
	return nil
}

// notRead says of a list that it could not be read.
const notRead = "they were not understood"

// declaration reads the parameters behind the name of a definition, which is token i.
func (c *signing) declaration(t *tokens, n int32, d *store.Def, i int) (b *brackets, params []parameter, why string) {
	switch c.family {
	case syntax.JavaScript:
		return c.scriptDeclaration(t, d, i)
	case syntax.Python:
		return c.pythonDeclaration(t, n, d, i)
	}
	b, ok := t.brackets(c.list(t, i))
	if !ok {
		return nil, nil, notRead
	}
	return b, parametersOf(t, b), ""
}

// nameOf is the token of a definition's name.
func (c *signing) nameOf(t *tokens, d *store.Def) int {
	i := t.at(int(d.Start))
	if c.family != syntax.Go {
		return c.scriptName(t, i, d)
	}
	if t.is(i, "func") {
		i++
	}
	if t.is(i, "(") { // the receiver
		i = t.closing(i) + 1
	}
	return i
}

// list is the token that opens the brackets behind the name at i; type arguments stand before them.
func (c *signing) list(t *tokens, i int) int {
	i++
	if t.is(i, "[") {
		i = t.closing(i) + 1
	}
	return i
}

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
		} else if p.last(c.family) && c.from[len(c.from)-1] != i {
			return refused("", "%s takes all arguments that are left: it has to stay the last", p.label(i))
		}
	}
	if slices.Equal(c.from, inOrder(len(c.params))) && len(c.renames) == 0 {
		return refused("", "%s has these parameters already: %s", c.id(), c.labels())
	}
	return c.orderFits()
}

// last reports whether nothing can stand behind a parameter.
func (p *parameter) last(lang syntax.Language) bool {
	return p.named || p.rest && lang != syntax.Python
}

// place is the place of a wanted parameter among the old ones, -1 for a new one.
func (c *signing) place(i int, w Parameter) (int, error) {
	isNew := w.Type != "" || w.Value != "" || w.Default != ""
	name := cmp.Or(w.Old, w.Name)
	for k, p := range c.params {
		switch {
		case p.label(k) != name:
		case isNew:
			return 0, refused("Name it alone: its type and default stay as they are.", "%s has a parameter %s already", c.id(), name)
		case w.Old != "" && w.Old != w.Name:
			return k, c.checkRename(k, w)
		default:
			return k, nil
		}
	}
	if !isNew || w.Old != "" {
		return 0, refused(c.newNeeds(), "%s has no parameter %q; it has: %s", c.id(), name, c.labels())
	}
	if why := c.lang.badName(w.Name); why != "" && w.Name != "_" {
		return 0, refused("Choose another name.", "%q %s", w.Name, why)
	}
	if c.family != syntax.Go {
		return -1, c.checkNewScript(i, w)
	}
	return -1, c.checkNew(i, w)
}

// newNeeds says what makes a parameter a new one.
func (c *signing) newNeeds() string {
	if c.family == syntax.Go {
		return "A new one needs type and value."
	}
	return "A new one needs a value or a default, in TypeScript a type, too."
}

// checkRename refuses names that a parameter cannot have.
func (c *signing) checkRename(k int, w Parameter) error {
	p := &c.params[k]
	switch why := c.lang.badName(w.Name); {
	case c.family == syntax.Go:
		return refused("Edit it by hand: no call names it.", "parameters are renamed in JavaScript, TypeScript and Python")
	case why != "":
		return refused("Choose another name.", "%q %s", w.Name, why)
	case p.name == "" || p.mark:
		return refused("", "parameter %s has no name of its own", w.Old)
	}
	c.renames[k] = w.Name
	return nil
}

// checkNew refuses new parameters that cannot be declared in Go.
func (c *signing) checkNew(i int, w Parameter) error {
	if w.Default != "" {
		return refused("Give the value that calls pass.", "Go has no defaults: %s", w.Name)
	}
	variadic := strings.HasPrefix(w.Type, "...")
	typ := tokensOf(c.x, "type.go", []byte(strings.TrimPrefix(w.Type, "...")))
	switch {
	case w.Type == "" || !typ.oneExpression() || strings.ContainsAny(w.Type, "\n="):
		return refused("Give its type.", "%q is no type for %s", w.Type, w.Name)
	case variadic && i < len(c.want)-1:
		return refused("", "%s takes all arguments that are left: it has to be the last", w.Name)
	case variadic && w.Value == "":
		return nil
	}
	c.value[i] = tokensOf(c.x, "value.go", []byte(w.Value))
	if !c.value[i].oneExpression() || strings.Contains(w.Value, "\n") || c.value[i].is(0, "func") {
		return refused("Give the value that calls pass.", "%q is no value for %s", w.Value, w.Name)
	}
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
