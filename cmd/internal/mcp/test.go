package mcp

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"helve/cmd/internal/command"
	"helve/parts/mcp"
	"helve/source/upstream"
)

// testOptions name the server.
type testOptions struct {
	command.Common
	name string // of the server
	json bool
}

func testCommand(c *command.Line) *cobra.Command {
	var o testOptions
	cmd := &cobra.Command{
		Use:               "test NAME",
		Short:             "Start one server, shake hands, list, and say what is wrong",
		Args:              command.Exactly(1, "the name of a server"),
		ValidArgsFunction: completeServers(c),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Common, o.name = c.Flags.Common, args[0]
			return test(cmd.Context(), c.Streams(), o)
		},
	}
	command.JSONFlag(cmd, &o.json)
	return cmd
}

// A serverTest is what test found.
type serverTest struct {
	Name     string             `json:"name"`
	Ready    bool               `json:"ready"`
	Took     string             `json:"took"` // as 1.234s
	About    upstream.About     `json:"about"`
	Confined *confinement       `json:"confined,omitempty"` // nothing for a server behind an address
	Tools    []string           `json:"tools"`              // by the server's own names
	Findings []upstream.Finding `json:"findings"`
	Error    string             `json:"error,omitempty"`
}

// A confinement is how a server's program is confined.
type confinement = upstream.Confinement

// confinementOf is nil for a server that is not started here.
func confinementOf(s *upstream.Source) *confinement {
	if s.Remote() {
		return nil
	}
	c := s.Confinement()
	return &c
}

// told is a confinement for people.
func told(c *confinement) string {
	switch {
	case c.Why != "":
		return "not confined: " + c.Why
	case c.Mechanism != "":
		return "confined: " + c.Level + ", by " + c.Mechanism + command.Gaps(c.Gaps)
	case c.Level == "off":
		return "not confined: its sandbox is off"
	}
	return "confined: " + c.Level
}

// test starts a server as if it had never been listed. Who sits at a terminal may log in to it.
func test(ctx context.Context, s command.Streams, o testOptions) error {
	opened, err := o.Options(s)
	if err != nil {
		return err
	}
	// Elsewhere nobody could follow the address of the page.
	if s.Terminal().Present() {
		opened.Parts = append(opened.Parts, mcp.Part(mcp.Options{Login: upstream.LoginBy(&redirect{say: s.Say})}))
	}
	server, done, err := openServer(ctx, opened, o.name)
	if err != nil {
		return err
	}
	defer done()
	out := try(ctx, server, o.name)
	if err := printTest(s, out, o.json); err != nil {
		return err
	}
	if !out.Ready {
		return &command.ExitError{Status: command.ExitFailed}
	}
	return nil
}

// try starts a server and lists its tools. What is wrong with a definition is a finding, and costs that tool only.
func try(ctx context.Context, server *upstream.Source, name string) serverTest {
	start := time.Now()
	tools, err := server.Tools(ctx)
	out := serverTest{
		Name:     name,
		Ready:    err == nil,
		Took:     time.Since(start).Round(time.Millisecond).String(),
		Tools:    []string{},
		Findings: append([]upstream.Finding{}, server.Findings()...),
	}
	if err != nil {
		out.Error = err.Error()
	} else {
		// It answered a moment ago; without a word about itself it is ready all the same.
		out.About, _ = server.About(ctx)
	}
	out.Confined = confinementOf(server)
	for _, t := range tools {
		out.Tools = append(out.Tools, t.Spec().Origin.Name)
	}
	return out
}

// printTest prints what was found, for people. Everything that the server says of itself is text from outside.
func printTest(s command.Streams, t serverTest, asJSON bool) error {
	if asJSON {
		return s.PrintJSON(t)
	}
	if !t.Ready {
		_, err := fmt.Fprintf(s.Stdout, "%s: not ready: %s\n", command.Printable(t.Name), command.Printable(t.Error))
		return err
	}
	about := t.About
	fmt.Fprintf(s.Stdout, "%s: ready after %s: %s %s, protocol %s over %s\n", command.Printable(t.Name), t.Took,
		command.Printable(about.Name), command.Printable(about.Version), about.Protocol, about.Transport)
	if t.Confined != nil {
		fmt.Fprintln(s.Stdout, command.Printable(told(t.Confined)))
	}
	fmt.Fprintf(s.Stdout, "%d tools: %s\n", len(t.Tools), command.Printable(strings.Join(t.Tools, ", ")))
	for _, f := range t.Findings {
		fmt.Fprintf(s.Stdout, "! %s: %s\n", command.Printable(f.Tool), command.Printable(f.Text))
	}
	return nil
}
