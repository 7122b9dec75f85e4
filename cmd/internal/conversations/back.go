package conversations

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"helve/agent"
	"helve/agent/conversation"
	"helve/cmd/internal/asking"
	"helve/cmd/internal/command"
	"helve/cmd/internal/display"
	"helve/internal/workspace"
)

// backOptions say what is taken back.
type backOptions struct {
	command.Common
	files, conversation bool // neither: both
	yes, force          bool
}

func backCommand(c *command.Line) *cobra.Command {
	var o backOptions
	cmd := &cobra.Command{
		Use:   "back ID TURN",
		Short: "Take a conversation back to the end of a turn",
		Long: `Take a conversation back to how it stood when that turn had ended: what was said, and the files that its
calls changed since. Turns are counted by prompts, from 1. Files are undone as helve undo does it: what
somebody changed since is not lost, rules and questions hold, and helve redo takes it back. What was said
stays in the kept text.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return command.Usage("conversations back: want an ID and a turn\nhint: helve conversations show ID")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Common = c.Flags.Common
			if !o.files && !o.conversation {
				o.files, o.conversation = true, true
			}
			return back(cmd.Context(), c.Streams(), o, args[0], args[1])
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.files, "files", false, "only the files")
	f.BoolVar(&o.conversation, "conversation", false, "only what was said")
	f.BoolVar(&o.force, "force", false, "also what somebody changed since; a copy stays in the history")
	f.BoolVar(&o.yes, "yes", false, "do not ask about the files; what is denied stays denied")
	return cmd
}

// back takes a conversation back. It is held meanwhile: nobody goes on with it.
func back(ctx context.Context, s command.Streams, o backOptions, id, word string) (err error) {
	turn, err := strconv.Atoi(word)
	if err != nil || turn < 1 {
		return command.Usage("conversations back: %q is no turn: want a number from 1", command.Brief(word))
	}
	a, err := s.Conversation("conversations back", id)
	if err != nil {
		return err
	}
	all := s.Conversations()
	held, err := all.Hold(a)
	if err != nil {
		return command.Failed(err)
	}
	defer func() { err = errors.Join(err, held.Close()) }()
	log, err := conversation.Read(all, a.ID)
	if err != nil {
		return command.Failed(err)
	}
	if turn > log.Turns() {
		return command.Usage("conversations back: the conversation %s has %s", a.ID, turns(log.Turns()))
	}
	if o.files {
		if err := backFiles(ctx, s, o, a, log, turn); err != nil {
			return err
		}
	}
	if !o.conversation {
		return nil
	}
	if err := conversation.Back(held, turn); err != nil {
		return command.Failed(err)
	}
	return s.Print(fmt.Sprintf("%s is back at the end of turn %d", a.ID, turn))
}

// backFiles undoes what the calls of later turns changed. What of it cannot be undone is an error.
func backFiles(
	ctx context.Context, s command.Streams, o backOptions, a conversation.About, log *agent.Log, turn int,
) error {
	opened, err := o.OptionsIn(s, a.Workspace)
	if err != nil {
		return err
	}
	later := changedAfter(log, turn)
	return asking.In(ctx, s, opened, o.yes, func(ws *workspace.Assembly, who asking.Approver) error {
		return o.undo(ctx, s, ws, who, later)
	})
}

// undo undoes these calls, all of them as one: redo takes them back together.
func (o backOptions) undo(
	ctx context.Context, s command.Streams, ws *workspace.Assembly, who asking.Approver, later []string,
) error {
	past, _, err := ws.Past().Calls(ctx, 0)
	if err != nil {
		return command.Failed(err)
	}
	var names []string
	for _, call := range past {
		name := cmp.Or(call.Parent, call.ID)
		mine := slices.Contains(later, call.ID) || slices.Contains(later, name)
		if mine && !call.Undone && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if names == nil {
		return nil
	}
	res, err := ws.Past().Undo(ctx, workspace.UndoOptions{Call: strings.Join(names, ","), Force: o.force})
	if res == nil {
		return err
	}
	if res.Err != nil && who.Ask == nil {
		defer s.Note("hint: --yes does it without a question")
	}
	printed := display.PrintResult(s, "undo", res, false)
	if res.Err != nil {
		return printed
	}
	return nil
}

// changedAfter are the calls of later turns that changed files, as helve undo takes them.
func changedAfter(log *agent.Log, turn int) []string {
	var out []string
	for _, said := range log.Said {
		for _, c := range said.Calls {
			if said.Turn > turn && c.Undo != "" {
				out = append(out, c.Undo)
			}
		}
	}
	return out
}
