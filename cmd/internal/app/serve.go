package app

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"helve"
	"helve/server"
	"helve/tool"
)

type serveFlags struct {
	http      string
	tokenFile string
	noAuth    bool
	stateless bool
	static    bool
	approval  string
	expose    string
	names     string
	client    string
	hosts     []string
}

func (a *app) serveCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Offer the tools to an MCP client, on stdin and stdout or over HTTP",
		Long: `Offer the tools to an MCP client: on stdin and stdout, or with --http over Streamable HTTP at /mcp, profiles at /mcp/p/NAME.

Unknown flags are reported on stderr and skipped, with the value that follows: a client's configuration that is newer or older
than this program must not keep it from starting.`,
		Example: `  helve serve
  helve serve -C ~/src/project --approval elicit
  HELVE_TOKEN=… helve serve --http 127.0.0.1:8080`,
		DisableFlagParsing: true, // see parseTolerantly
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.parseTolerantly(cmd, args); err != nil {
				return err
			}
			if help, _ := cmd.Flags().GetBool("help"); help {
				return cmd.Help()
			}
			return a.serve(cmd.Context(), f)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.http, "http", "", "listen on this address instead, HOST:PORT")
	fl.StringVar(&f.tokenFile, "token-file", "", "file with the bearer token that HTTP clients need (default: $HELVE_TOKEN, else one is made)")
	fl.BoolVar(&f.noAuth, "no-auth", false, "let every local program in; on loopback only")
	fl.BoolVar(&f.stateless, "stateless", false, "give out no session ids: any replica serves any request")
	fl.BoolVar(&f.static, "static", false, "list for ever what was listed first")
	fl.StringVar(&f.approval, "approval", "auto", "who approves: auto, client, elicit or deny")
	fl.StringVar(&f.client, "client", "", "the client that is served, by its name in helve doctor --client (default: what it calls itself)")
	fl.StringVar(&f.expose, "expose", "auto", "which tools are listed: auto, all or deferred")
	fl.StringSliceVar(&f.hosts, "allow-host", nil, "answer to these values of Host only, when not on loopback")
	fl.StringVar(&f.names, "names", "", "how other servers' tools are named: qualified or plain (default: qualified, without mcp__ where the client adds it)")
	return cmd
}

// parseTolerantly parses the flags that are known. A flag that is not is said to be skipped, and so is the word behind it that would be its
// value (R3.4).
func (a *app) parseTolerantly(cmd *cobra.Command, args []string) error {
	cmd.InheritedFlags() // merges them into Flags
	var known []string
	for i := 0; i < len(args); i++ {
		name, hasValue, isFlag := flagName(args[i])
		if !isFlag {
			a.note("serve takes no arguments: %q skipped", args[i])
			continue
		}
		fl := cmd.Flags().Lookup(name)
		if len(name) == 1 {
			fl = cmd.Flags().ShorthandLookup(name)
		}
		takes := !hasValue && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-")
		switch {
		case fl == nil && takes:
			a.note("unknown flag %s skipped, with its value %q", args[i], args[i+1])
			i++
		case fl == nil:
			a.note("unknown flag %s skipped", args[i])
		case hasValue || fl.NoOptDefVal != "":
			known = append(known, args[i])
		case i+1 < len(args):
			known = append(known, args[i], args[i+1])
			i++
		default:
			known = append(known, args[i])
		}
	}
	cmd.DisableFlagParsing = false
	if err := cmd.ParseFlags(known); err != nil {
		return usage("%v\nhint: %s --help", err, cmd.CommandPath())
	}
	return nil
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

func (a *app) serve(ctx context.Context, f serveFlags) (err error) {
	starting()
	a.tolerant = true
	v, o, err := a.served(f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	if err := v.early(ctx); err != nil {
		return err
	}
	defer started(ctx)()
	if f.http != "" {
		return a.serveHTTP(ctx, f, v, o)
	}
	srv := helve.NewServer(v.open, o)
	defer func() { err = errors.Join(err, srv.Close()) }()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go orphaned(ctx, os.Getppid(), stop)
	return srv.Serve(ctx, a.env.Stdin, a.env.Stdout)
}

// A served workspace is opened once: before a client comes, or, where nothing says where the tools work, for the first client.
type served struct {
	a    *app
	http bool

	mu sync.Mutex
	ws *helve.Workspace // nil: it is not open yet
}

// served reads the flags.
func (a *app) served(f serveFlags) (*served, server.Options, error) {
	log := slog.New(slog.NewTextHandler(a.env.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	o := server.Options{Static: f.static, Log: log}
	approval, err := server.ParseApproval(f.approval)
	if err != nil {
		return nil, o, usage("--approval: %v", err)
	}
	o.Expose, err = server.ParseExposure(f.expose)
	if err != nil {
		return nil, o, usage("--expose: %v", err)
	}
	a.clients = helve.Clients{Approval: approval, Name: f.client}
	switch f.names {
	case "":
	case "qualified":
		a.clients.KeepNames = true
	case "plain":
		a.names = tool.PlainNames
	default:
		return nil, o, usage("--names %q: want qualified or plain", f.names)
	}
	return &served{a: a, http: f.http != ""}, o, nil
}

// early opens the workspace before the first client comes, unless the client's roots may still say where: what is wrong with the flags or
// the managed configuration ends the program at once, and what is disabled is settled (R3.10).
func (v *served) early(ctx context.Context) error {
	if v.fixed() {
		_, err := v.open(ctx, server.Client{})
		return err
	}
	o := v.a.options(v.a.env.Dir, nil)
	o.Log = nil // it is said when the workspace is opened
	ws, err := helve.Open(ctx, o)
	if err != nil {
		return v.a.unopened(ctx, err)
	}
	return ws.Close()
}

// open opens the workspace, once.
func (v *served) open(ctx context.Context, c server.Client) (*helve.Workspace, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.ws != nil {
		return v.ws, nil
	}
	dir, err := v.workspace(ctx, c)
	if err != nil {
		return nil, err
	}
	v.a.flags.dir = dir
	ws, err := v.a.open(ctx, nil)
	if err != nil {
		return nil, err
	}
	v.ws = ws
	if off := ws.Disabled(); len(off) > 0 { // R3.11
		v.a.note("disabled: %s", strings.Join(off, ", "))
	}
	ws.Follow()
	return ws, nil
}

func (v *served) Close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.ws == nil {
		return nil
	}
	return v.ws.Close()
}

// parentEvery is how often a server on stdio looks whether who started it is still there: its stdin may be held open by others.
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
