package stub

import (
	rawjson "helve/internal/json"

	"helve/engine/schema"
)

// maxFieldDepth bounds how deep fields are looked for: no data of a tool nests deeper.
const maxFieldDepth = 8

// Fields are the names of all fields that data of this schema may have, at any depth, each with its type: str, int,
// float, bool, list or any.
func Fields(s *schema.Schema) map[string]string {
	out := map[string]string{}
	if s != nil {
		collect(out, s.JSON(), s.JSON(), 0)
	}
	return out
}

// collect adds the fields of one schema and of those below it. A name that stands for two types is any.
func collect(out map[string]string, root, schema []byte, depth int) {
	schema = resolved(root, schema)
	if schema == nil || depth > maxFieldDepth {
		return
	}
	members, err := rawjson.Object(rawjson.Get(schema, "properties"))
	if err == nil {
		for _, m := range members {
			kind := kindOf(root, m.Value)
			if had, ok := out[m.Key]; ok && had != kind {
				kind = "any"
			}
			out[m.Key] = kind
			collect(out, root, m.Value, depth+1)
		}
	}
	collect(out, root, rawjson.Get(schema, "items"), depth+1)
	for _, word := range []string{"anyOf", "oneOf"} {
		for _, one := range elements(rawjson.Get(schema, word)) {
			collect(out, root, one, depth+1)
		}
	}
}

// kindOf is the kind of a field's value.
func kindOf(root, schema []byte) string {
	word, _ := rawjson.String(rawjson.Get(resolved(root, schema), "type"))
	switch word {
	case "string":
		return "str"
	case "integer":
		return "int"
	case "number":
		return "float"
	case "boolean":
		return "bool"
	case "array":
		return "list"
	}
	return "any"
}
