package app

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"helve/agent"
	"helve/engine/dialect"
	"helve/internal/tokens"
	"helve/server"
	"helve/tool"
)

// mcpForm is the form in which an MCP client sees the tools.
const mcpForm = "mcp"

func (a *app) tokensCommand() *cobra.Command {
	var form string
	forms := strings.Join(dialectNames(), ", ")
	cmd := &cobra.Command{
		Use:   "tokens",
		Short: "Show what the tools' definitions cost a model, in tokens",
		Long: `Show what each tool's definition, and the whole list, cost a model at every turn: tokens of OpenAI's o200k vocabulary.
With --for another provider's declarations the figure is an estimate: its own vocabulary, and what it adds of its own, are not public.`,
		Example: `  helve tokens
  helve tokens --for anthropic --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.tokens(cmd.Context(), form) },
	}
	cmd.Flags().StringVar(&form, "for", mcpForm, "the form in which the tools are declared: "+forms)
	_ = cmd.RegisterFlagCompletionFunc("for", cobra.FixedCompletions(dialectNames(), cobra.ShellCompDirectiveNoFileComp))
	a.jsonFlag(cmd)
	return cmd
}

type toolCost struct {
	Name   string `json:"name"`
	Tokens int    `json:"tokens"`
}

func (a *app) tokens(ctx context.Context, form string) error {
	if !slices.Contains(dialectNames(), form) {
		return usage("--for %q: want one of %s", form, strings.Join(dialectNames(), ", "))
	}
	ws, err := a.open(ctx, nil)
	if err != nil {
		return err
	}
	defer ws.Close()
	a.connected(ws.Connect(ctx))
	costs, whole, err := costs(ws.Kit().View(), form)
	if err != nil {
		return err
	}
	total := tokens.Count(whole)
	if a.flags.json {
		return a.printJSON(map[string]any{"total": json.Number(fmt.Sprint(total)), "tools": costs})
	}
	for _, c := range costs {
		fmt.Fprintf(a.env.Stdout, "%6d  %s\n", c.Tokens, printable(c.Name))
	}
	_, err = fmt.Fprintf(a.env.Stdout, "%6d  the whole list\n", total)
	return err
}

// costs are the tokens of each definition, and the list as it is sent.
func costs(v *tool.View, form string) (list []toolCost, whole string, err error) {
	list = []toolCost{}
	switch form {
	case promptDialect: // one text for all: what each part of it costs is not told apart
		return list, v.Prompt(), nil
	case mcpForm:
		var all []string
		for _, s := range v.Specs() {
			d := string(server.Definition(s, v.Name(s)))
			all = append(all, d)
			list = append(list, toolCost{v.Name(s), tokens.Count(d)})
		}
		return list, `{"tools":[` + strings.Join(all, ",") + `]}`, nil
	}
	d, err := dialect.Parse(form)
	if err != nil {
		return nil, "", err
	}
	set := dialect.Declare(d, agent.Tools(v), dialect.Options{})
	for _, x := range set.Declarations {
		list = append(list, toolCost{x.Name, tokens.Count(string(x.JSON))})
	}
	return list, string(set.JSON()), nil
}
