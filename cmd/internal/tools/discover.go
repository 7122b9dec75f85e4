package tools

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"helve/cmd/internal/command"
	"helve/internal/workspace"
	"helve/parts/discovery"
)

// discoverOptions say whether what is remembered will do.
type discoverOptions struct {
	command.Common
	refresh bool // run the command although its last answer is remembered
	json    bool
}

func DiscoverCommand(c *command.Line) *cobra.Command {
	var o discoverOptions
	cmd := &cobra.Command{
		Use:   "discover",
		Short: "Run the discovery command and show what it brings",
		Long: `Run the discovery command and show what it brings.

The configuration's discovery.command prints a JSON array of declarations; discovery.call, with the
tool's name as its last word, gets the arguments as JSON on its stdin. A discovery is remembered for
discovery.ttl.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Common = c.Flags.Common
			return discover(cmd.Context(), c.Streams(), o)
		},
	}
	cmd.Flags().BoolVar(&o.refresh, "refresh", false, "run it although the last discovery is remembered")
	command.JSONFlag(cmd, &o.json)
	return cmd
}

// discover prints the tools that the discovery command declares. That none is configured is no error: scripts ask in
// every workspace.
func discover(ctx context.Context, s command.Streams, o discoverOptions) error {
	return command.In(ctx, s, o.Common, func(ws *workspace.Assembly) error { return o.print(ctx, s, ws) })
}

func (o discoverOptions) print(ctx context.Context, s command.Streams, ws *workspace.Assembly) error {
	tools, err := discovery.Of(ws).Discover(ctx, o.refresh)
	switch {
	case errors.Is(err, discovery.ErrNone):
		s.Say("%v\nhint: helve config set discovery '{\"command\":\"…\",\"call\":\"…\"}'", err)
		if o.json {
			return s.PrintJSON([]listed{})
		}
		return nil
	case err != nil:
		return command.Failed(err)
	}
	// JSON says [] and not null.
	rows := []listed{}
	for _, t := range tools {
		name := ws.Registry().View().Name(t.Spec())
		if name == "" { // an allow-list keeps it out
			name = t.Spec().Name
		}
		rows = append(rows, row(t.Spec(), name))
	}
	if o.json {
		return s.PrintJSON(rows)
	}
	if len(rows) == 0 {
		s.Note("the discovery command brought no tools")
	}
	return printDiscovered(s, rows)
}

// printDiscovered prints the names that calls take, and beside them those of the discovery where they differ.
func printDiscovered(s command.Streams, rows []listed) error {
	t := s.Table()
	for _, r := range rows {
		called := command.Printable(r.Name)
		if r.Name != r.Origin.Name { // another tool has the name, or no model takes it
			called += " (discovered as " + command.Printable(r.Origin.Name) + ")"
		}
		t.Row(called, command.Printable(r.Description))
	}
	return t.Flush()
}
