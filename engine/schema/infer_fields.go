package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A field is a field of a struct as encoding/json sees it.
type field struct {
	reflect.StructField
	name     string // in JSON
	optional bool   // it has omitempty or omitzero
	quoted   bool   // it has string
	depth    int    // how many structs it is embedded in
	tagged   bool   // the name is that of a tag
}

// maxFields bounds the fields of one struct with all that it embeds: a model would not read a tenth
// of them.
const maxFields = 1000

// fieldsOf lists what encoding/json decodes into a struct: exported fields, and those of embedded
// structs in their place. Of fields of one name the shallowest counts, then the tagged one; two
// that are equal in that are an error, for encoding/json fills in neither.
func fieldsOf(t reflect.Type) ([]field, error) {
	all, err := promoted(t, 0, nil)
	if err != nil {
		return nil, err
	}
	best := map[string]int{}
	for i, f := range all {
		j, seen := best[f.name]
		switch {
		case !seen || f.hides(all[j]):
			best[f.name] = i
		case !all[j].hides(f):
			return nil, fmt.Errorf("the fields %s and %s are both called %q", all[j].Name, f.Name, f.name)
		}
	}
	out := make([]field, 0, len(best))
	for i, f := range all {
		if best[f.name] == i {
			out = append(out, f)
		}
	}
	return out, nil
}

// hides tells that of two fields of one name f is the one that counts.
func (f field) hides(g field) bool {
	if f.depth != g.depth {
		return f.depth < g.depth
	}
	return f.tagged && !g.tagged
}

// promoted are the fields of a struct and of those that it embeds, in source order. within are the
// structs that embed it.
func promoted(t reflect.Type, depth int, within []reflect.Type) ([]field, error) {
	if slices.Contains(within, t) {
		return nil, fmt.Errorf("%s contains itself: a schema without references cannot say that", t)
	}
	var out []field
	for f := range t.Fields() {
		read, use := readField(f)
		inner := embedded(f, read)
		switch {
		case !use, inner == nil && !decoded(f):
			continue
		case inner == nil:
			read.depth = depth
			out = append(out, read)
		case f.Type.Kind() == reflect.Pointer && !f.IsExported():
			return nil, fmt.Errorf("%s is embedded by a pointer that encoding/json cannot set", f.Name)
		default:
			deep, err := promoted(inner, depth+1, append(within, t))
			if err != nil {
				return nil, err
			}
			out = append(out, deep...)
		}
		if len(out) > maxFields {
			return nil, fmt.Errorf("more than %d fields", maxFields)
		}
	}
	return out, nil
}

// decoded tells that encoding/json fills in a field that stands for itself: one that is exported, or an embedded struct
// with a name of its own, whatever its type is called.
func decoded(f reflect.StructField) bool {
	return f.IsExported() || f.Anonymous && f.Type.Kind() == reflect.Struct
}

// readField reads the json tag; use is false for a field that is left out.
func readField(f reflect.StructField) (out field, use bool) {
	tag := f.Tag.Get("json")
	name, options, _ := strings.Cut(tag, ",")
	if tag == "-" || f.Tag.Get("jsonschema") == "-" {
		return out, false
	}
	out = field{StructField: f, name: name, tagged: name != ""}
	if name == "" {
		out.name = f.Name
	}
	for option := range strings.SplitSeq(options, ",") {
		out.optional = out.optional || option == "omitempty" || option == "omitzero"
		out.quoted = out.quoted || option == "string"
	}
	return out, true
}

// embedded is the struct whose fields stand for an embedded field; nil for every other field. A
// name of its own makes it a field.
func embedded(f reflect.StructField, n field) reflect.Type {
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if !f.Anonymous || n.tagged || t.Kind() != reflect.Struct || t == timeType {
		return nil
	}
	return t
}
