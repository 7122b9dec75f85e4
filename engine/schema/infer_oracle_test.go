package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/invopop/jsonschema"
	"pgregory.net/rapid"

	rawjson "helve/internal/json"
)

// The oracle of For is github.com/invopop/jsonschema with what For says otherwise about it: what is required, and the minimum of unsigned
// numbers. It is asked about random structs that both understand; what For does better has tests of its own.
func TestForSaysWhatTheOracleSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := drawStruct(t, 3)
		s, err := ForType(typ)
		if err != nil {
			t.Fatalf("%s: %v", typ, err)
		}
		if got, want := string(s.JSON()), oracle(t, typ); got != want {
			t.Fatalf("%s\ngot  %s\nwant %s", typ, got, want)
		}
	})
}

func TestForSaysWhatTheOracleSaysOfEverydayTypes(t *testing.T) {
	for _, typ := range []reflect.Type{reflect.TypeFor[readIn](), reflect.TypeFor[editIn](), reflect.TypeFor[common](), reflect.TypeFor[inner](), reflect.TypeFor[struct{}]()} {
		s, err := ForType(typ)
		if err != nil {
			t.Fatalf("%s: %v", typ, err)
		}
		if got, want := string(s.JSON()), oracle(t, typ); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", typ, got, want)
		}
	}
}

// encoding/json is the oracle of names: a value of the type, written by it, satisfies the schema and has exactly its properties.
func TestWhatEncodingJSONWritesSatisfiesTheSchema(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := withoutLimits(drawStruct(t, 3))
		s, err := ForType(typ)
		if err != nil {
			t.Fatalf("%s: %v", typ, err)
		}
		v := reflect.New(typ).Elem()
		fill(v)
		b, err := json.Marshal(v.Interface())
		if err != nil {
			t.Fatalf("%s: %v", typ, err)
		}
		if _, err := s.Check(b); err != nil {
			t.Fatalf("%s\n%s\nis refused by %s\n%v", typ, b, s.JSON(), err)
		}
		var written map[string]json.RawMessage
		if err := json.Unmarshal(b, &written); err != nil {
			t.Fatal(err)
		}
		if len(written) != len(s.Properties()) {
			t.Fatalf("%s\n%s\nhas not the properties of %s", typ, b, s.JSON())
		}
		back := reflect.New(typ)
		if err := json.Unmarshal(b, back.Interface()); err != nil {
			t.Fatalf("%s: %v", typ, err)
		}
	})
}

// drawStruct draws a struct with fields of every kind that For knows, nested and embedded.
func drawStruct(t *rapid.T, depth int) reflect.Type {
	var fields []reflect.StructField
	n := rapid.IntRange(0, 5).Draw(t, "fields")
	for i := range n {
		f := reflect.StructField{Name: fmt.Sprintf("F%d%d", depth, i), Type: drawType(t, depth)}
		f.Tag = drawTags(t, f.Type, fmt.Sprintf("f%d_%d", depth, i))
		fields = append(fields, f)
	}
	if depth > 1 && rapid.IntRange(0, 3).Draw(t, "embed") == 0 {
		fields = append(fields, reflect.StructField{Name: fmt.Sprintf("E%d", depth), Type: drawStruct(t, depth-2), Anonymous: true})
	}
	return reflect.StructOf(fields)
}

var plainTypes = []reflect.Type{
	reflect.TypeFor[string](), reflect.TypeFor[bool](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int64](),
	reflect.TypeFor[uint](), reflect.TypeFor[uint16](), reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[any](),
	reflect.TypeFor[json.RawMessage](), reflect.TypeFor[time.Time](), reflect.TypeFor[time.Duration](), reflect.TypeFor[[]byte](),
}

func drawType(t *rapid.T, depth int) reflect.Type {
	if depth == 0 {
		return rapid.SampledFrom(plainTypes).Draw(t, "type")
	}
	switch rapid.IntRange(0, 8).Draw(t, "shape") {
	case 0:
		return reflect.SliceOf(drawType(t, depth-1))
	case 1:
		return reflect.ArrayOf(rapid.IntRange(1, 3).Draw(t, "length"), drawType(t, depth-1))
	case 2:
		return reflect.MapOf(reflect.TypeFor[string](), drawType(t, depth-1))
	case 3:
		return reflect.PointerTo(drawType(t, depth-1))
	case 4:
		return drawStruct(t, depth-1)
	}
	return rapid.SampledFrom(plainTypes).Draw(t, "type")
}

func drawTags(t *rapid.T, typ reflect.Type, name string) reflect.StructTag {
	options := rapid.SampledFrom([]string{"", ",omitempty", ",omitzero"}).Draw(t, "options")
	tag := fmt.Sprintf(`json:"%s%s"`, name, options)
	words := drawKeywords(t, typ)
	if rapid.Bool().Draw(t, "described") {
		words = append(words, `description=Some <text>\\, "quoted" é`)
	}
	if rapid.IntRange(0, 4).Draw(t, "required") == 0 {
		words = append(words, "required")
	}
	if len(words) > 0 {
		tag += fmt.Sprintf(` jsonschema:"%s"`, strings.ReplaceAll(strings.Join(words, ","), `"`, `\"`))
	}
	return reflect.StructTag(tag)
}

// drawKeywords draws keywords that both sides understand for the type.
func drawKeywords(t *rapid.T, typ reflect.Type) []string {
	var known []string
	switch {
	case typ == timeType, typ == rawType, typ.Kind() == reflect.Slice && typ.Elem().Kind() == reflect.Uint8:
	case typ.Kind() == reflect.String:
		known = []string{"minLength=1", "maxLength=9", "pattern=^a", "enum=a", "enum=b", "default=a", "title=T"}
	case typ.Kind() == reflect.Bool:
		known = []string{"default=true", "title=T"}
	case typ.Kind() >= reflect.Int && typ.Kind() <= reflect.Uint64:
		known = []string{"minimum=1", "maximum=100", "multipleOf=2", "enum=2", "enum=4", "default=2"}
	case typ.Kind() == reflect.Float32 || typ.Kind() == reflect.Float64:
		known = []string{"minimum=0.5", "maximum=1e3", "exclusiveMaximum=7", "exclusiveMinimum=-1", "default=1.5"}
	case typ.Kind() == reflect.Slice && typ.Elem().Kind() == reflect.String:
		known = []string{"minItems=1", "maxItems=9", "uniqueItems=true", "enum=a", "minLength=1", "default=a", "default=b"}
	case typ.Kind() == reflect.Slice:
		known = []string{"minItems=1", "maxItems=9", "title=T"}
	}
	return slices.DeleteFunc(known, func(string) bool { return rapid.Bool().Draw(t, "leave out") })
}

// withoutLimits is the struct with its names alone: values are filled in without a look at limits.
func withoutLimits(t reflect.Type) reflect.Type {
	switch t.Kind() {
	case reflect.Slice:
		if t == rawType || t.Elem().Kind() == reflect.Uint8 {
			return t
		}
		return reflect.SliceOf(withoutLimits(t.Elem()))
	case reflect.Array:
		return reflect.ArrayOf(t.Len(), withoutLimits(t.Elem()))
	case reflect.Map:
		return reflect.MapOf(t.Key(), withoutLimits(t.Elem()))
	case reflect.Pointer:
		return reflect.PointerTo(withoutLimits(t.Elem()))
	case reflect.Struct:
		if t == timeType {
			return t
		}
		var out []reflect.StructField
		for f := range t.Fields() {
			f.Type, f.Offset, f.Index = withoutLimits(f.Type), 0, nil
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Tag = ""; name != "" {
				f.Tag = reflect.StructTag(fmt.Sprintf("json:%q", name))
			}
			out = append(out, f)
		}
		return reflect.StructOf(out)
	}
	return t
}

// fill puts something that is not empty everywhere.
func fill(v reflect.Value) {
	switch t := v.Type(); {
	case t == timeType:
		v.Set(reflect.ValueOf(time.Unix(0, 0).UTC()))
	case t == rawType:
		v.SetBytes([]byte(`{"x":1}`))
	case t.Kind() == reflect.String:
		v.SetString("text")
	case t.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.CanInt():
		v.SetInt(7)
	case v.CanUint():
		v.SetUint(7)
	case v.CanFloat():
		v.SetFloat(0.5)
	case t.Kind() == reflect.Interface:
		v.Set(reflect.ValueOf("anything"))
	case t.Kind() == reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		fill(v.Elem())
	case t.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(t, 1, 1))
		fill(v.Index(0))
	case t.Kind() == reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i))
		}
	case t.Kind() == reflect.Map:
		key, value := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
		fill(key)
		fill(value)
		v.Set(reflect.MakeMap(t))
		v.SetMapIndex(key, value)
	case t.Kind() == reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	}
}

// oracle is the schema that invopop/jsonschema makes, corrected as For documents it, its keywords in For's order.
func oracle(t interface{ Fatal(...any) }, typ reflect.Type) string {
	r := jsonschema.Reflector{Anonymous: true, DoNotReference: true, ExpandedStruct: true}
	doc := r.ReflectFromType(typ)
	doc.Version = ""
	correct(doc, typ)
	raw, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	root, err := rawjson.Read(raw, 1000)
	if err != nil {
		t.Fatal(string(raw))
	}
	respell(&root)
	arrange(&root)
	return string(root.AppendJSON(nil))
}

// correct says of a schema what For says otherwise.
func correct(doc *jsonschema.Schema, t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case doc == nil, t == timeType, t == rawType, t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
	case t.Kind() >= reflect.Uint && t.Kind() <= reflect.Uint64:
		if doc.Minimum == "" && doc.ExclusiveMinimum == "" {
			doc.Minimum = "0"
		}
	case t.Kind() == reflect.Slice, t.Kind() == reflect.Array:
		correct(doc.Items, t.Elem())
	case t.Kind() == reflect.Map:
		correct(doc.AdditionalProperties, t.Elem())
		elem := t.Elem()
		for elem.Kind() == reflect.Pointer {
			elem = elem.Elem()
		}
		if elem == rawType || elem.Kind() == reflect.Interface { // any value needs no word
			doc.AdditionalProperties = nil
		}
	case t.Kind() == reflect.Struct:
		for f := range t.Fields() {
			correctField(doc, f)
		}
	}
}

func correctField(doc *jsonschema.Schema, f reflect.StructField) {
	if f.Anonymous {
		correct(doc, f.Type)
		return
	}
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" {
		name = f.Name
	}
	sub, ok := doc.Properties.Get(name)
	if !ok {
		return
	}
	correct(sub, f.Type)
	tagged := slices.Contains(strings.Split(f.Tag.Get("jsonschema"), ","), "required")
	if !tagged && (f.Type.Kind() == reflect.Pointer || sub.Default != nil) {
		doc.Required = slices.DeleteFunc(doc.Required, func(r string) bool { return r == name })
	}
}

// reading is the order in which a person or model reads a schema best.
var reading = []string{"type", "title", "description", "enum", "default", "properties", "required", "additionalProperties"}

// arrange puts the keywords of each schema into reading order, and writes {} for the schema true, which some providers refuse.
func arrange(n *node) {
	if n.Kind == rawjson.KindTrue {
		*n = node{Kind: rawjson.KindObject, Name: n.Name}
		return
	}
	if n.Kind != rawjson.KindObject {
		return
	}
	rank := func(k node) int {
		if i := slices.Index(reading, k.Name); i >= 0 {
			return i
		}
		return 5 // after default
	}
	slices.SortStableFunc(n.Kids, func(x, y node) int { return rank(x) - rank(y) })
	_ = subschemas(n, func(sub *node, _ bool) error { arrange(sub); return nil })
}

// respell forgets how the source wrote the values: encoding/json writes < as \u003c.
func respell(n *node) {
	n.Raw = ""
	for i := range n.Kids {
		respell(&n.Kids[i])
	}
}
