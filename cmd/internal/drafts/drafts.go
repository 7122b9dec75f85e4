// Package drafts has helve draft: changes that stand beside the workspace until a person says yes.
package drafts

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"helve/builtin"
	"helve/cmd/internal/command"
	"helve/internal/workspace"
)

// options say which draft is meant, and how it is printed.
type options struct {
	command.Common
	id   string
	part []string // paths that are meant of it; none: all of it
	yes  bool
	all  bool
	json bool
}

// Command is helve draft and what stands below it.
func Command(c *command.Line) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "draft",
		Short: "Changes that stand beside the workspace until you commit them",
		Long: `Work in a draft: calls with --draft see the workspace as the draft has it and change nothing but the
draft. Then look at the difference, and commit or drop it. A draft stays until then, or until nobody
used it for a week. In one work read, write, edit, multi_edit, ls, glob, grep, bash and run_script.`,
		Example: "  helve draft open\n  helve call --draft k3v9 edit file_path=a.txt old_string=teh new_string=the\n" +
			"  helve draft diff k3v9\n  helve draft commit k3v9",
	}
	cmd.AddCommand(
		o.sub(c, "open", "Begin a draft, and print its ID", open),
		o.list(c),
		o.sub(c, "diff ID", "Show what a draft would change", diff),
		o.commit(c),
		o.drop(c),
	)
	return cmd
}

// A doing is one of the commands on an open workspace.
type doing func(context.Context, command.Streams, *workspace.Assembly, options) error

// sub is one of the commands.
func (o *options) sub(c *command.Line, use, short string, do doing) *cobra.Command {
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			own := *o
			own.Common = c.Flags.Common
			if len(args) > 0 {
				own.id, own.part = args[0], args[1:]
			}
			ctx, s := cmd.Context(), c.Streams()
			return command.In(ctx, s, own.Common, func(ws *workspace.Assembly) error {
				swept(s, ws)
				err := do(ctx, s, ws, own)
				if errors.Is(err, builtin.ErrDraftUnknown) && waits(ws, own.id) {
					return own.ofReview(ctx, s, ws, cmd.Name())
				}
				return wrong(err)
			})
		},
	}
	if strings.HasSuffix(use, " ID") {
		cmd.Args = cobra.ExactArgs(1)
		cmd.ValidArgsFunction = command.OnlyFirst(Complete(c))
	}
	command.JSONFlag(cmd, &o.json)
	return cmd
}

func (o *options) list(c *command.Line) *cobra.Command {
	cmd := o.sub(c, "list", "List the drafts, and what waits in helve review", list)
	cmd.Flags().BoolVar(&o.all, "all", false, "what was committed or dropped within the week, too")
	return cmd
}

func (o *options) commit(c *command.Line) *cobra.Command {
	cmd := o.sub(c, "commit ID", "Make what a draft changes, as one", commit)
	cmd.Long = `Make all that a draft changes, or nothing: one entry in the history, one undo. On a terminal the
difference is shown and asked about. --yes says that you have seen it, as helve draft diff showed it
last; what your other programs would run or follow is then left for helve review.

What somebody changed meanwhile is kept: in other lines it is merged and said; else nothing is made,
both differences are shown, and the draft stays.`
	cmd.Flags().BoolVar(&o.yes, "yes", false, "the difference was seen: make it without a question")
	return cmd
}

func (o *options) drop(c *command.Line) *cobra.Command {
	cmd := o.sub(c, "drop ID", "Lose a draft with all that it changes, or some of it", drop)
	cmd.Use = "drop ID [PATH…]"
	cmd.Long = `Lose a draft with all that it changes. With paths, as helve draft diff shows them, it only changes
nothing there any more, nor in them where they are folders: the rest can be committed.`
	cmd.Example = "  helve draft drop k3v9\n  helve draft drop k3v9 docs/notes.md"
	cmd.Args = cobra.MinimumNArgs(1)
	return cmd
}

// Complete completes to the IDs of drafts that are open.
func Complete(c *command.Line) command.Completion {
	return command.InWorkspace(c, func(ws *workspace.Assembly) []string {
		var out []string
		all, _ := ws.Drafts()
		for _, d := range all {
			if isOpen(d) {
				out = append(out, cobra.CompletionWithDesc(d.ID, "opened "+d.Opened.Local().Format(time.DateTime)))
			}
		}
		return out
	})
}

func isOpen(d *builtin.DraftState) bool { return d.State == "open" || d.State == "committing" }

// swept drops what nobody used for a week, and tells it.
func swept(s command.Streams, ws *workspace.Assembly) {
	gone, err := ws.SweepDrafts()
	for _, id := range gone {
		s.Say("draft: %s was dropped: nobody used it for a week", id)
	}
	if err != nil {
		s.Say("draft: what nobody used for a week stays: %s", command.Printable(err.Error()))
	}
}

func open(ctx context.Context, s command.Streams, ws *workspace.Assembly, o options) error {
	d, err := ws.KeepDraft(ctx)
	if err != nil {
		return err
	}
	line := lineOf(d.State())
	if err := d.Leave(); err != nil {
		return err
	}
	if o.json {
		return s.PrintJSON(line)
	}
	s.Note("hint: helve call --draft %s TOOL …, then helve draft diff, commit or drop %[1]s", line.ID)
	return s.Print(line.ID)
}

func diff(ctx context.Context, s command.Streams, ws *workspace.Assembly, o options) (err error) {
	d, err := ws.OpenDraft(ctx, o.id)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Leave()) }()
	v, err := d.View(ctx)
	if err != nil {
		return err
	}
	if o.json {
		return s.PrintJSON(v)
	}
	if v.Summary == "" {
		s.Note("the draft changes nothing")
		return nil
	}
	for _, path := range v.Merged {
		s.Note("%s: somebody changed it meanwhile, in other lines: it is merged", command.Printable(path))
	}
	for _, c := range v.Conflicts {
		s.Note("%s: %s: the draft cannot be committed", command.Printable(c.Path), command.Printable(c.Why))
	}
	return s.Print(v.Summary + "\n" + strings.TrimRight(command.Printable(v.Diff), "\n"))
}

func drop(ctx context.Context, s command.Streams, ws *workspace.Assembly, o options) error {
	if len(o.part) > 0 {
		return dropPart(ctx, s, ws, o)
	}
	d, err := ws.DropDraft(ctx, o.id)
	if err != nil {
		return err
	}
	if o.json {
		return s.PrintJSON(lineOf(d))
	}
	return s.Print("dropped " + d.ID)
}

// dropPart has a draft change nothing at some paths.
func dropPart(ctx context.Context, s command.Streams, ws *workspace.Assembly, o options) (err error) {
	d, err := ws.OpenDraft(ctx, o.id)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Leave()) }()
	out, err := d.TakeOut(o.part)
	if err != nil {
		return err
	}
	if o.json {
		return s.PrintJSON(map[string]any{"id": d.State().ID, "dropped": out})
	}
	for _, path := range out {
		if err := s.Print("dropped " + command.Printable(path)); err != nil {
			return err
		}
	}
	s.Note("hint: helve draft diff %s shows the rest", d.State().ID)
	return nil
}
