package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"helve/internal/tokens"
	"helve/server"
)

func (a *app) tokensCommand() *cobra.Command {
	var form string
	cmd := &cobra.Command{
		Use:   "tokens",
		Short: "Show what the tools' definitions cost a model, in tokens",
		Long:  "Show what each tool's definition, and the whole list, cost a model at every turn: tokens of OpenAI's o200k vocabulary.",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if form != "mcp" {
				return usage("--for %q: want mcp", form)
			}
			return a.tokens(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&form, "for", "mcp", "the form in which the tools are declared: mcp")
	a.jsonFlag(cmd)
	return cmd
}

type toolCost struct {
	Name   string `json:"name"`
	Tokens int    `json:"tokens"`
}

func (a *app) tokens(ctx context.Context) error {
	h, err := a.open(nil)
	if err != nil {
		return err
	}
	defer h.Close()
	a.connect(ctx, h)
	v := h.kit.View()
	costs := []toolCost{}
	var all [][]byte
	for _, s := range v.Specs() {
		d := server.Definition(s, v.Name(s))
		all = append(all, d)
		costs = append(costs, toolCost{v.Name(s), tokens.Count(string(d))})
	}
	total := tokens.Count(`{"tools":[` + string(bytes.Join(all, []byte(","))) + `]}`)
	if a.flags.json {
		return a.printJSON(map[string]any{"total": json.Number(fmt.Sprint(total)), "tools": costs})
	}
	for _, c := range costs {
		fmt.Fprintf(a.env.Stdout, "%6d  %s\n", c.Tokens, printable(c.Name))
	}
	_, err = fmt.Fprintf(a.env.Stdout, "%6d  the whole list\n", total)
	return err
}
