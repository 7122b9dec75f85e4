// Package hook has the command by which clients have helve judge the calls of their own tools.
package hook

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"helve/cmd/internal/clienthook"
	"helve/cmd/internal/command"
	"helve/internal/config"
	"helve/internal/names"
	"helve/internal/scratch"
	"helve/internal/workspace"
)

func Command(c *command.Line) *cobra.Command {
	return &cobra.Command{
		Use:   "hook CLIENT EVENT",
		Short: "Judge a call of an agent client's own tool, as its hooks ask",
		Long: `Judge a call of an agent client's own tool, as its hooks ask: the event is read from standard input,
and the answer is in the client's form. Rules, secrets and floors hold as for helve's own tools; what is
allowed of a shell is run by helve exec, confined and undoable; what an edit changes is kept for helve
undo. A call that cannot be judged is stopped. helve init --client CLIENT --hooks sets it up; the
clients: ` + clienthook.Names() + `.`,
		Example: `  helve hook claude-code PreToolUse < event.json`,
		Args:    command.Exactly(2, "CLIENT EVENT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return hook(cmd.Context(), c.Streams(), hooking{c.Flags.Common, args[0], args[1]})
		},
	}
}

// hooking is one event of a client.
type hooking struct {
	command.Common
	client, event string
}

// hook answers one event of a client.
func hook(ctx context.Context, s command.Streams, o hooking) error {
	client := clienthook.Find(o.client)
	if client == nil {
		hint := "want one of " + clienthook.Names()
		if near := names.Near(o.client, strings.Split(clienthook.Names(), ", "), 1); len(near) > 0 {
			hint = "did you mean " + near[0] + "?"
		}
		return command.Usage("hook: %q is no client whose hooks are known\nhint: %s", command.Printable(o.client), hint)
	}
	dir := ""
	if o.Dir != "" {
		dir = s.Path(o.Dir)
	}
	h := &clienthook.Hook{
		Client:   client,
		Event:    o.event,
		Program:  clienthook.Own(s.Getenv),
		Stdin:    s.Stdin,
		Getenv:   s.Getenv,
		State:    s.Places().StateDir,
		Dir:      dir,
		Settings: func(ws *workspace.Assembly) config.ClientHooks { return ws.Foreign().Hooks() },
		Open: func(ctx context.Context, dir string, more []string) (*workspace.Assembly, error) {
			opened, err := o.OptionsIn(s.Silent(), dir)
			if err != nil {
				return nil, err
			}
			opened.Dirs = append(opened.Dirs, more...)
			opened.Foreign, opened.OneCall = true, true
			opened.Private = scratch.Private()
			opened.Guards = clienthook.OwnGuards(s.Getenv, opened.Dirs)
			return workspace.Open(ctx, opened)
		},
	}
	reply := h.Run(ctx)
	if _, err := s.Stdout.Write(reply.Stdout); err != nil {
		return command.Failed(err)
	}
	s.Stderr.Write(reply.Stderr)
	if reply.Exit != 0 {
		return &command.ExitError{Status: reply.Exit, Err: nil}
	}
	return nil
}
