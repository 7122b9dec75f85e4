package app

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"helve/cmd/internal/terminal"
	"helve/source/upstream"
)

// mcpApproveOptions say whose definitions are approved.
type mcpApproveOptions struct {
	common
	name  string   // of the server
	tools []string // only these; none: all
	yes   bool     // without a question
}

func mcpApproveCommand(c *cli) *cobra.Command {
	var o mcpApproveOptions
	cmd := &cobra.Command{
		Use:               "approve NAME [TOOL…]",
		Short:             "Show the definitions of a server that changed since they were approved, and approve them",
		Args:              between(1, math.MaxInt, "the name of a server, and perhaps of its tools"),
		ValidArgsFunction: completeServers(c),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.common, o.name, o.tools = c.flags.common, args[0], args[1:]
			return mcpApprove(cmd.Context(), c.streams(), o)
		},
	}
	cmd.Flags().BoolVar(&o.yes, "yes", false, "approve without a question")
	return cmd
}

// mcpApprove shows how definitions differ from those that were approved, and approves what was shown.
func mcpApprove(ctx context.Context, s streams, o mcpApproveOptions) error {
	opened, err := o.options(s)
	if err != nil {
		return err
	}
	server, done, err := openServer(ctx, opened, o.name)
	if err != nil {
		return err
	}
	defer done()
	if _, err := server.Tools(ctx); err != nil {
		return failed(err)
	}
	changes := o.chosen(server.Changes())
	if len(changes) == 0 && len(o.tools) == 0 {
		return s.print("nothing changed")
	}
	if err := o.agreed(ctx, s, changes); err != nil {
		return err
	}
	if err := server.Approve(o.tools...); err != nil {
		return usage("%v", err)
	}
	return nil
}

// chosen leaves out the changes of other tools than the named ones.
func (o mcpApproveOptions) chosen(changes []upstream.Change) []upstream.Change {
	return slices.DeleteFunc(slices.Clone(changes), func(c upstream.Change) bool {
		return len(o.tools) > 0 && !slices.Contains(o.tools, c.Tool)
	})
}

// agreed shows the changes and asks; nil means yes.
func (o mcpApproveOptions) agreed(ctx context.Context, s streams, changes []upstream.Change) error {
	var diffs strings.Builder
	for _, c := range changes {
		fmt.Fprintf(&diffs, "%s\n%s\n", c.Tool, c.Diff)
	}
	if o.yes || !s.terminal().Present() {
		_, err := fmt.Fprint(s.Stdout, printable(diffs.String()))
		if err == nil && !o.yes {
			hint := filepath.ToSlash(o.name)
			err = &exitError{status: exitRefused, err: fmt.Errorf("not approved\nhint: helve mcp approve %s --yes", hint)}
		}
		return err
	}
	yes, err := confirm(ctx, s.terminal(), terminal.Question{
		Title:   fmt.Sprintf("The server %s changed %d of its definitions.", o.name, len(changes)),
		Preview: diffs.String(),
		Diff:    true,
		Ask:     "Approve them as they are now?",
	}, "Yes, from now on")
	if err == nil && !yes {
		err = &exitError{status: exitRefused, err: errors.New("not approved")}
	}
	return err
}
