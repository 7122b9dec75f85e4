package tools

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"helve/agent"
	"helve/cmd/internal/command"
	"helve/engine/dialect"
	"helve/internal/workspace"
)

// promptDialect is the text that describes the set, for models that take no declarations.
const promptDialect = "prompt"

// declareOptions say for whom the tools are declared.
type declareOptions struct {
	command.Common
	target string // the dialect; required
	report bool   // what was lost instead of the declarations
	json   bool
}

func DeclareCommand(c *command.Line) *cobra.Command {
	var o declareOptions
	cmd := &cobra.Command{
		Use:   "declare --for DIALECT",
		Short: "Print the tools as a model provider takes them",
		Long: `Print the tools array for a provider's API, or with --report what each declaration lost of its schema.

The dialects: ` + dialectList() + `.
A strict dialect declares without strictness what the provider cannot hold a model to; --report says why.`,
		Example: `  helve declare --for openai-strict
  helve declare --for gemini --report`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Common = c.Flags.Common
			return declare(cmd.Context(), c.Streams(), o)
		},
	}
	cmd.Flags().StringVar(&o.target, "for", "", "the dialect: "+dialectList())
	cmd.Flags().BoolVar(&o.report, "report", false, "print what was lost, by tool and JSON pointer")
	command.CompleteFlag(cmd, "for", dialectNames()...)
	command.JSONFlag(cmd, &o.json)
	return cmd
}

// dialectNames are the values of --for, in the order of the help.
func dialectNames() []string {
	var out []string
	for _, d := range dialect.Dialects() {
		out = append(out, d.String())
	}
	return append(out, promptDialect)
}

// dialectList is the same for a message.
func dialectList() string { return strings.Join(dialectNames(), ", ") }

// declare prints the tools of the workspace in a provider's form.
func declare(ctx context.Context, s command.Streams, o declareOptions) error {
	if o.target == "" {
		return command.Usage("declare: want --for\nhint: one of %s", dialectList())
	}
	d, err := dialect.Parse(o.target)
	if err != nil && o.target != promptDialect {
		return command.Usage("declare: --for %q: want one of %s", o.target, dialectList())
	}
	return command.In(ctx, s, o.Common, func(ws *workspace.Assembly) error { return o.print(ctx, s, ws, d) })
}

func (o declareOptions) print(ctx context.Context, s command.Streams, ws *workspace.Assembly, d dialect.Dialect) error {
	s.SayMissing(ws.Connect(ctx))
	v := ws.Kit().View()
	if o.target == promptDialect {
		if o.json {
			return s.PrintJSON(v.Prompt())
		}
		return s.Print(v.Prompt())
	}
	set := dialect.Declare(d, agent.Tools(v), dialect.Options{})
	if o.report {
		return printLosses(s, set, v.Len(), o.json)
	}
	for _, omitted := range set.Omitted {
		s.Say("%s: %s", command.Printable(omitted.Tool), omitted.What)
	}
	return s.PrintJSON(set.JSON())
}

// printLosses prints what the declarations lost, and counts it for people.
func printLosses(s command.Streams, set *dialect.Set, tools int, asJSON bool) error {
	losses := set.Losses()
	if asJSON {
		return s.PrintJSON(append([]dialect.Loss{}, losses...)) // [] and not null
	}
	for _, l := range losses {
		at := l.Pointer
		if at == "" { // the whole schema, which JSON Pointer writes as nothing
			at = "/"
		}
		fmt.Fprintf(s.Stdout, "%s\t%s\t%s\n", command.Printable(l.Tool), command.Printable(at),
			command.Printable(l.What))
	}
	s.Say("%s: %d of %d tools declared, %d losses", set.Dialect, len(set.Declarations), tools, len(losses))
	return nil
}
