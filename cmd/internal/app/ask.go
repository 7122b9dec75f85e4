package app

import (
	"context"
	"os"

	"golang.org/x/term"

	"helve/tool"
)

// asker is who decides: --yes, a person on the terminal, or nobody.
func (a *app) asker(yes bool) tool.Asker {
	a.present = !yes && isTerminal(a.env.Stdin) && isTerminal(a.env.Stderr)
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

func isTerminal(f any) bool {
	file, ok := f.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
