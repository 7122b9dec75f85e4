package app

import (
	"context"
	"os"
	"sync"

	"golang.org/x/term"

	"helve/tool"
)

// asker is who decides: --yes, a person on the terminal, or nobody.
func (a *app) asker(yes bool) tool.Asker {
	if yes {
		return func(context.Context, *tool.Job, tool.Display) (tool.Answer, error) {
			return tool.Answer{Yes: true}, nil
		}
	}
	if !isTerminal(a.env.Stdin) || !isTerminal(a.env.Stderr) {
		return nil
	}
	var one sync.Mutex // an answer belongs to the question that was seen
	return func(ctx context.Context, j *tool.Job, shown tool.Display) (tool.Answer, error) {
		one.Lock()
		defer one.Unlock()
		return a.prompt(ctx, j, shown)
	}
}

func isTerminal(f any) bool {
	file, ok := f.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
