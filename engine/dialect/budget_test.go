package dialect_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"helve/engine/dialect"
	"helve/engine/schema"
)

func many(t testing.TB, n int, format string) []dialect.Tool {
	t.Helper()
	var out []dialect.Tool
	for i := range n {
		s, err := schema.Parse(json.RawMessage(format))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, dialect.Tool{Name: fmt.Sprintf("t%02d", i), Input: s})
	}
	return out
}

func strict(set *dialect.Set) (names []string) {
	for _, d := range set.Declarations {
		if d.Strict {
			names = append(names, d.Tool)
		}
	}
	return names
}

// What Anthropic takes in one request: 20 strict tools with 24 optional parameters and 16 parameters with alternatives. The surplus is
// declared without strictness, and reported.
func TestAStrictSetHoldsWhatOneRequestMayHold(t *testing.T) {
	for _, c := range []struct {
		name, schema string
		want         int
		why          string
	}{
		{"tools", `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, 20, "the request has 20 strict tools already"},
		{"optional parameters", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"},"c":{"type":"object","properties":{"d":{"type":"string"}}}}}`, 6, "its 4 optional parameters are too many"},
		{"alternatives", `{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"type":["string","integer"]}},"required":["a","b"]}`, 8, "its 2 parameters with alternatives are too many"},
	} {
		set := dialect.Declare(dialect.AnthropicStrict, many(t, 30, c.schema), dialect.Options{})
		got := strict(set)
		if len(set.Declarations) != 30 || len(got) != c.want || got[0] != "t00" {
			t.Errorf("%s: %d declared, strict %q, want the first %d", c.name, len(set.Declarations), got, c.want)
		}
		losses := set.Losses()
		if len(losses) != 30-c.want || !strings.Contains(losses[0].What, "declared without strict: "+c.why) {
			t.Errorf("%s: %d losses, %+v", c.name, len(losses), losses[:1])
		}
		if last := set.Declarations[29]; strings.Contains(string(last.JSON), `"strict"`) || strings.Contains(string(last.JSON), "additionalProperties") {
			t.Errorf("%s: the surplus is declared as if it were strict: %s", c.name, last.JSON)
		}
		for _, d := range []dialect.Dialect{dialect.OpenAIStrict, dialect.ResponsesStrict} { // no such limit is known there
			if got := strict(dialect.Declare(d, many(t, 30, c.schema), dialect.Options{})); len(got) != 30 {
				t.Errorf("%s in %s: %d strict", c.name, d, len(got))
			}
		}
	}
}

// Tools that ask for strictness themselves have it before others; what leaves the set makes room.
func TestToolsThatAskForStrictnessComeFirst(t *testing.T) {
	tools := many(t, 25, `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`)
	tools[24].Strict = true
	var m dialect.Memory
	got := strict(m.Declare(dialect.AnthropicStrict, tools, dialect.Options{}))
	if len(got) != 20 || got[19] != "t24" || got[18] != "t18" {
		t.Errorf("strict are %q", got)
	}
	got = strict(m.Declare(dialect.AnthropicStrict, tools[10:], dialect.Options{}))
	if len(got) != 15 {
		t.Errorf("with fewer tools strict are %q", got)
	}
	if got = strict(m.Declare(dialect.AnthropicStrict, tools, dialect.Options{})); len(got) != 20 {
		t.Errorf("with all again strict are %q", got)
	}
	if got = strict(dialect.Declare(dialect.Anthropic, tools, dialect.Options{})); len(got) != 1 || got[0] != "t24" {
		t.Errorf("where only one asks, strict are %q", got)
	}
}

// What OpenAI takes in one strict schema.
func TestASchemaThatIsTooLargeIsNotStrict(t *testing.T) {
	values := func(n, letters int) string {
		var out []string
		for i := range n {
			out = append(out, fmt.Sprintf("%q", fmt.Sprintf("%0*d", letters, i)))
		}
		return `{"enum":[` + strings.Join(out, ",") + `]}`
	}
	several := func(n int, schema string) string {
		var props, names []string
		for i := range n {
			name := fmt.Sprintf("%q", fmt.Sprintf("p%d", i))
			props, names = append(props, name+":"+schema), append(names, name)
		}
		return `{"type":"object","properties":{` + strings.Join(props, ",") + `},"required":[` + strings.Join(names, ",") + `]}`
	}
	for _, c := range []struct {
		name, schema, why string
	}{
		{"1,000 listed values", several(5, values(200, 4)), ""},
		{"more", several(6, values(200, 4)), "1200 listed values, at most 1000 are taken"},
		{"long values", several(4, values(200, 200)), "letters of names and listed values"},
		{"a long list", several(1, values(251, 70)), "letters in one list of values"},
		{"a list of few long values", several(1, values(250, 70)), ""},
	} {
		set := declare(t, dialect.OpenAIStrict, c.schema)
		d := set.Declarations[0]
		if d.Strict != (c.why == "") || c.why != "" && !strings.Contains(d.Losses[0].What, c.why) {
			t.Errorf("%s: strict %v, %+v", c.name, d.Strict, d.Losses)
		}
	}
}
