package app

import (
	"context"
	"fmt"
	"time"

	"github.com/kballard/go-shellquote"

	"helve/tool"
	"helve/wrap"
)

// hooks are the configuration's commands around calls (R2.15). One that cannot be understood is an error: what it was to prevent
// would happen.
func (a *app) hooks(h *house) (*wrap.Hooks, error) {
	out := &wrap.Hooks{Dir: h.dir, Environ: a.env.Environ,
		Understand: func(ctx context.Context, c *tool.Call) (*tool.Job, error) { return h.kit.Understand(ctx, c) }}
	for _, c := range h.set.Hooks {
		argv, err := shellquote.Split(c.Command)
		if err != nil || len(argv) == 0 || argv[0] == "" {
			return nil, usage("hooks: %q is no command", printable(c.Command))
		}
		hook := wrap.Hook{After: c.On == "after", Argv: argv, Timeout: time.Duration(c.Timeout)}
		if c.Match != "" {
			hook.Match = func(s *tool.Spec) bool { return h.rules.Selects(c.Match, s) }
		}
		if c.On != "before" && c.On != "after" {
			return nil, usage("hooks: on %q: want before or after", fmt.Sprint(c.On))
		}
		out.List = append(out.List, hook)
	}
	return out, nil
}
