package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"helve"
)

func (a *app) discoverCommand() *cobra.Command {
	var refresh bool
	cmd := &cobra.Command{
		Use:   "discover",
		Short: "Run the discovery command and show what it brings",
		Long: `Run the discovery command and show what it brings.

The configuration's discovery.command prints a JSON array of declarations; discovery.call, with the tool's name as its last word,
gets the arguments as JSON on its stdin. A discovery is remembered for discovery.ttl.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.discover(cmd.Context(), refresh) },
	}
	cmd.Flags().BoolVar(&refresh, "refresh", false, "run it although the last discovery is remembered")
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) discover(ctx context.Context, refresh bool) error {
	ws, err := a.open(ctx, nil)
	if err != nil {
		return err
	}
	defer ws.Close()
	tools, err := ws.Discover(ctx, refresh)
	if errors.Is(err, helve.ErrNoDiscovery) {
		a.say("%v\nhint: helve config set discovery '{\"command\":\"…\",\"call\":\"…\"}'", err)
		if a.flags.json {
			return a.printJSON([]listed{})
		}
		return nil // nothing to do is no error (R1.8)
	}
	if err != nil {
		return &exitError{exitFailed, err}
	}
	rows := []listed{}
	for _, t := range tools {
		name := ws.Registry().View().Name(t.Spec())
		if name == "" { // an allow-list keeps it out
			name = t.Spec().Name
		}
		rows = append(rows, row(t.Spec(), name))
	}
	if a.flags.json {
		return a.printJSON(rows)
	}
	w := a.table()
	for _, r := range rows {
		called := printable(r.Name)
		if r.Name != r.Origin.Name { // another tool has the name, or no model takes it
			called += " (discovered as " + printable(r.Origin.Name) + ")"
		}
		fmt.Fprintf(w, "%s\t%s\n", called, printable(r.Description))
	}
	return w.Flush()
}
