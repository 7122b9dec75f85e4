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

// undo brings back what was in the files of the clients.
func (in *initializing) undo(clients []setup.Client) error {
	var names []string
	for _, c := range clients {
		names = append(names, c.Name)
	}
	if len(in.o.clients) == 0 {
		names = append(names, setup.FormerName)
	}
	done, same, err := in.takeBack(names)
	for _, u := range done {
		how := same
		if !u.Whole {
			how = "was changed since: only helve was taken out"
		}
		fmt.Fprintf(in.s.Stdout, "%s: %s %s\n", u.Client, command.Printable(u.File), how)
	}
	if err != nil {
		return command.Failed(fmt.Errorf("%s: %w", in.o.command, err))
	}
	if len(done) == 0 {
		return in.s.Print("nothing to undo: helve init changed no file of these clients")
	}
	return nil
}

// takeBack undoes, and says what a file is then that nobody changed since.
func (in *initializing) takeBack(names []string) (done []setup.Undone, same string, err error) {
	if !in.o.hooks {
		done, err = in.store.Undo(names...)
		return done, "is as it was before", err
	}
	done, err = in.store.UndoHooks(names...)
	if len(done) == 0 || !in.store.Serves(names...) {
		return done, "is as it was before", err
	}
	// Another command set the server up, whose line may stand in the file.
	in.s.Note("hint: helve's server stays where it was set up; helve init --undo takes that out, too")
	return done, "is as it was before the hooks", err
}
