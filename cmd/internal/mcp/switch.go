package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"helve/cmd/internal/command"
	"helve/cmd/internal/configure"
	"helve/internal/config"
	"helve/parts/mcp"
	"helve/source/upstream"
)

// switchCommand is enable or disable.
func switchCommand(c *command.Line, name, short string) *cobra.Command {
	var o configure.ConfigOptions
	cmd := &cobra.Command{
		Use:               name + " NAME",
		Short:             short,
		Args:              command.Exactly(1, "the name of a server"),
		ValidArgsFunction: completeServers(c),
		RunE: func(_ *cobra.Command, args []string) error {
			o.Common = c.Flags.Common
			return turn(c.Streams(), o, args[0], name == "disable")
		},
	}
	globalFlag(cmd, &o.Global, "in the user's file instead of the project's")
	return cmd
}

// turn writes into the server's own entry whether it is left out. All else that stands there stays.
func turn(s command.Streams, o configure.ConfigOptions, name string, off bool) error {
	done := "enabled"
	if off {
		done = "disabled"
	}
	if err := standsHere(s, o, "mcp", name); err != nil {
		return err
	}
	file, err := o.File(s)
	if err != nil {
		return err
	}
	raw, err := config.Value(file, serverKey(name))
	if err != nil {
		return command.Misused(err)
	}
	var server config.Server
	if err := json.Unmarshal(raw, &server); err != nil {
		return command.Misused(fmt.Errorf("mcp: %s: %w", command.Printable(name), err))
	}
	if server.Disabled == off {
		return s.Print(fmt.Sprintf("%s: is %s already", command.Printable(name), done))
	}
	server.Disabled = off
	value, err := json.Marshal(server)
	if err != nil {
		return err
	}
	o.Key, o.Value = serverKey(name), string(value)
	if err := configure.ConfigWrite(s, o, nil); err != nil {
		return err
	}
	return s.Print(fmt.Sprintf("%s: %s", command.Printable(name), done))
}

func loginCommand(c *command.Line) *cobra.Command {
	return &cobra.Command{
		Use:   "login NAME",
		Short: "Log in to a server that wants it, and keep the token",
		Long: `Log in to a server over HTTP that wants it (OAuth): the address of its page is printed, and the
browser comes back to this program. The token is kept for later, readable for nobody else, and
renewed when it is over.`,
		Args:              command.Exactly(1, "the name of a server"),
		ValidArgsFunction: completeServers(c),
		RunE: func(cmd *cobra.Command, args []string) error {
			return login(cmd.Context(), c.Streams(), c.Flags.Common, args[0])
		},
	}
}

// login lists the server's tools, which is when a server wants a login.
func login(ctx context.Context, s command.Streams, c command.Common, name string) error {
	o, err := c.Options(s)
	if err != nil {
		return err
	}
	asked := false
	login := &redirect{say: func(format string, args ...any) {
		asked = true
		s.Say(format, args...)
	}}
	o.Parts = append(o.Parts, mcp.Part(mcp.Options{Login: upstream.LoginBy(login)}))
	server, done, err := openServer(ctx, o, name)
	if err != nil {
		return err
	}
	defer done()
	if !server.Remote() {
		return command.Usage("mcp login: %s is started here, there is nothing to log in to", command.Printable(name))
	}
	if _, err := server.Tools(ctx); err != nil {
		return command.Failed(errors.New(command.Printable(err.Error())))
	}
	if !asked {
		return s.Print(command.Printable(name) + ": no login is needed, or the last one still holds")
	}
	return s.Print(command.Printable(name) + ": logged in")
}

func logoutCommand(c *command.Line) *cobra.Command {
	return &cobra.Command{
		Use:               "logout NAME",
		Short:             "Forget the token of a server",
		Args:              command.Exactly(1, "the name of a server"),
		ValidArgsFunction: completeServers(c),
		RunE: func(cmd *cobra.Command, args []string) error {
			return logout(cmd.Context(), c.Streams(), c.Flags.Common, args[0])
		},
	}
}

// logout forgets the token here. The server is not told: most have no way to.
func logout(ctx context.Context, s command.Streams, c command.Common, name string) error {
	o, err := c.Options(s)
	if err != nil {
		return err
	}
	server, done, err := openServer(ctx, o, name)
	if err != nil {
		return err
	}
	defer done()
	had, err := server.Logout()
	switch {
	case err != nil:
		return command.Failed(err)
	case !had:
		return s.Print(command.Printable(name) + ": there was no login")
	}
	return s.Print(command.Printable(name) + ": logged out")
}
