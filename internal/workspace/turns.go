package workspace

import (
	"context"

	"helve/policy"
	"helve/tool"
	"helve/tool/drafting"
)

// TurnDraft begins a draft for the calls of one reply of a model, which are one question then. The error says why
// nothing can be held back here.
func (w *Assembly) TurnDraft(ctx context.Context, _ *tool.Call) (drafting.Draft, error) {
	return w.files.DraftFor(ctx, drafting.Turn, "the calls of this turn")
}

// ReviewsTurns tells whether the calls of one reply are one question in a mode, as the configuration says.
func (w *Assembly) ReviewsTurns(m policy.Mode) bool {
	return m == policy.Review && w.conf.opened.Review == "turn"
}
