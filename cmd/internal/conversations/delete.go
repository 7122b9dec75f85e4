package conversations

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"helve/agent/conversation"
	"helve/cmd/internal/asking"
	"helve/cmd/internal/command"
	"helve/cmd/internal/terminal"
)

// maxDeleted is of how many conversations one line speaks.
const maxDeleted = 1000

func deleteCommand(c *command.Line) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "delete ID…",
		Short: "Delete conversations, with all that is kept of their calls",
		Long: `Delete conversations: what was said, long outputs and lists of their calls, and what their calls changed
in the history of the workspace, so that it cannot be undone any more, but for what a fork has, too. The
files of the workspace stay as they are. The record of calls (helve audit) keeps that there were calls, with
digests of their arguments and results.`,
		Args: command.Between(1, maxDeleted, "the ID of a conversation, or several"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return remove(cmd.Context(), c.Streams(), c.Flags.Common, args, yes)
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

// remove deletes conversations after a question.
func remove(ctx context.Context, s command.Streams, common command.Common, ids []string, yes bool) error {
	var list []conversation.About
	for _, id := range ids {
		a, err := s.Conversation("conversations delete", id)
		if err != nil {
			return err
		}
		list = append(list, a)
	}
	if !yes {
		if err := sure(ctx, s, list); err != nil {
			return err
		}
	}
	for _, a := range list {
		if err := s.ForgetConversation(ctx, common, a); err != nil {
			return command.Failed(err)
		}
		if err := s.Print("deleted " + a.ID); err != nil {
			return err
		}
	}
	return nil
}

// sure asks before something is deleted that nothing brings back.
func sure(ctx context.Context, s command.Streams, list []conversation.About) error {
	if !s.Terminal().Present() {
		return command.Usage("conversations delete: nobody can be asked here\nhint: --yes deletes without a question")
	}
	said, err := s.Terminal().Ask(ctx, terminal.Question{
		Title:   fmt.Sprintf("Delete %d of the conversations?", len(list)),
		Preview: s.ConversationLines(list),
		Ask:     "Delete? Nothing brings them back.",
		Choices: []terminal.Choice{asking.Refuse(), asking.Agree("Yes, delete", asking.WordYes, "y")},
	})
	if err != nil {
		return err
	}
	if said.Value != asking.WordYes {
		return &command.ExitError{Status: command.ExitRefused, Err: errors.New("nothing was deleted")}
	}
	return nil
}
