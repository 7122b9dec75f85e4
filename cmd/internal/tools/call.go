package tools

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"helve/cmd/internal/asking"
	"helve/cmd/internal/callwords"
	"helve/cmd/internal/command"
	"helve/cmd/internal/display"
	"helve/cmd/internal/drafts"
	"helve/internal/workspace"
	"helve/tool"
)

// callOptions are one call and what it may do without a question.
type callOptions struct {
	command.Common
	name    string           // of the tool
	words   callwords.Behind // the arguments, see arguments
	yes     bool             // grant what would be asked
	session string           // "": the call has none, and nothing is remembered of it
	draft   string           // in which it works; "": none
	json    bool             // the whole result instead of its text
	whole   bool             // without the limits that spare a model's context
}

func CallCommand(c *command.Line) *cobra.Command {
	var o callOptions
	cmd := &cobra.Command{
		Use:   "call NAME [JSON | - | WORD… | key=value …]",
		Short: "Call one tool, through schema, policy and approval",
		Long: `Call one tool as an agent would, through the whole pipeline, and print what the model would read.

The arguments are one JSON object, - for one on standard input, or words: key=value and --key value
set a parameter, and all other words together are the one parameter that the tool requires, or the
only one that takes a text; of a tool that takes a path as well the last one is that. Behind bash
all words are the command's. helve's flags stand before the tool's name; --yes, --json, --session,
--draft, --mode and --whole are taken for helve's at the end as well, unless a -- stands before. On a
terminal an approval is asked with its preview; elsewhere what would be asked is refused, unless
--yes grants it.`,
		Example: `  helve call bash ls -la
  helve call read README.md --limit 20
  helve call grep pattern='func main' include='*.go'
  helve call read '{"file_path":"README.md","limit":20}'
  helve call edit file_path=README.md old_string=teh new_string=the --yes`,
		Args:              named("helve list"),
		ValidArgsFunction: completeCall(c),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			o.Common, o.name = c.Flags.Common, args[0]
			if o.words, err = behindName(c.Streams(), o.name, args[1:]); err != nil {
				return err
			}
			own := o.words.Own
			o.Mode, o.session = cmp.Or(own.Mode, o.Mode), cmp.Or(own.Session, o.session)
			o.draft = cmp.Or(own.Draft, o.draft)
			o.yes, o.json, o.whole = o.yes || own.Yes, o.json || own.JSON, o.whole || own.Whole
			if own.Help {
				about := describeOptions{Common: o.Common, name: o.name, json: o.json}
				return describe(cmd.Context(), c.Streams(), about)
			}
			return call(cmd.Context(), c.Streams(), o)
		},
	}
	cmd.Flags().SetInterspersed(false)
	cmd.Flags().BoolVar(&o.yes, "yes", false, "grant what would be asked; what is denied stays denied")
	cmd.Flags().StringVar(&o.session, "session", "", "remember this call for later ones with the same ID")
	cmd.Flags().StringVar(&o.draft, "draft", "", "work in the draft with this ID: see helve draft")
	command.CompleteBy(cmd, "draft", drafts.Complete(c))
	cmd.Flags().BoolVar(&o.whole, "whole", false,
		"for programs: all that there is, without the limits that spare a model's context (16 MiB at most)")
	command.JSONFlag(cmd, &o.json)
	return cmd
}

// call makes one call and prints its result.
func call(ctx context.Context, s command.Streams, o callOptions) error {
	return asking.OneCall(ctx, s, o.Common, o.yes, func(ws *workspace.Assembly, who asking.Approver) error {
		return o.call(ctx, s, ws, who)
	})
}

func (o callOptions) call(
	ctx context.Context, s command.Streams, ws *workspace.Assembly, who asking.Approver,
) (err error) {
	session, err := command.SessionOf(ws, o.session)
	if err != nil {
		return err
	}
	if session != nil {
		defer func() { err = errors.Join(err, session.Close()) }()
	}
	s.SayMissing(ws.ConnectFor(ctx, o.name))
	args, err := arguments(ctx, s, "call", ws, o.name, o.words)
	if err != nil {
		return err
	}
	c := &tool.Call{ID: "cli", Name: o.name, Args: args, Session: session, Dir: ws.Dir()}
	if o.whole {
		c.Whole = tool.MaxWhole
	}
	if o.draft != "" {
		d, bad := ws.OpenDraft(ctx, o.draft)
		if bad != nil {
			return drafts.Wrong(bad)
		}
		defer func() { err = errors.Join(err, d.Leave()) }()
		c.Draft = d
	}
	res, err := ws.Kit().Call(ctx, c)
	if res == nil {
		return err
	}
	unasked := who.Ask == nil && res.Err != nil && res.Verdict.Decision == tool.Ask
	if unasked { // said last, below the refusal
		defer s.Note("hint: --yes grants it for this call; a rule in the configuration for all: helve why %s",
			command.Printable(o.name))
	}
	if res.Err != nil && !o.json {
		defer o.sayNext(s, res)
	}
	return display.PrintResult(s, o.name, res, o.json)
}

// sayNext says below a failure what a person can do whom the words for the model leave alone.
func (o callOptions) sayNext(s command.Streams, res *tool.Result) {
	name := command.Printable(o.name)
	switch {
	case res.Err.Code == tool.Validation && res.Job == nil:
		s.Note("hint: helve describe %s shows its parameters", name)
	case res.Err.Code == tool.UnknownTool && o.session == "" && strings.Contains(res.Err.Hint, "needs a session"):
		s.Note("hint: helve call --session ID %s …: calls of one ID go together", name)
	case res.Err.Code == tool.UnknownTool:
		s.Note("hint: helve list --all shows all tools")
	case strings.HasPrefix(res.Text(), "File not found: ") && !strings.Contains(res.Text(), "Did you mean"):
		s.Note("hint: helve glob '**' lists the files that are there")
	}
}

// behindName reads the words behind a tool's name. That some of them were helve's is said.
func behindName(s command.Streams, name string, all []string) (callwords.Behind, error) {
	b, told, err := callwords.Read(name, all)
	if err != nil {
		return b, command.Misused(err)
	}
	if told != "" {
		s.Note("%s", command.Printable(told))
	}
	return b, nil
}
