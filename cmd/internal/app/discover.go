package app

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"helve/source/command"
	"helve/tool"
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
	h, err := a.open(nil)
	if err != nil {
		return err
	}
	defer h.Close()
	d := h.set.Discovery
	if d == nil || d.Command == "" {
		a.say("no discovery command is configured\nhint: helve config set discovery '{\"command\":\"…\",\"call\":\"…\"}'")
		if a.flags.json {
			return a.printJSON([]listed{})
		}
		return nil // nothing to do is no error (R1.8)
	}
	tools, err := command.New(a.discovery(h, d, refresh)).Tools(ctx)
	if err != nil {
		return &exitError{exitFailed, err}
	}
	if err := h.reg.Set(string(tool.Command), tools); err != nil {
		return &exitError{exitFailed, err}
	}
	rows := []listed{}
	for _, t := range tools {
		name := h.reg.View().Name(t.Spec())
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
