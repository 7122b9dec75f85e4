// Package mcp has the commands about MCP servers whose tools are offered: they are added, taken over from the files of
// other programs, tried, logged in to and approved.
package mcp

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"helve/cmd/internal/command"
	"helve/cmd/internal/configure"
	"helve/internal/config"
)

func Command(c *command.Line) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "MCP servers whose tools are offered: add, list, test, log in, approve",
		Example: `  helve mcp add docs https://docs.example/mcp
  helve mcp add -g github -e GITHUB_TOKEN='${env:GITHUB_TOKEN}' npx -y @modelcontextprotocol/server-github
  helve mcp list`,
	}
	cmd.AddCommand(
		addCommand(c),
		removeCommand(c),
		listCommand(c),
		getCommand(c),
		testCommand(c),
		switchCommand(c, "enable", "Start a server again that was disabled"),
		switchCommand(c, "disable", "Leave a server out, and keep what is configured for it"),
		loginCommand(c),
		logoutCommand(c),
		approveCommand(c),
		importCommand(c),
	)
	return cmd
}

// globalFlag is -g, for commands that change a file of the configuration.
func globalFlag(cmd *cobra.Command, to *bool, help string) {
	cmd.Flags().BoolVarP(to, "global", "g", false, help)
}

// serverKey is where a server stands in the configuration.
func serverKey(name string) string { return "mcp_servers." + name }

func removeCommand(c *command.Line) *cobra.Command {
	var o configure.ConfigOptions
	cmd := &cobra.Command{
		Use:               "remove NAME",
		Short:             "Remove a server from the project's configuration, with -g from the user's",
		Args:              command.Exactly(1, "the name of a server"),
		ValidArgsFunction: completeServers(c),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Common = c.Flags.Common
			return remove(cmd.Context(), c.Streams(), o, args[0])
		},
	}
	globalFlag(cmd, &o.Global, "the user's file instead of the project's")
	return cmd
}

// remove removes a server from the file that it stands in.
func remove(ctx context.Context, s command.Streams, o configure.ConfigOptions, name string) error {
	if err := standsHere(s, o, "mcp remove", name); err != nil {
		return err
	}
	o.Key = serverKey(name)
	return configure.ConfigUnset(ctx, s, o)
}

// standsHere wants a server in the file that a change would go to; of one that stands elsewhere it says where.
func standsHere(s command.Streams, o configure.ConfigOptions, cmd, name string) error {
	file, err := o.File(s)
	if err != nil {
		return err
	}
	held, err := config.Holds(file, serverKey(name))
	if err != nil {
		return command.Misused(err)
	}
	if held {
		return nil
	}
	c, err := o.LoadHere(s)
	if err != nil {
		return err
	}
	// -g was forgotten, or is one too many.
	if at := c.At("mcp_servers", name); at.File != "" {
		return command.Usage("%s: %s stands in %s, not in %s\nhint: -g is for the user's file",
			cmd, command.Printable(name), command.Printable(at.String()), command.Printable(file))
	}
	return command.Usage("%s: there is no mcp server %q in %s%s",
		cmd, command.Brief(name), command.Printable(file), otherServers(c))
}

// otherServers is a hint with the servers that there are, in a line of its own.
func otherServers(c *config.Config) string {
	names := slices.Sorted(maps.Keys(c.MCPServers))
	if len(names) == 0 {
		return "\nhint: none is configured: helve mcp add NAME …"
	}
	return "\nhint: configured are: " + command.Printable(strings.Join(names, ", "))
}

func getCommand(c *command.Line) *cobra.Command {
	return &cobra.Command{
		Use:               "get NAME",
		Short:             "What is configured for one server, as JSON",
		Args:              command.Exactly(1, "the name of a server"),
		ValidArgsFunction: completeServers(c),
		RunE: func(cmd *cobra.Command, args []string) error {
			o := configure.ConfigOptions{Common: c.Flags.Common, Key: serverKey(args[0])}
			if here, err := o.LoadHere(c.Streams()); err == nil && here.At("mcp_servers", args[0]).Layer == "" {
				return command.Usage("mcp get: there is no mcp server %q%s", command.Brief(args[0]), otherServers(here))
			}
			return configure.ConfigGet(cmd.Context(), c.Streams(), o)
		},
	}
}

// completeServers completes the first argument to the name of a configured server. None is started.
func completeServers(c *command.Line) command.Completion {
	return command.OnlyFirst(func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		have, err := c.Flags.LoadHere(c.Streams().Silent())
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var servers map[string]json.RawMessage
		if raw, ok := have.Get("mcp_servers"); ok {
			_ = json.Unmarshal(raw, &servers) // it was read as an object
		}
		return slices.Sorted(maps.Keys(servers)), cobra.ShellCompDirectiveNoFileComp
	})
}
