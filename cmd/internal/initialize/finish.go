package initialize

import (
	"context"
	"fmt"
	"strings"

	"helve/cmd/internal/asking"
	"helve/cmd/internal/command"
	"helve/cmd/internal/doctor"
	"helve/cmd/internal/mcp"
	"helve/cmd/internal/setup"
	"helve/cmd/internal/terminal"
)

// takeOver takes the clients' other servers into helve's own configuration.
func (in *initializing) takeOver(ctx context.Context, clients []setup.Client) error {
	for _, c := range clients {
		file := c.File(in.home)
		servers := mcp.NamesIn(in.s, file, in.dir)
		if len(servers) == 0 { // or no file, or one that was complained of already
			continue
		}
		take := in.o.take
		if !take && !in.o.yes && in.s.Terminal().Present() {
			var err error
			if take, err = in.askServers(ctx, c, servers); err != nil {
				return err
			}
		}
		if !take {
			continue
		}
		if err := mcp.TakeOver(in.s, in.o.Common, file); err != nil {
			return err
		}
	}
	return nil
}

// askServers asks whether a client's own servers are wanted behind helve.
func (in *initializing) askServers(ctx context.Context, c setup.Client, servers []string) (bool, error) {
	names := strings.Join(servers, ", ")
	return asking.Confirm(ctx, in.s.Terminal(), terminal.Question{
		Title: fmt.Sprintf("%s has MCP servers of its own: %s", c.Title, command.OneLine(names)),
		Notes: []string{
			"Behind helve they are under one policy and one record.",
			"They also stay where they are: remove them there to save the model's context.",
		},
		Ask: "Take them into helve's configuration?",
	}, "Yes")
}

// finish tells what works on this machine, as doctor does, and ends with the one thing to try. Servers are not started
// for this: whoever sets up a client wants to go on.
func (in *initializing) finish(ctx context.Context, clients []setup.Client, ready int) {
	if ready == 0 {
		return
	}
	out := in.s.Stdout
	fmt.Fprintln(out)
	doctor.Machine(ctx, out)
	fmt.Fprintln(out, "\nMore: helve doctor. Taken back with: helve init --undo")
	fmt.Fprintf(out, "Next: start %s in your project and ask: which tools do you have from helve?\n", clients[0].Title)
}
