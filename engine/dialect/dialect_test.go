package dialect_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"helve/engine/dialect"
	"helve/engine/schema"
)

func declare(t testing.TB, d dialect.Dialect, raw string) *dialect.Set {
	t.Helper()
	s, err := schema.Parse(json.RawMessage(raw))
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return dialect.Declare(d, []dialect.Tool{{Name: "x", Input: s}}, dialect.Options{})
}

// parameters is the declared schema of the only tool.
func parameters(t testing.TB, set *dialect.Set) string {
	t.Helper()
	if len(set.Declarations) != 1 {
		t.Fatalf("left out: %+v", set.Omitted)
	}
	var m struct {
		Function                                             struct{ Parameters json.RawMessage }
		Parameters, ParametersJSONSchema, InputSchema, Input json.RawMessage
		Anthropic                                            json.RawMessage `json:"input_schema"`
	}
	if err := json.Unmarshal(set.Declarations[0].JSON, &m); err != nil {
		t.Fatal(err)
	}
	for _, raw := range []json.RawMessage{m.Function.Parameters, m.Parameters, m.ParametersJSONSchema, m.InputSchema, m.Anthropic} {
		if raw != nil {
			return string(raw)
		}
	}
	return ""
}

func param(s string) string {
	return `{"type":"object","properties":{"p":` + s + `},"required":["p"]}`
}

// of takes the one parameter's schema out of a declaration.
func of(t testing.TB, parameters string) string {
	t.Helper()
	var m struct{ Properties struct{ P json.RawMessage } }
	if err := json.Unmarshal([]byte(parameters), &m); err != nil {
		t.Fatalf("%s: %v", parameters, err)
	}
	return string(m.Properties.P)
}

// Each keyword of the table, in each dialect.
func TestEachKeywordBecomesWhatTheTargetTakes(t *testing.T) {
	for _, c := range []struct {
		given  string
		d      dialect.Dialect
		want   string
		losses string
	}{
		{`{"type":["string","null"]}`, dialect.OpenAIStrict, `{"type":["string","null"]}`, ``},
		{`{"type":["string","null"],"description":"d"}`, dialect.AnthropicStrict, `{"description":"d","anyOf":[{"type":"string"},{"type":"null"}]}`, ``},
		{`{"type":["string","null"]}`, dialect.Gemini, `{"type":"string","nullable":true}`, ``},
		{`{"type":["string","integer"]}`, dialect.Gemini, `{"anyOf":[{"type":"string"},{"type":"integer"}]}`, ``},
		{`{"anyOf":[{"type":"string"},{"type":"null"}]}`, dialect.Gemini, `{"type":"string","nullable":true}`, ``},
		{`{"type":["string","integer"]}`, dialect.GeminiJSON, `{"type":["string","integer"]}`, ``},
		{`{"type":["string","null"]}`, dialect.Ollama, `{"type":["string","null"]}`, ``},

		{`{"const":"a"}`, dialect.OpenAIStrict, `{"type":"string","enum":["a"]}`, ``},
		{`{"const":3}`, dialect.Gemini, `{"type":"string","enum":["3"]}`, ``},
		{`{"enum":[1,2,null]}`, dialect.Gemini, `{"type":"string","nullable":true,"enum":["1","2"]}`, ``},
		{`{"type":"integer","enum":[1,2]}`, dialect.GeminiJSON, `{"type":"integer","enum":[1,2]}`, ``},
		{`{"const":true}`, dialect.Gemini, `{"type":"boolean","description":"(one of true)"}`, `/properties/p/enum`},
		{`{"enum":["a",1]}`, dialect.AnthropicStrict, `{"anyOf":[{"type":"string","enum":["a"]},{"type":"integer","enum":[1]}]}`, ``},
		{`{"enum":["a",null]}`, dialect.OpenAIStrict, `{"type":["string","null"],"enum":["a",null]}`, ``},
		{`{"oneOf":[{"const":"a"},{"const":"b"}]}`, dialect.OpenAIStrict, `{"type":"string","enum":["a","b"]}`, ``},

		{`{"oneOf":[{"type":"string"},{"type":"integer"}],"default":"a"}`, dialect.Gemini, `{"description":"(default \"a\")","anyOf":[{"type":"string"},{"type":"integer"}]}`, `/properties/p/default`},
		{`{"oneOf":[{"type":"string"},{"type":"integer"}]}`, dialect.OpenAIStrict, `{"anyOf":[{"type":"string"},{"type":"integer"}]}`, ``},
		{`{"allOf":[{"type":"string","minLength":1},{"maxLength":3}]}`, dialect.Gemini, `{"type":"string","minLength":1,"maxLength":3}`, ``},
		{`{"allOf":[{"type":"integer","minimum":1},{"minimum":3}]}`, dialect.OpenAIStrict, `{"type":"integer","minimum":3}`, ``},
		{`{"anyOf":[{"anyOf":[{"type":"string"}]}]}`, dialect.OpenAIStrict, `{"type":"string"}`, ``},

		{`{"type":"string","minLength":1,"pattern":"^a"}`, dialect.OpenAIStrict, `{"type":"string","description":"(length at least 1)","pattern":"^a"}`, `/properties/p/minLength`},
		{`{"type":"integer","minimum":1,"default":2}`, dialect.OpenAIStrict, `{"type":"integer","description":"(default 2)","minimum":1}`, `/properties/p/default`},
		{`{"type":"integer","minimum":1,"description":"d"}`, dialect.AnthropicStrict, `{"type":"integer","description":"d (at least 1)"}`, `/properties/p/minimum`},
		{`{"type":"array","items":{"type":"string"},"minItems":2}`, dialect.AnthropicStrict, `{"type":"array","description":"(items at least 2)","items":{"type":"string"}}`, `/properties/p/minItems`},
		{`{"type":"array","items":{"type":"string"},"minItems":1}`, dialect.AnthropicStrict, `{"type":"array","items":{"type":"string"},"minItems":1}`, ``},
		{`{"type":"number","multipleOf":5,"minimum":0}`, dialect.Gemini, `{"type":"number","description":"(a multiple of 5)","minimum":0}`, `/properties/p/multipleOf`},
		{`{"type":"integer","exclusiveMinimum":0}`, dialect.Gemini, `{"type":"integer","minimum":1}`, ``},
		{`{"type":"number","exclusiveMinimum":0}`, dialect.GeminiJSON, `{"type":"number","description":"(more than 0)"}`, `/properties/p/exclusiveMinimum`},
		{`{"type":"string","pattern":"^a","default":"a"}`, dialect.GeminiJSON, `{"type":"string","description":"(matches ^a; default \"a\")"}`, `/properties/p/pattern /properties/p/default`},
		{`{"type":"string","format":"uri"}`, dialect.OpenAIStrict, `{"type":"string","description":"(format uri)"}`, `/properties/p/format`},
		{`{"type":"string","format":"uri"}`, dialect.AnthropicStrict, `{"type":"string","format":"uri"}`, ``},
		{`{"type":"integer","minimum":1}`, dialect.Ollama, `{"type":"integer","description":"(at least 1)"}`, `/properties/p/minimum`},
		{`{"type":"string","not":{"const":"a"}}`, dialect.Gemini, `{"type":"string","description":"(not {\"const\":\"a\"})"}`, `/properties/p/not`},

		{`{"type":"array"}`, dialect.OpenAI, `{"type":"array","items":{}}`, ``},
		{`{"type":"array"}`, dialect.GeminiJSON, `{"type":"array","items":{}}`, ``},
		{`{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}]}`, dialect.OpenAIStrict, `{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"integer"}]}}`, `/properties/p/prefixItems`},
		{`{"type":"object","additionalProperties":{"type":"string"}}`, dialect.Gemini, `{"type":"string","description":"(an object, written as JSON text; its members are of type string)"}`, `/properties/p`},
		{`{"type":"object","additionalProperties":{"type":"string","minLength":1}}`, dialect.GeminiJSON, `{"type":"object","additionalProperties":{"type":"string","description":"(length at least 1)"}}`, `/properties/p/additionalProperties/minLength`},
		{`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, dialect.Ollama, `{"type":"object","description":"(required: a)","properties":{"a":{"type":"string"}}}`, `/properties/p/required`},
		{`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["a"]}`, dialect.OpenAIStrict,
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":["integer","null"]}},"required":["a","b"],"additionalProperties":false}`, ``},
		{`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["a"]}`, dialect.AnthropicStrict,
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["a"],"additionalProperties":false}`, ``},
		{`{"type":"object","properties":{"a.b":{"type":"string"}}}`, dialect.Gemini, `{"type":"object","properties":{"a_b_HASH":{"type":"string"}}}`, `/properties/p/properties/a.b`},
		{`{}`, dialect.GeminiJSON, `{}`, ``},
		{`{"type":"string","title":"T","$comment":"c","x-y":1}`, dialect.Gemini, `{"type":"string"}`, ``},
		{`{"type":"string","frobnicate":1}`, dialect.Gemini, `{"type":"string"}`, `/properties/p/frobnicate`},
	} {
		set := declare(t, c.d, param(c.given))
		got := of(t, parameters(t, set))
		if i := strings.Index(got, "a_b_"); i >= 0 {
			got = got[:i+4] + "HASH" + got[i+12:]
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s in %s:\n%s", c.given, c.d, diff)
		}
		var at []string
		for _, l := range set.Losses() {
			at = append(at, l.Pointer)
		}
		if diff := cmp.Diff(c.losses, strings.Join(at, " ")); diff != "" {
			t.Errorf("%s in %s, losses:\n%s", c.given, c.d, diff)
		}
		if strings.HasSuffix(c.d.String(), "-strict") && !set.Declarations[0].Strict {
			t.Errorf("%s in %s is not strict: %+v", c.given, c.d, set.Losses())
		}
	}
}

func TestReferencesAreWrittenOut(t *testing.T) {
	raw := `{"type":"object","properties":{"p":{"$ref":"#/$defs/a","description":"own"}},"required":["p"],"$defs":{"a":{"type":"string","description":"its","minLength":2}}}`
	if got, want := of(t, parameters(t, declare(t, dialect.Gemini, raw))), `{"type":"string","description":"own","minLength":2}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

const tree = `{"type":"object","properties":{"p":{"$ref":"#/$defs/n"}},"required":["p"],"$defs":{"n":{"type":"object","properties":{"v":{"type":"string"},"next":{"$ref":"#/$defs/n"}},"required":["v"]}}}`

func TestASchemaThatContainsItselfIsCutOrReferred(t *testing.T) {
	set := declare(t, dialect.OpenAIStrict, tree)
	want := `{"type":"object","properties":{"p":{"type":"object","properties":{"v":{"type":"string"},"next":{"anyOf":[{"$ref":"#/$defs/0"},{"type":"null"}]}},` +
		`"required":["v","next"],"additionalProperties":false}},"required":["p"],"additionalProperties":false,` +
		`"$defs":{"0":{"type":"object","properties":{"v":{"type":"string"},"next":{"anyOf":[{"$ref":"#/$defs/0"},{"type":"null"}]}},"required":["v","next"],"additionalProperties":false}}}`
	if diff := cmp.Diff(want, parameters(t, set)); diff != "" {
		t.Error(diff)
	}
	_, args := set.Call("x", json.RawMessage(`{"p":{"v":"a","next":{"v":"b","next":{"v":"c","next":null}}}}`))
	if want := `{"p":{"v":"a","next":{"v":"b","next":{"v":"c"}}}}`; string(args) != want {
		t.Errorf("arguments: got %s, want %s", args, want)
	}
	for _, d := range []dialect.Dialect{dialect.Gemini, dialect.GeminiJSON, dialect.Ollama} {
		set := declare(t, d, tree)
		if got := of(t, parameters(t, set)); !strings.Contains(got, `"next":{"type":"`) || len(set.Losses()) == 0 || set.Losses()[0].Pointer != "/properties/p/properties/next" {
			t.Errorf("%s: %s, %+v", d, got, set.Losses())
		}
	}
	if set := declare(t, dialect.AnthropicStrict, tree); set.Declarations[0].Strict || len(set.Losses()) == 0 {
		t.Errorf("anthropic-strict: strict with a schema that contains itself")
	}
}

func TestAToolThatCannotBeStrictIsDeclaredWithout(t *testing.T) {
	for _, p := range []string{`{}`, `{"type":"object"}`, `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":true}`, `{"type":"array"}`} {
		for _, d := range []dialect.Dialect{dialect.OpenAIStrict, dialect.ResponsesStrict, dialect.AnthropicStrict} {
			set := declare(t, d, param(p))
			decl := set.Declarations[0]
			if decl.Strict || len(decl.Losses) == 0 || !strings.HasPrefix(decl.Losses[0].Pointer, "/properties/p") {
				t.Errorf("%s in %s: strict %v, %+v", p, d, decl.Strict, decl.Losses)
			}
		}
	}
}

func TestAlternativesAtTheRootAreOneObject(t *testing.T) {
	raw := `{"type":"object","oneOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"a":{"type":"integer"},"b":{"type":"string"}},"required":["a","b"]}]}`
	for _, d := range []dialect.Dialect{dialect.OpenAI, dialect.Anthropic, dialect.GeminiJSON} {
		set := declare(t, d, raw)
		want := `"properties":{"a":{"anyOf":[{"type":"string"},{"type":"integer"}]},"b":{"type":"string"}},"required":["a"]`
		if got := parameters(t, set); !strings.Contains(got, want) || len(set.Losses()) != 1 || set.Losses()[0].Pointer != "/oneOf" {
			t.Errorf("%s: %s\n%+v", d, got, set.Losses())
		}
	}
}

func TestOneBadToolNeverCostsTheOthers(t *testing.T) {
	bad, _ := schema.Parse(json.RawMessage(`{"type":"string"}`))
	for _, d := range dialect.Dialects() {
		set := dialect.Declare(d, []dialect.Tool{{Name: "a"}, {Name: "b", Input: bad}, {Name: "c"}}, dialect.Options{})
		if d != dialect.MCP && (len(set.Declarations) != 2 || len(set.Omitted) != 1 || set.Omitted[0].Tool != "b") {
			t.Errorf("%s: %d declared, %+v", d, len(set.Declarations), set.Omitted)
		}
	}
}

// A schema that doubles itself at every step is left out, soon.
func TestASchemaThatExplodesIsLeftOut(t *testing.T) {
	var defs []string
	for i := range 40 {
		defs = append(defs, fmt.Sprintf(`"d%d":{"type":"object","properties":{"a":{"$ref":"#/$defs/d%d"},"b":{"$ref":"#/$defs/d%d"}}}`, i, i+1, i+1))
	}
	raw := `{"type":"object","properties":{"p":{"$ref":"#/$defs/d0"}},"$defs":{` + strings.Join(defs, ",") + `,"d40":{"type":"string"}}}`
	for _, d := range []dialect.Dialect{dialect.OpenAIStrict, dialect.AnthropicStrict, dialect.Gemini, dialect.GeminiJSON, dialect.Ollama} {
		set := declare(t, d, raw)
		left := len(set.Omitted) == 1 && strings.Contains(set.Omitted[0].What, "more than")
		if !left && !(len(set.Declarations) == 1 && !set.Declarations[0].Strict && len(set.Declarations[0].JSON) < 2*len(raw)) {
			t.Errorf("%s: %d declared, %+v", d, len(set.Declarations), set.Omitted)
		}
	}
}

func TestArgumentsComeBackAsTheToolExpectsThem(t *testing.T) {
	for _, c := range []struct {
		d                 dialect.Dialect
		raw, args, expect string
	}{
		{dialect.OpenAIStrict, `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"},"c":{"type":["integer","null"]}},"required":["a"]}`,
			`{"a":"null","b":null,"c":null}`, `{"a":"null","c":null}`},
		{dialect.OpenAIStrict, `{"type":"object","properties":{"l":{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a"]}}},"required":["l"]}`,
			`{"l":[{"a":"x","b":null},{"a":"y","b":"z"}]}`, `{"l":[{"a":"x"},{"a":"y","b":"z"}]}`},
		{dialect.Gemini, param(`{"type":"integer","enum":[1,2]}`), `{"p":"2"}`, `{"p":2}`},
		{dialect.Gemini, param(`{"type":"integer","enum":[1,2]}`), `{"p":"\u0032"}`, `{"p":2}`},
		{dialect.Gemini, param(`{"enum":[1,"1",2.5]}`), `{"p":"1"}`, `{"p":"1"}`},
		{dialect.Gemini, param(`{"enum":[1,"1",2.5]}`), `{"p":"2.5"}`, `{"p":2.5}`},
		{dialect.Gemini, param(`{"type":"object"}`), `{"p":"{\"a\":{\"b\":[1]}}"}`, `{"p":{"a":{"b":[1]}}}`},
		{dialect.Gemini, param(`{"anyOf":[{"type":"object","properties":{"k":{"const":1}},"required":["k"]},{"type":"object","properties":{"k":{"const":"x"}},"required":["k"]}]}`), `{"p":{"k":"1"}}`, `{"p":{"k":1}}`},
		{dialect.Gemini, param(`{"anyOf":[{"type":"object","properties":{"k":{"const":1}},"required":["k"]},{"type":"object","properties":{"k":{"const":"x"}},"required":["k"]}]}`), `{"p":{"k":"x"}}`, `{"p":{"k":"x"}}`},
		{dialect.Gemini, param(`{"type":"string"}`), `{"p":"{\"a\": 1}"}`, `{"p":"{\"a\": 1}"}`},
		{dialect.GeminiJSON, param(`{"type":"object","additionalProperties":{"type":"object","properties":{"a-b":{"type":"string"}}}}`),
			`{"p":{"x":{"a_b_d4a9e7b1":1},"y":{"a_b_d44362d6":"v"}}}`, `{"p":{"x":{"a_b_d4a9e7b1":1},"y":{"a-b":"v"}}}`},
		{dialect.GeminiJSON, param(`{"type":"object","properties":{"own":{"type":"object","properties":{"k":{"type":"string"}}}},"additionalProperties":{"type":"object","properties":{"a-b":{"type":"string"}}}}`),
			`{"p":{"own":{"a_b_d44362d6":"v"},"y":{"a_b_d44362d6":"v"}}}`, `{"p":{"own":{"a_b_d44362d6":"v"},"y":{"a-b":"v"}}}`},
		{dialect.GeminiJSON, param(`{"type":"array","prefixItems":[{"type":"string"},{"type":"object","properties":{"a-b":{"type":"string"}}}],"items":{"type":"object","properties":{"c-d":{"type":"string"}}}}`),
			`{"p":["s",{"a_b_d44362d6":"v"},{"c_d_9857ede6":"w"}]}`, `{"p":["s",{"a-b":"v"},{"c-d":"w"}]}`},
		{dialect.OpenAIStrict, param(`{"type":"string"}`), `{"p": 12345678901234567890 , }`, `{"p": 12345678901234567890 , }`},
	} {
		set := declare(t, c.d, c.raw)
		if _, got := set.Call("x", json.RawMessage(c.args)); string(got) != c.expect {
			t.Errorf("%s %s: %s became %s, want %s", c.d, c.raw, c.args, got, c.expect)
		}
	}
}

// A parameter may be called anything, on the way to the provider it is called what that takes.
func TestParametersOfAnyNameAreDeclaredAndMappedBack(t *testing.T) {
	odd := []string{"x-a", "x_a", "-", "content-type", "a.b", "a b", "9", "日本", "", "$ref", strings.Repeat("long-", 20)}
	for _, d := range dialect.Dialects() {
		for _, name := range odd {
			key, err := json.Marshal(name)
			if err != nil {
				t.Fatal(err)
			}
			raw := `{"type":"object","properties":{"nested":{"type":"object","properties":{` + string(key) + `:{"type":"string"}},` +
				`"required":[` + string(key) + `]},` + string(key) + `:{"type":"string"}},"required":["nested",` + string(key) + `]}`
			set := declare(t, d, raw)
			var declared struct {
				Properties map[string]struct{ Properties map[string]any }
			}
			if err := json.Unmarshal([]byte(parameters(t, set)), &declared); err != nil {
				t.Fatal(err)
			}
			args := map[string]any{"nested": map[string]any{}}
			for k := range declared.Properties["nested"].Properties {
				args["nested"] = map[string]any{k: "v"}
			}
			for k := range declared.Properties {
				if k != "nested" {
					args[k] = "v"
				}
			}
			given, err := json.Marshal(args)
			if err != nil {
				t.Fatal(err)
			}
			_, back := set.Call("x", given)
			var got map[string]any
			if err := json.Unmarshal(back, &got); err != nil {
				t.Fatal(err)
			}
			want := map[string]any{"nested": map[string]any{name: "v"}, name: "v"}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s %q: %s became %s: %s", d, name, given, back, diff)
			}
		}
	}
}

func TestNamesAreMappedAndMappedBack(t *testing.T) {
	long := strings.Repeat("long", 20)
	tools := []dialect.Tool{{Name: "a.b"}, {Name: "a b"}, {Name: "a_b"}, {Name: "9"}, {Name: "日本"}, {Name: long}, {Name: "ok"}}
	for _, d := range dialect.Dialects() {
		set := dialect.Declare(d, tools, dialect.Options{})
		var back []string
		seen := map[string]bool{}
		for _, decl := range set.Declarations {
			name, _ := set.Call(decl.Name, nil)
			back = append(back, name)
			if seen[decl.Name] {
				t.Errorf("%s: two tools are called %s", d, decl.Name)
			}
			seen[decl.Name] = true
			if d != dialect.MCP {
				for _, bad := range refusals(t, d, decl) {
					t.Errorf("%s: %s", d, bad)
				}
			}
		}
		if diff := cmp.Diff([]string{"a.b", "a b", "a_b", "9", "日本", long, "ok"}, back); diff != "" {
			t.Errorf("%s: %s", d, diff)
		}
	}
}

func TestTheSameToolsGiveTheSameBytes(t *testing.T) {
	for name, tools := range servers(t) {
		for _, d := range dialect.Dialects() {
			var m dialect.Memory
			first := m.Declare(d, tools, dialect.Options{Cache: true})
			if m.Declare(d, slices.Clone(tools), dialect.Options{Cache: true}) != first {
				t.Errorf("%s %s: declared twice", d, name)
			}
			fewer := m.Declare(d, tools[:len(tools)-1], dialect.Options{Cache: true})
			again := m.Declare(d, tools, dialect.Options{Cache: true})
			fresh := dialect.Declare(d, tools, dialect.Options{Cache: true})
			if string(again.JSON()) != string(fresh.JSON()) || string(first.JSON()) != string(fresh.JSON()) || len(fewer.Declarations) >= len(first.Declarations) {
				t.Errorf("%s %s: not the same bytes", d, name)
			}
			if diff := cmp.Diff(fresh.Losses(), again.Losses()); diff != "" {
				t.Errorf("%s %s: %s", d, name, diff)
			}
		}
	}
}

func TestTheCacheEndsAtTheLastToolThatIsShown(t *testing.T) {
	set := dialect.Declare(dialect.Anthropic, []dialect.Tool{{Name: "a"}, {Name: "b"}, {Name: "c", Defer: true}}, dialect.Options{Cache: true})
	want := `[{"name":"a","input_schema":{"type":"object","properties":{}}},{"name":"b","input_schema":{"type":"object","properties":{}},"cache_control":{"type":"ephemeral"}},` +
		`{"name":"c","input_schema":{"type":"object","properties":{}},"defer_loading":true}]`
	if diff := cmp.Diff(want, string(set.JSON())); diff != "" {
		t.Error(diff)
	}
}

func FuzzDeclare(f *testing.F) {
	for _, tools := range servers(f) {
		for _, tl := range tools[:1] {
			f.Add(string(tl.Input.JSON()), `{"a":null}`)
		}
	}
	f.Add(tree, `{"p":{"v":"a","next":null}}`)
	f.Fuzz(func(t *testing.T, raw, args string) {
		s, err := schema.Parse(json.RawMessage(raw))
		if err != nil {
			return
		}
		for _, d := range dialect.Dialects() {
			set := dialect.Declare(d, []dialect.Tool{{Name: "x", Input: s}}, dialect.Options{})
			if !json.Valid(set.JSON()) {
				t.Fatalf("%s: not JSON: %s", d, set.JSON())
			}
			for _, decl := range set.Declarations {
				if bad := refusals(t, d, decl); d != dialect.MCP && len(bad) > 0 {
					t.Fatalf("%s: %s would be refused: %s\n%v", d, raw, decl.JSON, bad)
				}
			}
			if _, back := set.Call("x", json.RawMessage(args)); json.Valid([]byte(args)) && !json.Valid(back) {
				t.Fatalf("%s: %s became %s", d, args, back)
			}
		}
	})
}
