package wrap_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"helve/tool"
	"helve/wrap"
)

// A hook behind a call is told whether it failed.
func TestAHookIsToldWhetherTheCallFailed(t *testing.T) {
	for _, failed := range []bool{false, true} {
		var asked string
		h := &wrap.Hooks{
			List: []wrap.Hook{{After: true, Argv: []string{"any"}}},
			Understand: func(context.Context, *tool.Call) (*tool.Job, error) {
				return &tool.Job{Spec: &tool.Spec{}, Call: &tool.Call{}}, nil
			},
			Run: func(_ context.Context, _ []string, in []byte) ([]byte, error) {
				asked = string(in)
				return nil, nil
			},
		}
		call := h.Around(func(context.Context, *tool.Call) (*tool.Result, error) {
			if failed {
				return tool.Fail(tool.Errorf(tool.Execution, "it failed")), nil
			}
			return tool.Textf("done"), nil
		})
		if _, err := call(t.Context(), &tool.Call{Name: "any", Args: json.RawMessage(`{}`)}); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(asked, `"isError":true`) != failed || !strings.Contains(asked, `"isError"`) {
			t.Errorf("failed %v: it is told %s", failed, asked)
		}
	}
}
