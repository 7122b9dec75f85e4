package script

import (
	"context"

	"helve/tool"
)

// A noDraft is in place of a draft that could not be begun: no call works in it.
type noDraft struct{ why error }

func (d noDraft) In(t tool.Tool) tool.Tool { return noCall{t, d.why} }

func (noDraft) Changed() (bool, error) { return false, nil }

func (noDraft) Commit(context.Context, *tool.Call, string) (*Committed, error) {
	return &Committed{}, nil
}

func (noDraft) Drop() error { return nil }

// A noCall is a tool whose calls have no draft to work in.
type noCall struct {
	tool.Tool
	why error
}

// Prepare refuses the call.
func (t noCall) Prepare(context.Context, *tool.Call) (*tool.Job, error) {
	return nil, tool.Errorf(tool.Execution, "the script has no draft of its own in that one: %w", t.why).
		WithHint("Nothing was changed, in the draft or on disk.")
}
