package tool_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"helve/tool"
)

// What a schema allows and a Go type cannot hold is told in words, without the names of Go.
func TestANumberThatIsTooLargeIsToldInWords(t *testing.T) {
	type in struct {
		N int `json:"n"`
	}
	spec := tool.Spec{Name: "count", Origin: tool.Origin{Name: "test"}, ReadOnly: true}
	one := tool.New(spec, func(context.Context, *tool.Call, in) (*tool.Result, error) {
		return tool.NewResult(tool.Text("counted")), nil
	})
	reg := &tool.Registry{}
	if err := reg.Add(one); err != nil {
		t.Fatal(err)
	}
	kit := reg.Kit(tool.KitOptions{})
	res, err := kit.Call(t.Context(), &tool.Call{Name: "count", Args: json.RawMessage(`{"n":9e99}`)})
	if err != nil {
		t.Fatal(err)
	}
	text := res.Text()
	if res.Err == nil || !strings.Contains(text, "n: the number is larger than the tool can take") || strings.Contains(text, "Go ") || strings.Contains(text, "json:") {
		t.Errorf("%q", text)
	}
	if _, err := kit.Call(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "without a Call") {
		t.Errorf("no call: %v", err)
	}
}
