// Package conversations has the commands that list what helve run keeps, show it, take it back and delete it.
package conversations

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"helve/agent/conversation"
	"helve/cmd/internal/command"
)

// listOptions say which conversations are listed.
type listOptions struct {
	command.Common
	search string
	all    bool
	json   bool
}

// Command is helve conversations.
func Command(c *command.Line) *cobra.Command {
	var o listOptions
	cmd := &cobra.Command{
		Use:     "conversations",
		Aliases: []string{"conv"},
		Short:   "The conversations that helve run keeps, newest first",
		Long: `List the conversations that helve run keeps, those of this workspace, the newest first. An ID may be cut
short where only one conversation begins so.

They are kept for 30 days, and no more than 1 GiB of them (conversations in the configuration); what is
pinned stays. Tokens and keys of well-known kinds are masked in them. They can be read by this user only.`,
		Example: `  helve conversations
  helve conversations --search parser --all
  helve run --resume k3v9ab2qxy "And now?"`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Common = c.Flags.Common
			return list(c.Streams(), o)
		},
	}
	cmd.Flags().StringVar(&o.search, "search", "", "only those in which all these words stand")
	cmd.Flags().BoolVar(&o.all, "all", false, "those of every workspace")
	command.JSONFlag(cmd, &o.json)
	for _, make := range []func(*command.Line) *cobra.Command{
		showCommand, renameCommand, deleteCommand, exportCommand, pinCommand, unpinCommand, pruneCommand, backCommand,
	} {
		cmd.AddCommand(make(c))
	}
	return cmd
}

// list prints the conversations. As JSON they are an array.
func list(s command.Streams, o listOptions) error {
	dir, err := o.Folder(s)
	if err != nil {
		return err
	}
	all := s.Conversations()
	listed, err := all.List()
	if err != nil {
		return command.Failed(err)
	}
	shown := []conversation.About{}
	for _, a := range listed {
		here := o.all || a.Workspace == dir
		if here && (o.search == "" || conversation.Mentions(all, a, o.search)) {
			shown = append(shown, a)
		}
	}
	if o.json {
		return s.PrintJSON(shown)
	}
	switch {
	case len(shown) > 0:
	case !o.all && len(listed) > 0:
		s.Note("none here; --all lists those of every workspace")
	default:
		s.Note("no conversation is kept; helve run PROMPT begins one")
	}
	t := s.Table()
	for _, a := range shown {
		t.Row(row(s, a, o.all)...)
	}
	return t.Flush()
}

// row is a conversation in the list.
func row(s command.Streams, a conversation.About, all bool) []string {
	state := ""
	if a.State != conversation.Idle {
		state = " (" + string(a.State) + ")"
	}
	if a.Pinned {
		state += " (pinned)"
	}
	cells := []string{a.ID, a.Updated.Local().Format("2006-01-02 15:04"), turns(a.Turns), command.Printable(a.Model)}
	if all {
		cells = append(cells, command.Printable(s.Homely(a.Workspace)))
	}
	return append(cells, command.Brief(a.Name)+state)
}

func turns(n int) string {
	if n == 1 {
		return "1 turn"
	}
	return strconv.Itoa(n) + " turns"
}

// one takes the ID that stands alone on a command line.
func one(name string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return command.Usage("conversations %s: want one ID\nhint: helve conversations", name)
		}
		return nil
	}
}

func renameCommand(c *command.Line) *cobra.Command {
	return &cobra.Command{
		Use:   "rename ID NAME",
		Short: "Give a conversation another name",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 || strings.TrimSpace(strings.Join(args[1:], " ")) == "" {
				return command.Usage("conversations rename: want an ID and a name\nhint: helve conversations lists the IDs")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			name := strings.Join(strings.Fields(strings.Join(args[1:], " ")), " ")
			if len(name) > maxName {
				return command.Usage("conversations rename: a name has at most %d bytes", maxName)
			}
			return change(c.Streams(), "rename", args[0], func(a *conversation.About) { a.Name = name })
		},
	}
}

// maxName bounds the name of a conversation, in bytes: it is shown in one line.
const maxName = 200

func pinCommand(c *command.Line) *cobra.Command {
	return &cobra.Command{
		Use:   "pin ID",
		Short: "Keep a conversation until it is deleted",
		Args:  one("pin"),
		RunE: func(_ *cobra.Command, args []string) error {
			return change(c.Streams(), "pin", args[0], func(a *conversation.About) { a.Pinned = true })
		},
	}
}

func unpinCommand(c *command.Line) *cobra.Command {
	return &cobra.Command{
		Use:   "unpin ID",
		Short: "Forget a conversation when its time comes",
		Args:  one("unpin"),
		RunE: func(_ *cobra.Command, args []string) error {
			return change(c.Streams(), "unpin", args[0], func(a *conversation.About) { a.Pinned = false })
		},
	}
}

// change changes what is known of a conversation.
func change(s command.Streams, name, id string, change func(*conversation.About)) error {
	a, err := s.Conversation("conversations "+name, id)
	if err != nil {
		return err
	}
	if err := s.Conversations().Change(a.ID, change); err != nil {
		return command.Failed(err)
	}
	return nil
}

func pruneCommand(c *command.Line) *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Forget conversations that are older, or larger, than is kept",
		Long: `Forget the conversations that nobody went on with for 30 days, and the oldest ones beyond 1 GiB, or what
the configuration says (conversations), as helve conversations delete does it. It happens by itself when
helve run ends. What is pinned stays.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return prune(cmd.Context(), c.Streams(), c.Flags.Common, dry)
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only say which")
	return cmd
}

func prune(ctx context.Context, s command.Streams, common command.Common, dry bool) error {
	read, err := common.LoadHere(s)
	if err != nil {
		return err
	}
	gone, failed := s.PruneConversations(ctx, common, read.Conversations, dry)
	for _, a := range gone {
		day := a.Updated.Local().Format(time.DateOnly)
		if err := s.Print(fmt.Sprintf("%s  %s  %s", a.ID, day, command.Brief(a.Name))); err != nil {
			return err
		}
	}
	if failed != nil {
		return command.Failed(failed)
	}
	return nil
}
