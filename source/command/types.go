package command

import (
	"encoding/json"
	"strings"

	rawjson "helve/internal/json"
)

// lowerTypes writes the types of Gemini's own schemas (OBJECT, STRING) as JSON
// Schema has them.
func lowerTypes(s json.RawMessage) json.RawMessage {
	members, err := rawjson.Object(s)
	if err != nil {
		return s
	}
	changed := false
	for i, m := range members {
		v := lowerIn(m)
		changed = changed || len(v) != len(m.Value) || string(v) != string(m.Value)
		members[i].Value = v
	}
	if !changed {
		return s
	}
	return rawjson.Join(members)
}

func lowerIn(m rawjson.Member) json.RawMessage {
	switch m.Key {
	case "type":
		if t, ok := rawjson.String(m.Value); ok && isType(strings.ToLower(t)) {
			return rawjson.Quote(strings.ToLower(t))
		}
	case "items", "additionalProperties", "not":
		return lowerTypes(m.Value)
	case "properties", "$defs", "definitions":
		if members, err := rawjson.Object(m.Value); err == nil {
			for i := range members {
				members[i].Value = lowerTypes(members[i].Value)
			}
			return rawjson.Join(members)
		}
	case "anyOf", "oneOf", "allOf":
		if list, err := rawjson.Array(m.Value); err == nil {
			return joinTypes(list)
		}
	}
	return m.Value
}

func joinTypes(list []json.RawMessage) json.RawMessage {
	out := []byte{'['}
	for i, s := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, lowerTypes(s)...)
	}
	return append(out, ']')
}

func isType(t string) bool {
	switch t {
	case "object", "string", "number", "integer", "boolean", "array", "null":
		return true
	}
	return false
}
