package schema

import (
	"strconv"
	"strings"

	rawjson "helve/internal/json"
)

// A draft of JSON Schema: what its keywords are.
type draft uint8

const (
	draft4 draft = iota
	draft6
	draft7
	draft2019
	draft2020
)

// knows says whether a keyword means anything in the draft. dependencies lives on in all of them,
// as the drafts allow.
func (d draft) knows(keyword string) bool {
	switch keyword {
	case "const", "contains", "propertyNames":
		return d >= draft6
	case "if", "then", "else":
		return d >= draft7
	case "minContains", "maxContains", "dependentRequired", "dependentSchemas",
		"unevaluatedItems", "unevaluatedProperties":
		return d >= draft2019
	case "prefixItems", "$dynamicRef":
		return d >= draft2020
	case "$recursiveRef":
		return d == draft2019
	case "additionalItems":
		return d < draft2020
	}
	return true
}

// How a keyword holds schemas.
type holding uint8

const (
	holdsNone  holding = iota
	holdsOne           // a schema
	holdsList          // an array of schemas
	holdsNamed         // an object whose values are schemas
	holdsItems         // a schema, or in older drafts an array of them
	holdsDeps          // an object of schemas or of name lists
)

// holdsOf says how the keyword holds schemas and whether they judge the same place of the arguments
// as their parent.
func holdsOf(keyword string) (h holding, sameplace bool) {
	switch keyword {
	case "properties", "patternProperties", "$defs", "definitions":
		return holdsNamed, false
	case "items":
		return holdsItems, false
	case "additionalProperties", "additionalItems", "contains", "propertyNames",
		"unevaluatedItems", "unevaluatedProperties":
		return holdsOne, false
	case "prefixItems":
		return holdsList, false
	case "allOf", "anyOf", "oneOf":
		return holdsList, true
	case "not", "if", "then", "else":
		return holdsOne, true
	case "dependentSchemas":
		return holdsNamed, true
	case "dependencies":
		return holdsDeps, true
	}
	return holdsNone, false
}

func isReference(keyword string) bool {
	return keyword == "$ref" || keyword == "$dynamicRef" || keyword == "$recursiveRef"
}

// subschemas calls visit for every schema that n holds directly.
func subschemas(n *node, visit func(sub *node, sameplace bool) error) error {
	if n.Kind != rawjson.KindObject {
		return nil
	}
	for i := range n.Kids {
		k := &n.Kids[i]
		h, same := holdsOf(k.Name)
		if h == holdsNone {
			continue
		}
		if err := held(k, h, func(sub *node) error { return visit(sub, same) }); err != nil {
			return err
		}
	}
	return nil
}

// holdsMany tells that the value of a keyword is of the kind that holds several schemas.
func holdsMany(n *node, h holding) bool {
	switch n.Kind {
	case rawjson.KindObject:
		return h == holdsNamed || h == holdsDeps
	case rawjson.KindArray:
		return h == holdsList || h == holdsItems
	}
	return false
}

// held calls visit for every schema in the value of one keyword. A value of another form than the
// keyword's holds none: such a keyword constrains nothing.
func held(n *node, h holding, visit func(*node) error) error {
	if !holdsMany(n, h) {
		if h == holdsOne || h == holdsItems {
			return visit(n)
		}
		return nil
	}
	for i := range n.Kids {
		if h == holdsDeps && n.Kids[i].Kind == rawjson.KindArray {
			continue
		}
		if err := visit(&n.Kids[i]); err != nil {
			return err
		}
	}
	return nil
}

// A resolver finds what a local reference points at.
type resolver struct {
	root    *node
	anchors map[string]*node
}

// local says whether the reference stays in its own document.
func local(ref string) bool { return strings.HasPrefix(ref, "#") }

// find returns nil for a reference that leads nowhere.
func (r *resolver) find(ref string) *node {
	frag, ok := unpercent(strings.TrimPrefix(ref, "#"))
	if !ok {
		return nil
	}
	if frag == "" {
		return r.root
	}
	if !strings.HasPrefix(frag, "/") {
		return r.anchors[frag]
	}
	n := r.root
	for step := range strings.SplitSeq(frag[1:], "/") {
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		if n = child(n, step); n == nil {
			return nil
		}
	}
	return n
}

func child(n *node, name string) *node {
	switch n.Kind {
	case rawjson.KindObject:
		return n.Get(name)
	case rawjson.KindArray:
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(n.Kids) {
			return &n.Kids[i]
		}
	}
	return nil
}
