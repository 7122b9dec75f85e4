package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"helve/cmd/internal/command"
	"helve/cmd/internal/configure"
	"helve/internal/config"
	"helve/internal/spawn"
	"helve/source/upstream"
	"helve/tool"
)

// addOptions are a server as people write it. Whether it is a command or an address is for server to tell.
type addOptions struct {
	command.Common
	global bool     // the user's file instead of the project's
	name   string   // what the server is called here
	words  []string // a program and its arguments, or an address
	url    string   // an address
	kind   string   // stdio, http or sse; "": found out
	env    []string // NAME=VALUE for the command
	header []string // NAME: VALUE or NAME=VALUE for the address
	trust  bool     // its tools are not asked about
	force  bool     // in the place of a server of that name
}

func addCommand(c *command.Line) *cobra.Command {
	var o addOptions
	cmd := &cobra.Command{
		Use:   "add NAME [flags] (URL | COMMAND [ARGUMENT]…)",
		Short: "Add a server to the project's configuration, with -g to the user's",
		Long: `Add a server to the project's configuration, with -g to the user's: an address, or a command with
its arguments.

What stands behind the command belongs to it, its flags too; -- may stand before it.`,
		Example: `  helve mcp add docs https://docs.example/mcp
  helve mcp add --transport http docs https://docs.example/mcp -H 'Authorization: Bearer ${env:DOCS_TOKEN}'
  helve mcp add -g github -e GITHUB_TOKEN='${env:GITHUB_TOKEN}' npx -y @modelcontextprotocol/server-github
  helve mcp add files -- mcp-server-filesystem .`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.parse(cmd, args); err != nil {
				return err
			}
			if help, _ := cmd.Flags().GetBool("help"); help {
				return cmd.Help()
			}
			o.Common = c.Flags.Common
			return add(c.Streams(), o)
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false) // see parse
	globalFlag(cmd, &o.global, "the user's file instead of the project's")
	f.StringVar(&o.url, "url", "", "address of a server, as URL")
	f.StringVarP(&o.kind, "transport", "t", "", "stdio, http or sse (default: found out)")
	f.StringVar(&o.kind, "type", "", "the same as --transport")
	f.StringArrayVarP(&o.env, "env", "e", nil,
		"NAME=VALUE for the command; ${env:NAME} and ${file:PATH} are replaced when it starts")
	f.StringArrayVarP(&o.header, "header", "H", nil, "'NAME: VALUE' for the address")
	f.BoolVar(&o.force, "force", false, "in the place of a server of that name")
	f.BoolVar(&o.trust, "trust", false, "do not ask about its tools, and believe what they say of themselves")
	command.CompleteFlag(cmd, "transport", "stdio", "http", "sse")
	return cmd
}

// parse takes the words behind the flags. Our flags may stand before and behind the name, and behind an address; what
// stands behind a command are its own. The flags' parser stops at each word that is none.
func (o *addOptions) parse(cmd *cobra.Command, words []string) error {
	for len(words) > 0 {
		word, rest := words[0], words[1:]
		switch {
		case o.name == "":
			o.name = word
		case o.url == "" && isURL(word):
			o.url = word
		default:
			o.words = words
			return nil
		}
		if err := cmd.ParseFlags(rest); err != nil {
			return command.WrongFlag(cmd, err)
		}
		words = cmd.Flags().Args()
		if read := len(rest) - len(words); read > 0 && rest[read-1] == "--" { // what follows is a command
			o.words = words
			return nil
		}
	}
	if help, _ := cmd.Flags().GetBool("help"); o.name == "" && !help {
		return command.Usage("%s: want a name, and a URL or a command\nhint: %s --help",
			command.Called(cmd), cmd.CommandPath())
	}
	return nil
}

// isURL tells an address from the name of a program.
func isURL(word string) bool { return strings.Contains(word, "://") }

// add writes a server that could be started or reached. It is not tried: what it needs may not be there yet.
func add(s command.Streams, o addOptions) error {
	server, err := o.server()
	if err != nil {
		return err
	}
	to := configure.ConfigOptions{Common: o.Common, Global: o.global}
	if err := unused(s, to, o.name, o.force); err != nil {
		return err
	}
	if err := writeServer(s, to, o.name, server); err != nil {
		return err
	}
	if server.Command != "" {
		path, err := spawn.LookPath(server.Command, s.Environ)
		switch {
		case err != nil:
			s.Note("warning: %s: %v", server.Command, spawn.ErrNotFound)
		case isSelf(path) && slices.Contains(server.Args, "serve"):
			s.Note("warning: %s is helve itself: its tools will be there twice. "+
				"It does not start itself again; helve -C DIR serve offers another workspace", o.name)
		}
	}
	return s.Print(fmt.Sprintf("%s: added; helve mcp test %s shows its tools", o.name, o.name))
}

// isSelf tells whether a program is the one that runs.
func isSelf(path string) bool {
	self, err := os.Executable()
	if err != nil {
		return false
	}
	a, err := os.Stat(self)
	b, err2 := os.Stat(path)
	return err == nil && err2 == nil && os.SameFile(a, b)
}

// server is what the flags and words describe.
func (o addOptions) server() (config.Server, error) {
	server := config.Server{URL: o.url, Type: o.kind, Trust: o.trust}
	if len(o.words) > 0 {
		server.Command, server.Args = o.words[0], o.words[1:]
		if o.kind != "" && o.kind != "stdio" {
			return server, command.Usage("mcp add: --transport %s wants an address, and %q is none", o.kind, o.words[0])
		}
	}
	if err := o.together(server); err != nil {
		return server, err
	}
	var err error
	server.Env, err = assignments("--env", o.env)
	if err != nil {
		return server, err
	}
	server.Headers, err = headers(o.header)
	return server, err
}

// together refuses what would be written and never heard: each kind of server has its own flags.
func (o addOptions) together(server config.Server) error {
	switch {
	case server.URL != "" && server.Command == "" && o.kind == "stdio":
		return command.Usage("mcp add: --transport stdio wants a command, and %s is an address",
			command.Printable(server.URL))
	case server.URL != "" && server.Command == "" && len(o.env) > 0:
		return command.Usage("mcp add: --env is for a command, and %s is an address\nhint: --header 'NAME: VALUE' sends a header",
			command.Printable(server.URL))
	case server.Command != "" && server.URL == "" && len(o.header) > 0:
		return command.Usage("mcp add: --header is for an address, and %q is a command\nhint: --env NAME=VALUE sets a variable",
			command.Printable(server.Command))
	}
	return nil
}

// headers are written as in HTTP, or as an assignment. A colon stands in no name of a header, and = in none either.
func headers(words []string) (map[string]string, error) {
	out := map[string]string{}
	for _, w := range words {
		at := strings.IndexAny(w, ":=")
		if at <= 0 {
			return nil, command.Usage("--header %q: want 'NAME: VALUE'", w)
		}
		name := strings.TrimSpace(w[:at])
		if !headerName().MatchString(name) {
			return nil, command.Usage("--header %q: %q is no name of a header: want 'NAME: VALUE'", w, name)
		}
		if _, twice := out[name]; twice {
			return nil, command.Usage("--header %s is given twice", name)
		}
		out[name] = strings.TrimSpace(w[at+1:])
	}
	return out, nil
}

// headerName is a token of RFC 9110, section 5.6.2, as the names of headers are.
var headerName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")
})

// assignments are the values of a flag that is given as NAME=VALUE.
func assignments(flag string, words []string) (map[string]string, error) {
	out := map[string]string{}
	for _, w := range words {
		k, v, ok := strings.Cut(w, "=")
		if !ok || k == "" {
			return nil, command.Usage("%s %q: want NAME=VALUE", flag, w)
		}
		if _, twice := out[k]; twice {
			return nil, command.Usage("%s %s is given twice", flag, command.Printable(k))
		}
		out[k] = v
	}
	return out, nil
}

// serverName is what a new server may be called: public names and rules are made of it. Names that clients have
// already are taken over by import as they are.
var serverName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,47}$`)
})

// sourceName tells that a name stands for a source that is no server: rules could not tell the two apart.
func sourceName(name string) bool {
	return name == "builtin" || name == "go" || name == string(tool.Command)
}

// unused tells why a name cannot be given to a new server: nil if it can.
func unused(s command.Streams, o configure.ConfigOptions, name string, force bool) error {
	if !serverName().MatchString(name) || sourceName(name) {
		return command.Usage("mcp add: %q is no name for a server: want at most 48 letters, digits, dots, dashes and "+
			"underscores, and not builtin, go or command\n"+
			"hint: the name comes first: helve mcp add NAME URL, or NAME -- COMMAND",
			command.Brief(name))
	}
	file, err := o.File(s)
	if err != nil || force {
		return err
	}
	held, err := config.Holds(file, serverKey(name))
	if err == nil && !held {
		return nil
	}
	taken := command.Usage("mcp add: %s is configured already, in %s\nhint: helve mcp add --force, or helve mcp remove %s",
		name, command.Printable(file), name)
	return errors.Join(err, taken)
}

// writeServer checks a server as the source does, and writes it.
func writeServer(s command.Streams, o configure.ConfigOptions, name string, server config.Server) error {
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
		return command.Usage("%v\nhint: helve mcp add --help", err)
	}
	value, err := json.Marshal(server)
	if err != nil {
		return err
	}
	o.Key, o.Value = serverKey(name), string(value)
	return configure.ConfigWrite(s, o, nil)
}
