// Package serve has the commands that give the tools of a workspace to others: serve, over MCP on stdio and HTTP, with
// the data of its console, worker and nodes.
package serve

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"helve/cmd/internal/command"
	"helve/internal/workspace"
)

// ServeOptions are the flags as they were written; newServed reads them.
type ServeOptions struct {
	command.Common
	http      string // listen there, HOST:PORT; "": stdin and stdout
	tokenFile string
	tokens    string // a file of principals; "": none
	noAuth    bool
	stateless bool
	static    bool   // what was listed first stays listed
	Approval  string // auto, client, elicit, deny or console
	Expose    string // auto, all, deferred or code
	names     string // qualified or plain; "": as the client's profile has it
	client    string // its name; "": what it calls itself
	hosts     []string
	bus       bool   // workers do the work of the tools
	workspace string // its name on the bus; "": that of its folder
	pageOnly  bool   // nothing but the console's page is offered, which has a login of its own
	// where replicas keep what they have in common: a folder, or command.OnBus; "": this is the only one
	shared string
	consoleOptions
}

func Command(c *command.Line) *cobra.Command {
	var o ServeOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Offer the tools to an MCP client, on stdin and stdout or over HTTP",
		Long: `Offer the tools to an MCP client: on stdin and stdout, or with --http over Streamable HTTP at /mcp,
profiles at /mcp/p/NAME.

Unknown flags are reported on stderr and skipped, with the value that follows: a client's
configuration that is newer or older than this program must not keep it from starting.`,
		Example: `  helve serve
  helve serve -C ~/src/project --approval elicit
  HELVE_TOKEN=… helve serve --http 127.0.0.1:8080
  helve serve --http 127.0.0.1:8080 --console --approval console`,
		DisableFlagParsing: true, // see parseTolerantly
		ValidArgsFunction:  completeServe,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := Parse(c, cmd, args); err != nil {
				return err
			}
			if help, _ := cmd.Flags().GetBool("help"); help {
				return cmd.Help()
			}
			o.Common = c.Flags.Common
			return serve(cmd.Context(), c.Streams(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.http, "http", "", "listen on this address instead, HOST:PORT")
	f.StringVar(&o.tokenFile, "token-file", "",
		"file with the bearer token that HTTP clients need (default: $HELVE_TOKEN, else one is made)")
	f.StringVar(&o.tokens, "tokens", "",
		"file with the principals that may come in over HTTP, one a line: NAME sha256:HEX of their token")
	f.BoolVar(&o.noAuth, "no-auth", false, "let every local program in; on loopback only")
	f.BoolVar(&o.stateless, "stateless", false, "give out no session ids: any replica serves any request")
	f.BoolVar(&o.static, "static", false, "list for ever what was listed first")
	f.StringVar(&o.Approval, "approval", "auto", "who approves: auto, client, elicit, deny or console")
	f.BoolVar(&o.on, "console", false, "show the calls in a browser, and let a person answer there; with --http")
	consoleFlags(f, &o.consoleOptions)
	f.StringVar(&o.client, "client", "",
		"the client that is served, by its name in helve doctor --client (default: what it calls itself)")
	f.StringVar(&o.Expose, "expose", "auto", "which tools are listed: auto, all, deferred or code")
	f.StringSliceVar(&o.hosts, "allow-host", nil, "answer to these values of Host only, when not on loopback")
	f.BoolVar(&o.bus, "bus", false,
		"workers do the work of the tools, joined by the bus of the configuration, else by one in this process")
	f.StringVar(&o.workspace, "workspace", "", "with --bus: the workspace's name there (default: that of its folder)")
	f.StringVar(&o.shared, "shared", "",
		"one of several replicas: what they have in common is kept in this folder, which all of them see, or on the bus")
	f.StringVar(&o.names, "names", "",
		"how other servers' tools are named: qualified or plain "+
			"(default: qualified, without mcp__ where the client adds it)")
	return cmd
}

// Parse parses the flags that are known. A flag that is not is said to be skipped, and so is the word
// behind it that would be its value: who started us is another program, and nobody reads its command line.
func Parse(c *command.Line, cmd *cobra.Command, args []string) error {
	known, skipped := knownFlags(cmd, args)
	for _, words := range skipped { // before --quiet is read: this is how a person finds out
		c.Streams().Note("%s", words)
	}
	cmd.DisableFlagParsing = false
	if err := cmd.ParseFlags(known); err != nil {
		return command.WrongFlag(cmd, err)
	}
	return nil
}

// knownFlags are the words that the command's flags take, and what is to be said of the others.
func knownFlags(cmd *cobra.Command, args []string) (known, skipped []string) {
	cmd.InheritedFlags() // merges them into Flags
	for i := 0; i < len(args); i++ {
		word := args[i]
		name, hasValue, isFlag := flagName(word)
		if !isFlag {
			skipped = append(skipped, "serve takes no arguments: "+strconv.Quote(word)+" skipped")
			continue
		}
		flag := cmd.Flags().Lookup(name)
		if len(name) == 1 {
			flag = cmd.Flags().ShorthandLookup(name)
		}
		meant := ""
		if near := command.NearFlag(cmd, name); near != "" {
			meant = ": did you mean " + near + "?"
		}
		follows := !hasValue && i+1 < len(args)
		switch {
		case flag == nil && follows && !strings.HasPrefix(args[i+1], "-"):
			skipped = append(skipped, "unknown flag "+word+" skipped, with its value "+strconv.Quote(args[i+1])+meant)
			i++
		case flag == nil:
			skipped = append(skipped, "unknown flag "+word+" skipped"+meant)
		case follows && flag.NoOptDefVal == "": // the next word is its value
			known = append(known, word, args[i+1])
			i++
		default:
			known = append(known, word)
		}
	}
	return known, skipped
}

// flagName is the name of a flag as it is written: --name, --name=value, -n, -nvalue.
func flagName(arg string) (name string, hasValue, isFlag bool) {
	if long, ok := strings.CutPrefix(arg, "--"); ok && long != "" {
		name, _, hasValue = strings.Cut(long, "=")
		return name, hasValue, true
	}
	if short, ok := strings.CutPrefix(arg, "-"); ok && short != "" {
		return short[:1], len(short) > 1, true
	}
	return "", false, false
}

// exposeCode is the exposure that brings run_script with it.
const exposeCode = "code"

// serve serves one client on stdin and stdout, or many over HTTP.
func serve(ctx context.Context, s command.Streams, o ServeOptions) (err error) {
	starting()
	v, so, err := NewServed(s, o)
	if err != nil {
		return err
	}
	end := command.EndingOf(ctx)
	end.Allow(command.ServeEndTime)
	to, farewell := s.StartTelemetry(ctx, "helve")
	defer farewell() // after everything that is told
	v.telemetry, so.Telemetry = to, to
	if o.onBus() {
		v.bus, err = joinBus(ctx, s, o)
		if err != nil {
			return err
		}
	}
	if v.bus != nil {
		end.Opened(partBus)
	}
	end.Opened(partWorkspace)
	defer func() {
		err = errors.Join(err, end.Closing(partWorkspace, v.Close), end.Closing(partBus, v.bus.Close))
	}()
	if err := v.followPolicy(ctx); err != nil {
		return err
	}
	if err := v.share(ctx, &so); err != nil {
		return err
	}
	if err := v.early(ctx); err != nil {
		return err
	}
	defer started(ctx)()
	if o.tokens != "" && o.http == "" {
		return command.Usage("--tokens is for clients over HTTP: want --http, too")
	}
	if unheard := o.ofHTTP(); o.http == "" && len(unheard) > 0 { // no error: a client's configuration starts us
		s.Say("warning: %s: without --http nobody connects, and it says nothing", strings.Join(unheard, ", "))
	}
	if o.http != "" {
		return serveHTTP(ctx, s, o, v, so)
	}
	srv := workspace.NewServer(v.Open, so)
	end.Opened(partConversations)
	defer func() { err = errors.Join(err, end.Closing(partConversations, srv.Close)) }()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go orphaned(ctx, os.Getppid(), stop)
	return srv.Serve(ctx, s.Stdin, s.Stdout)
}

// What a server has open, as it is named where it was not closed in time.
const (
	partConversations = "conversations"
	partWorkspace     = "the workspace with its MCP servers"
	partBus           = "the bus"
)

// onBus tells whether the server joins a bus.
func (o ServeOptions) onBus() bool { return o.bus || o.shared == command.OnBus }

// ofHTTP are the flags that were given and are for --http alone.
func (o ServeOptions) ofHTTP() []string {
	var out []string
	add := func(given bool, name string) {
		if given {
			out = append(out, name)
		}
	}
	add(o.tokenFile != "", "--token-file")
	add(o.noAuth, "--no-auth")
	add(o.stateless, "--stateless")
	add(o.shared != "", "--shared")
	add(len(o.hosts) > 0, "--allow-host")
	add(o.behindProxy, "--behind-proxy")
	add(o.tlsCert != "", "--tls-cert")
	add(o.tlsKey != "", "--tls-key")
	return out
}

// parentEvery is how often a server on stdio looks whether who started it is still there: its stdin may be held open
// by others.
const parentEvery = 2 * time.Second

// orphaned calls gone when the parent process has ended.
func orphaned(ctx context.Context, parent int, gone func()) {
	tick := time.NewTicker(parentEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if os.Getppid() != parent {
				gone()
				return
			}
		}
	}
}
