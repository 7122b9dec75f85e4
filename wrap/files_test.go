package wrap_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"helve/tool"
	"helve/wrap"
)

// A record names the files that a call of our own tools changed, and those that wait, fifty of each; what somebody else's
// tool says in its metadata is nothing of that.
func TestARecordNamesTheFiles(t *testing.T) {
	many := make([]map[string]string, 60)
	for i := range many {
		many[i] = map[string]string{"path": fmt.Sprintf("f%d", i), "change": "created"}
	}
	meta := map[string]any{"changes": many, "held_back": []any{map[string]string{"path": ".envrc", "why": "x"}}, "would_wait": []any{}}
	for _, kind := range []tool.OriginKind{tool.Builtin, tool.MCP} {
		var line []byte
		audit := wrap.Audit(wrap.AuditOptions{Write: func(b []byte) error { line = b; return nil }})
		spec := tool.Spec{Name: "w", Kind: tool.Write, Origin: tool.Origin{Kind: kind, Name: "w"}}
		job := &tool.Job{Spec: &spec, Call: &tool.Call{}}
		call := audit(func(context.Context, *tool.Call) (*tool.Result, error) {
			r := tool.Textf("ok").WithMeta(meta)
			r.Job = job
			return r, nil
		})
		if _, err := call(t.Context(), &tool.Call{Name: "w"}); err != nil {
			t.Fatal(err)
		}
		var got wrap.Record
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatal(err)
		}
		changed, held := 50, 1
		if kind == tool.MCP {
			changed, held = 0, 0
		}
		if len(got.Changed) != changed || len(got.Held) != held || len(got.WouldWait) != 0 {
			t.Errorf("%s: %d changed, held %q: %s", kind, len(got.Changed), got.Held, line)
		}
	}
}
