package schema

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	google "github.com/google/jsonschema-go/jsonschema"
	"github.com/invopop/jsonschema"
)

// Types that structs below are made of.
type (
	loudness string
	couple   [2]int
	numbered map[string]int
	based    struct{ ID int }
	paged    struct {
		Limit  int `json:"limit,omitempty" jsonschema:"how many at most"`
		Offset int `json:"offset,omitempty"`
	}
	box[T any] struct {
		Value T `json:"value"`
	}
	corner struct {
		X, Y float64
	}
)

// A row is a struct as somebody writes it for one of the libraries, and the one it was written for.
type row struct {
	name string
	in   any
	by   string // sdk: the official MCP SDK; invopop; json: no tag but encoding/json's
}

var rows = []row{
	{"a description", struct {
		City string `json:"city" jsonschema:"the city"`
	}{}, "sdk"},
	{"a description with commas", struct {
		City string `json:"city" jsonschema:"the city, or the town, by name"`
	}{}, "sdk"},
	{"a description with an equals sign", struct {
		Q string `json:"q" jsonschema:"a query such as a=b"`
	}{}, "sdk"},
	{"a description of one word", struct {
		N int `json:"n" jsonschema:"count"`
	}{}, "sdk"},
	{"a description with a backslash", struct {
		P string `json:"p" jsonschema:"a path\\file"`
	}{}, "sdk"},
	{"a description that is quoted", struct {
		P string `json:"p" jsonschema:"say \"now\""`
	}{}, "sdk"},
	{"a description with letters of all kinds", struct {
		P string `json:"p" jsonschema:"größer als 0, 大きい"`
	}{}, "sdk"},
	{"optional", struct {
		City string `json:"city,omitempty" jsonschema:"the city"`
	}{}, "sdk"},
	{"omitzero", struct {
		At time.Time `json:"at,omitzero" jsonschema:"when"`
	}{}, "sdk"},
	{"two fields", struct {
		A string `json:"a" jsonschema:"first"`
		B int    `json:"b" jsonschema:"second"`
	}{}, "sdk"},
	{"a list of texts", struct {
		Tags []string `json:"tags,omitempty" jsonschema:"labels to set"`
	}{}, "sdk"},
	{"a map", struct {
		Env map[string]string `json:"env,omitempty" jsonschema:"variables"`
	}{}, "sdk"},
	{"a struct in a struct", struct {
		At corner `json:"at" jsonschema:"where"`
	}{}, "sdk"},
	{"a list of structs", struct {
		Path []corner `json:"path" jsonschema:"where to"`
	}{}, "sdk"},
	{"embedded", struct {
		paged
		Q string `json:"q" jsonschema:"what"`
	}{}, "sdk"},
	{"a boolean", struct {
		Deep bool `json:"deep,omitempty" jsonschema:"look below, too"`
	}{}, "sdk"},
	{"a number", struct {
		Ratio float64 `json:"ratio" jsonschema:"from 0 to 1"`
	}{}, "sdk"},
	{"anything", struct {
		Value any `json:"value" jsonschema:"whatever it is"`
	}{}, "sdk"},
	{"a named text", struct {
		Level loudness `json:"level" jsonschema:"how loud"`
	}{}, "sdk"},
	{"a pointer", struct {
		Max *int `json:"max,omitempty" jsonschema:"at most"`
	}{}, "sdk"},
	{"generic", box[string]{}, "sdk"},
	{"a left out field", struct {
		A string `json:"a"`
		B string `json:"-" jsonschema:"never seen"`
	}{}, "sdk"},

	{"description=", struct {
		City string `json:"city" jsonschema:"description=The city"`
	}{}, "invopop"},
	{"description= with a comma", struct {
		City string `json:"city" jsonschema:"description=The city\\, or town"`
	}{}, "invopop"},
	{"jsonschema_description", struct {
		City string `json:"city" jsonschema_description:"The city, or town"`
	}{}, "invopop"},
	{"required", struct {
		City string `json:"city,omitempty" jsonschema:"required"`
	}{}, "invopop"},
	{"required and described", struct {
		City string `json:"city,omitempty" jsonschema:"required,description=The city"`
	}{}, "invopop"},
	{"title=", struct {
		City string `json:"city" jsonschema:"title=City"`
	}{}, "invopop"},
	{"enum= of texts", struct {
		Unit string `json:"unit" jsonschema:"enum=celsius,enum=fahrenheit"`
	}{}, "invopop"},
	{"enum= of numbers", struct {
		N int `json:"n" jsonschema:"enum=1,enum=2"`
	}{}, "invopop"},
	{"default=", struct {
		Unit string `json:"unit,omitempty" jsonschema:"default=celsius"`
	}{}, "invopop"},
	{"default= of a number", struct {
		N int `json:"n,omitempty" jsonschema:"default=3"`
	}{}, "invopop"},
	{"default= of a boolean", struct {
		B bool `json:"b,omitempty" jsonschema:"default=true"`
	}{}, "invopop"},
	{"minimum= and maximum=", struct {
		N int `json:"n" jsonschema:"minimum=1,maximum=9"`
	}{}, "invopop"},
	{"exclusive bounds", struct {
		N float64 `json:"n" jsonschema:"exclusiveMinimum=0,exclusiveMaximum=1"`
	}{}, "invopop"},
	{"multipleOf=", struct {
		N int `json:"n" jsonschema:"multipleOf=5"`
	}{}, "invopop"},
	{"minLength= and maxLength=", struct {
		S string `json:"s" jsonschema:"minLength=1,maxLength=80"`
	}{}, "invopop"},
	{"pattern=", struct {
		S string `json:"s" jsonschema:"pattern=^[a-z]+$"`
	}{}, "invopop"},
	{"format=", struct {
		S string `json:"s" jsonschema:"format=uri"`
	}{}, "invopop"},
	{"minItems= and maxItems=", struct {
		L []string `json:"l" jsonschema:"minItems=1,maxItems=3"`
	}{}, "invopop"},
	{"uniqueItems=", struct {
		L []string `json:"l" jsonschema:"uniqueItems=true"`
	}{}, "invopop"},
	{"enum= of a list's items", struct {
		L []string `json:"l" jsonschema:"enum=a,enum=b"`
	}{}, "invopop"},
	{"example=", struct {
		S string `json:"s" jsonschema:"example=Oslo,example=Rome"`
	}{}, "invopop"},
	{"readOnly=", struct {
		S string `json:"s" jsonschema:"readOnly=true"`
	}{}, "invopop"},
	{"nullable", struct {
		S string `json:"s" jsonschema:"nullable,description=or nothing"`
	}{}, "invopop"},
	{"embedded, with keywords", struct {
		corner
		Z int `json:"z" jsonschema:"minimum=0"`
	}{}, "invopop"},

	{"no tags", struct {
		City string
		Days int
	}{}, "json"},
	{"names", struct {
		City string `json:"the_city"`
	}{}, "json"},
	{"every kind of number", struct {
		A int8
		B int64
		C uint16
		D float32
	}{}, "json"},
	{"bytes", struct {
		Data []byte `json:"data"`
	}{}, "json"},
	{"raw", struct {
		Data json.RawMessage `json:"data"`
	}{}, "json"},
	{"a time", struct {
		At time.Time `json:"at"`
	}{}, "json"},
	{"a duration", struct {
		For time.Duration `json:"for"`
	}{}, "json"},
	{"what reads itself from text", struct {
		Addr netip.Addr `json:"addr"`
	}{}, "json"},
	{"an array", struct {
		P couple `json:"p"`
	}{}, "json"},
	{"a numbered map", struct {
		M numbered `json:"m"`
	}{}, "json"},
	{"a map by numbers", struct {
		M map[int]string `json:"m"`
	}{}, "json"},
	{"a pointer to a struct", struct {
		P *corner `json:"p,omitempty"`
	}{&corner{}}, "json"},
	{"embedded by a name", struct {
		based `json:"base"`
	}{}, "json"},
	{"string in quotes", struct {
		N int `json:"n,string"`
	}{}, "json"},
	{"lists in lists", struct {
		L [][]int `json:"l"`
	}{}, "json"},
	{"maps of lists", struct {
		M map[string][]string `json:"m"`
	}{}, "json"},
	{"generic in generic", box[box[int]]{}, "json"},
	{"nothing", struct{}{}, "json"},
}

// Structs that were written for other libraries give what those would: the same names, described and required alike. Each
// schema stands beside theirs in testdata/structs.txt, where one can see what differs, and why is said at For.
func TestStructsOfOtherLibrariesAreRead(t *testing.T) {
	var all strings.Builder
	for _, r := range rows {
		typ := reflect.TypeOf(r.in)
		ours, err := ForType(typ)
		if err != nil {
			t.Errorf("%s: %v", r.name, err)
			continue
		}
		sdk, by := ofGoogle(t, typ), ofInvopop(typ)
		fmt.Fprintf(&all, "%s (%s)\nours    %s\nsdk     %s\ninvopop %s\n\n", r.name, r.by, ours.JSON(), sdk, by)
		switch r.by {
		case "sdk":
			alike(t, r.name, ours.JSON(), sdk)
		case "invopop":
			alike(t, r.name, ours.JSON(), by)
		default:
			written, err := json.Marshal(r.in)
			if err != nil {
				t.Fatal(err)
			}
			alikeInNames(t, r.name, ours.JSON(), namesOf(t, written))
		}
	}
	const file = "testdata/structs.txt"
	if *update {
		if err := os.WriteFile(file, []byte(all.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || string(want) != all.String() {
		t.Errorf("%s is not what the schemas are (%v): look at the difference after go test -update", file, err)
	}
}

// namesOf is a JSON object as a schema that has nothing but its names.
func namesOf(t *testing.T, object []byte) []byte {
	t.Helper()
	var values map[string]any
	if err := json.Unmarshal(object, &values); err != nil {
		t.Fatal(err)
	}
	for name := range values {
		values[name] = map[string]any{}
	}
	out, err := json.Marshal(map[string]any{"properties": values})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func ofGoogle(t *testing.T, typ reflect.Type) []byte {
	t.Helper()
	s, err := google.ForType(typ, &google.ForOptions{})
	if err != nil {
		return []byte("error: " + err.Error())
	}
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func ofInvopop(typ reflect.Type) []byte {
	r := jsonschema.Reflector{DoNotReference: true, Anonymous: true}
	s := r.ReflectFromType(typ)
	s.Version = ""
	b, err := json.Marshal(s)
	if err != nil {
		return []byte("error: " + err.Error())
	}
	return b
}

// An outline is what two schemas of one struct must have in common.
type outline struct {
	Properties map[string]map[string]any `json:"properties"`
	Required   []string                  `json:"required"`
}

func outlineOf(t *testing.T, name string, b []byte) outline {
	t.Helper()
	var o outline
	if err := json.Unmarshal(b, &o); err != nil {
		t.Errorf("%s: %s: %v", name, b, err)
	}
	return o
}

// about are the keywords of a property that say something to a model or judge its value.
var about = []string{
	"description", "title", "enum", "default", "examples", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
	"multipleOf", "minLength", "maxLength", "pattern", "format", "minItems", "maxItems", "uniqueItems", "readOnly",
}

func alike(t *testing.T, name string, ours, theirs []byte) {
	t.Helper()
	a, b := outlineOf(t, name, ours), outlineOf(t, name, theirs)
	for p, want := range b.Properties {
		if one, ok := want["oneOf"].([]any); ok { // how invopop writes what may be null
			inner := one[0].(map[string]any)
			want = inner
		}
		for _, word := range about {
			more := word == "format" && want[word] == nil // ours says that a time is one
			if !more && !reflect.DeepEqual(a.Properties[p][word], want[word]) {
				t.Errorf("%s: %s of %s is %v, theirs %v\n%s\n%s", name, word, p, a.Properties[p][word], want[word], ours, theirs)
			}
		}
	}
	alikeInNames(t, name, ours, theirs)
	slices.Sort(a.Required)
	slices.Sort(b.Required)
	if !slices.Equal(a.Required, b.Required) {
		t.Errorf("%s: required are %v, theirs %v", name, a.Required, b.Required)
	}
}

func alikeInNames(t *testing.T, name string, ours, theirs []byte) {
	t.Helper()
	a, b := outlineOf(t, name, ours), outlineOf(t, name, theirs)
	for p := range b.Properties {
		if a.Properties[p] == nil {
			t.Errorf("%s: %s is missing: %s", name, p, ours)
		}
	}
	if len(a.Properties) != len(b.Properties) {
		t.Errorf("%s: %d properties, theirs %d\n%s\n%s", name, len(a.Properties), len(b.Properties), ours, theirs)
	}
}
