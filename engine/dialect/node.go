package dialect

import (
	"slices"

	rawjson "helve/internal/json"
)

// A node is a JSON value that keeps its order and the spelling of its scalars. Schemas are changed in place and written
// with AppendCompact, which does not care that a spelling of an object is out of date.
type node = rawjson.Node

// parse reads any JSON. What it does not take comes back as it was, for the schema to judge.
func parse(b []byte) (node, bool) {
	r := rawjson.Reader{Loose: true}
	n, err := r.Read(b)
	return n, err == nil
}

// textsOf are the strings of an array, or the one string.
func textsOf(n *node) []string {
	if n == nil {
		return nil
	}
	if n.Kind == rawjson.KindString {
		if i := slices.Index(typeTexts, n.Raw); i >= 0 {
			return typeNames[i : i+1 : i+1]
		}
		return []string{n.Content()}
	}
	out := make([]string, 0, len(n.Kids))
	for i := range n.Kids {
		if n.Kids[i].Kind == rawjson.KindString {
			out = append(out, n.Kids[i].Content())
		}
	}
	return out
}

// usual is how many members a declared schema has: more are rare.
const usual = 5

func object(members ...node) node {
	return node{Kind: rawjson.KindObject, Kids: append(make([]node, 0, max(usual, len(members))), members...)}
}

func array(items ...node) node { return node{Kind: rawjson.KindArray, Kids: items} }

// typeNames are the types of JSON Schema, typeTexts their spellings.
var (
	typeNames = []string{"string", "object", "integer", "number", "boolean", "array", "null"}
	typeTexts = []string{`"string"`, `"object"`, `"integer"`, `"number"`, `"boolean"`, `"array"`, `"null"`}
)

// text is a string that gets its spelling when it is written.
func text(s string) node { return node{Kind: rawjson.KindString, Text: s} }

// truth is true or false.
func truth(b bool) node {
	if b {
		return literal(rawjson.KindTrue, "true")
	}
	return literal(rawjson.KindFalse, "false")
}

// literal is a scalar but a string; kind must be that of the text.
func literal(kind rawjson.Kind, text string) node { return node{Kind: kind, Text: text, Raw: text} }

// textList is an array of strings.
func textList(list []string) node {
	out := node{Kind: rawjson.KindArray, Kids: make([]node, 0, len(list))}
	for _, s := range list {
		out.Kids = append(out.Kids, text(s))
	}
	return out
}

// named is a value as the member of that name.
func named(name string, n node) node {
	n.Name = name
	return n
}
