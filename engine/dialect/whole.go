package dialect

import (
	"encoding/json"
	"slices"
)

// rootless are the keywords that OpenAI and Anthropic refuse at the root of a tool's schema.
var rootless = []string{"anyOf", "oneOf", "allOf", "enum", "not", "$ref"}

// whole declares a schema as it is, but for what the providers refuse: alternatives at the root, a root without type, lists without
// items (OpenAI), names of parameters that are no names (Anthropic).
func (c *converter) whole(raw json.RawMessage) conversion {
	out := conversion{}
	changed := c.wholeRoot()
	if c.form.names == nil {
		changed = c.giveItems(c.root) || changed
	}
	if c.form.names != nil {
		var u undo
		changed = c.renameTop(&u) || changed
		out.undo = u.orNil()
	}
	if t := c.root.get("type"); t.text() != "object" {
		if t != nil && !slices.Contains(t.texts(), "object") {
			return conversion{omit: "its arguments are not an object", losses: c.losses}
		}
		c.root.set("type", text("object"))
		changed = true
	}
	if c.root.get("properties") == nil { // OpenAI refuses an object schema without
		c.root.set("properties", object())
		changed = true
	}
	out.losses = c.losses
	out.parameters = raw
	if changed {
		out.parameters = c.root.append(make([]byte, 0, len(raw)+64))
	}
	return out
}

// wholeRoot makes one object of alternatives and the like at the root.
func (c *converter) wholeRoot() bool {
	if !slices.ContainsFunc(c.root.kids, func(k node) bool { return slices.Contains(rootless, k.name) }) {
		return false
	}
	s := c.top()
	props := object()
	for _, p := range s.props {
		props.kids = append(props.kids, *p)
	}
	own := slices.DeleteFunc(slices.Clone(c.root.kids), func(k node) bool {
		return slices.Contains(rootless, k.name) || k.name == "properties" || k.name == "required"
	})
	root := object(own...)
	root.set("properties", props)
	if len(s.required) > 0 {
		root.set("required", textList(s.required))
	}
	*c.root = root
	return true
}

// subschemas are where schemas stand in a schema: under these keywords alone, by name, or in a list.
var (
	single = []string{"items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties", "additionalItems"}
	byName = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
	inList = []string{"anyOf", "oneOf", "allOf", "prefixItems"}
)

// each visits the schemas directly in a schema.
func (n *node) each(visit func(*node)) {
	if n.kind != '{' {
		return
	}
	for i := range n.kids {
		k := &n.kids[i]
		switch {
		case slices.Contains(single, k.name) && k.kind == '{':
			visit(k)
		case slices.Contains(byName, k.name) && k.kind == '{':
			for j := range k.kids {
				visit(&k.kids[j])
			}
		case slices.Contains(inList, k.name) && k.kind == '[':
			for j := range k.kids {
				visit(&k.kids[j])
			}
		}
	}
}

// giveItems lets every list say what its items are.
func (c *converter) giveItems(n *node) bool {
	changed := false
	n.each(func(sub *node) { changed = c.giveItems(sub) || changed })
	if t := n.get("type"); t != nil && slices.Contains(t.texts(), "array") && n.get("items") == nil {
		n.set("items", object())
		changed = true
	}
	return changed
}

// renameTop gives the parameters names that the provider takes.
func (c *converter) renameTop(u *undo) bool {
	props := c.root.get("properties")
	if props == nil {
		return false
	}
	keys := naming{rule: nameRules{c.form.names, nameRule(Anthropic).clean}, taken: map[string]bool{}}
	changed := false
	required := c.root.get("required")
	for i := range props.kids {
		p := &props.kids[i]
		key := keys.name(p.name)
		if key == p.name {
			continue
		}
		c.lose((*place)(nil).to("properties").to(p.name), "the name is not taken: declared as %s", key)
		u.member(key, p.name, nil, false)
		for j := range kidsOf(required) {
			if required.kids[j].text() == p.name {
				required.kids[j] = text(key)
			}
		}
		p.name, changed = key, true
	}
	return changed
}

func kidsOf(n *node) []node {
	if n == nil {
		return nil
	}
	return n.kids
}
