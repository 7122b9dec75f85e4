package schema

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

type ring struct {
	Next []*ring `json:"next"`
}

type shapes struct {
	common
	Count    uint              `json:"count"`
	Level    *int              `json:"level" jsonschema:"required"`
	Ratio    float64           `json:"ratio" jsonschema:"default=0.5"`
	Labels   map[string]string `json:"labels,omitempty"`
	Pair     [2]int            `json:"pair,omitempty"`
	Raw      json.RawMessage   `json:"raw,omitempty"`
	When     time.Time         `json:"when,omitzero"`
	Inner    *inner            `json:"inner"`
	Skipped  string            `json:"-"`
	unknown  int
	Untagged bool
}

type common struct {
	Dir string `json:"dir,omitempty"`
}

type inner struct {
	Deep []inner2 `json:"deep"`
}

type inner2 struct {
	P *string `json:"p"`
	Q string  `json:"q" jsonschema:"pattern=^a"`
}

func TestForKnowsGoTypes(t *testing.T) {
	got := string(mustFor[shapes](t).JSON())
	want := `{"type":"object","properties":{"dir":{"type":"string"},"count":{"type":"integer","minimum":0},"level":{"type":"integer"},` +
		`"ratio":{"type":"number","default":0.5},"labels":{"type":"object","additionalProperties":{"type":"string"}},` +
		`"pair":{"type":"array","items":{"type":"integer"},"maxItems":2,"minItems":2},"raw":{},"when":{"type":"string","format":"date-time"},` +
		`"inner":{"type":"object","properties":{"deep":{"type":"array","items":{"type":"object","properties":{"p":{"type":"string"},"q":{"type":"string","pattern":"^a"}},` +
		`"required":["q"],"additionalProperties":false}}},"required":["deep"],"additionalProperties":false},"Untagged":{"type":"boolean"}},` +
		`"required":["count","level","Untagged"],"additionalProperties":false}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if again := string(mustFor[shapes](t).JSON()); again != got {
		t.Errorf("a second time: %s", again)
	}
	if !mustFor[shapes](t).compile().fast {
		t.Error("an everyday struct is not validated fast")
	}
	if got := string(mustFor[struct{}](t).JSON()); got != `{"type":"object","properties":{},"additionalProperties":false}` {
		t.Errorf("no parameters: %s", got)
	}
	_ = shapes{}.unknown
}

func TestForRefusesWhatHasNoSchema(t *testing.T) {
	for name, c := range map[string]struct {
		make func() (*Schema, error)
		want string
	}{
		"no struct":  {For[string], "want a struct"},
		"a map":      {For[map[string]int], "want a struct"},
		"any":        {For[any], "want a struct"},
		"a ring":     {For[ring], "ring contains itself"},
		"a channel":  {For[struct{ C chan int }], "field C: chan int has no JSON form"},
		"a function": {For[struct{ F func() }], "field F: func() has no JSON form"},
		"a bad pattern": {For[struct {
			P string `jsonschema:"pattern=(?=x)"`
		}], "not one that Go can compile"},
	} {
		s, err := c.make()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, %v, want %q", name, s, err, c.want)
		}
	}
}
