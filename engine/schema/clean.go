package schema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A cleaner turns a guarded schema into one that both validators understand alike: only keywords that constrain in its
// draft, each with a value of the right form; every reference as one of a few definitions; $id and anchors gone. What
// had to go is noted.
type cleaner struct {
	resolver
	draft    draft
	names    map[*node]string // targets of references → their definition
	queue    []*node          // targets not cleaned yet, in the order of their names
	patterns map[string]pattern
	notes    []string
}

// cleanTree returns the cleaned schema. Definitions stand at the root under $defs, whatever the draft.
func cleanTree(root *node) (*node, *cleaner) {
	c := &cleaner{
		resolver: resolver{root: root, anchors: map[string]*node{}}, draft: draft2020,
		names: map[*node]string{root: "#"}, patterns: map[string]pattern{},
	}
	c.readDraft(root.get("$schema"))
	c.readAnchors(root)
	clean := c.schema(root, "")
	var defs node
	for i := 0; i < len(c.queue); i++ {
		d := c.schema(c.queue[i], c.names[c.queue[i]])
		d.name = strconv.Itoa(i)
		defs.kids = append(defs.kids, d)
	}
	if len(defs.kids) > 0 {
		defs.kind, defs.name = objectKind, "$defs"
		clean.kids = append(clean.kids, defs)
	}
	return &clean, c
}

func (c *cleaner) note(at, format string, args ...any) {
	if at == "" {
		at = "/"
	}
	c.notes = append(c.notes, at+": "+fmt.Sprintf(format, args...))
}

func (c *cleaner) readDraft(uri *node) {
	if !uri.isString() {
		return
	}
	_, name, _ := strings.Cut(strings.TrimRight(uri.text, "#/"), "json-schema.org/")
	switch name {
	case "draft-07/schema":
		c.draft = draft7
	case "draft-06/schema":
		c.draft = draft6
	case "draft-04/schema", "draft-03/schema":
		c.draft = draft4
	case "draft/2019-09/schema":
		c.draft = draft2019
	case "draft/2020-12/schema", "schema":
	default:
		c.note("", "$schema %s is not known, read as draft 2020-12", quote(uri.text))
	}
}

func (c *cleaner) readAnchors(n *node) {
	for _, k := range []string{"$anchor", "$dynamicAnchor"} {
		if a := n.get(k); a.isString() && c.anchors[a.text] == nil {
			c.anchors[a.text] = n
		}
	}
	_ = n.subschemas(func(sub *node, _ bool) error { c.readAnchors(sub); return nil })
}

// schema cleans one schema. A schema that is none accepts everything.
func (c *cleaner) schema(n *node, at string) node {
	if n.kind == boolKind && c.draft != draft4 {
		return node{kind: boolKind, text: n.text}
	}
	if n.kind == boolKind && n.text == "false" { // draft 4 knows no boolean schemas
		return node{kind: objectKind, kids: []node{{kind: objectKind, name: "not"}}}
	}
	out := node{kind: objectKind, kids: make([]node, 0, len(n.kids))}
	if n.kind != objectKind {
		if n.kind != boolKind {
			c.note(at, "is not a schema, anything is accepted there")
		}
		return out
	}
	hidden := c.draft < draft2019 && n.get("$ref").isString() // there it hides what stands beside it
	for i := range n.kids {
		k := &n.kids[i]
		if hidden && k.name != "$ref" && k.name != "default" {
			continue
		}
		if v, keep := c.keyword(k, at+"/"+k.name); keep {
			if v.name == "" {
				v.name = k.name
			}
			out.kids = append(out.kids, v)
		}
	}
	c.openAfterPatterns(n, &out)
	return out
}

// openAfterPatterns lets unknown names pass where a pattern that might have allowed them was dropped.
func (c *cleaner) openAfterPatterns(n, out *node) {
	given, kept := n.get("patternProperties"), out.get("patternProperties")
	if given == nil || given.kind != objectKind || kept != nil && len(kept.kids) == len(given.kids) {
		return
	}
	out.kids = slices.DeleteFunc(out.kids, func(k node) bool {
		return k.name == "additionalProperties" || k.name == "unevaluatedProperties"
	})
}

// keyword cleans one member of a schema. at is its JSON pointer.
func (c *cleaner) keyword(k *node, at string) (node, bool) {
	switch {
	case !c.draft.knows(k.name):
		return node{}, false
	case isReference(k.name):
		return c.reference(k, at)
	case k.name == "default" || k.name == "const":
		return bare(k), true
	case k.name == "$defs" || k.name == "definitions":
		return node{}, false // those that are used come back as targets
	case k.name == "$id" && k.isString() && at != "/$id" && !strings.HasPrefix(k.text, "#"):
		c.note(at, "ignored: references are resolved in the whole document")
		return node{}, false
	}
	if h, _ := holdsOf(k.name); h != holdsNone {
		return c.applicator(k, h, at)
	}
	fit, known := c.fits(k)
	if known && !fit {
		c.note(at, "%s is not a value for it, not checked", describe(k))
	}
	if k.name == "pattern" && fit && !c.compiles(k.text, at) {
		return node{}, false
	}
	return bare(k), fit
}

// bare is the node without its name: whoever takes it names it.
func bare(k *node) node {
	n := *k
	n.name = ""
	return n
}

// reference names the target as a definition.
func (c *cleaner) reference(k *node, at string) (node, bool) {
	var target *node
	if k.isString() {
		target = c.find(k.text)
	}
	if target == nil || target.kind != objectKind && target.kind != boolKind {
		c.note(at, "leads nowhere, not checked")
		return node{}, false
	}
	name, ok := c.names[target]
	if !ok {
		name = "#/$defs/" + strconv.Itoa(len(c.queue))
		c.names[target] = name
		c.queue = append(c.queue, target)
	}
	return node{kind: stringKind, text: name}, true
}

// applicator cleans a keyword that holds schemas.
func (c *cleaner) applicator(k *node, h holding, at string) (node, bool) {
	list := k.kind == arrayKind && (h == holdsList || h == holdsItems)
	named := k.kind == objectKind && (h == holdsNamed || h == holdsDeps)
	one := (k.kind == objectKind || k.kind == boolKind) && (h == holdsOne || h == holdsItems)
	switch {
	case one:
		return c.schema(k, at), true
	case h == holdsList && k.kind == arrayKind && len(k.kids) == 0, !list && !named:
		c.note(at, "%s is not a value for it, not checked", describe(k))
		return node{}, false
	}
	out := node{kind: k.kind, kids: make([]node, 0, len(k.kids))}
	if h == holdsItems && c.draft == draft2020 {
		out.name = "prefixItems" // the older drafts' way to write a tuple
		if len(k.kids) == 0 {
			return node{}, false
		}
	}
	for i := range k.kids {
		sub := &k.kids[i]
		here := at + "/" + strconv.Itoa(i)
		if named {
			here = at + "/" + sub.name
		}
		if k.name == "patternProperties" && !c.compiles(sub.name, here) {
			continue
		}
		var v node
		if h == holdsDeps && sub.kind == arrayKind {
			v = distinctNames(sub)
		} else {
			v = c.schema(sub, here)
		}
		v.name = sub.name
		out.kids = append(out.kids, v)
	}
	return out, true
}

// compiles says whether the pattern can be checked.
func (c *cleaner) compiles(text, at string) bool {
	if c.patterns[text].re != nil {
		return true
	}
	p := newPattern(text)
	switch {
	case p.re == nil:
		c.note(at, "pattern %s is not one that Go can compile, not checked", quote(text))
	case p.weight > maxProgram:
		c.note(at, "pattern %s is too costly, not checked", quote(text))
	default:
		c.patterns[text] = p
		return true
	}
	return false
}

// fits says whether a keyword that holds no schemas has a value of the right form, and whether it constrains at all.
func (c *cleaner) fits(k *node) (fit, known bool) {
	switch k.name {
	case "type":
		return c.fitsType(k), true
	case "enum":
		return k.kind == arrayKind && len(k.kids) > 0, true
	case "required":
		return distinctStrings(k) && (len(k.kids) > 0 || c.draft != draft4), true
	case "dependentRequired":
		return k.kind == objectKind && !slices.ContainsFunc(k.kids, func(d node) bool { return !distinctStrings(&d) }), true
	case "pattern":
		return k.isString(), true
	case "uniqueItems":
		return k.kind == boolKind, true
	case "exclusiveMinimum", "exclusiveMaximum":
		if c.draft == draft4 {
			return k.kind == boolKind, true
		}
		return k.kind == numberKind, true
	case "minimum", "maximum":
		return k.kind == numberKind, true
	case "multipleOf":
		r, ok := rational(k.text)
		return k.kind == numberKind && ok && r.Sign() > 0, true
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
		_, ok := count(k)
		return ok, true
	}
	return false, false
}

func (c *cleaner) fitsType(k *node) bool {
	if k.kind == stringKind {
		return typeOf(k.text) != 0
	}
	return distinctStrings(k) && len(k.kids) > 0 && !slices.ContainsFunc(k.kids, func(t node) bool { return typeOf(t.text) == 0 })
}

func distinctStrings(n *node) bool {
	if n.kind != arrayKind {
		return false
	}
	seen := make(map[string]bool, len(n.kids))
	for _, k := range n.kids {
		if k.kind != stringKind || seen[k.text] {
			return false
		}
		seen[k.text] = true
	}
	return true
}

// distinctNames keeps the distinct strings of a list.
func distinctNames(n *node) node {
	out, seen := node{kind: arrayKind}, make(map[string]bool, len(n.kids))
	for _, k := range n.kids {
		if k.kind == stringKind && !seen[k.text] {
			seen[k.text] = true
			out.kids = append(out.kids, k)
		}
	}
	return out
}

// count reads a keyword's non-negative whole number.
func count(n *node) (int, bool) {
	if n == nil || n.kind != numberKind {
		return 0, false
	}
	v, err := strconv.ParseInt(n.text, 10, 32)
	if err != nil {
		r, ok := rational(n.text)
		if !ok || !r.IsInt() || !r.Num().IsInt64() || r.Num().Int64() > 1<<31 {
			return 0, false
		}
		v = r.Num().Int64()
	}
	return int(v), v >= 0
}
