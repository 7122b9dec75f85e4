package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// What stands in a parameter is listed with its path, and what may stand there.
func TestBelowListsWhatStandsInAParameter(t *testing.T) {
	s := mustParse(t, `{"type":"object","$defs":{"state":{"enum":["on","off"]},"node":{"type":"object","properties":{"next":{"$ref":"#/$defs/node"}}}},
		"properties":{
			"todos":{"type":"array","items":{"type":"object","required":["status"],"properties":{
				"status":{"type":"string","enum":["open","done"],"default":"open"},"more":{"type":"object","properties":{"deep":{"$ref":"#/$defs/state"}}}}}},
			"tags":{"type":"array","items":{"type":"string","enum":["a","b"]}},
			"names":{"type":"array","items":{"type":"string"}},
			"either":{"anyOf":[{"type":"string"},{"type":"object","properties":{"x":{"type":"integer"}}}]},
			"ring":{"$ref":"#/$defs/node"},
			"plain":{"type":"string"}}}`)
	for name, want := range map[string]string{
		"todos":  `todos[].status string true ["open" "done"]; todos[].more object false []; todos[].more.deep any false ["on" "off"]`,
		"tags":   `tags[] string false ["a" "b"]`,
		"names":  "",
		"either": "either.x integer false []",
		"ring":   "ring.next object false []; ring.next.next object false []; ring.next.next.next object false []; ring.next.next.next.next object false []",
		"plain":  "",
		"absent": "",
	} {
		var got []string
		for _, p := range s.Below(name) {
			got = append(got, fmt.Sprintf("%s %s %v %s", p.Name, p.Type, p.Required, p.Enum))
		}
		if g := strings.Join(got, "; "); g != want {
			t.Errorf("%s:\n got %s\nwant %s", name, g, want)
		}
	}
	if got := (*Schema)(nil).Below("x"); got != nil {
		t.Errorf("%v", got)
	}
}

// A schema that grows at each level costs no more than what is listed of it.
func TestBelowIsBounded(t *testing.T) {
	wide := `{"type":"string"}`
	for range 5 {
		wide = `{"type":"object","properties":{"p":` + wide + `,"q":` + wide + `,"r":` + wide + `,"s":` + wide + `}}`
	}
	s, err := Parse(json.RawMessage(`{"type":"object","properties":{"x":` + wide + `}}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Below("x"); len(got) != maxBelow {
		t.Errorf("%d listed", len(got))
	}
	many := `{"type":"object","properties":{"a":{"anyOf":[` + strings.Repeat(`{"$ref":"#/$defs/n"},`, 200) + `{}]}}}`
	hostile := mustParse(t, `{"$defs":{"n":`+many+`},"type":"object","properties":{"x":{"$ref":"#/$defs/n"}}}`)
	if got := hostile.Below("x"); len(got) > maxBelow {
		t.Errorf("%d listed", len(got))
	}
	ring := mustParse(t, `{"$defs":{"n":{"type":"object","properties":{"a":{"$ref":"#/$defs/n"},"b":{"$ref":"#/$defs/n"}}}},"type":"object","properties":{"x":{"$ref":"#/$defs/n"}}}`)
	if got := ring.Below("x"); len(got) > maxBelow {
		t.Errorf("%d listed", len(got))
	}
}
