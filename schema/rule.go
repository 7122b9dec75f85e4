package schema

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// types is a set of JSON types.
type types uint8

const (
	isNull types = 1 << iota
	isBool
	isInteger
	isNumber
	isText
	isArray
	isObject
)

var typeNames = [...]string{"null", "boolean", "integer", "number", "string", "array", "object"}

func typeOf(name string) types {
	if i := slices.Index(typeNames[:], name); i >= 0 {
		return 1 << i
	}
	return 0
}

// has says whether any of the wanted types is in the set. The empty set allows everything.
func (t types) has(want types) bool { return t == 0 || t&want != 0 }

func (t types) names() []string {
	var list []string
	for i, name := range typeNames {
		if t&(1<<i) != 0 {
			list = append(list, name)
		}
	}
	return list
}

// A rule is one schema, compiled. Where exact, it says all that the schema says and the fast validator may say yes.
// Where not, it is what repair and defaults may rely on, and the library judges.
type rule struct {
	exact bool
	never bool // the schema false
	types types

	props      []prop // in the schema's order
	index      map[string]int
	closed     bool  // no other names
	additional *rule // for other names; nil: anything
	required   uint64
	defaults   []gapFill // by name

	items              *rule
	minItems, maxItems int // maxItems < 0: no bound

	enum             []node
	minimum, maximum *bound
	minRunes         int
	maxRunes         int     // < 0: no bound
	pattern          pattern // re nil: none

	either   []*rule // one of them at least …
	single   bool    // … and no second one
	only     *rule   // the schema is this one …
	nullable bool    // … or null
}

type prop struct {
	name     string
	rule     *rule
	required bool
	fallback string // its default, compact JSON; "" for none
}

// gapFill is a property with a default: where it is absent, `"name":value` is written.
type gapFill struct {
	prop int
	text string
}

// bound is a limit of a number: whole numbers are compared without big arithmetic.
type bound struct {
	rat   *big.Rat
	whole int64
	plain bool
}

// maxFast is how many properties an object may have for the fast validator: one bit each.
const maxFast = 64

// indexFrom is the number of properties from which a map finds names faster than comparing.
const indexFrom = 8

// find returns the position of the declared property, -1 for none.
func (r *rule) find(name string) int {
	if r.index != nil {
		if i, ok := r.index[name]; ok {
			return i
		}
		return -1
	}
	for i := range r.props {
		if r.props[i].name == name {
			return i
		}
	}
	return -1
}

// plain follows wrappers ($ref, single allOf, nullable anyOf) to the rule itself.
func (r *rule) plain() (inner *rule, nullable bool) {
	for hops := 0; r != nil && r.only != nil && hops < maxSchemaDepth; hops++ {
		nullable = nullable || r.nullable
		r = r.only
	}
	return r, nullable
}

// wants returns the types that the rule allows, by type or else by its enum. 0 means any.
func (r *rule) wants() types {
	inner, nullable := r.plain()
	if inner == nil {
		return 0
	}
	t := inner.types
	if t == 0 {
		for i := range inner.enum {
			t |= inner.enum[i].types()
		}
	}
	if t == 0 {
		for _, e := range inner.either {
			et := e.wants()
			if et == 0 {
				return 0
			}
			t |= et
		}
	}
	if nullable && t != 0 {
		t |= isNull
	}
	return t
}

func (n *node) types() types {
	switch n.kind {
	case nullKind:
		return isNull
	case boolKind:
		return isBool
	case numberKind:
		if isWhole(n.text) {
			return isInteger | isNumber
		}
		return isNumber
	case stringKind:
		return isText
	case arrayKind:
		return isArray
	}
	return isObject
}

// rational reads a number that passed the scanner's limits.
func rational(text string) (*big.Rat, bool) {
	if n, _ := number([]byte(text)); n == 0 || n != len(text) || tooLarge([]byte(text)) != "" {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

func isWhole(text string) bool {
	if digits([]byte(strings.TrimPrefix(text, "-"))) == len(strings.TrimPrefix(text, "-")) {
		return text != "" && text != "-"
	}
	r, ok := rational(text)
	return ok && r.IsInt()
}

// A ruler compiles cleaned schemas to rules.
type ruler struct {
	resolver
	old      bool
	patterns map[string]pattern
	done     map[*node]*rule
}

func (c *ruler) rule(n *node) *rule {
	if r, ok := c.done[n]; ok {
		return r
	}
	r := &rule{exact: true, maxItems: -1, maxRunes: -1}
	c.done[n] = r
	if n.kind == boolKind {
		r.never = n.text == "false"
		return r
	}
	if c.wrapper(n, r) {
		return r
	}
	for i := range n.kids {
		r.exact = c.keyword(&n.kids[i], n, r) && r.exact
	}
	c.finish(n, r)
	return r
}

// wrapper recognizes schemas that only stand for another one: a reference, a single allOf, an anyOf with null.
func (c *ruler) wrapper(n *node, r *rule) bool {
	var word *node
	for i := range n.kids {
		k := &n.kids[i]
		switch {
		case k.name == "$ref" && c.old:
			word = k
		case k.name == "default", k.name == c.defsName(), k.name == "format" && !c.old, c.old && n.get("$ref") != nil:
		case word != nil:
			return false
		default:
			word = k
		}
	}
	if word == nil {
		return false
	}
	switch {
	case word.name == "$ref":
		if target := c.find(word.text); target != nil {
			r.only = c.rule(target)
		}
	case word.name == "allOf" && len(word.kids) == 1:
		r.only = c.rule(&word.kids[0])
	case (word.name == "anyOf" || word.name == "oneOf") && len(word.kids) == 2:
		x, y := &word.kids[0], &word.kids[1]
		if x.isNullSchema() {
			x, y = y, x
		}
		if y.isNullSchema() && !x.isNullSchema() {
			r.only, r.nullable, r.single = c.rule(x), true, word.name == "oneOf"
		}
	}
	return r.only != nil
}

func (c *ruler) defsName() string {
	if c.old {
		return "definitions"
	}
	return "$defs"
}

func (n *node) isNullSchema() bool {
	t := n.get("type")
	return t.isString() && t.text == "null" && len(n.kids) == 1
}

// keyword compiles one keyword and says whether the rule now holds all of it.
func (c *ruler) keyword(k, n *node, r *rule) bool {
	switch k.name {
	case "default", c.defsName():
	case "format":
		return !c.old
	case "type":
		r.types = typeOf(k.text)
		for i := range k.kids {
			r.types |= typeOf(k.kids[i].text)
		}
	case "enum":
		r.enum = append(r.enum, k.kids...)
		return n.get("const") == nil
	case "const":
		r.enum = append(r.enum, *k)
	case "properties":
		c.properties(k, r)
	case "required":
		return true // in finish, when the properties are known
	case "additionalProperties":
		if n.get("patternProperties") != nil {
			return false // which names are additional is the library's to say
		}
		r.closed = k.kind == boolKind && k.text == "false"
		if k.kind == objectKind {
			r.additional = c.rule(k)
		}
	case "items":
		if k.kind == arrayKind {
			return false
		}
		r.items = c.rule(k)
	case "anyOf", "oneOf":
		r.single = k.name == "oneOf"
		return c.alternatives(k, r)
	default:
		return c.limit(k, r)
	}
	return true
}

func (c *ruler) limit(k *node, r *rule) bool {
	switch k.name {
	case "minimum":
		r.minimum = newBound(k.text)
	case "maximum":
		r.maximum = newBound(k.text)
	case "minLength":
		r.minRunes, _ = count(k)
	case "maxLength":
		r.maxRunes, _ = count(k)
	case "minItems":
		r.minItems, _ = count(k)
	case "maxItems":
		r.maxItems, _ = count(k)
	case "pattern":
		r.pattern = c.patterns[k.text]
	case "uniqueItems":
		return k.text == "false"
	default:
		return false
	}
	return true
}

func (c *ruler) alternatives(k *node, r *rule) bool {
	if r.either != nil {
		return false
	}
	for i := range k.kids {
		r.either = append(r.either, c.rule(&k.kids[i]))
	}
	return true
}

// settle ends the compilation: only now every rule knows its types. Where a value might match two alternatives of a
// oneOf, the fast validator cannot tell.
func (c *ruler) settle() (exact bool) {
	exact = true
	for _, r := range c.done {
		if r.single && (r.only != nil && r.only.wants().has(isNull) || r.either != nil && !disjoint(r.either)) {
			r.exact = false
		}
		exact = exact && r.exact
	}
	return exact
}

// disjoint says whether no value can match two of the rules.
func disjoint(rules []*rule) bool {
	var seen types
	for _, r := range rules {
		t := r.wants()
		if t&isNumber != 0 {
			t |= isInteger
		}
		if t == 0 || t&seen != 0 {
			return false
		}
		seen |= t
	}
	return true
}

func newBound(text string) *bound {
	b := &bound{}
	b.rat, _ = rational(text)
	if b.rat == nil {
		return nil
	}
	whole, err := strconv.ParseInt(text, 10, 64)
	b.whole, b.plain = whole, err == nil
	return b
}

func (c *ruler) properties(k *node, r *rule) {
	r.props = make([]prop, len(k.kids))
	for i := range k.kids {
		r.props[i] = prop{name: k.kids[i].name, rule: c.rule(&k.kids[i])}
	}
	if len(r.props) >= indexFrom {
		r.index = make(map[string]int, len(r.props))
		for i := range r.props {
			r.index[r.props[i].name] = i
		}
	}
	r.exact = r.exact && len(r.props) <= maxFast
}

// finish joins required names with their properties.
func (c *ruler) finish(n *node, r *rule) {
	req := n.get("required")
	if req == nil {
		return
	}
	for i := range req.kids {
		at := r.find(req.kids[i].text)
		if at < 0 || at >= maxFast {
			r.exact = false
			continue
		}
		r.props[at].required = true
		r.required |= 1 << at
	}
}
