package serve

import (
	"context"
	"errors"
	"strings"

	"helve/internal/workspace"
	"helve/server/console"
	"helve/tool"
)

var _ console.Historian = (*consoleData)(nil)

// past is what calls changed, for the person at the page: their click is the yes, and what is denied stays denied.
func (d *consoleData) past() (workspace.Past, error) {
	ws := d.w.workspace()
	if ws == nil {
		return workspace.Past{}, errNoWorkspace
	}
	return ws.Past().Asking(func(context.Context, *tool.Question) (tool.Answer, error) {
		return tool.Answer{Yes: true, By: tool.Approver{Kind: tool.ByConsole, Via: "page"}}, nil
	}), nil
}

// History are the calls that changed files.
func (d *consoleData) History(ctx context.Context, limit int) (any, error) {
	p, err := d.past()
	if err != nil {
		return nil, err
	}
	calls, damaged, err := p.Calls(ctx, limit)
	if err != nil {
		return nil, err
	}
	if calls == nil {
		calls = []workspace.PastCall{} // JSON says [] and not null
	}
	return map[string]any{"calls": calls, "damaged": damaged}, nil
}

// Diff is what a call changed.
func (d *consoleData) Diff(ctx context.Context, call string) (string, error) {
	p, err := d.past()
	if err != nil {
		return "", err
	}
	return said(p.Diff(ctx, call))
}

// Undo takes a call back.
func (d *consoleData) Undo(ctx context.Context, call string) (string, error) {
	if call == "" {
		return "", errors.New("want the ID of a call")
	}
	p, err := d.past()
	if err != nil {
		return "", err
	}
	return said(p.Undo(ctx, workspace.UndoOptions{Call: call}))
}

// Redo takes the last undo back.
func (d *consoleData) Redo(ctx context.Context) (string, error) {
	p, err := d.past()
	if err != nil {
		return "", err
	}
	return said(p.Redo(ctx, false))
}

// said is the text of a result, as far as a page shows it; what went wrong is an error.
func said(res *tool.Result, err error) (string, error) {
	if err != nil {
		return "", err
	}
	if res.Err != nil {
		return "", errors.New(cutText(plainly(res.Err), maxPlayed))
	}
	return cutText(res.Text(), maxPlayed), nil
}

// plainly is what went wrong, and the next step, without the form that a model reads: the page says itself that it is
// an error, and of what.
func plainly(e *tool.Error) string {
	text := string(e.Code)
	if e.Err != nil {
		text = e.Err.Error()
	}
	if e.Hint == "" {
		return text
	}
	return strings.TrimSuffix(text, ".") + ". " + e.Hint
}
