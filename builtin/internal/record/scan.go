package record

import (
	"context"

	"helve/builtin/internal/history"
	"helve/tool"
)

// directGap is what the history says of every command that nothing holds back.
const directGap = "it changed the workspace directly: what it did between two looks, and outside, is not known, and " +
	"what people changed meanwhile counts as its own"

// A Scanned is a workspace as it was before a command that changes it directly, because nothing holds its changes back.
type Scanned struct {
	w    *Records
	scan *history.Scan
	why  error
}

// Scan looks at the workspace. It is called just before such a command starts. What background commands changed until
// then is theirs.
func (w *Records) Scan(ctx context.Context) *Scanned {
	w.lookAtTasks(ctx)
	s := &Scanned{w: w}
	store, err := w.Store()
	if store == nil {
		s.why = err
		return s
	}
	s.scan, s.why = store.Scan(ctx)
	return s
}

// Compare looks again when the command has ended, and writes what it changed into the history; nil by a nil
// Scanned. What a command did outside the workspace, nobody knows.
func (s *Scanned) Compare(ctx context.Context, call *tool.Call, title string) *Recording {
	if s == nil {
		return nil
	}
	r := &Recording{w: s.w, id: newID(), why: s.why}
	if s.scan != nil && s.why == nil {
		past := r.call(call, "bash", title, []string{directGap})
		r.changed, r.why = s.w.kept.store.Compare(ctx, s.scan, past)
	}
	s.w.touchChanges(r.changed)
	return r
}
