package app

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"helve/engine/sandbox"
	"helve/internal/config"
	"helve/source/command"
	"helve/source/upstream"
	"helve/tool"
)

// build makes the sources that the configuration names. Nothing is started. One that cannot be made is said, and left out.
func (a *app) build(h *house) {
	if d := h.set.Discovery; d != nil && d.Command != "" {
		h.discovery = command.New(a.discovery(h, d, false))
		h.sources = append(h.sources, h.discovery)
	}
	for _, name := range slices.Sorted(maps.Keys(h.set.MCPServers)) {
		s, err := a.server(h, name, false)
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

// server makes the source of one MCP server; a fresh one takes nothing from memory.
func (a *app) server(h *house, name string, fresh bool) (*upstream.Source, error) {
	c := h.set.MCPServers[name]
	launch, err := a.launcher(h, c)
	if err != nil {
		return nil, fmt.Errorf("mcp server %s: %w", printable(name), err)
	}
	var oauth upstream.OAuth
	if c.OAuth != nil {
		oauth = upstream.OAuth(*c.OAuth)
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
	return upstream.New(upstream.Config{
		Name: name, Command: c.Command, Args: c.Args, Env: c.Env, Dir: dir, URL: c.URL, Headers: c.Headers, OAuth: oauth, Type: kind, Trust: c.Trust,
		Timeout: time.Duration(c.Timeout), StartTimeout: time.Duration(c.StartTimeout), Include: c.IncludeTools, Exclude: c.ExcludeTools,
		Eager: c.Lazy != nil && !*c.Lazy, Share: c.Share, Unpinned: c.Pin != nil && !*c.Pin,
	}, upstream.Options{StateDir: filepath.Join(a.stateDir(), "mcp"), CacheDir: a.cacheDir(), Fresh: fresh, Environ: a.env.Environ, Launch: launch, Version: version(), Log: a.logger(), Login: a.login, Notify: h.notified})
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
