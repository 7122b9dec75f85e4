package dialect

import (
	"encoding/json"
	"slices"

	rawjson "helve/internal/json"
)

// rootless are the keywords that OpenAI and Anthropic refuse at the root of a tool's schema, with an error for the
// whole request.
var rootless = []string{"anyOf", "oneOf", "allOf", "enum", "not", "$ref"}

// whole declares a schema as it is, but for what the providers refuse: alternatives at the root, a root without type,
// lists without items (OpenAI), names of parameters that are no names (Anthropic).
func (c *converter) whole(raw json.RawMessage) conversion {
	out := conversion{}
	changed := c.wholeRoot()
	if c.form.names.ok == nil {
		changed = c.giveItems(c.root) || changed
	} else {
		var u undo
		changed = c.renameTop(&u) || changed
		out.undo = u.orNil()
	}
	if t := c.root.Get("type"); t.Content() != "object" {
		if t != nil && !slices.Contains(textsOf(t), "object") {
			return conversion{omit: "its arguments are not an object", losses: c.losses}
		}
		c.root.Set("type", text("object"))
		changed = true
	}
	if c.root.Get("properties") == nil { // OpenAI refuses an object schema without
		c.root.Set("properties", object())
		changed = true
	}
	out.losses = c.losses
	out.parameters = raw
	if changed {
		room := len(raw) + len(`"type":"object","properties":{},"required":[]`)
		out.parameters = c.root.AppendCompact(make([]byte, 0, room))
	}
	return out
}

// wholeRoot makes one object of alternatives and the like at the root. Below the root both providers take them.
func (c *converter) wholeRoot() bool {
	refused := func(k node) bool { return slices.Contains(rootless, k.Name) }
	if !slices.ContainsFunc(c.root.Kids, refused) {
		return false
	}
	s := c.top()
	props := object()
	for _, p := range s.props {
		props.Kids = append(props.Kids, *p)
	}
	// Definitions and descriptions stay; what the alternatives say is in the shape.
	own := slices.DeleteFunc(slices.Clone(c.root.Kids), func(k node) bool {
		return refused(k) || k.Name == "properties" || k.Name == "required"
	})
	root := object(own...)
	root.Set("properties", props)
	if len(s.required) > 0 {
		root.Set("required", textList(s.required))
	}
	*c.root = root
	return true
}

// eachSchema visits the schemas directly in a schema.
func eachSchema(n *node, visit func(*node)) {
	if n.Kind != rawjson.KindObject {
		return
	}
	for i := range n.Kids {
		k := &n.Kids[i]
		switch holds(k.Name) {
		case oneSchema:
			if k.Kind == rawjson.KindObject {
				visit(k)
			}
		case schemasByName:
			if k.Kind == rawjson.KindObject {
				visitAll(k.Kids, visit)
			}
		case schemasInList:
			if k.Kind == rawjson.KindArray {
				visitAll(k.Kids, visit)
			}
		}
	}
}

func visitAll(schemas []node, visit func(*node)) {
	for i := range schemas {
		visit(&schemas[i])
	}
}

// What a keyword holds. Only where a keyword holds schemas may something be changed: a default may look like one.
const (
	noSchema = iota
	oneSchema
	schemasByName
	schemasInList
)

// holds tells where the schemas are that a keyword brings: alone, by name, or in a list.
func holds(keyword string) int {
	switch keyword {
	case "items", "additionalItems", "unevaluatedItems", "contains",
		"additionalProperties", "unevaluatedProperties", "propertyNames",
		"not", "if", "then", "else":
		return oneSchema
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
		return schemasByName
	case "anyOf", "oneOf", "allOf", "prefixItems":
		return schemasInList
	}
	return noSchema
}

// giveItems lets every list say what its items are: OpenAI refuses one that does not.
func (c *converter) giveItems(n *node) bool {
	changed := false
	eachSchema(n, func(sub *node) { changed = c.giveItems(sub) || changed })
	t := n.Get("type")
	if t == nil || !slices.Contains(textsOf(t), "array") || n.Get("items") != nil {
		return changed
	}
	n.Set("items", object())
	return true
}

// renameTop gives the parameters names that the provider takes. Those deeper inside may be called anything.
func (c *converter) renameTop(u *undo) bool {
	props := c.root.Get("properties")
	bad := func(p node) bool { return !c.form.names.ok(p.Name) }
	if !slices.ContainsFunc(kidsOf(props), bad) {
		return false
	}
	keys := naming{rule: c.form.names, taken: map[string]bool{}}
	changed := false
	required := c.root.Get("required")
	for i := range props.Kids {
		p := &props.Kids[i]
		key := keys.name(p.Name)
		if key == p.Name {
			continue
		}
		here := (*place)(nil).to("properties").to(p.Name)
		c.lose(here, "the name is not taken: declared as %s", key)
		u.member(key, p.Name, nil, false)
		for j := range kidsOf(required) {
			if required.Kids[j].Content() == p.Name {
				required.Kids[j] = text(key)
			}
		}
		p.Name = key
		changed = true
	}
	return changed
}

// kidsOf is nothing for nil, which a member that is not there is.
func kidsOf(n *node) []node {
	if n == nil {
		return nil
	}
	return n.Kids
}
