package stub_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"helve/engine/schema"
	"helve/engine/stub"
)

func parsed(t *testing.T, text string) *schema.Schema {
	t.Helper()
	if text == "" {
		return nil
	}
	s, err := schema.Parse(json.RawMessage(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAStubSaysHowToCallAToolAndWhatComesBack(t *testing.T) {
	for _, c := range []struct{ input, output, want string }{
		{`{"type":"object"}`, "", "f() -> str"},
		{`{"properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["b"]}`, "", "f(b: int, a?) -> str"},
		{`{"properties":{"n":{"type":"integer","default":5},"on":{"type":"boolean","default":true}}}`, "", "f(n=5, on=True) -> str"},
		{`{"properties":{"m":{"enum":["x","y"]}}}`, `{"properties":{"ok":{"type":"boolean"}}}`, `f(m: "x"|"y"?) -> {ok: bool}`},
		{`{"properties":{"from":{"type":"string"},"-A":{"type":"integer"}}}`, "", `f(from_?, **{"-A"}: int?) -> str`},
		{`{"properties":{"a":{"type":["string","null"]},"l":{"type":"array","items":{"type":"string"}}}}`, "", "f(a: str|None?, l: [str]?) -> str"},
		{`{"properties":{"p":{"$ref":"#/$defs/P"}},"$defs":{"P":{"type":"object","properties":{"x":{"type":"number"}}}}}`, "", "f(p: {x: float}?) -> str"},
		{``, `{"properties":{"l":{"type":"array","items":{"type":"object","properties":{"path":{"type":"string"},"line":{"type":"integer"}}}}}}`, "f() -> {l: [{path, line: int}]}"},
	} {
		fs := stub.Bind([]stub.Tool{{Public: "f", Input: parsed(t, c.input), Output: parsed(t, c.output)}})
		if got := fs[0].String(); got != c.want {
			t.Errorf("%s %s\ngot  %s\nwant %s", c.input, c.output, got, c.want)
		}
	}
}

func TestToolsOfServersStandInGroupsAndNoNameMeansTwo(t *testing.T) {
	fs := stub.Bind([]stub.Tool{
		{Public: "read"},
		{Public: "mcp__git-hub__create.issue", Server: "git-hub", Name: "create.issue"},
		{Public: "mcp__git-hub__create_issue", Server: "git-hub", Name: "create_issue"},
		{Public: "mcp__read__if", Server: "read", Name: "if"},
		{Public: "print"},
		{Public: "2fa"},
	}, "print")
	want := []string{"read", "git_hub.create_issue", "git_hub.create_issue_2", "read_2.if_", "print_2", "_2fa"}
	for i, f := range fs {
		if f.Call() != want[i] {
			t.Errorf("%s: got %s, want %s", f.Tool.Public, f.Call(), want[i])
		}
	}
}

func TestFieldsHaveTheTypeOfWhatIsLeftOut(t *testing.T) {
	out := parsed(t, `{"properties":{
		"l":{"type":"array","items":{"properties":{"n":{"type":"integer"},"x":{"type":"string"}}}},
		"x":{"type":"boolean"},
		"o":{"anyOf":[{"properties":{"a":{"type":"string"},"b":{"type":"string"}}},{"properties":{"b":{"type":"number"}}}]}}}`)
	got := stub.Fields(out)
	item, one := got.Fields["l"].Items, got.Fields["o"]
	for what, c := range map[string][2]string{
		"l": {got.Fields["l"].Kind, "list"}, "x": {got.Fields["x"].Kind, "bool"},
		"l.n": {item.Fields["n"].Kind, "int"}, "l.x": {item.Fields["x"].Kind, "str"},
		"o.a": {one.Fields["a"].Kind, "str"}, "o.b": {one.Fields["b"].Kind, ""},
		"loose x": {got.Loose().Fields["x"].Kind, ""}, "loose l.n": {got.Loose().Fields["l"].Items.Fields["n"].Kind, ""},
	} {
		if c[0] != c[1] {
			t.Errorf("%s: got %q, want %q", what, c[0], c[1])
		}
	}
	if item.Fields["l"] != nil || got.Fields["n"] != nil {
		t.Error("a field of one object stands in another")
	}
}

func TestTheFieldsOfASchemaThatHoldsItselfHaveAnEnd(t *testing.T) {
	props := ""
	for i := range 20 {
		props += fmt.Sprintf(`"f%d":{"$ref":"#"},`, i)
	}
	got := stub.Fields(parsed(t, `{"properties":{`+props+`"s":{"type":"string"}}}`))
	if n := count(got); n == 0 || n > 2000 {
		t.Errorf("%d shapes", n)
	}
}

// count is how many shapes a shape is made of.
func count(s *stub.Shape) int {
	if s == nil {
		return 0
	}
	n := 1 + count(s.Items)
	for _, f := range s.Fields {
		n += count(f)
	}
	return n
}
