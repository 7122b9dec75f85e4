package app

import (
	"context"

	"helve/cmd/internal/terminal"
	"helve/source/upstream"
	"helve/tool"
)

// reviewer is who is asked about a tool whose definition changed: the person at the terminal, or nobody. --yes is no answer: it has not
// seen the difference.
func (a *app) reviewer() upstream.Review {
	if a.present {
		return a.reviewed
	}
	return nil // a client's person is asked all the same
}

// reviewed asks the person at the terminal.
func (a *app) reviewed(ctx context.Context, _ *tool.Call, server string, c upstream.Change) (tool.Answer, error) {
	a.asking.Lock()
	defer a.asking.Unlock()
	if a.hush != nil {
		a.hush()
	}
	yes, err := a.confirm(ctx, terminal.Question{
		Title:   c.Question(server),
		Preview: c.Diff,
		Diff:    true,
		Ask:     "Use the new definition?",
	}, "Yes, from now on")
	return tool.Answer{Yes: yes}, err
}
