package server_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"helve/server"
	"helve/tool"
)

// A tool of our own is listed without the bounds that nobody crosses, wherever they are, and with everything else; a property that
// has a keyword's name stays. Whose tool is not ours keeps what it says.
func TestOurToolsAreListedBriefly(t *testing.T) {
	type item struct {
		MinLength string `json:"minLength" jsonschema:"minLength=1,maxLength=5,enum=a,enum=b"`
	}
	type in struct {
		Items []item `json:"items" jsonschema:"description=Some,minItems=1,maxItems=9"`
		N     int    `json:"n,omitempty" jsonschema:"minimum=0,maximum=100,default=7"`
		Far   int    `json:"far,omitempty" jsonschema:"maximum=1000000000000"`
	}
	listed := func(kind tool.OriginKind) string {
		tl := tool.New(tool.Spec{Name: "x", Origin: tool.Origin{Kind: kind, Name: "x"}}, func(context.Context, *tool.Call, in) (*tool.Result, error) { return nil, nil })
		var d struct{ InputSchema json.RawMessage }
		if err := json.Unmarshal(server.Definition(tl.Spec(), "x"), &d); err != nil {
			t.Fatal(err)
		}
		return string(d.InputSchema)
	}
	brief, whole := listed(tool.Builtin), listed(tool.Go)
	for _, want := range []string{`"minLength":{"type":"string","enum":["a","b"]}`, `"maximum":100`, `"default":7`, `"description":"Some"`, `"required":["minLength"]`, `"required":["items"]`} {
		if !strings.Contains(brief, want) {
			t.Errorf("%s is missing: %s", want, brief)
		}
	}
	for _, gone := range []string{`"additionalProperties":false`, `"minLength":1`, `"maxLength"`, `"minItems"`, `"maxItems"`, `"minimum"`, `"maximum":1000000000000`} {
		if strings.Contains(brief, gone) {
			t.Errorf("%s is there: %s", gone, brief)
		}
		if !strings.Contains(whole, gone) {
			t.Errorf("%s is gone: %s", gone, whole)
		}
	}
}
