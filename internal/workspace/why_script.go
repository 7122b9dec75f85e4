package workspace

import (
	"context"
	"encoding/json"
	"fmt"

	"helve/script"
	"helve/tool"
)

// A Foreseen is a call that a script is certain to make, unless one before it fails, and what the rules say to it.
type Foreseen struct {
	Name string          `json:"name"` // the tool's public name
	Args json.RawMessage `json:"args,omitempty"`
	Call Reason          `json:"call"`
}

// foresee adds to an explanation what a script would call. The rules have nothing to say to run_script itself: they
// decide about each of its calls.
func (w *Assembly) foresee(ctx context.Context, t tool.Tool, c *tool.Call, x *Explanation) error {
	scripts, ok := t.(*script.Scripts)
	if !ok || len(c.Args) == 0 {
		return nil
	}
	m, err := t.Spec().Mend(c.Args)
	if err != nil {
		return nil // the explanation of the call says so
	}
	own := *c
	own.Args = m.Args
	if own.Dir == "" {
		own.Dir = w.Dir()
	}
	calls, more, err := scripts.Foresee(ctx, w.kit, &own)
	if err != nil {
		return fmt.Errorf("what the script would call: %w", err)
	}
	x.More = more
	for _, call := range calls {
		f := Foreseen{Name: call.Name, Args: call.Args}
		inner, err := w.Why(ctx, call)
		if err != nil { // it would fail as it stands
			f.Call = Reason{Verdict: tool.Deny, Reason: err.Error(), Layer: "lookup"}
		} else {
			f.Call = inner.Call
		}
		x.Calls = append(x.Calls, f)
	}
	return nil
}
