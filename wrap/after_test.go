package wrap_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

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

// Of a call whose result is withheld it stays on record who had approved it, and which files it changed: it was carried
// out.
func TestAWithheldResultSaysWhoApprovedTheCallAndWhatItChanged(t *testing.T) {
	by := tool.Approver{Kind: tool.ByPerson}
	h := &wrap.Hooks{
		List: []wrap.Hook{{After: true, Argv: []string{"any"}}},
		Understand: func(context.Context, *tool.Call) (*tool.Job, error) {
			return &tool.Job{Spec: &tool.Spec{}, Call: &tool.Call{}}, nil
		},
		Run: func(context.Context, []string, []byte) ([]byte, error) { return []byte(`{"decision":"deny"}`), nil },
	}
	call := h.Around(func(context.Context, *tool.Call) (*tool.Result, error) {
		res := tool.Textf("the secret").WithMeta(map[string]any{
			"undo": "u1", "changes": []string{"a"}, "more_changes": 2, "output": "the secret"})
		res.Approver, res.Asked = by, time.Second
		return res, nil
	})
	res, err := call(t.Context(), &tool.Call{Name: "any", Args: json.RawMessage(`{}`)})
	if err != nil {
		t.Fatal(err)
	}
	const meta = `{"changes":["a"],"more_changes":2,"undo":"u1"}`
	if res.Err == nil || res.Approver != by || res.Asked != time.Second || string(res.Meta) != meta {
		t.Errorf("%v by %v after %v: %s", res.Err, res.Approver, res.Asked, res.Meta)
	}
	if strings.Contains(res.Text()+string(res.Meta), "the secret") {
		t.Errorf("it is not withheld: %s", res.Text())
	}
}
