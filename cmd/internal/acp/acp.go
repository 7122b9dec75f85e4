// Package acp has the command by which editors have the agent of helve run: it speaks the Agent Client Protocol,
// version 1, on standard input and output.
package acp

import (
	"context"

	"github.com/spf13/cobra"

	"helve/cmd/internal/command"
)

// Command is helve acp.
func Command(c *command.Line) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "acp",
		Short: "Be the agent of an editor, over the Agent Client Protocol",
		Long: `Be the agent of an editor that speaks the Agent Client Protocol (ACP), version 1, on standard input and
output. Editors start it by themselves: helve init writes the lines for Zed, docs/run.md says which editors were tried.

Each session is a conversation like those of helve run, in the folder that the editor names, under the same policy:
what would be asked is asked in the editor, with the reason. Commands run here, confined, and never in the editor's
terminals. What is unsaved in the editor is what the agent reads, and where only that changed, edits go there.
MCP servers that the editor gives are asked about like any others. helve conversations lists what was said.`,
		Example: `  helve acp
  helve acp --model anthropic/claude-sonnet-4-5 --mode review
  helve acp --allow 'bash:go test *'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Common = c.Flags.Common
			return serve(cmd.Context(), c.Streams(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Model, "model", "",
		"PROVIDER/NAME or an alias (default: that of the conversation, else of the configuration)")
	f.StringVar(&o.BaseURL, "base-url", "", "where the model is served, if not by its provider")
	f.IntVar(&o.MaxTurns, "max-turns", 0, "answers of the model to one prompt at most (default 100)")
	f.StringArrayVar(&o.Allow, "allow", nil, "allow calls: TOOL or TOOL:PATTERN; may be repeated")
	f.StringArrayVar(&o.Deny, "deny", nil, "refuse calls; may be given several times")
	f.StringVar(&o.approval, "approval", approvalAuto,
		"who approves: auto or client (the person in the editor), or deny")
	command.CompleteFlag(cmd, "approval", approvalAuto, approvalClient, approvalDeny)
	return cmd
}

// serve speaks to one editor until it is gone.
func serve(ctx context.Context, s command.Streams, o options) error {
	switch o.approval {
	case approvalAuto, approvalClient, approvalDeny:
	default:
		const wrong = "acp: --approval %q: want auto, client or deny\nhint: helve acp --help"
		return command.Usage(wrong, command.Brief(o.approval))
	}
	if err := o.Check(); err != nil {
		return err
	}
	if command.IsTerminal(s.Stdin) {
		return command.Usage("acp: an editor speaks here, and this is a terminal\n" +
			"hint: helve init writes the lines for Zed; helve run PROMPT is the same agent for people")
	}
	to, farewell := s.StartTelemetry(ctx, "helve")
	defer farewell()
	o.Telemetry = to
	return newEditor(ctx, s, o).serve(ctx)
}
