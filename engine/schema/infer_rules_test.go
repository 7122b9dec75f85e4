package schema

import (
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
)

type level int

func (l *level) UnmarshalText([]byte) error { *l = 1; return nil }

type point struct{ X, Y int }

func (p *point) UnmarshalJSON([]byte) error { return nil }

type nameList []string

func (nameList) JSONSchema() string {
	return `{"type": ["string", "array"], "items": {"type": "string"}}`
}

type nonsense int

func (*nonsense) JSONSchema() string { return `{"type":` }

// Types that say themselves how they are read, and forms of keys and tags that encoding/json knows.
func TestForFollowsEncodingJSON(t *testing.T) {
	for _, c := range []struct {
		make func() (*Schema, error)
		want string
	}{
		{For[struct {
			V nameList `jsonschema:"description=Some names"`
		}], `{"type":["string","array"],"items":{"type":"string"},"description":"Some names"}`},
		{For[struct{ V level }], `{"type":"string"}`},
		{For[struct{ V net.IP }], `{"type":"string"}`},
		{For[struct{ V json.Number }], `{"type":"number"}`},
		{For[struct{ V point }], `{}`},
		{For[struct{ V *point }], `{}`},
		{For[struct{ V map[int]string }], `{"type":"object","patternProperties":{"^-?[0-9]+$":{"type":"string"}},"additionalProperties":false}`},
		{For[struct{ V map[uint8]bool }], `{"type":"object","patternProperties":{"^[0-9]+$":{"type":"boolean"}},"additionalProperties":false}`},
		{For[struct{ V map[level]bool }], `{"type":"object","additionalProperties":{"type":"boolean"}}`},
		{For[struct{ V []uint }], `{"type":"array","items":{"type":"integer","minimum":0}}`},
		{For[struct {
			V uint `jsonschema:"exclusiveMinimum=0"`
		}], `{"type":"integer","exclusiveMinimum":0}`},
		{For[struct {
			V int `json:",string"`
		}], `{"type":"string"}`},
		{For[struct {
			V []int `jsonschema:"default=1,default=2,minimum=1,minItems=1"`
		}], `{"type":"array","default":[1,2],"items":{"type":"integer","minimum":1},"minItems":1}`},
		{For[struct {
			V string `jsonschema:"title=A\\, B,description=x=y,enum=a,enum=b"`
		}], `{"type":"string","title":"A, B","description":"x=y","enum":["a","b"]}`},
		{For[struct {
			V string `jsonschema:"format=date"`
		}], `{"type":"string","format":"date"}`},
	} {
		s, err := c.make()
		if err != nil {
			t.Errorf("%s: %v", c.want, err)
			continue
		}
		got := string(s.JSON())
		if !strings.HasPrefix(got, `{"type":"object","properties":{"V":`+c.want+`}`) {
			t.Errorf("got %s\nwant %s", got, c.want)
		}
	}
}

type base struct{ A, B, C string }

type middle struct {
	base
	B int
}

type other struct {
	C bool `json:"C"`
}

type pair struct {
	D string
}

// Of fields of one name the one counts that encoding/json fills in.
func TestForHidesTheFieldsThatEncodingJSONHides(t *testing.T) {
	type outer struct {
		middle
		other
		*pair
		Name   string `json:"name"`
		Left   string `json:"-"`
		Dash   string `json:"-,"` //lint:ignore SA5008 encoding/json reads it as the name "-", and so do we
		Out    string `jsonschema:"-"`
		hidden string
	}
	v := outer{pair: &pair{}}
	_ = v.hidden
	if _, err := For[outer](); err == nil || !strings.Contains(err.Error(), "pair is embedded by a pointer that encoding/json cannot set") {
		t.Errorf("%v", err)
	}
	type Pair struct{ D string }
	type right struct {
		middle
		other
		*Pair
		Name string `json:"name"`
		Left string `json:"-"`
		Dash string `json:"-,"` //lint:ignore SA5008 encoding/json reads it as the name "-", and so do we
	}
	b, err := json.Marshal(right{Pair: &Pair{}})
	if err != nil {
		t.Fatal(err)
	}
	var written map[string]any
	if err := json.Unmarshal(b, &written); err != nil {
		t.Fatal(err)
	}
	s := mustFor[right](t)
	if _, err := s.Check(b); err != nil {
		t.Errorf("%s\n%s\n%v", b, s.JSON(), err)
	}
	for _, p := range s.Properties() {
		if _, ok := written[p.Name]; !ok {
			t.Errorf("%s is a property, and encoding/json writes %s", p.Name, b)
		}
		delete(written, p.Name)
	}
	if len(written) > 0 {
		t.Errorf("%v are not in %s", written, s.JSON())
	}
}

type one struct{ X string }

type two struct{ X string }

// What has no schema, or a tag that makes no sense, is an error that names the field and what is wrong with it.
func TestForNamesTheFieldThatHasNoSchema(t *testing.T) {
	for want, make := range map[string]func() (*Schema, error){
		"field Inner: field C: chan int has no JSON form":           For[struct{ Inner struct{ C chan int } }],
		"field F: func() has no JSON form":                          For[struct{ F func() }],
		"field C: complex128 has no JSON form":                      For[struct{ C complex128 }],
		"field S: fmt.Stringer is an interface with methods":        For[struct{ S fmt.Stringer }],
		"field M: map[float64]int: the keys of an object are texts": For[struct{ M map[float64]int }],
		`the fields X and X are both called "X"`: For[struct {
			one
			two
		}],
		"contains itself: a schema without references": For[ring],
		`jsonschema: " b" is no keyword with a value (a comma in`: For[struct {
			V string `jsonschema:"description=a, b"`
		}],
		"jsonschema: minimum=1: no keyword of type string": For[struct {
			V string `jsonschema:"minimum=1"`
		}],
		"jsonschema: minLength=1: no keyword of type integer": For[struct {
			V int `jsonschema:"minLength=1"`
		}],
		"jsonschema: minimum=x: want a number": For[struct {
			V int `jsonschema:"minimum=x"`
		}],
		"jsonschema: default=1.5: want a whole number": For[struct {
			V int `jsonschema:"default=1.5"`
		}],
		"jsonschema: default=yes: want true or false": For[struct {
			V bool `jsonschema:"default=yes"`
		}],
		"jsonschema: minLength=-1: want a whole number from 0": For[struct {
			V string `jsonschema:"minLength=-1"`
		}],
		"jsonschema: default=x: a tag holds no value of type object": For[struct {
			V map[string]int `jsonschema:"default=x"`
		}],
		"jsonschema: enum=x: a tag holds no value of a value of any": For[struct {
			V any `jsonschema:"enum=x"`
		}],
		"jsonschema: enum=x: a list of lists takes no keywords": For[struct {
			V [][]string `jsonschema:"enum=x"`
		}],
		"jsonschema: uniqueItems=no: want true": For[struct {
			V []string `jsonschema:"uniqueItems=no"`
		}],
		"jsonschema: desciption=x: no keyword of type string": For[struct {
			V string `jsonschema:"desciption=x"`
		}],
		"field V: schema.nonsense: JSONSchema: schema: byte": For[struct{ V nonsense }],
		"jsonschema: enum=x: a tag holds no value of a type that says": For[struct {
			V nameList `jsonschema:"enum=x"`
		}],
		"jsonschema_extras: not supported": For[struct {
			V string `jsonschema_extras:"a=b"`
		}],
	} {
		if s, err := make(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, %v, want %q", s, err, want)
		}
	}
}

// A loop that goes through an embedded struct, a slice or a map ends as well.
func TestForRefusesTypesThatContainThemselves(t *testing.T) {
	type list []list
	type tree map[string]tree
	type node struct {
		*node //lint:ignore U1000 what it makes of the type is the case
		Value string
	}
	for i, make := range []func() (*Schema, error){For[struct{ L list }], For[struct{ T tree }], For[node], For[struct{ R *ring }]} {
		if s, err := make(); err == nil || !strings.Contains(err.Error(), "itself") && !strings.Contains(err.Error(), "cannot set") {
			t.Errorf("%d: %v, %v", i, s, err)
		}
	}
}

// Properties stand in the order of the fields, embedded ones in their place.
func TestThePropertiesKeepTheirOrder(t *testing.T) {
	var names []string
	for _, p := range mustFor[shapes](t).Properties() {
		names = append(names, p.Name)
	}
	want := []string{"dir", "count", "level", "ratio", "labels", "pair", "raw", "when", "inner", "Untagged"}
	if !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}
