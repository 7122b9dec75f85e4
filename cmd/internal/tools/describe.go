package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"helve/cmd/internal/command"
	"helve/engine/schema"
	"helve/internal/workspace"
	"helve/tool"
)

// describeOptions name the tool.
type describeOptions struct {
	command.Common
	name string // of the tool, in any spelling that a model may use
	json bool   // the declaration instead of the text
}

func DescribeCommand(c *command.Line) *cobra.Command {
	var o describeOptions
	cmd := &cobra.Command{
		Use:               "describe NAME",
		Short:             "Show one tool: its documentation, parameters and examples",
		Args:              command.Exactly(1, "the name of a tool"),
		ValidArgsFunction: command.CompleteTools(c),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Common, o.name = c.Flags.Common, args[0]
			return describe(cmd.Context(), c.Streams(), o)
		},
	}
	command.JSONFlag(cmd, &o.json)
	return cmd
}

// A declaration is a tool in the form that models are told about it.
type declaration struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`       // a JSON Schema
	Output      json.RawMessage `json:"output,omitempty"` // a JSON Schema of the result's data
}

// describe prints what one tool is for and what it takes.
func describe(ctx context.Context, s command.Streams, o describeOptions) error {
	return command.In(ctx, s, o.Common, func(ws *workspace.Assembly) error { return o.print(ctx, s, ws) })
}

func (o describeOptions) print(ctx context.Context, s command.Streams, ws *workspace.Assembly) error {
	s.SayMissing(ws.ConnectFor(ctx, o.name))
	v := ws.Kit().View()
	t, bad := v.Lookup(o.name)
	if bad != nil {
		s.Say("%s", command.Unmarked(bad.Text()))
		if bad.Code == tool.UnknownTool {
			s.Say("hint: helve list --all shows all tools")
		}
		return &command.ExitError{Status: command.StatusOf(bad)}
	}
	spec := t.Spec()
	if o.json {
		d := declaration{
			Name:        v.Name(spec),
			Description: spec.Doc.Full(),
			Parameters:  spec.Input.JSON(),
		}
		if spec.Output != nil {
			d.Output = spec.Output.JSON()
		}
		return s.PrintJSON(d)
	}
	printTool(s.Stdout, v.Name(spec), spec)
	return nil
}

// printTool prints a tool as a page for people, with its examples as command lines.
func printTool(w io.Writer, name string, s *tool.Spec) {
	fmt.Fprintf(w, "%s – %s\n\n%s\n", name, s.DisplayName(), s.Doc.Full())
	fmt.Fprintf(w, "\nKind: %s   Category: %s   Origin: %s   Version: %s\n", s.Kind, s.Category, s.Origin, s.Version)
	fmt.Fprintln(w, "\nParameters:")
	for _, p := range s.Input.Properties() {
		printParameter(w, p)
		for _, inner := range s.Input.Below(p.Name) {
			printParameter(w, inner)
		}
	}
	if s.Output != nil {
		fmt.Fprintln(w, "\nData of a result (helve call --json):")
		printData(w, s.Output)
	}
	if len(s.Doc.Examples) == 0 {
		return
	}
	fmt.Fprintln(w, "\nExamples:")
	for _, e := range s.Doc.Examples {
		// In single quotes a shell takes all but the quote itself as it stands.
		args := strings.ReplaceAll(string(e.Args), "'", `'\''`)
		fmt.Fprintf(w, "  %s\n    helve call %s '%s'\n", e.Description, name, args)
	}
}

// printParameter prints a parameter with what a person needs to write it: type, whether it must be there, and what
// holds without it.
func printParameter(w io.Writer, p schema.Property) {
	notes := p.Type
	if p.Required {
		notes += ", required"
	}
	if len(p.Enum) > 0 {
		notes += ": " + choices(p.Enum)
	}
	if p.Default != nil {
		notes += fmt.Sprintf(", default %s", p.Default)
	}
	fmt.Fprintf(w, "  %s (%s)\n", p.Name, notes)
	if p.Description != "" {
		fmt.Fprintf(w, "      %s\n", p.Description)
	}
}

// printData prints what a result's data holds: fields that are always there, and others with a question mark.
func printData(w io.Writer, out *schema.Schema) {
	for _, p := range out.Properties() {
		printField(w, p)
		for _, inner := range out.Below(p.Name) {
			printField(w, inner)
		}
	}
}

func printField(w io.Writer, p schema.Property) {
	mark, about := "?", ""
	if p.Required {
		mark = ""
	}
	if p.Description != "" {
		about = "  " + p.Description
	}
	fmt.Fprintf(w, "  %s%s (%s)%s\n", p.Name, mark, p.Type, about)
}

// choices are the values that a parameter may have.
func choices(values []json.RawMessage) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return strings.Join(out, ", ")
}
