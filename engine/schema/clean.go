package schema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	rawjson "helve/internal/json"
)

// A cleaner turns a guarded schema into one that both validators understand alike: only keywords
// that constrain in its draft, each with a value of the right form; every reference as one of a few
// definitions; $id and anchors gone. What had to go is noted.
type cleaner struct {
	resolver
	draft    draft
	names    map[*node]string // targets of references → their definition
	queue    []*node          // targets not cleaned yet, in the order of their names
	patterns map[string]pattern
	notes    []string
}

// cleanTree returns the cleaned schema. Definitions stand at the root under $defs, whatever the
// draft.
func cleanTree(root *node) (*node, *cleaner) {
	c := &cleaner{
		resolver: resolver{root: root, anchors: map[string]*node{}}, draft: draft2020,
		names: map[*node]string{root: "#"}, patterns: map[string]pattern{},
	}
	c.readDraft(root.Get("$schema"))
	c.readAnchors(root)
	clean := c.schema(root, "")
	var defs node
	for i := 0; i < len(c.queue); i++ {
		d := c.schema(c.queue[i], c.names[c.queue[i]])
		d.Name = strconv.Itoa(i)
		defs.Kids = append(defs.Kids, d)
	}
	if len(defs.Kids) > 0 {
		defs.Kind, defs.Name = rawjson.KindObject, "$defs"
		clean.Kids = append(clean.Kids, defs)
	}
	return &clean, c
}

// note tells of something that is not checked, by its JSON pointer.
func (c *cleaner) note(at, format string, args ...any) {
	if at == "" {
		at = "/"
	}
	c.notes = append(c.notes, at+": "+fmt.Sprintf(format, args...))
}

// readDraft reads which draft the schema is of. Without a word of its own it is of the latest: MCP
// says so, and models write it.
func (c *cleaner) readDraft(uri *node) {
	if !uri.IsString() {
		return
	}
	_, name, _ := strings.Cut(strings.TrimRight(uri.Text, "#/"), "json-schema.org/")
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
		c.note("", "$schema %s is not known, read as draft 2020-12", quote(uri.Text))
	}
}

// readAnchors finds what references may name. The first of two that are called alike counts, here
// as for the guard.
func (c *cleaner) readAnchors(n *node) {
	for _, k := range []string{"$anchor", "$dynamicAnchor"} {
		if a := n.Get(k); a.IsString() && c.anchors[a.Text] == nil {
			c.anchors[a.Text] = n
		}
	}
	_ = subschemas(n, func(sub *node, _ bool) error { c.readAnchors(sub); return nil })
}

// schema cleans one schema. A schema that is none accepts everything.
func (c *cleaner) schema(n *node, at string) node {
	if n.Kind.IsBool() && c.draft != draft4 {
		return node{Kind: n.Kind, Text: n.Text}
	}
	if n.Kind == rawjson.KindFalse { // draft 4 knows no boolean schemas
		return node{Kind: rawjson.KindObject, Kids: []node{{Kind: rawjson.KindObject, Name: "not"}}}
	}
	out := node{Kind: rawjson.KindObject, Kids: make([]node, 0, len(n.Kids))}
	if n.Kind != rawjson.KindObject {
		if !n.Kind.IsBool() {
			c.note(at, "is not a schema, anything is accepted there")
		}
		return out
	}
	hidden := c.draft < draft2019 && n.Get("$ref").IsString() // there it hides what stands beside it
	for i := range n.Kids {
		k := &n.Kids[i]
		if hidden && k.Name != "$ref" && k.Name != "default" {
			continue
		}
		if v, keep := c.keyword(k, at+"/"+k.Name); keep {
			if v.Name == "" {
				v.Name = k.Name
			}
			out.Kids = append(out.Kids, v)
		}
	}
	c.openAfterPatterns(n, &out)
	return out
}

// openAfterPatterns lets unknown names pass where a pattern that might have allowed them was
// dropped.
func (c *cleaner) openAfterPatterns(n, out *node) {
	given, kept := n.Get("patternProperties"), out.Get("patternProperties")
	if given == nil || given.Kind != rawjson.KindObject || kept != nil && len(kept.Kids) == len(given.Kids) {
		return
	}
	out.Kids = slices.DeleteFunc(out.Kids, func(k node) bool {
		return k.Name == "additionalProperties" || k.Name == "unevaluatedProperties"
	})
}

// keyword cleans one member of a schema. at is its JSON pointer.
func (c *cleaner) keyword(k *node, at string) (node, bool) {
	switch {
	case !c.draft.knows(k.Name):
		return node{}, false
	case isReference(k.Name):
		return c.reference(k, at)
	case k.Name == "default" || k.Name == "const":
		return bare(k), true
	case k.Name == "$defs" || k.Name == "definitions":
		return node{}, false // those that are used come back as targets
	case k.Name == "$id" && k.IsString() && at != "/$id" && !strings.HasPrefix(k.Text, "#"):
		c.note(at, "ignored: references are resolved in the whole document")
		return node{}, false
	}
	if h, _ := holdsOf(k.Name); h != holdsNone {
		return c.applicator(k, h, at)
	}
	fit, known := c.fits(k)
	if known && !fit {
		c.note(at, "%s is not a value for it, not checked", describe(k))
	}
	if k.Name == "pattern" && fit && !c.compiles(k.Text, at) {
		return node{}, false
	}
	return bare(k), fit
}

// bare is the node without its name: whoever takes it names it.
func bare(k *node) node {
	n := *k
	n.Name = ""
	return n
}

// reference names the target as a definition.
func (c *cleaner) reference(k *node, at string) (node, bool) {
	var target *node
	if k.IsString() {
		target = c.find(k.Text)
	}
	if target == nil || target.Kind != rawjson.KindObject && !target.Kind.IsBool() {
		c.note(at, "leads nowhere, not checked")
		return node{}, false
	}
	name, ok := c.names[target]
	if !ok {
		name = "#/$defs/" + strconv.Itoa(len(c.queue))
		c.names[target] = name
		c.queue = append(c.queue, target)
	}
	return node{Kind: rawjson.KindString, Text: name}, true
}

// applicator cleans a keyword that holds schemas.
func (c *cleaner) applicator(k *node, h holding, at string) (node, bool) {
	if (h == holdsOne || h == holdsItems) && (k.Kind == rawjson.KindObject || k.Kind.IsBool()) {
		return c.schema(k, at), true
	}
	if !holdsMany(k, h) || h == holdsList && len(k.Kids) == 0 {
		c.note(at, "%s is not a value for it, not checked", describe(k))
		return node{}, false
	}
	out := node{Kind: k.Kind, Kids: make([]node, 0, len(k.Kids))}
	if h == holdsItems && c.draft == draft2020 {
		out.Name = "prefixItems" // the older drafts' way to write a tuple
		if len(k.Kids) == 0 {
			return node{}, false
		}
	}
	for i := range k.Kids {
		if v, keep := c.member(k, i, h, at); keep {
			out.Kids = append(out.Kids, v)
		}
	}
	return out, true
}

// member cleans one of the schemas that a keyword holds. What a pattern that cannot be checked
// asks for is not asked for at all: to ask it of every name would refuse good arguments.
func (c *cleaner) member(k *node, i int, h holding, at string) (v node, keep bool) {
	sub := &k.Kids[i]
	here := at + "/" + strconv.Itoa(i)
	if k.Kind == rawjson.KindObject {
		here = at + "/" + sub.Name
	}
	if k.Name == "patternProperties" && !c.compiles(sub.Name, here) {
		return node{}, false
	}
	if h == holdsDeps && sub.Kind == rawjson.KindArray {
		v = distinctNames(sub)
	} else {
		v = c.schema(sub, here)
	}
	v.Name = sub.Name
	return v, true
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

// fits says whether a keyword that holds no schemas has a value of the right form, and whether it
// constrains at all.
func (c *cleaner) fits(k *node) (fit, known bool) {
	switch k.Name {
	case "type":
		return c.fitsType(k), true
	case "enum":
		return k.Kind == rawjson.KindArray && len(k.Kids) > 0, true
	case "required":
		return distinctStrings(k) && (len(k.Kids) > 0 || c.draft != draft4), true
	case "dependentRequired":
		return c.fitsDependentRequired(k), true
	case "pattern":
		return k.IsString(), true
	case "uniqueItems":
		return k.Kind.IsBool(), true
	case "exclusiveMinimum", "exclusiveMaximum":
		if c.draft == draft4 {
			return k.Kind.IsBool(), true
		}
		return k.Kind == rawjson.KindNumber, true
	case "minimum", "maximum":
		return k.Kind == rawjson.KindNumber, true
	case "multipleOf":
		r, ok := rational(k.Text)
		return k.Kind == rawjson.KindNumber && ok && r.Sign() > 0, true
	case "minLength", "maxLength", "minItems", "maxItems",
		"minProperties", "maxProperties", "minContains", "maxContains":
		_, ok := count(k)
		return ok, true
	}
	return false, false
}

// fitsType wants a type or several different ones. An unknown type would refuse every value.
func (c *cleaner) fitsType(k *node) bool {
	if k.Kind == rawjson.KindString {
		return typeOf(k.Text) != 0
	}
	if !distinctStrings(k) || len(k.Kids) == 0 {
		return false
	}
	return !slices.ContainsFunc(k.Kids, func(t node) bool { return typeOf(t.Text) == 0 })
}

// fitsDependentRequired wants a list of names for each name.
func (c *cleaner) fitsDependentRequired(k *node) bool {
	if k.Kind != rawjson.KindObject {
		return false
	}
	return !slices.ContainsFunc(k.Kids, func(d node) bool { return !distinctStrings(&d) })
}

// distinctStrings tells of a list of texts of which no two are equal, as the drafts want them.
func distinctStrings(n *node) bool {
	if n.Kind != rawjson.KindArray {
		return false
	}
	seen := make(map[string]bool, len(n.Kids))
	for _, k := range n.Kids {
		if k.Kind != rawjson.KindString || seen[k.Text] {
			return false
		}
		seen[k.Text] = true
	}
	return true
}

// distinctNames keeps the distinct strings of a list.
func distinctNames(n *node) node {
	out, seen := node{Kind: rawjson.KindArray}, make(map[string]bool, len(n.Kids))
	for _, k := range n.Kids {
		if k.Kind == rawjson.KindString && !seen[k.Text] {
			seen[k.Text] = true
			out.Kids = append(out.Kids, k)
		}
	}
	return out
}

// count reads a keyword's non-negative whole number.
func count(n *node) (int, bool) {
	if n == nil || n.Kind != rawjson.KindNumber {
		return 0, false
	}
	v, err := strconv.ParseInt(n.Text, 10, 32)
	if err != nil {
		r, ok := rational(n.Text)
		if !ok || !r.IsInt() || !r.Num().IsInt64() || r.Num().Int64() > 1<<31 {
			return 0, false
		}
		v = r.Num().Int64()
	}
	return int(v), v >= 0
}
