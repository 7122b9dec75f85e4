package app

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

type nodesOptions struct {
	common
	line []string
	url  string
	json bool
}

// wantNodes are the words that nodes takes.
const wantNodes = "nothing, drain INSTANCE or policy [FILE]"

func nodesCommand(c *cli) *cobra.Command {
	var o nodesOptions
	cmd := &cobra.Command{
		Use:   "nodes [drain INSTANCE | policy [FILE]]",
		Short: "Show the workers that do the work of tools, or have one end",
		Long: `Show the workers that do the work of tools: where they are, which workspace they offer, how much they run. Workers
with another SET than the gateway's have other definitions of tools, and are not used for those.

nodes drain INSTANCE has one take no new calls and end when those that run have; the beginning of its name is enough.

nodes policy shows the policy of the bus, and nodes policy FILE puts a file (-: stdin) in its place: a configuration that
only takes rights away, for all gateways whose configuration says bus.policy. They have it at once.`,
		Example: `  helve nodes
  helve nodes --json
  helve nodes drain 7k2m
  helve nodes policy policy.json`,
		Args: between(0, 2, wantNodes),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.common, o.line = c.flags.common, c.args
			policy := len(args) > 0 && args[0] == "policy"
			if len(args) > 0 && !policy && (args[0] != "drain" || len(args) != 2) {
				return usage("nodes: want " + wantNodes)
			}
			if c.env.Bus == nil {
				return handOver(cmd.Context(), c.streams(), "nodes", theBus, o.line)
			}
			if policy {
				return nodesPolicy(cmd.Context(), c.streams(), o, args[1:])
			}
			return nodes(cmd.Context(), c.streams(), o, args)
		},
	}
	jsonFlag(cmd, &o.json)
	cmd.Flags().StringVar(&o.url, "bus", "", "where the bus is (default: the configuration's, else this machine's)")
	return cmd
}

func nodes(ctx context.Context, s streams, o nodesOptions, args []string) error {
	bus, err := o.busOf(s, o.url)
	if err != nil {
		return err
	}
	all, err := s.Bus.Nodes(ctx, bus)
	if err != nil {
		return usage("nodes: %v", err)
	}
	if len(args) == 2 {
		return drainNode(ctx, s, bus, all, args[1])
	}
	if o.json {
		return s.printJSON(all)
	}
	if len(all) == 0 {
		s.say("no worker answers\nhint: helve worker starts one")
		return nil
	}
	t := s.table()
	t.row("INSTANCE", "POOL", "WORKSPACE", "HOST", "RUNNING", "SESSIONS", "VERSION", "SET", "SINCE")
	for _, n := range all {
		running := fmt.Sprintf("%d/%d", n.Running, n.Slots)
		if n.Draining {
			running += " draining"
		}
		set := n.Set[:min(len(n.Set), setShown)]
		instance, _, _ := strings.Cut(n.Instance, ".") // its key is nothing to type
		t.row(instance, oneLine(n.Pool), oneLine(n.Workspace), oneLine(n.Host), running, strconv.Itoa(n.Sessions),
			oneLine(n.Version), oneLine(set), n.Started.Local().Format(time.DateTime))
	}
	return t.Flush()
}

// setShown is how much of a digest tells two apart for a person.
const setShown = 8

// drainNode has the worker end whose name begins so.
func drainNode(ctx context.Context, s streams, bus BusOptions, all []BusNode, name string) error {
	var meant []string
	for _, n := range all {
		if strings.HasPrefix(n.Instance, name) {
			meant = append(meant, n.Instance)
		}
	}
	switch {
	case len(meant) == 0:
		return failed(fmt.Errorf("nodes drain: no worker that answers is called %q\nhint: helve nodes shows them", brief(name)))
	case len(meant) > 1:
		return usage("nodes drain: %d workers begin with %q: %s", len(meant), brief(name), strings.Join(meant, ", "))
	}
	if err := s.Bus.Drain(ctx, bus, meant[0]); err != nil {
		return failed(fmt.Errorf("nodes drain: %w", err))
	}
	s.say("%s takes no new calls, and ends when those that run have", meant[0])
	return nil
}
