package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"helve/engine/schema"
	"helve/tool"
)

func (a *app) describeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:               "describe NAME",
		Short:             "Show one tool: its documentation, parameters and examples",
		Args:              exactly(1, "the name of a tool"),
		ValidArgsFunction: a.completeTools,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.describe(cmd.Context(), args[0]) },
	}
	a.jsonFlag(cmd)
	return cmd
}

// A declaration is a tool in the form that models are told about it (R4.2).
type declaration struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

func (a *app) describe(ctx context.Context, name string) error {
	ws, err := a.open(ctx, nil)
	if err != nil {
		return err
	}
	defer ws.Close()
	a.connected(ws.ConnectFor(ctx, name))
	v := ws.Kit().View()
	t, bad := v.Lookup(name)
	if bad != nil {
		a.say("%s", bad.Text())
		return &exitError{status: statusOf(bad)}
	}
	s := t.Spec()
	if a.flags.json {
		return a.printJSON(declaration{v.Name(s), s.Doc.Full(), s.Input.JSON()})
	}
	printTool(a.env.Stdout, v.Name(s), s)
	return nil
}

func printTool(w io.Writer, name string, s *tool.Spec) {
	fmt.Fprintf(w, "%s – %s\n\n%s\n", name, s.DisplayName(), s.Doc.Full())
	fmt.Fprintf(w, "\nKind: %s   Category: %s   Origin: %s   Version: %s\n", s.Kind, s.Category, s.Origin, s.Version)
	fmt.Fprintln(w, "\nParameters:")
	for _, p := range s.Input.Properties() {
		printParameter(w, p)
	}
	for i, e := range s.Doc.Examples {
		if i == 0 {
			fmt.Fprintln(w, "\nExamples:")
		}
		fmt.Fprintf(w, "  %s\n    helve call %s '%s'\n", e.Description, name, strings.ReplaceAll(string(e.Args), "'", `'\''`))
	}
}

func printParameter(w io.Writer, p schema.Property) {
	notes := p.Type
	if p.Required {
		notes += ", required"
	}
	if p.Default != nil {
		notes += fmt.Sprintf(", default %s", p.Default)
	}
	fmt.Fprintf(w, "  %s (%s)\n", p.Name, notes)
	if p.Description != "" {
		fmt.Fprintf(w, "      %s\n", p.Description)
	}
}

func exactly(n int, what string) cobra.PositionalArgs { return between(n, n, what) }

// between refuses another number of arguments, in the words of the command.
func between(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return usage("%s: want %s\nhint: %s --help", cmd.CommandPath(), what, cmd.CommandPath())
		}
		return nil
	}
}

// completeTools completes the first argument to the name of a tool.
func (a *app) completeTools(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ws, err := a.open(cmd.Context(), nil)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	defer ws.Close()
	var out []string
	for _, s := range ws.Kit().View().Specs() {
		out = append(out, cobra.CompletionWithDesc(ws.Kit().View().Name(s), s.Doc.Short))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
