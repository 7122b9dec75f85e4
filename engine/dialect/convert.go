package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	rawjson "helve/internal/json"
)

// maxPlaces bounds what one tool's schema may come to once its references are written out: OpenAI takes 5,000
// properties.
const maxPlaces = 5_000

// A conversion is what became of one tool.
type conversion struct {
	parameters json.RawMessage // nil: none are declared
	strict     bool
	losses     []Loss
	undo       *undo
	omit       string // why the tool cannot be declared

	weight  weight      // of a strict one
	surplus string      // why a strict one is not declared so in its set
	loose   *conversion // the same without strictness, if that was wanted
}

// convert makes a tool's parameters in a dialect.
func convert(d Dialect, t Tool, a *arena) conversion {
	raw := t.Input.JSON()
	if d == MCP {
		return conversion{parameters: raw}
	}
	defer a.reset()
	root, ok := a.parse(raw)
	if !ok || root.Kind != rawjson.KindObject {
		return conversion{omit: "its schema is not a JSON object"}
	}
	if !d.strict() && t.Strict {
		d = d.strictly()
	}
	c := newConverter(d, t.Name, &root, a)
	out := c.run(raw)
	if out.omit != "" {
		c.cannot(nil, out.omit)
	}
	if !d.strict() || len(c.unfit) == 0 {
		out.strict = d.strict()
		return out
	}
	plain := newConverter(d.base(), t.Name, &root, a)
	plain.losses = c.unfit
	return plain.run(raw)
}

// convertPlain makes a tool's parameters without strictness, though the tool may ask for it.
func convertPlain(d Dialect, t Tool, a *arena) conversion {
	t.Strict = false
	return convert(d, t, a)
}

// strictly is the strict form of a dialect that has one.
func (d Dialect) strictly() Dialect {
	switch d {
	case OpenAI:
		return OpenAIStrict
	case Responses:
		return ResponsesStrict
	case Anthropic:
		return AnthropicStrict
	}
	return d
}

// A converter turns one schema into its declared form.
type converter struct {
	form    *form // of the dialect; below items it may be another
	dialect Dialect
	arena   *arena
	tool    string        // its name, for losses
	root    *node         // where references start
	losses  []Loss        // in the order in which the schema is read
	unfit   []Loss        // why the tool cannot be strict
	active  []*node       // schemas that are being declared, outermost first
	left    int           // places that may still be written
	defs    []*definition // in the order in which they were needed
}

// A definition is a schema that refers to itself, in the dialects that take that.
type definition struct {
	of   *node  // the schema, a part of the tool's
	name string // what refers to it: a pointer into the declaration
	undo *undo  // filled in when it is declared, long after what refers to it has it
}

// deep is how many schemas usually stand within one another.
const deep = 32

func newConverter(d Dialect, name string, root *node, a *arena) *converter {
	return &converter{
		form:    d.form(),
		dialect: d,
		arena:   a,
		tool:    name,
		root:    root,
		left:    maxPlaces,
		active:  a.pointers(deep),
	}
}

// lose reports what the declaration does not say as the schema does.
func (c *converter) lose(at *place, format string, args ...any) {
	c.losses = append(c.losses, Loss{c.tool, at.String(), fmt.Sprintf(format, args...)})
}

// maxReasons is how many reasons against strictness are told: enough to see why.
const maxReasons = 20

// cannot says that the tool cannot be strict.
func (c *converter) cannot(at *place, why string) {
	if len(c.unfit) < maxReasons {
		c.unfit = append(c.unfit, Loss{c.tool, at.String(), "declared without strict: " + why})
	}
}

// run declares the root, which is an object in every dialect: arguments have names.
func (c *converter) run(raw json.RawMessage) conversion {
	if c.form.whole {
		return c.whole(raw)
	}
	s := c.top()
	if len(s.types) > 0 && !slices.Contains(s.types, "object") {
		return conversion{omit: "its arguments are not an object", losses: c.losses}
	}
	s.types = []string{"object"}
	s.null = false
	before := c.enter(c.root, s)
	out, undo := c.object(s, nil, c.arena.typed("object"), 0)
	c.leave(before)
	if len(s.props) == 0 && c.form.nullable { // Gemini's parameters must not be empty
		return conversion{losses: c.losses, undo: undo}
	}
	if d := s.description(nil); d.Kind != 0 {
		out.Kids = append(out.Kids, d)
	}
	out = c.define(out)
	if c.left < 0 {
		why := fmt.Sprintf("it expands to more than %d schemas", maxPlaces)
		return conversion{omit: why, losses: c.losses}
	}
	var w weight
	if c.form.closed {
		w.weigh(&out)
		if much := c.dialect.tooMuch(w); much != "" {
			c.cannot(nil, much)
		}
	}
	c.arena.bytes = out.AppendCompact(c.arena.bytes[:0])
	return conversion{
		parameters: bytes.Clone(c.arena.bytes), // the arena's are written over by the next tool
		losses:     c.losses,
		undo:       undo,
		weight:     w,
	}
}

// enter says that a schema and what it refers to are being declared: a reference to one of them leads back. leave takes
// back what enter added.
func (c *converter) enter(n *node, s *shape) int {
	before := len(c.active)
	c.active = append(c.active, n)
	c.active = append(c.active, s.entered...)
	return before
}

func (c *converter) leave(before int) { c.active = c.active[:before] }

// top is the root's shape. Alternatives there are one object with the parameters of all.
func (c *converter) top() *shape {
	s := c.shape(c.root, nil)
	if len(s.any) == 0 {
		return s
	}
	var common []string // what every alternative requires
	for i, alt := range s.any {
		a := c.shape(alt, nil)
		for _, p := range a.props {
			s.either(p)
		}
		if s.more == nil {
			s.more = a.more
		}
		if len(s.types) == 0 {
			s.types = a.types
		}
		if i == 0 {
			common = a.required
		} else {
			common = intersect(common, a.required)
		}
	}
	for _, r := range common {
		if !slices.Contains(s.required, r) {
			s.required = append(s.required, r)
		}
	}
	key := "anyOf"
	if c.root.Get(key) == nil {
		key = "oneOf"
	}
	here := (*place)(nil).to(key)
	c.lose(here, "alternatives are not taken at the root: declared as one object with the parameters of all")
	s.any = nil
	return s
}

func intersect(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(x string) bool { return !slices.Contains(b, x) })
}

// either adds a parameter of one alternative; one that is there already may be as either says. Which of them go
// together is judged at call time, by the tool's own schema.
func (s *shape) either(p *node) {
	for i, old := range s.props {
		if old.Name != p.Name {
			continue
		}
		if old.String() != p.String() {
			both := named(p.Name, object(named("anyOf", array(bare(*old), bare(*p)))))
			s.props[i] = &both
		}
		return
	}
	s.props = append(s.props, p)
}

// schema declares what may stand at one place. demanded says that null was added because the parameter is not
// optional any more.
func (c *converter) schema(n *node, at *place, depth int, demanded bool) (node, *undo) {
	c.left--
	if c.left < 0 {
		return object(), nil
	}
	s := c.shape(n, at)
	s.null = s.null || demanded
	if s.back != nil {
		return c.back(s, at)
	}
	before := c.enter(n, s)
	defer c.leave(before)
	return c.plain(s, at, depth)
}

// plain declares a shape that leads back to nothing.
func (c *converter) plain(s *shape, at *place, depth int) (node, *undo) {
	c.simplify(s, at)
	if len(s.any) > 0 {
		return c.choice(s, at, depth)
	}
	return c.typed(s, at, depth)
}

// back declares a reference to a schema that is being declared.
func (c *converter) back(s *shape, at *place) (node, *undo) {
	if !c.form.recursive {
		if c.form.closed {
			c.cannot(at, "it contains itself")
		}
		c.lose(at, "it contains itself: cut here, any object")
		s.back = nil
		s.types = []string{"object"}
		return c.freeObject(s, at)
	}
	i := slices.IndexFunc(c.defs, func(d *definition) bool { return d.of == s.back })
	if i < 0 {
		i = len(c.defs)
		d := &definition{of: s.back, name: "#/$defs/" + strconv.Itoa(i), undo: &undo{}}
		c.defs = append(c.defs, d)
	}
	ref := object(named("$ref", text(c.defs[i].name)))
	if s.null {
		null := object(named("type", text("null")))
		ref = object(named("anyOf", array(ref, null)))
	}
	return ref, c.defs[i].undo
}

// define adds the definitions that references lead back to. Each is declared once, with itself as the outermost schema,
// so that a reference inside leads back again.
func (c *converter) define(root node) node {
	var all node
	for i := 0; i < len(c.defs) && c.left >= 0; i++ { // a definition may bring more
		d := c.defs[i]
		c.active = c.active[:0]
		s := c.shape(d.of, nil)
		c.enter(d.of, s)
		out, u := c.plain(s, nil, 0)
		if u != nil {
			*d.undo = *u
		}
		all.Kind = rawjson.KindObject
		all.Kids = append(all.Kids, named(strconv.Itoa(i), out))
	}
	if len(c.defs) > 0 {
		root.Set("$defs", all)
	}
	return root
}

// choice declares alternatives. What the schema says beside them is part of each.
func (c *converter) choice(s *shape, at *place, depth int) (node, *undo) {
	common := s.common()
	list := c.arena.array()
	var u undo
	c.arena.keep = true // the undo tells the alternatives apart by their schemas
	for i, alt := range s.any {
		if len(common.Kids) > 0 {
			both := c.arena.object(named("allOf", c.arena.array(*alt, common)))
			alt = &both
		}
		out, sub := c.schema(alt, at.to("anyOf").item(i), depth, false)
		list.Kids = append(list.Kids, bare(out))
		u.add(out, sub)
	}
	return c.alternativesOf(list, s, c.beside(s, at)), u.orNil()
}

// common is what stands beside alternatives and must hold in each.
func (s *shape) common() node {
	out := object()
	if len(s.types) > 0 {
		out.Set("type", textList(s.types))
	}
	if len(s.props) > 0 {
		props := object()
		for _, p := range s.props {
			props.Kids = append(props.Kids, *p)
		}
		out.Set("properties", props)
	}
	if len(s.required) > 0 {
		out.Set("required", textList(s.required))
	}
	if s.items != nil {
		out.Set("items", *s.items)
	}
	if s.more != nil {
		out.Set("additionalProperties", *s.more)
	}
	return out
}

// beside describes what constraints stand beside alternatives. They cannot stay there: providers refuse a default
// beside anyOf, and of the others each alternative would need its own.
func (c *converter) beside(s *shape, at *place) []string {
	var notes []string
	for _, k := range s.rest {
		notes = append(notes, c.note(k, at)...)
	}
	return notes
}

// described starts a schema with its description, which stands before what may be long.
func (c *converter) described(desc string, notes []string) node {
	out := c.arena.object()
	if s := withNotes(desc, notes); s != "" {
		out.Set("description", text(s))
	}
	return out
}

// withNotes is a description with what else a model must know, in brackets behind it.
func withNotes(desc string, notes []string) string {
	if len(notes) == 0 {
		return desc
	}
	return strings.TrimSpace(desc + " (" + strings.Join(notes, "; ") + ")")
}
