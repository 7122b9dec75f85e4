package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"helve/cmd/internal/callwords"
	"helve/cmd/internal/command"
	"helve/internal/workspace"
	"helve/tool"
)

// whyOptions are a tool, or one call of it.
type whyOptions struct {
	command.Common
	name  string           // of the tool
	words callwords.Behind // the arguments of a call, as call takes them; none: the tool itself is asked about
	json  bool
}

func WhyCommand(c *command.Line) *cobra.Command {
	var o whyOptions
	cmd := &cobra.Command{
		Use:   "why NAME [JSON | - | WORD… | key=value …]",
		Short: "Tell which layer, file and line decides about a tool, or about a call",
		Example: `  helve why write
  helve why bash git push
  helve why edit file_path=internal/x.go old_string=a new_string=b`,
		Args:              named("helve list --all"),
		ValidArgsFunction: completeCall(c),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			o.Common, o.name = c.Flags.Common, args[0]
			if o.words, err = behindName(c.Streams(), o.name, args[1:]); err != nil {
				return err
			}
			own := o.words.Own // --yes is the call's, which is not made
			o.Mode, o.json = cmp.Or(own.Mode, o.Mode), o.json || own.JSON
			if own.Help {
				about := describeOptions{Common: o.Common, name: o.name, json: o.json}
				return describe(cmd.Context(), c.Streams(), about)
			}
			return why(cmd.Context(), c.Streams(), o)
		},
	}
	cmd.Flags().SetInterspersed(false)
	command.JSONFlag(cmd, &o.json)
	return cmd
}

// named wants the name of a tool as the first argument; hint is the command that shows the names.
func named(hint string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return command.Usage("%s: want the name of a tool\nhint: %s", command.Called(cmd), hint)
		}
		return nil
	}
}

// why prints what decides about a tool or a call. Nothing is called.
func why(ctx context.Context, s command.Streams, o whyOptions) error {
	return command.In(ctx, s, o.Common, func(ws *workspace.Assembly) error { return o.print(ctx, s, ws) })
}

func (o whyOptions) print(ctx context.Context, s command.Streams, ws *workspace.Assembly) error {
	s.SayMissing(ws.ConnectFor(ctx, o.name))
	c := &tool.Call{Name: o.name}
	if len(o.words.Words) > 0 {
		var err error
		c.Args, err = arguments(ctx, s, "why", ws, o.name, o.words)
		if err != nil {
			return err
		}
	}
	// Why understands the call as the kit does, and asks the same rules: nothing is explained that would not be
	// decided so.
	x, err := ws.Why(ctx, c)
	if bad, ok := errors.AsType[*tool.Error](err); ok {
		text := command.Printable(command.Unmarked(bad.Text()))
		if bad.Code == tool.UnknownTool {
			text += "\nhint: helve list --all shows all tools"
		}
		return &command.ExitError{Status: command.StatusOf(bad), Err: errors.New(text)}
	}
	if err != nil {
		return err
	}
	if o.json {
		return s.PrintJSON(x)
	}
	fmt.Fprintf(s.Stdout, "%s\n", command.Printable(x.Name))
	for _, told := range x.Repairs {
		fmt.Fprintf(s.Stdout, "  %s\n", command.Printable(told))
	}
	printReason(s.Stdout, ws.Dir(), "list", x.List)
	printReason(s.Stdout, ws.Dir(), "call", x.Call)
	printForeseen(s.Stdout, ws.Dir(), x)
	return nil
}

// printForeseen prints what a script is certain to call, with the verdict on each call.
func printForeseen(w io.Writer, dir string, x workspace.Explanation) {
	for i, c := range x.Calls {
		fmt.Fprintf(w, "  %d. %s\n", i+1, command.Printable(c.Name+" "+string(c.Args)))
		printReason(w, dir, "call", c.Call)
	}
	if x.More {
		fmt.Fprintln(w, "  what it calls from there depends on what these calls bring")
	}
}

// printReason prints a verdict and the steps to it; the one that decides is marked.
func printReason(w io.Writer, dir, what string, r workspace.Reason) {
	fmt.Fprintf(w, "  %s: %s – %s\n", what, r.Verdict, command.Printable(r.Reason))
	for _, s := range r.Steps {
		mark := " "
		if s.Decides {
			mark = "→"
		}
		line := fmt.Sprintf("    %s %s: %s", mark, s.What, s.Text)
		if s.Says != "" {
			line += " = " + s.Says
		}
		// A step without a file is a default or a flag.
		if s.File != "" {
			line += fmt.Sprintf("  (%s layer, %s:%d)", s.Layer, relative(dir, s.File), s.Line)
		} else if s.Layer != "" {
			line += "  (" + s.Layer + ")"
		}
		fmt.Fprintln(w, command.Printable(line))
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
