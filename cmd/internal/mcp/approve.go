package mcp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"helve/cmd/internal/asking"
	"helve/cmd/internal/command"
	"helve/cmd/internal/terminal"
	"helve/source/upstream"
)

// approveOptions say whose definitions are approved.
type approveOptions struct {
	command.Common
	name  string   // of the server
	tools []string // only these; none: all
	yes   bool     // without a question
}

func approveCommand(c *command.Line) *cobra.Command {
	var o approveOptions
	cmd := &cobra.Command{
		Use:               "approve NAME [TOOL…]",
		Short:             "Show the definitions of a server that changed since they were approved, and approve them",
		Args:              command.Between(1, math.MaxInt, "the name of a server, and perhaps of its tools"),
		ValidArgsFunction: completeServers(c),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Common, o.name, o.tools = c.Flags.Common, args[0], args[1:]
			return approve(cmd.Context(), c.Streams(), o)
		},
	}
	cmd.Flags().BoolVar(&o.yes, "yes", false, "approve without a question")
	return cmd
}

// approve shows how definitions differ from those that were approved, and approves what was shown.
func approve(ctx context.Context, s command.Streams, o approveOptions) error {
	opened, err := o.Options(s)
	if err != nil {
		return err
	}
	server, done, err := openServer(ctx, opened, o.name)
	if err != nil {
		return err
	}
	defer done()
	if _, err := server.Tools(ctx); err != nil {
		return command.Failed(err)
	}
	changes := o.chosen(server.Changes())
	if len(changes) == 0 && len(o.tools) == 0 {
		return s.Print("nothing changed")
	}
	if err := o.agreed(ctx, s, changes); err != nil {
		return err
	}
	if err := server.Approve(o.tools...); err != nil {
		return command.Usage("%v", err)
	}
	return nil
}

// chosen leaves out the changes of other tools than the named ones.
func (o approveOptions) chosen(changes []upstream.Change) []upstream.Change {
	return slices.DeleteFunc(slices.Clone(changes), func(c upstream.Change) bool {
		return len(o.tools) > 0 && !slices.Contains(o.tools, c.Tool)
	})
}

// agreed shows the changes and asks; nil means yes.
func (o approveOptions) agreed(ctx context.Context, s command.Streams, changes []upstream.Change) error {
	var diffs strings.Builder
	for _, c := range changes {
		fmt.Fprintf(&diffs, "%s\n%s\n", c.Tool, c.Diff)
	}
	if o.yes || !s.Terminal().Present() {
		_, err := fmt.Fprint(s.Stdout, command.Printable(diffs.String()))
		if err == nil && !o.yes {
			hint := filepath.ToSlash(o.name)
			err = &command.ExitError{Status: command.ExitRefused,
				Err: fmt.Errorf("not approved\nhint: helve mcp approve %s --yes", hint)}
		}
		return err
	}
	yes, err := asking.Confirm(ctx, s.Terminal(), terminal.Question{
		Title:   fmt.Sprintf("The server %s changed %d of its definitions.", o.name, len(changes)),
		Preview: diffs.String(),
		Diff:    true,
		Ask:     "Approve them as they are now?",
	}, "Yes, from now on")
	if err == nil && !yes {
		err = &command.ExitError{Status: command.ExitRefused, Err: errors.New("not approved")}
	}
	return err
}
