package app

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"helve/internal/config"
	"helve/sandbox"
	"helve/source/command"
	"helve/source/mcp"
	"helve/tool"
)

// waitExtra is what the listing of a source may take beyond its own start time-out before a command goes on without it.
const waitExtra = 2 * time.Second

// build makes the sources that the configuration names. Nothing is started. One that cannot be made is said, and left out.
func (a *app) build(h *house) {
	if d := h.set.Discovery; d != nil && d.Command != "" {
		h.discovery = command.New(a.discovery(h, d, false))
		h.sources = append(h.sources, h.discovery)
	}
	for _, name := range slices.Sorted(maps.Keys(h.set.MCPServers)) {
		s, err := a.server(h, name, a.cacheDir())
		if err != nil {
			a.say("%v", err)
			continue
		}
		h.servers = append(h.servers, s)
		h.sources = append(h.sources, s)
	}
}

func (a *app) discovery(h *house, d *config.Discovery, fresh bool) (command.Config, command.Options) {
	level, network, writable, masked := h.set.sandbox(a.env.getenv("HOME"))
	writable = a.openable(writable)
	return command.Config{Discover: d.Command, Call: d.Call, Dir: h.dir, Timeout: time.Duration(d.Timeout), TTL: time.Duration(d.TTL), Verbose: d.VerboseDescriptions},
		command.Options{Environ: a.env.Environ, CacheDir: a.cacheDir(), Fresh: fresh, Log: a.logger(),
			Runner: confined{sandbox.Options{Level: level, Roots: []string{h.dir}, Writable: writable, Masked: masked, Network: network, Home: a.env.getenv("HOME")}}}
}

// server makes the source of one MCP server.
func (a *app) server(h *house, name, cache string) (*mcp.Source, error) {
	c := h.set.MCPServers[name]
	if c.Sandbox != "" && c.Sandbox != "off" {
		return nil, fmt.Errorf("mcp server %s: sandbox %s: a server that is talked to cannot be confined yet\nhint: sandbox off, or no server", printable(name), c.Sandbox)
	}
	dir := h.dir
	if c.Cwd != "" {
		if dir = c.Cwd; !filepath.IsAbs(dir) {
			dir = filepath.Join(h.dir, dir)
		}
	}
	kind := c.Type
	if kind == "streamable-http" {
		kind = "http"
	}
	return mcp.New(mcp.Config{
		Name: name, Command: c.Command, Args: c.Args, Env: c.Env, Dir: dir, URL: c.URL, Headers: c.Headers, Type: kind, Trust: c.Trust,
		Timeout: time.Duration(c.Timeout), StartTimeout: time.Duration(c.StartTimeout), Include: c.IncludeTools, Exclude: c.ExcludeTools,
		Eager: c.Lazy != nil && !*c.Lazy, Share: c.Share,
	}, mcp.Options{StateDir: filepath.Join(a.stateDir(), "mcp"), CacheDir: cache, Environ: a.env.Environ, Version: version(), Log: a.logger(), Login: a.login, Notify: h.notified})
}

// tell says who listens to what servers say unasked; nil: nobody.
func (h *house) tell(to func(server string, s *tool.Session, method string, params json.RawMessage)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.notify = to
}

// notified hands on what a server says unasked, where somebody listens.
func (h *house) notified(server string, s *tool.Session, method string, params json.RawMessage) {
	h.mu.Lock()
	to := h.notify
	h.mu.Unlock()
	if to != nil {
		to(server, s, method, params)
	}
}

// connect attaches the sources, side by side, and waits for each as long as it may take to start. One that is bad costs one line.
// Those that are attached already stay as they are.
func (a *app) connect(ctx context.Context, h *house) { a.attach(ctx, h, h.sources) }

func (a *app) attach(ctx context.Context, h *house, sources []tool.Source) {
	sources = slices.DeleteFunc(slices.Clone(sources), func(s tool.Source) bool { return h.connected[s.Name()] })
	errs := make([]error, len(sources))
	var wg sync.WaitGroup
	for i, s := range sources {
		h.connected[s.Name()] = true
		wg.Go(func() {
			ctx, stop := context.WithTimeout(ctx, h.patience(s.Name()))
			defer stop()
			errs[i] = h.reg.Attach(ctx, s)
		})
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil && ctx.Err() == nil {
			a.say("%s", oneLine(strings.TrimPrefix(err.Error(), sources[i].Name()+": ")))
		}
	}
}

// oneLine is text of others fit for a message.
func oneLine(s string) string { return printable(strings.Join(strings.Fields(s), " ")) }

// connectFor attaches the sources that a tool of this name may come from: none if it is one of our own, for nobody waits for servers to
// read a file; the server that the name begins with; all, if that does not help.
func (a *app) connectFor(ctx context.Context, h *house, name string) {
	if h.reg.View().Has(name) {
		return
	}
	a.attach(ctx, h, slices.DeleteFunc(slices.Clone(h.sources), func(s tool.Source) bool { return !begins(name, s.Name()) }))
	if !h.reg.View().Has(name) {
		a.connect(ctx, h)
	}
}

// begins tells whether a tool's name, in one of its spellings, begins with the server's.
func begins(name, server string) bool {
	for _, prefix := range []string{"mcp__", "mcp_", ""} {
		rest, ok := strings.CutPrefix(name, prefix+server)
		if ok && rest != "" && strings.ContainsRune("_/.", rune(rest[0])) {
			return true
		}
	}
	return false
}

// patience is how long a listing of this source is waited for.
func (h *house) patience(source string) time.Duration {
	if source == string(tool.Command) {
		return time.Duration(max(h.set.Discovery.Timeout, config.Duration(command.DefaultTimeout))) + waitExtra
	}
	return max(time.Duration(h.set.MCPServers[source].StartTimeout), mcp.DefaultStartTimeout) + waitExtra
}

// attend attaches the sources of a served house. Lists that are remembered stand at once; what has to be started first is announced when
// it is ready. It ends with the house.
func (a *app) attend(h *house) {
	over, end := context.WithCancel(context.Background())
	end() // under it a remembered list comes, and any other is an error
	life, stop := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for _, s := range h.sources {
		h.connected[s.Name()] = true
		if h.reg.Attach(over, s) != nil {
			wg.Go(func() { a.late(life, h, s.Name()) })
		}
	}
	h.close = append(h.close, func() error { stop(); wg.Wait(); return nil })
}

// late lists a source that has to be started first.
func (a *app) late(ctx context.Context, h *house, source string) {
	within, stop := context.WithTimeout(ctx, h.patience(source))
	defer stop()
	if err := h.reg.Refresh(within, source); err != nil && ctx.Err() == nil {
		a.say("%s", oneLine(strings.TrimPrefix(err.Error(), source+": ")))
	}
}
