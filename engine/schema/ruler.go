package schema

import (
	"strconv"

	rawjson "helve/internal/json"
)

// A ruler compiles cleaned schemas to rules.
type ruler struct {
	resolver
	patterns map[string]pattern
	done     map[*node]*rule
}

// rule compiles a schema. The rule is known before it is complete, so that a schema which contains
// itself ends.
func (c *ruler) rule(n *node) *rule {
	if r, ok := c.done[n]; ok {
		return r
	}
	r := &rule{exact: true, maxItems: -1, maxRunes: -1}
	c.done[n] = r
	if n.Kind.IsBool() {
		r.never = n.Text == "false"
		return r
	}
	if c.wrapper(n, r) {
		return r
	}
	for i := range n.Kids {
		r.exact = c.keyword(&n.Kids[i], n, r) && r.exact
	}
	c.finish(n, r)
	return r
}

// wrapper recognizes schemas that only stand for another one: a reference, a single allOf, an anyOf
// with null.
func (c *ruler) wrapper(n *node, r *rule) bool {
	var word *node
	for i := range n.Kids {
		k := &n.Kids[i]
		switch {
		case k.Name == "default", k.Name == "$defs":
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
	case word.Name == "$ref":
		if target := c.find(word.Text); target != nil {
			r.only = c.rule(target)
		}
	case word.Name == "allOf" && len(word.Kids) == 1:
		r.only = c.rule(&word.Kids[0])
	case (word.Name == "anyOf" || word.Name == "oneOf") && len(word.Kids) == 2:
		x, y := &word.Kids[0], &word.Kids[1]
		if isNullSchema(x) {
			x, y = y, x
		}
		if isNullSchema(y) && !isNullSchema(x) {
			r.only, r.nullable, r.single = c.rule(x), true, word.Name == "oneOf"
		}
	}
	return r.only != nil
}

// isNullSchema tells of a schema that takes null and says nothing else.
func isNullSchema(n *node) bool {
	t := n.Get("type")
	return t.IsString() && t.Text == "null" && len(n.Kids) == 1
}

// keyword compiles one keyword and says whether the rule now holds all of it.
func (c *ruler) keyword(k, n *node, r *rule) bool {
	switch k.Name {
	case "default", "$defs":
	case "type":
		r.types = typeOf(k.Text)
		for i := range k.Kids {
			r.types |= typeOf(k.Kids[i].Text)
		}
	case "enum":
		r.enum = append(r.enum, k.Kids...)
		return n.Get("const") == nil
	case "const":
		r.enum = append(r.enum, *k)
	case "properties":
		c.properties(k, r)
	case "required":
		return true // in finish, when the properties are known
	case "additionalProperties":
		if n.Get("patternProperties") != nil {
			return false // which names are additional the evaluator says
		}
		r.closed = k.Kind == rawjson.KindFalse
		if k.Kind == rawjson.KindObject {
			r.additional = c.rule(k)
		}
	case "items":
		if k.Kind == rawjson.KindArray {
			return false
		}
		r.items = c.rule(k)
	case "anyOf", "oneOf":
		r.single = k.Name == "oneOf"
		return c.alternatives(k, r)
	default:
		return c.limit(k, r)
	}
	return true
}

// limit compiles a keyword that bounds a value. What is none of these the evaluator judges alone.
func (c *ruler) limit(k *node, r *rule) bool {
	switch k.Name {
	case "minimum":
		r.minimum = newBound(k.Text)
	case "maximum":
		r.maximum = newBound(k.Text)
	case "minLength":
		r.minRunes, _ = count(k)
	case "maxLength":
		r.maxRunes, _ = count(k)
	case "minItems":
		r.minItems, _ = count(k)
	case "maxItems":
		r.maxItems, _ = count(k)
	case "pattern":
		r.pattern = c.patterns[k.Text]
	case "uniqueItems":
		return k.Text == "false"
	default:
		return false
	}
	return true
}

// alternatives compiles anyOf or oneOf. A schema that has both is the evaluator's.
func (c *ruler) alternatives(k *node, r *rule) bool {
	if r.either != nil {
		return false
	}
	for i := range k.Kids {
		r.either = append(r.either, c.rule(&k.Kids[i]))
	}
	return true
}

// settle ends the compilation: only now every rule knows its types. Where a value might match two
// alternatives of a oneOf, the fast validator cannot tell.
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

// newBound reads a limit once: as a whole number where it is one, which is what most are.
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

// properties compiles the declared names. Each has a bit in the fast validator, which bounds how
// many it can hold.
func (c *ruler) properties(k *node, r *rule) {
	r.props = make([]prop, len(k.Kids))
	for i := range k.Kids {
		r.props[i] = prop{name: k.Kids[i].Name, rule: c.rule(&k.Kids[i])}
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
	req := n.Get("required")
	if req == nil {
		return
	}
	for i := range req.Kids {
		at := r.find(req.Kids[i].Text)
		if at < 0 || at >= maxFast {
			r.exact = false
			continue
		}
		r.props[at].required = true
		r.required |= 1 << at
	}
}
