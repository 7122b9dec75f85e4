package app

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"helve/internal/workspace"
)

// discoverOptions say whether what is remembered will do.
type discoverOptions struct {
	common
	refresh bool // run the command although its last answer is remembered
	json    bool
}

func discoverCommand(c *cli) *cobra.Command {
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
			o.common = c.flags.common
			return discover(cmd.Context(), c.streams(), o)
		},
	}
	cmd.Flags().BoolVar(&o.refresh, "refresh", false, "run it although the last discovery is remembered")
	jsonFlag(cmd, &o.json)
	return cmd
}

// discover prints the tools that the discovery command declares. That none is configured is no error: scripts ask in
// every workspace.
func discover(ctx context.Context, s streams, o discoverOptions) error {
	ws, err := open(ctx, s, o.common)
	if err != nil {
		return err
	}
	defer ws.Close()
	tools, err := ws.Discover(ctx, o.refresh)
	switch {
	case errors.Is(err, workspace.ErrNoDiscovery):
		s.say("%v\nhint: helve config set discovery '{\"command\":\"…\",\"call\":\"…\"}'", err)
		if o.json {
			return s.printJSON([]listed{})
		}
		return nil
	case err != nil:
		return failed(err)
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
		return s.printJSON(rows)
	}
	if len(rows) == 0 {
		s.note("the discovery command brought no tools")
	}
	return printDiscovered(s, rows)
}

// printDiscovered prints the names that calls take, and beside them those of the discovery where they differ.
func printDiscovered(s streams, rows []listed) error {
	t := s.table()
	for _, r := range rows {
		called := printable(r.Name)
		if r.Name != r.Origin.Name { // another tool has the name, or no model takes it
			called += " (discovered as " + printable(r.Origin.Name) + ")"
		}
		t.row(called, printable(r.Description))
	}
	return t.Flush()
}
