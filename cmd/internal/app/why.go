package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"helve"
	"helve/tool"
)

func (a *app) whyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "why NAME [JSON | - | key=value …]",
		Short: "Tell which layer, file and line decides about a tool, or about a call",
		Example: `  helve why write
  helve why edit file_path=internal/x.go old_string=a new_string=b`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("%s: want the name of a tool\nhint: helve list --all", cmd.CommandPath())
			}
			return nil
		},
		ValidArgsFunction: a.completeTools,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.why(cmd.Context(), args[0], args[1:]) },
	}
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) why(ctx context.Context, name string, words []string) error {
	c := &tool.Call{Name: name}
	if len(words) > 0 {
		args, err := a.arguments(words)
		if err != nil {
			return err
		}
		c.Args = args
	}
	ws, err := a.open(ctx, nil)
	if err != nil {
		return err
	}
	defer ws.Close()
	a.connected(ws.ConnectFor(ctx, name))
	x, err := ws.Why(ctx, c)
	if bad, ok := errors.AsType[*tool.Error](err); ok {
		return &exitError{statusOf(bad), errors.New(printable(bad.Text()))}
	}
	if err != nil {
		return err
	}
	if a.flags.json {
		return a.printJSON(x)
	}
	out := a.env.Stdout
	fmt.Fprintf(out, "%s\n", printable(x.Name))
	printReason(out, ws.Dir(), "list", x.List)
	printReason(out, ws.Dir(), "call", x.Call)
	return nil
}

// printReason prints a verdict with its chain, for people.
func printReason(w io.Writer, dir, what string, r helve.Reason) {
	fmt.Fprintf(w, "  %s: %s – %s\n", what, r.Verdict, printable(r.Reason))
	for _, s := range r.Steps {
		mark := " "
		if s.Decides {
			mark = "→"
		}
		line := fmt.Sprintf("    %s %s: %s", mark, s.What, s.Text)
		if s.Says != "" {
			line += " = " + s.Says
		}
		if s.File != "" {
			line += fmt.Sprintf("  (%s layer, %s:%d)", s.Layer, relative(dir, s.File), s.Line)
		} else if s.Layer != "" {
			line += "  (" + s.Layer + ")"
		}
		fmt.Fprintln(w, printable(line))
	}
}

// relative is a path as people know it: from the workspace, where it lies there.
func relative(dir, file string) string {
	rel, err := filepath.Rel(dir, file)
	if err != nil || strings.HasPrefix(rel, "..") {
		return file
	}
	return rel
}
