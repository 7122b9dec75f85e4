package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"helve/agent"
	"helve/engine/dialect"
)

// promptDialect is the text that describes the set, for models that take no declarations (R2.3).
const promptDialect = "prompt"

func (a *app) declareCommand() *cobra.Command {
	var target string
	var report bool
	cmd := &cobra.Command{
		Use:   "declare --for DIALECT",
		Short: "Print the tools as a model provider takes them",
		Long: `Print the tools array for a provider's API, or with --report what each declaration lost of its schema.

The dialects: ` + strings.Join(dialectNames(), ", ") + `.
A strict dialect declares without strictness what the provider cannot hold a model to; --report says why.`,
		Example: `  helve declare --for openai-strict
  helve declare --for gemini --report`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.declare(cmd.Context(), target, report) },
	}
	cmd.Flags().StringVar(&target, "for", "", "the dialect: "+strings.Join(dialectNames(), ", "))
	cmd.Flags().BoolVar(&report, "report", false, "print what was lost, by tool and JSON pointer")
	_ = cmd.RegisterFlagCompletionFunc("for", cobra.FixedCompletions(dialectNames(), cobra.ShellCompDirectiveNoFileComp))
	a.jsonFlag(cmd)
	return cmd
}

func dialectNames() []string {
	var out []string
	for _, d := range dialect.Dialects() {
		out = append(out, d.String())
	}
	return append(out, promptDialect)
}

func (a *app) declare(ctx context.Context, target string, report bool) error {
	if target == "" {
		return usage("declare: want --for\nhint: one of %s", strings.Join(dialectNames(), ", "))
	}
	d, err := dialect.Parse(target)
	if err != nil && target != promptDialect {
		return usage("declare: --for %q: want one of %s", target, strings.Join(dialectNames(), ", "))
	}
	ws, err := a.open(ctx, nil)
	if err != nil {
		return err
	}
	defer ws.Close()
	a.connected(ws.Connect(ctx))
	v := ws.Kit().View()
	if target == promptDialect {
		if a.flags.json {
			return a.printJSON(v.Prompt())
		}
		return a.prints(v.Prompt())
	}
	set := dialect.Declare(d, agent.Tools(v), dialect.Options{})
	if report {
		return a.report(set, v.Len())
	}
	for _, o := range set.Omitted {
		a.say("%s: %s", printable(o.Tool), o.What)
	}
	return a.printJSON(set.JSON())
}

func (a *app) prints(s string) error {
	_, err := fmt.Fprintln(a.env.Stdout, s)
	return err
}

// report prints the losses, and counts them for people.
func (a *app) report(set *dialect.Set, tools int) error {
	losses := set.Losses()
	if a.flags.json {
		if losses == nil {
			losses = []dialect.Loss{}
		}
		return a.printJSON(losses)
	}
	for _, l := range losses {
		at := l.Pointer
		if at == "" {
			at = "/"
		}
		fmt.Fprintf(a.env.Stdout, "%s\t%s\t%s\n", printable(l.Tool), printable(at), printable(l.What))
	}
	a.say("%s: %d of %d tools declared, %d losses", set.Dialect, len(set.Declarations), tools, len(losses))
	return nil
}
