package app

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"helve/internal/config"
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
	fl.StringVar(&f.names, "names", "qualified", "how other servers' tools are named: qualified or plain")
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

// A hall is a served workspace: one house, opened when the first client wants it, with a kit for each client.
type hall struct {
	a     *app
	names tool.Names
	ask   tool.Asker
	http  bool

	approval server.Approval
	forced   string // the client profile of --client; "" for what each client calls itself

	notify func(server string, s *tool.Session, method string, params json.RawMessage) // of the server, once there is one

	mu    sync.Mutex
	house *house
}

func (a *app) serve(ctx context.Context, f serveFlags) (err error) {
	starting()
	a.tolerant = true
	h, o, err := a.hall(f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	if err := h.early(ctx); err != nil {
		return err
	}
	defer started(ctx)()
	if f.http != "" {
		return a.serveHTTP(ctx, f, h, o)
	}
	srv := h.server(o)
	defer func() { err = errors.Join(err, srv.Close()) }()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go orphaned(ctx, os.Getppid(), stop)
	return srv.Serve(ctx, a.env.Stdin, a.env.Stdout)
}

// server is the one that offers the hall. The house may stand already.
func (h *hall) server(o server.Options) *server.Server {
	srv := server.New(h.open, o)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.notify = srv.Notify
	if h.house != nil {
		h.house.tell(h.notify)
	}
	return srv
}

// hall reads the flags.
func (a *app) hall(f serveFlags) (*hall, server.Options, error) {
	o := server.Options{Title: "helve", Version: version(), Static: f.static, Instructions: instructions,
		Log: slog.New(slog.NewTextHandler(a.env.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))}
	approval, err := server.ParseApproval(f.approval)
	if err != nil {
		return nil, o, usage("--approval: %v", err)
	}
	if o.Expose, err = server.ParseExposure(f.expose); err != nil {
		return nil, o, usage("--expose: %v", err)
	}
	a.elicits = approval == server.ApproveAuto || approval == server.ApproveElicit
	h := &hall{a: a, ask: server.Asker(approval), http: f.http != "", approval: approval, forced: f.client}
	o.Upstreams, o.Files = h.upstreams, files{}
	switch f.names {
	case "qualified":
	case "plain":
		h.names = tool.PlainNames
	default:
		return nil, o, usage("--names %q: want qualified or plain", f.names)
	}
	return h, o, nil
}

// instructions are read by the model in every conversation: they say only what no tool's description can.
const instructions = "Paths are relative to the workspace. What a result cuts is kept as spill:ID: page it with read, search it with grep."

// open makes the kit and the session of one client. The first client's roots are the workspace where nothing else says which.
func (h *hall) open(ctx context.Context, c server.Client) (*tool.Kit, *tool.Session, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.ready(ctx, c); err != nil {
		return nil, nil, err
	}
	o, err := h.a.profiled(h.house, c.Profile, h.ask)
	if err != nil {
		return nil, nil, err
	}
	client, err := h.client(c)
	if err != nil {
		return nil, nil, err
	}
	if o.Ask, err = h.asker(client, o); err != nil {
		return nil, nil, err
	}
	h.a.fetchBack(h.house)
	o.Names = h.names
	kit := h.house.reg.Kit(o)
	s := &tool.Session{ID: c.ID, Principal: c.Principal, Capabilities: c.Capabilities, Back: c.Back,
		Roots: []tool.Root{{Name: filepath.Base(h.house.dir), Path: h.house.dir}}}
	tool.Of(s, func() *readRules { return &readRules{o.Policy} })
	return kit, s, nil
}

// early opens the house before the first client comes, unless the client's roots may still say where: what is wrong with the flags or the
// managed configuration ends the program at once, and what is disabled is settled (R3.10).
func (h *hall) early(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.fixed() {
		if err := h.ready(ctx, server.Client{}); err != nil {
			return err
		}
		return h.knows(h.house.set.Config)
	}
	c, err := config.Load(h.a.configEnv(), config.Options{Workspace: h.a.env.Dir, UserFile: h.a.path(h.a.flags.config), Flags: h.a.configFlags(), Tolerant: true})
	if err != nil {
		return &exitError{exitUsage, err}
	}
	if _, err = chosen(c); err != nil {
		return err
	}
	return h.knows(c)
}

// ready opens the house, once. h.mu is held.
func (h *hall) ready(ctx context.Context, c server.Client) error {
	if h.house != nil {
		return nil
	}
	dir, err := h.workspace(ctx, c)
	if err != nil {
		return err
	}
	h.a.flags.dir = dir
	house, err := h.a.open(h.ask)
	if err != nil {
		return err
	}
	h.house = house
	if off := disabledNames(house.kit.View()); len(off) > 0 { // R3.11
		h.a.note("disabled: %s", strings.Join(off, ", "))
	}
	house.tell(h.notify)
	h.a.attend(house)
	h.a.watchUnused(house)
	return nil
}

// profiles are the names at /mcp/p/NAME.
func (h *hall) profiles(ctx context.Context) ([]string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.ready(ctx, server.Client{}); err != nil {
		return nil, err
	}
	names := slices.Collect(maps.Keys(h.house.set.Clients))
	names = append(names, "default", "codebase-index")
	slices.Sort(names)
	return slices.Compact(names), nil
}

func (h *hall) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.house == nil {
		return nil
	}
	return h.house.Close()
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
