// Package history has the commands that show and take back what calls did: history, diff, undo, redo, audit and stats.
package history

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"helve/cmd/internal/asking"
	"helve/cmd/internal/command"
	"helve/cmd/internal/display"
	"helve/internal/workspace"
	"helve/tool"
)

// historyOptions say what is shown of the history.
type historyOptions struct {
	command.Common
	limit int
	json  bool
}

func Command(c *command.Line) *cobra.Command {
	var o historyOptions
	cmd := &cobra.Command{
		Use:   "history",
		Short: "The calls that changed files here, newest first",
		Long: `Show the calls that changed files of the workspace, the newest first: edits, and commands with all
that they did. Each has an ID, which undo and diff take, and the lines that it added and removed.
A line that begins with ! says what else a call may have done that cannot be undone.`,
		Example: `  helve history
  helve history --json --limit 5`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Common = c.Flags.Common
			if o.limit < 0 {
				return command.Usage("history: --limit %d: want a number of calls", o.limit)
			}
			ctx, s := cmd.Context(), c.Streams()
			return command.In(ctx, s, o.Common, func(ws *workspace.Assembly) error { return show(ctx, s, ws, o) })
		},
	}
	cmd.Flags().IntVar(&o.limit, "limit", 20, "only so many calls; 0: all")
	command.JSONFlag(cmd, &o.json)
	cmd.AddCommand(pruneCommand(c))
	return cmd
}

// show prints the calls. As JSON they are an array.
func show(ctx context.Context, s command.Streams, ws *workspace.Assembly, o historyOptions) error {
	if !o.json {
		res, err := ws.Past().Text(ctx, o.limit)
		if err != nil {
			return err
		}
		return display.PrintResult(s, "history", res, false)
	}
	calls, damaged, err := ws.Past().Calls(ctx, o.limit)
	if err != nil {
		return command.Failed(err)
	}
	if damaged > 0 {
		s.Say("history: %d damaged entries were left out", damaged)
	}
	if calls == nil {
		calls = []workspace.PastCall{} // JSON says [] and not null
	}
	return s.PrintJSON(calls)
}

// diffOptions say which calls are shown.
type diffOptions struct {
	command.Common
	calls string
	json  bool
}

func DiffCommand(c *command.Line) *cobra.Command {
	var o diffOptions
	cmd := &cobra.Command{
		Use:   "diff CALL | A..B",
		Short: "What a call changed, or several together",
		Long: `Show as a diff what a call changed. A..B shows together what the calls after A changed, up to and
with B. IDs come from helve history; their beginning is enough.`,
		Example: `  helve diff k3v9
  helve diff k3v9..m2xa`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return command.Usage("diff: want one call, or A..B\nhint: helve history")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Common, o.calls = c.Flags.Common, args[0]
			ctx, s := cmd.Context(), c.Streams()
			return command.In(ctx, s, o.Common, func(ws *workspace.Assembly) error { return diff(ctx, s, ws, o) })
		},
	}
	command.JSONFlag(cmd, &o.json)
	return cmd
}

func diff(ctx context.Context, s command.Streams, ws *workspace.Assembly, o diffOptions) error {
	res, err := ws.Past().Diff(ctx, o.calls)
	if err != nil {
		return err
	}
	return display.PrintResult(s, "diff", res, o.json)
}

// undoOptions say what is taken back, and whether it is asked about.
type undoOptions struct {
	command.Common
	workspace.UndoOptions
	redo bool // take the last undo back
	yes  bool
	json bool
}

func UndoCommand(c *command.Line) *cobra.Command {
	var o undoOptions
	cmd := &cobra.Command{
		Use:   "undo [CALL]",
		Short: "Take back what a call did to files, the last one's by default",
		Long: `Take back what a call did to the files of the workspace: what it changed, deleted, renamed or made,
with modes and links, whether an edit or a command did it. Without an ID it is the last call that
is not undone yet; --to takes back every call after one.

What somebody changed since is not lost: where the two do not touch, both hold; else the file is
left alone, and its three versions are shown. --force brings it back all the same, and what stood
there is in the history. An undo is a call itself: the rules judge it, and helve redo takes it back.`,
		Example: `  helve undo
  helve undo k3v9
  helve undo --to k3v9`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return command.Usage("undo: want one call\nhint: helve undo --to takes back every call after one")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Common = c.Flags.Common
			if len(args) == 1 {
				o.Call = args[0]
			}
			if o.Call != "" && o.To != "" {
				return command.Usage("undo: one call is undone, or every one after another: give an ID or --to")
			}
			return o.run(cmd.Context(), c.Streams())
		},
	}
	cmd.Flags().StringVar(&o.To, "to", "", "take back every call after this one")
	undoFlags(cmd, &o)
	return cmd
}

func RedoCommand(c *command.Line) *cobra.Command {
	o := undoOptions{redo: true}
	cmd := &cobra.Command{
		Use:   "redo",
		Short: "Take the last undo back",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Common = c.Flags.Common
			return o.run(cmd.Context(), c.Streams())
		},
	}
	undoFlags(cmd, &o)
	return cmd
}

func undoFlags(cmd *cobra.Command, o *undoOptions) {
	cmd.Flags().BoolVar(&o.Force, "force", false, "also what somebody changed since; a copy stays in the history")
	cmd.Flags().BoolVar(&o.yes, "yes", false, "do not ask; what is denied stays denied")
	command.JSONFlag(cmd, &o.json)
}

func (o undoOptions) run(ctx context.Context, s command.Streams) error {
	return asking.OneCall(ctx, s, o.Common, o.yes, func(ws *workspace.Assembly, who asking.Approver) error {
		return o.takeBack(ctx, s, ws, who)
	})
}

// takeBack undoes or redoes, and prints what came of it.
func (o undoOptions) takeBack(
	ctx context.Context, s command.Streams, ws *workspace.Assembly, who asking.Approver,
) (err error) {
	name := "undo"
	var res *tool.Result
	if o.redo {
		name = "redo"
		res, err = ws.Past().Redo(ctx, o.Force)
	} else {
		res, err = ws.Past().Undo(ctx, o.UndoOptions)
	}
	if res == nil {
		return err
	}
	unasked := who.Ask == nil && res.Err != nil && res.Verdict.Decision == tool.Ask
	if unasked { // said last, below the refusal
		defer s.Note("hint: --yes does it without a question")
	}
	return display.PrintResult(s, name, res, o.json)
}

// pruneOptions say what is forgotten.
type pruneOptions struct {
	command.Common
	before string
	bytes  int64
	all    bool
}

func pruneCommand(c *command.Line) *cobra.Command {
	var o pruneOptions
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Forget old calls, or all",
		Long: `Forget what calls did that are older than the configuration's bounds (history_limits), or than the
flags say. This happens by itself now and then. What is forgotten cannot be undone; the files of the
workspace stay as they are.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Common = c.Flags.Common
			return o.prune(cmd.Context(), c.Streams(), time.Now())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.before, "before", "", "forget calls from before: 7d, 2h, 2006-01-02 (default: the configuration's)")
	f.Int64Var(&o.bytes, "bytes", 0, "keep at most so many bytes (default: the configuration's)")
	f.BoolVar(&o.all, "all", false, "forget everything")
	return cmd
}

func (o pruneOptions) prune(ctx context.Context, s command.Streams, now time.Time) error {
	before, err := sinceWhen("history prune: --before", o.before, now)
	if err != nil {
		return err
	}
	if o.bytes < 0 {
		return command.Usage("history prune: --bytes %d: want a number of bytes", o.bytes)
	}
	return command.In(ctx, s, o.Common, func(ws *workspace.Assembly) error { return o.forget(s, ws, before) })
}

func (o pruneOptions) forget(s command.Streams, ws *workspace.Assembly, before time.Time) error {
	if o.all {
		if err := ws.Past().Forget(); err != nil {
			return command.Failed(err)
		}
		return s.Print("everything was forgotten")
	}
	calls, freed, err := ws.Past().Prune(before, o.bytes)
	if err != nil {
		return command.Failed(err)
	}
	return s.Print(fmt.Sprintf("forgotten: %d calls, %d bytes", calls, freed))
}
