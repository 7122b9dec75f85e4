package app

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"helve/internal/config"
	"helve/server"
	"helve/source/mcp"
	"helve/tool"
)

// An MCP server is an upstream as package server wants one.
var _ server.Upstream = (*mcp.Source)(nil)

// A gateway is the other MCP servers behind a served workspace.
type gateway struct {
	a   *app
	log *slog.Logger
	srv atomic.Pointer[server.Server] // who is told what they say unasked; nil before it stands

	mu      sync.Mutex
	sources []*mcp.Source
	wg      sync.WaitGroup
	stop    context.CancelFunc
}

// attach makes the configured servers sources of the house. It waits for none: what was listed before stands at once, what was not is
// announced when its server is ready.
func (g *gateway) attach(h *house) error {
	done, cancel := context.WithCancel(context.Background())
	cancel() // a list that is remembered comes without a context; any other only begins to be made
	life, stop := context.WithCancel(context.Background())
	g.stop = stop
	h.close = append(h.close, g.close)
	for _, name := range slices.Sorted(maps.Keys(h.set.MCPServers)) {
		src, err := mcp.New(upstreamConfig(name, h.set.MCPServers[name], h.dir), mcp.Options{
			StateDir: filepath.Join(g.a.stateDir(), "mcp"), CacheDir: filepath.Join(g.a.cacheDir(), "mcp"),
			Environ: g.a.env.Environ, Log: g.log, Version: version(), Notify: g.notify})
		if err != nil {
			g.a.say("warning: mcp server %s: %v", printable(name), err)
			continue
		}
		g.mu.Lock()
		g.sources = append(g.sources, src)
		g.mu.Unlock()
		if h.reg.Attach(done, src) != nil {
			g.wg.Go(func() { g.late(life, h.reg, name) })
		}
	}
	return nil
}

// late lists a server that had to be started.
func (g *gateway) late(life context.Context, reg *tool.Registry, name string) {
	if err := reg.Refresh(life, name); err != nil && life.Err() == nil {
		g.a.say("mcp server %s is missing: %s", printable(name), printable(err.Error()))
	}
}

func (g *gateway) close() error {
	g.stop()
	g.wg.Wait()
	return nil
}

func (g *gateway) notify(name string, s *tool.Session, method string, params json.RawMessage) {
	if srv := g.srv.Load(); srv != nil {
		srv.Notify(name, s, method, params)
	}
}

// upstreams are the servers as package server wants them, by name.
func (g *gateway) upstreams() []server.Upstream {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := make([]server.Upstream, len(g.sources))
	for i, s := range g.sources {
		out[i] = s
	}
	return out
}

// upstreamConfig is what the configuration says of one server.
func upstreamConfig(name string, c config.Server, dir string) mcp.Config {
	cwd := c.Cwd
	if !filepath.IsAbs(cwd) {
		cwd = filepath.Join(dir, cwd)
	}
	kind := c.Type
	if kind == "streamable-http" {
		kind = "http"
	}
	return mcp.Config{Name: name, Command: c.Command, Args: c.Args, Env: c.Env, Dir: cwd, URL: c.URL, Headers: c.Headers, Type: kind,
		Trust: c.Trust, Timeout: time.Duration(c.Timeout), StartTimeout: time.Duration(c.StartTimeout),
		Include: c.IncludeTools, Exclude: c.ExcludeTools, Eager: c.Lazy != nil && !*c.Lazy, Share: c.Share}
}
