package app

import (
	"context"

	"helve/cmd/internal/terminal"
	"helve/internal/visible"
	"helve/tool"
)

// terminal is where the person of this run may be.
func (a *app) terminal() terminal.Terminal {
	return terminal.Terminal{In: a.env.Stdin, Out: a.env.Stderr, Environ: a.env.Environ}
}

// asker is who decides: --yes, a person on the terminal, or nobody.
func (a *app) asker(yes bool) tool.Asker {
	a.present = !yes && a.terminal().Present()
	if yes {
		return func(context.Context, *tool.Question) (tool.Answer, error) {
			return tool.Answer{Yes: true}, nil
		}
	}
	if !a.present {
		return nil
	}
	return func(ctx context.Context, q *tool.Question) (tool.Answer, error) {
		a.asking.Lock()
		defer a.asking.Unlock()
		return a.prompt(ctx, q)
	}
}

func isTerminal(f any) bool { return terminal.Is(f) }

// plain tells that what moves on the terminal is not wanted.
func (a *app) plain() bool { return a.terminal().Plain() }

func (a *app) painter() terminal.Painter { return a.terminal().Painter() }

// printable makes text from outside safe to show: hidden characters are written out, so that what a person approves is what they see.
func printable(s string) string { return visible.Text(s) }
