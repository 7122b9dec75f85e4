// Package review has helve review: what commands left waiting for a person, shown, made or dropped.
package review

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"helve/builtin"
	"helve/cmd/internal/command"
	"helve/internal/visible"
	"helve/internal/workspace"
	"helve/tool"
)

// options say what is meant, and how it is printed.
type options struct {
	command.Common
	words []string
	all   bool
	json  bool

	other Other
}

// Other does to what is no entry here what a command says of it, if it is its ID.
type Other func(
	ctx context.Context, s command.Streams, ws *workspace.Assembly, verb, id string, json bool,
) (is bool, err error)

// Command is helve review and what stands below it.
func Command(c *command.Line, other Other) *cobra.Command {
	o := options{other: other}
	cmd := &cobra.Command{
		Use:   "review",
		Short: "What commands left waiting, since other programs would run or follow it",
		Long: `Show what waits for you. A command that nobody was asked about may change the workspace, but not
what your other programs would run or follow: hooks, settings of editors, texts that tell agents what
to do. That is kept beside the workspace for a week. Look at it with show, then make it with apply or
drop it.`,
		Example: "  helve review\n  helve review show k3v9\n  helve review apply k3v9\n  helve review drop .vscode",
		Args:    cobra.NoArgs,
		RunE:    o.run(c, list),
	}
	cmd.Flags().BoolVar(&o.all, "all", false, "what was made or dropped within the week, too")
	command.JSONFlag(cmd, &o.json)
	cmd.AddCommand(
		o.sub(c, "show [ID | PATH…]", "Show the differences, and who would run or follow what", show),
		o.sub(c, "apply [ID | PATH…]", "Make it, but for what somebody changed since", apply),
		o.sub(c, "drop [ID | PATH…]", "Have it made by nobody", drop),
	)
	return cmd
}

// sub is one of the commands below, which take IDs, the beginning of one, or paths.
func (o *options) sub(c *command.Line, use, short string, do doing) *cobra.Command {
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Long: short + `. What is meant are IDs, or the beginning of one, or paths of the workspace; a folder means
all in it. Without any, all of what waits is meant, if one call left it.`,
		RunE: o.run(c, do),
	}
	command.JSONFlag(cmd, &o.json)
	return cmd
}

// Do does to what is meant what helve review VERB does: show, apply or drop.
func Do(
	ctx context.Context, s command.Streams, ws *workspace.Assembly, verb string, words []string, json bool,
) error {
	do := map[string]doing{"show": show, "apply": apply, "drop": drop}[verb]
	return wrong(do(ctx, s, ws, options{words: words, json: json}))
}

// A doing is one of the commands on an open workspace.
type doing func(context.Context, command.Streams, *workspace.Assembly, options) error

func (o *options) run(c *command.Line, do doing) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		own := *o
		own.Common, own.words = c.Flags.Common, args
		ctx, s := cmd.Context(), c.Streams()
		return command.In(ctx, s, own.Common, func(ws *workspace.Assembly) error {
			err := do(ctx, s, ws, own)
			if len(args) == 1 && (errors.Is(err, builtin.ErrReviewUnknown) || errors.Is(err, builtin.ErrReviewNothing)) {
				if is, err := own.other(ctx, s, ws, cmd.Name(), args[0], own.json); is {
					return err
				}
			}
			return wrong(err)
		})
	}
}

// wrong gives errors of a choice the next step.
func wrong(err error) error {
	const hint = "\nhint: helve review lists what waits"
	switch {
	case errors.Is(err, builtin.ErrReviewChoose), errors.Is(err, builtin.ErrReviewAmbiguous):
		return command.Usage("review: %v: say which one%s", err, hint)
	case errors.Is(err, builtin.ErrReviewNothing), errors.Is(err, builtin.ErrReviewUnknown):
		return command.Failed(fmt.Errorf("review: %w%s", err, hint))
	}
	if _, told := errors.AsType[*command.ExitError](err); told || err == nil {
		return err
	}
	return command.Failed(fmt.Errorf("review: %w\nhint: what was not made or dropped goes on waiting", err))
}

func list(_ context.Context, s command.Streams, ws *workspace.Assembly, o options) error {
	sets, damaged, err := ws.Review().List(o.all)
	if err != nil {
		return command.Failed(err)
	}
	if damaged > 0 {
		s.Say("review: %d entries cannot be read, and were left out", damaged)
	}
	if o.json {
		return s.PrintJSON(sets)
	}
	if len(sets) == 0 {
		s.Note("nothing waits")
		return nil
	}
	t := s.Table()
	t.Row("ID", "SINCE", "STATE", "FILES", "LEFT BY")
	for _, set := range sets {
		t.Row(set.ID, set.Time.Local().Format(time.DateTime), Word(set.State),
			visible.Line(Names(set.Files)), visible.Line(command.Brief(set.Title)))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	s.Note("hint: helve review show ID, then apply ID or drop ID")
	return nil
}

// Word is a state as people call it.
func Word(state string) string {
	switch state {
	case "open":
		return "waits"
	case "committed":
		return "made"
	}
	return state
}

// shownNames is how many files a line names.
const shownNames = 3

// Names are the first files of a list, in a line.
func Names(files []builtin.ReviewFile) string {
	var out []string
	for _, f := range files[:min(len(files), shownNames)] {
		out = append(out, f.Path)
	}
	text := strings.Join(out, ", ")
	if more := len(files) - shownNames; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func show(_ context.Context, s command.Streams, ws *workspace.Assembly, o options) error {
	sets, err := ws.Review().Show(o.words)
	if err != nil {
		return err
	}
	if o.json {
		return s.PrintJSON(sets)
	}
	for _, set := range sets {
		if err := s.Print(Whole(set)); err != nil {
			return err
		}
	}
	return nil
}

// Whole is a set as people read it: each file with the reason and the difference.
func Whole(set builtin.ReviewSet) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s  %s\n", set.ID, set.Time.Local().Format(time.DateTime), visible.Line(set.Title))
	for _, f := range set.Files {
		path, why := visible.Line(f.Path), visible.Line(f.Why)
		fmt.Fprintf(&b, "\n%s: %s, %s\n  %s\n", path, f.Change, Word(f.State), why)
		b.WriteString(command.Printable(f.Diff))
	}
	return strings.TrimRight(b.String(), "\n")
}

func apply(ctx context.Context, s command.Streams, ws *workspace.Assembly, o options) error {
	out, err := Apply(ctx, ws, ws.Review(), o.words, person())
	return told(s, o, out, err)
}

func drop(_ context.Context, s command.Streams, ws *workspace.Assembly, o options) error {
	out, err := Drop(ws, ws.Review(), o.words, person())
	return told(s, o, out, err)
}

// person is who decides at a terminal, or in a script of theirs.
func person() Decider {
	return Decider{Principal: "local", Approver: tool.Approver{Kind: tool.ByPerson, Via: "command line"}}
}

// told prints what became of what was chosen. What somebody changed since is a failure, with both differences.
func told(s command.Streams, o options, out *builtin.ReviewOutcome, err error) error {
	if out == nil {
		return err
	}
	if o.json {
		err = errors.Join(err, s.PrintJSON(out))
	} else if said := Told(out); said != "" {
		err = errors.Join(err, s.Print(said))
	}
	if changed := Changed(out); err == nil && changed != nil {
		return command.Failed(fmt.Errorf("review: %w\nhint: change them by hand, then helve review drop PATH", changed))
	}
	return err
}
