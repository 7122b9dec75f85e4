package stub

import (
	"slices"
	"sort"
	"strings"

	rawjson "helve/internal/json"
)

const (
	// maxOptional is how many parameters beside the required ones a stub shows, maxFields how many fields of an object,
	// maxInner of one within another.
	maxOptional = 4
	maxFields   = 4
	maxInner    = 4
	// maxNesting is how deep it shows what objects are made of.
	maxNesting = 3
	// maxChoices is how many values of a choice it shows.
	maxChoices = 4
	// maxDefault is the longest default that it shows, in bytes.
	maxDefault = 12
)

// String is the function in one line.
func (f *Function) String() string {
	var b strings.Builder
	b.WriteString(f.Call() + "(")
	root := f.Tool.Input.JSON()
	properties := rawjson.Get(root, "properties")
	required := list(rawjson.Get(root, "required"))
	for i, name := range f.Params {
		if i >= maxOptional+len(required) {
			b.WriteString(", …")
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(parameter(root, name, rawjson.Get(properties, name), slices.Contains(required, name)))
	}
	b.WriteString(")")
	if f.Tool.Output == nil {
		b.WriteString(" -> str")
		return b.String()
	}
	out := f.Tool.Output.JSON()
	b.WriteString(" -> " + typeOf(out, out, 0))
	return b.String()
}

// parameter is one parameter.
func parameter(root []byte, name string, schema []byte, required bool) string {
	shown := name
	if identifier(name) != name {
		shown = identifier(name)
		if shown != name+"_" { // no keyword can say it
			shown = `**{"` + name + `"}`
		}
	}
	if d := rawjson.Get(schema, "default"); d != nil && len(d) <= maxDefault && !required {
		return shown + "=" + value(d)
	}
	t := typeOf(root, schema, 1)
	if t != "str" {
		shown += ": " + t
	}
	if !required {
		shown += "?"
	}
	return shown
}

// value is a value of JSON in the words of the language.
func value(raw []byte) string {
	switch string(raw) {
	case "true":
		return "True"
	case "false":
		return "False"
	case "null":
		return "None"
	}
	return string(raw)
}

// typeOf is what a schema says of a value, in one word where that is enough.
func typeOf(root, schema []byte, depth int) string {
	schema = resolved(root, schema)
	if schema == nil {
		return "any"
	}
	if choice := choices(schema); choice != "" {
		return choice
	}
	for _, word := range []string{"anyOf", "oneOf"} {
		if several := elements(rawjson.Get(schema, word)); len(several) > 0 {
			return union(root, several, depth)
		}
	}
	t := rawjson.Get(schema, "type")
	if word, ok := rawjson.String(t); ok {
		return plain(root, schema, word, depth)
	}
	var words []string
	for _, word := range list(t) {
		words = append(words, plain(root, schema, word, depth))
	}
	if len(words) == 0 {
		if rawjson.Get(schema, "properties") != nil {
			return object(root, schema, depth)
		}
		return "any"
	}
	return strings.Join(words, "|")
}

// plain is a type with a name.
func plain(root, schema []byte, word string, depth int) string {
	switch word {
	case "null":
		return "None"
	case "array":
		return "[" + typeOf(root, rawjson.Get(schema, "items"), depth+1) + "]"
	}
	if name := scalar(word); name != "" {
		return name
	}
	return object(root, schema, depth)
}

// scalar is a type of JSON Schema that has no parts, as scripts call it; "": it is none of these.
func scalar(word string) string {
	switch word {
	case "string":
		return "str"
	case "integer":
		return "int"
	case "number":
		return "float"
	case "boolean":
		return "bool"
	}
	return ""
}

// object is an object with its fields, as deep as a stub goes.
func object(root, schema []byte, depth int) string {
	members, err := rawjson.Object(rawjson.Get(schema, "properties"))
	if err != nil || len(members) == 0 || depth >= maxNesting {
		return "dict"
	}
	most := maxFields
	if depth > 0 {
		most = maxInner
	}
	required := list(rawjson.Get(schema, "required"))
	sort.SliceStable(members, func(i, j int) bool { // what is always there says most
		return rank(required, members[i].Key) < rank(required, members[j].Key)
	})
	var fields []string
	for i, m := range members {
		if i >= most {
			fields = append(fields, "…")
			break
		}
		field := m.Key
		if t := typeOf(root, m.Value, depth+1); t != "str" {
			field += ": " + t
		}
		fields = append(fields, field)
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// rank is 0 for what is in a list, and 1 for what is not.
func rank(list []string, name string) int {
	if slices.Contains(list, name) {
		return 0
	}
	return 1
}

// choices are the values of a choice, "" where there are none or too many.
func choices(schema []byte) string {
	values := elements(rawjson.Get(schema, "enum"))
	if len(values) == 0 || len(values) > maxChoices {
		return ""
	}
	var words []string
	for _, v := range values {
		words = append(words, value(v))
	}
	return strings.Join(words, "|")
}

// union is one of several types, each named once.
func union(root []byte, several [][]byte, depth int) string {
	var words []string
	for _, s := range several[:min(len(several), maxChoices)] {
		if t := typeOf(root, s, depth+1); !slices.Contains(words, t) {
			words = append(words, t)
		}
	}
	return strings.Join(words, "|")
}

// resolved follows a reference to a definition of the same schema, once: definitions of definitions say little.
func resolved(root, schema []byte) []byte {
	ref, ok := rawjson.String(rawjson.Get(schema, "$ref"))
	if !ok {
		return schema
	}
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil
	}
	at := root
	for part := range strings.SplitSeq(path, "/") {
		at = rawjson.Get(at, part)
	}
	if rawjson.Get(at, "$ref") != nil {
		return nil
	}
	return at
}

// elements are the elements of an array; none of what is none.
func elements(raw []byte) [][]byte {
	values, err := rawjson.Array(raw)
	if err != nil {
		return nil
	}
	out := make([][]byte, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}

// list are the texts in an array.
func list(raw []byte) []string {
	var out []string
	for _, v := range elements(raw) {
		if s, ok := rawjson.String(v); ok {
			out = append(out, s)
		}
	}
	return out
}
