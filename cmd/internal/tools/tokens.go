package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"helve/agent"
	"helve/cmd/internal/command"
	"helve/engine/dialect"
	"helve/internal/tokens"
	"helve/internal/workspace"
	"helve/server"
	"helve/tool"
)

// mcpForm is the form in which an MCP client sees the tools.
const mcpForm = "mcp"

// tokensOptions say in which form the tools are counted.
type tokensOptions struct {
	command.Common
	form string // a dialect
	json bool
}

func TokensCommand(c *command.Line) *cobra.Command {
	var o tokensOptions
	cmd := &cobra.Command{
		Use:   "tokens",
		Short: "Show what the tools' definitions cost a model, in tokens",
		Long: `Show what each tool's definition, and the whole list, cost a model at every turn: tokens of OpenAI's
o200k vocabulary. With --for another provider's declarations the figure is an estimate: its own
vocabulary, and what it adds of its own, are not public.`,
		Example: `  helve tokens
  helve tokens --for anthropic --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Common = c.Flags.Common
			return countTokens(cmd.Context(), c.Streams(), o)
		},
	}
	cmd.Flags().StringVar(&o.form, "for", mcpForm, "the form in which the tools are declared: "+dialectList())
	command.CompleteFlag(cmd, "for", dialectNames()...)
	command.JSONFlag(cmd, &o.json)
	return cmd
}

// A toolCost is what one definition costs at every turn.
type toolCost struct {
	Name   string `json:"name"`
	Tokens int    `json:"tokens"` // of the vocabulary o200k
}

// countTokens prints what each definition and the whole list cost.
func countTokens(ctx context.Context, s command.Streams, o tokensOptions) error {
	if !slices.Contains(dialectNames(), o.form) {
		return command.Usage("--for %q: want one of %s", o.form, dialectList())
	}
	return command.In(ctx, s, o.Common, func(ws *workspace.Assembly) error { return o.print(ctx, s, ws) })
}

func (o tokensOptions) print(ctx context.Context, s command.Streams, ws *workspace.Assembly) error {
	s.SayMissing(ws.Connect(ctx))
	costs, whole, err := costs(ws.Kit().View(), o.form)
	if err != nil {
		return err
	}
	// The whole is more than its parts: the list has brackets and commas of its own.
	total := tokens.Count(whole)
	if o.json {
		return s.PrintJSON(map[string]any{"total": json.Number(fmt.Sprint(total)), "tools": costs})
	}
	for _, c := range costs {
		fmt.Fprintf(s.Stdout, "%6d  %s\n", c.Tokens, command.Printable(c.Name))
	}
	_, err = fmt.Fprintf(s.Stdout, "%6d  the whole list\n", total)
	return err
}

// costs are the tokens of each definition, and the list as it is sent.
func costs(v *tool.View, form string) (list []toolCost, whole string, err error) {
	list = []toolCost{} // JSON says [] and not null
	switch form {
	case promptDialect: // one text for all: what each part of it costs is not told apart
		return list, v.Prompt(), nil
	case mcpForm:
		var all []string
		for _, s := range v.Specs() {
			definition := string(server.Definition(s, v.Name(s)))
			all = append(all, definition)
			list = append(list, toolCost{v.Name(s), tokens.Count(definition)})
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
