package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"helve/internal/config"
	"helve/source/upstream"
	"helve/tool"
)

func mcpCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "MCP servers whose tools are offered: add, list, test, approve",
		Example: `  helve mcp add -g github --env GITHUB_TOKEN='${env:GITHUB_TOKEN}' -- npx -y @modelcontextprotocol/server-github
  helve mcp add docs --url https://docs.example/mcp
  helve mcp list`,
	}
	cmd.AddCommand(
		mcpAddCommand(c),
		mcpRemoveCommand(c),
		mcpListCommand(c),
		mcpGetCommand(c),
		mcpTestCommand(c),
		mcpApproveCommand(c),
		mcpImportCommand(c),
	)
	return cmd
}

// globalFlag is -g, for commands that change a file of the configuration.
func globalFlag(cmd *cobra.Command, to *bool, help string) {
	cmd.Flags().BoolVarP(to, "global", "g", false, help)
}

// serverKey is where a server stands in the configuration.
func serverKey(name string) string { return "mcp_servers." + name }

type mcpAddOptions struct {
	common
	global  bool     // the user's file instead of the project's
	name    string   // what the server is called here
	command []string // a program and its arguments
	url     string   // or an address
	kind    string   // stdio, http or sse; "": found out
	env     []string // NAME=VALUE for the command
	header  []string // NAME=VALUE for the address
	trust   bool     // its tools are not asked about
	force   bool     // in the place of a server of that name
}

func mcpAddCommand(c *cli) *cobra.Command {
	var o mcpAddOptions
	cmd := &cobra.Command{
		Use:   "add NAME [flags] (--url URL | -- COMMAND [ARGUMENT]…)",
		Short: "Add a server to the project's configuration, with -g to the user's",
		Args:  between(1, math.MaxInt, "a name, and a command after -- or --url"),
		RunE: func(_ *cobra.Command, args []string) error {
			o.common, o.name, o.command = c.flags.common, args[0], args[1:]
			return mcpAdd(c.streams(), o)
		},
	}
	f := cmd.Flags()
	globalFlag(cmd, &o.global, "the user's file instead of the project's")
	f.StringVar(&o.url, "url", "", "address of a server, instead of a command")
	f.StringVar(&o.kind, "type", "", "transport: stdio, http or sse (default: found out)")
	f.StringArrayVar(&o.env, "env", nil,
		"NAME=VALUE for the command; ${env:NAME} and ${file:PATH} are replaced when it starts")
	f.StringArrayVar(&o.header, "header", nil, "NAME=VALUE for the address")
	f.BoolVar(&o.force, "force", false, "in the place of a server of that name")
	f.BoolVar(&o.trust, "trust", false, "do not ask about its tools, and believe what they say of themselves")
	return cmd
}

func mcpAdd(s streams, o mcpAddOptions) error {
	server, err := o.server()
	if err != nil {
		return err
	}
	to := configOptions{common: o.common, global: o.global}
	if err := unused(s, to, o.name, o.force); err != nil {
		return err
	}
	if err := writeServer(s, to, o.name, server); err != nil {
		return err
	}
	return s.print(fmt.Sprintf("%s: added; helve mcp test %s shows its tools", o.name, o.name))
}

// server is what the flags and words describe.
func (o mcpAddOptions) server() (config.Server, error) {
	server := config.Server{URL: o.url, Type: o.kind, Trust: o.trust}
	if len(o.command) > 0 {
		server.Command, server.Args = o.command[0], o.command[1:]
	}
	var err error
	server.Env, err = assignments("--env", o.env)
	if err != nil {
		return server, err
	}
	server.Headers, err = assignments("--header", o.header)
	return server, err
}

// assignments are the values of a flag that is given as NAME=VALUE.
func assignments(flag string, words []string) (map[string]string, error) {
	out := map[string]string{}
	for _, w := range words {
		k, v, ok := strings.Cut(w, "=")
		if !ok || k == "" {
			return nil, usage("%s %q: want NAME=VALUE", flag, w)
		}
		out[k] = v
	}
	return out, nil
}

// serverName is what a new server may be called: public names and rules are made of it. Names that clients have already
// are taken over by import as they are.
var serverName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,47}$`)

// sourceName tells that a name stands for a source that is no server: rules could not tell the two apart.
func sourceName(name string) bool {
	return name == "builtin" || name == "go" || name == string(tool.Command)
}

// unused tells why a name cannot be given to a new server: nil if it can.
func unused(s streams, o configOptions, name string, force bool) error {
	if !serverName.MatchString(name) || sourceName(name) {
		return usage("mcp add: %q is no name for a server: want at most 48 letters, digits, dots, dashes and "+
			"underscores, and not builtin, go or command", printable(name))
	}
	file, err := o.file(s)
	if err != nil || force {
		return err
	}
	held, err := config.Holds(file, serverKey(name))
	if err == nil && !held {
		return nil
	}
	taken := usage("mcp add: %s is configured already, in %s\nhint: helve mcp add --force, or helve mcp remove %s",
		name, printable(file), name)
	return errors.Join(err, taken)
}

// writeServer checks a server as the source does, and writes it.
func writeServer(s streams, o configOptions, name string, server config.Server) error {
	at := server.URL
	if strings.Contains(at, "${") { // what it refers to need not be set yet
		at = "https://later.example"
	}
	_, err := upstream.New(upstream.Config{
		Name:    name,
		Command: server.Command,
		URL:     at,
		Type:    server.Type,
		Share:   server.Share,
	}, upstream.Options{})
	if err != nil {
		return usage("%v\nhint: helve mcp add --help", err)
	}
	value, err := json.Marshal(server)
	if err != nil {
		return err
	}
	o.key, o.value = serverKey(name), string(value)
	return configWrite(s, o)
}

func mcpRemoveCommand(c *cli) *cobra.Command {
	var o configOptions
	cmd := &cobra.Command{
		Use:   "remove NAME",
		Short: "Remove a server from the project's configuration, with -g from the user's",
		Args:  exactly(1, "the name of a server"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.common = c.flags.common
			return mcpRemove(cmd.Context(), c.streams(), o, args[0])
		},
	}
	globalFlag(cmd, &o.global, "the user's file instead of the project's")
	return cmd
}

// mcpRemove removes a server from the file that it stands in; of one that stands elsewhere it says where.
func mcpRemove(ctx context.Context, s streams, o configOptions, name string) error {
	file, err := o.file(s)
	if err != nil {
		return err
	}
	held, err := config.Holds(file, serverKey(name))
	if err != nil {
		return misused(err)
	}
	if held {
		o.key = serverKey(name)
		return configUnset(ctx, s, o)
	}
	c, err := o.loadHere(s)
	if err != nil {
		return err
	}
	if at := c.At("mcp_servers", name); at.File != "" {
		return usage("mcp remove: %s stands in %s, not in %s\nhint: -g removes from the user's file",
			printable(name), printable(at.String()), printable(file))
	}
	return usage("mcp remove: there is no mcp server %q in %s", printable(name), printable(file))
}

func mcpGetCommand(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "get NAME",
		Short: "What is configured for one server, as JSON",
		Args:  exactly(1, "the name of a server"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o := configOptions{common: c.flags.common, key: serverKey(args[0])}
			return configGet(cmd.Context(), c.streams(), o)
		},
	}
}
