package serve

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"helve/cmd/internal/command"
)

type nodesOptions struct {
	command.Common
	url  string
	json bool
}

// wantNodes are the words that nodes takes.
const wantNodes = "nothing, drain INSTANCE, policy [FILE] or key FILE"

func NodesCommand(c *command.Line) *cobra.Command {
	var o nodesOptions
	cmd := &cobra.Command{
		Use:   "nodes [drain INSTANCE | policy [FILE] | key FILE]",
		Short: "Show the workers that do the work of tools, or have one end",
		Long: `Show the workers that do the work of tools: where they are, which workspace they offer, how much they run. Workers
with another SET than the gateway's have other definitions of tools, and are not used for those. Below the table stands
which have another definition of a tool than most of their pool.

nodes drain INSTANCE has one take no new calls and end when those that run have; the beginning of its name is enough.

nodes policy shows the policy of the bus, and nodes policy FILE puts a file (-: stdin) in its place: a configuration that
only takes rights away, for all gateways whose configuration says bus.policy. They have it at once.

nodes key FILE prints the public part of the key in a file, for bus.gateway_keys of workers; where there is no file it makes
one, for bus.ticket_key of gateways.`,
		Example: `  helve nodes
  helve nodes --json
  helve nodes drain 7k2m
  helve nodes policy policy.json
  helve nodes key ~/.config/helve/tickets.nk`,
		Args: command.Between(0, 2, wantNodes),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Common = c.Flags.Common
			if !nodesWords(args) {
				return command.Usage("nodes: want " + wantNodes)
			}
			switch {
			case len(args) == 0:
				return nodes(cmd.Context(), c.Streams(), o)
			case args[0] == "policy":
				return nodesPolicy(cmd.Context(), c.Streams(), o, args[1:])
			case args[0] == "key":
				return nodesKey(c.Streams(), args[1])
			}
			return drainNode(cmd.Context(), c.Streams(), o, args[1])
		},
	}
	command.JSONFlag(cmd, &o.json)
	cmd.Flags().StringVar(&o.url, "bus", "", "where the bus is (default: the configuration's, else this machine's)")
	return cmd
}

// nodesWords tells whether the command is one.
func nodesWords(args []string) bool {
	switch {
	case len(args) == 0 || args[0] == "policy":
		return true
	}
	return len(args) == 2 && (args[0] == "drain" || args[0] == "key")
}

// nodesOf are the workers that answer.
func nodesOf(ctx context.Context, s command.Streams, o nodesOptions) (command.BusOptions, []command.BusNode, error) {
	bus, err := o.BusOf(s, o.url)
	if err != nil {
		return bus, nil, err
	}
	all, err := s.Bus.Nodes(ctx, bus)
	if err != nil {
		return bus, nil, command.Usage("nodes: %v", err)
	}
	return bus, all, nil
}

// nodesKey prints the public part of a key that signs, and makes the key.
func nodesKey(s command.Streams, file string) error {
	public, err := s.Bus.TicketKey(s.Path(file))
	if err != nil {
		return command.Usage("nodes key: %v", err)
	}
	fmt.Fprintln(s.Stdout, public)
	return nil
}

func nodes(ctx context.Context, s command.Streams, o nodesOptions) error {
	_, all, err := nodesOf(ctx, s, o)
	if err != nil {
		return err
	}
	if o.json {
		return s.PrintJSON(all)
	}
	if len(all) == 0 {
		s.Say("no worker answers\nhint: helve worker starts one")
		return nil
	}
	t := s.Table()
	t.Row("INSTANCE", "POOL", "WORKSPACE", "HOST", "RUNNING", "SESSIONS", "VERSION", "SET", "SINCE")
	for _, n := range all {
		running := fmt.Sprintf("%d/%d", n.Running, n.Slots)
		if n.Exclusive {
			running += " exclusive"
		}
		if n.Draining {
			running += " draining"
		}
		set := n.Set[:min(len(n.Set), setShown)]
		instance, _, _ := strings.Cut(n.Instance, ".") // its key is nothing to type
		t.Row(instance, command.OneLine(n.Pool), command.OneLine(n.Workspace), command.OneLine(n.Host), running,
			strconv.Itoa(n.Sessions),
			command.OneLine(n.Version), command.OneLine(set), n.Started.Local().Format(time.DateTime))
	}
	err = t.Flush()
	for _, n := range all {
		if len(n.Differs) > 0 {
			instance, _, _ := strings.Cut(n.Instance, ".")
			s.Say("%s is not used for what most of its pool define otherwise: %s", instance, several(n.Differs))
		}
	}
	return err
}

// toolsShown is how many tools a line names.
const toolsShown = 10

// several are some tools, in one line.
func several(origins []string) string {
	more := ""
	if n := len(origins) - toolsShown; n > 0 {
		origins, more = origins[:toolsShown], fmt.Sprintf(" and %d more", n)
	}
	return command.OneLine(strings.Join(origins, ", ")) + more
}

// setShown is how much of a digest tells two apart for a person.
const setShown = 8

// drainNode has the worker end whose name begins so.
func drainNode(ctx context.Context, s command.Streams, o nodesOptions, name string) error {
	bus, all, err := nodesOf(ctx, s, o)
	if err != nil {
		return err
	}
	var meant []string
	for _, n := range all {
		if strings.HasPrefix(n.Instance, name) {
			meant = append(meant, n.Instance)
		}
	}
	switch {
	case len(meant) == 0:
		return command.Failed(fmt.Errorf(
			"nodes drain: no worker that answers is called %q\nhint: helve nodes shows them",
			command.Brief(name)))
	case len(meant) > 1:
		return command.Usage("nodes drain: %d workers begin with %q: %s",
			len(meant), command.Brief(name), strings.Join(meant, ", "))
	}
	if err := s.Bus.Drain(ctx, bus, meant[0]); err != nil {
		return command.Failed(fmt.Errorf("nodes drain: %w", err))
	}
	s.Say("%s takes no new calls, and ends when those that run have", meant[0])
	return nil
}
