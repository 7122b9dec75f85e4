package workspace

import (
	"context"
	"sync"

	"helve/engine/tree"
	"helve/internal/version"
	"helve/server"
	"helve/tool"
)

// instructions are read by the model in every conversation: they say only what no tool's description can.
const instructions = "Paths are relative to the workspace. " +
	"What a result cuts is kept as spill:ID: page it with read, search it with grep."

// Server makes an MCP server of the workspace, the one that helve serve runs: each client gets the kit of its profile
// and a session of its own; the files are resources; MCP servers behind the workspace are passed on, with their
// resources and prompts. Empty fields of o are filled in. Close the server before the workspace.
//
// Options.Ask of the workspace is who approves; without one, Options.Clients says how the client, or its person, is
// asked. A workspace that is served should be Resident.
func (w *Assembly) Server(o server.Options) *server.Server {
	open := func(context.Context, server.Client) (*Assembly, error) { return w, nil }
	if o.Telemetry == nil {
		o.Telemetry = w.o.Telemetry
	}
	if o.Instructed == nil {
		o.Instructed = w.Instructions
	}
	if o.Functions == nil {
		o.Functions = w.brought.functions
	}
	return NewServer(open, o)
}

// Instructions are what the MCP servers of the workspace say to models about their tools, as far as that is known
// without starting one.
func (w *Assembly) Instructions() []server.Instructions {
	if w.brought.servers == nil {
		return nil
	}
	return w.brought.servers.Instructions()
}

// NewServer is Server for a workspace that is opened when the first client wants it, such as one that the client's
// roots name. open is called until it succeeds, and then never again. Whoever opened the workspace closes it, after the
// server.
func NewServer(open func(context.Context, server.Client) (*Assembly, error), o server.Options) *server.Server {
	g := &gateway{open: open}
	if o.Version == "" {
		o.Version = version.String()
	}
	if o.Title == "" {
		o.Title = "helve"
	}
	if o.Instructions == "" {
		o.Instructions = instructions
	}
	if o.Upstreams == nil {
		o.Upstreams = g.upstreams
	}
	if o.Loading == nil {
		o.Loading = loading{g}
	}
	if o.Files == nil {
		o.Files = server.Folder{Denies: deniedTo, Trees: g.trees}
	}
	if o.History == nil {
		o.History = pastResources{}
	}
	srv := server.New(g.client, o)
	g.notify = srv.Notify
	return srv
}

// Profiles are the names of the sets of tools, for server.HTTPOptions.Profiles.
func (w *Assembly) Profiles() []string { return w.conf.now.Load().profiles() }

// A gateway gives every client of a server its kit and its session.
type gateway struct {
	open   func(context.Context, server.Client) (*Assembly, error)
	notify notify

	mu sync.Mutex
	w  *Assembly // nil: no client has come yet
}

// workspace opens the workspace, once.
func (g *gateway) workspace(ctx context.Context, c server.Client) (*Assembly, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.w != nil {
		return g.w, nil
	}
	w, err := g.open(ctx, c)
	if err != nil {
		return nil, err
	}
	w.listeners.add(g.notify)
	g.w = w
	return w, nil
}

// client makes the kit and the session of one client.
func (g *gateway) client(ctx context.Context, c server.Client) (*tool.Kit, *tool.Session, error) {
	w, err := g.workspace(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	known, err := w.clients.of(c)
	if err != nil {
		return nil, nil, err
	}
	o, err := w.kits.options(KitOptions{Profile: c.Profile, todos: known.Todos})
	if err != nil {
		return nil, nil, err
	}
	if o.Ask == nil {
		o.Ask, err = w.clients.asker(c, known, o.Policy)
		if err != nil {
			return nil, nil, err
		}
		if w.o.Clients.Ask != nil {
			o.Ask = w.o.Clients.Ask(o.Ask)
		}
	}
	w.clients.named(&o, known)
	w.sources.fetchBack()
	s := &tool.Session{
		ID:           c.ID,
		Principal:    c.Principal,
		Client:       c.Name,
		Capabilities: c.Capabilities,
		Back:         c.Back,
		Shared:       c.Shared,
		Roots:        w.roots(),
	}
	if c.Lasting && w.o.Shared != nil {
		share(w.o.Shared, s)
	}
	tool.Of(s, func() *readRules { return &readRules{o.Policy} })
	tool.Of(s, func() *server.ClientProfile { return &known.ClientProfile })
	tool.Of(s, func() *sessionPast { return &sessionPast{w, c.Profile} })
	return w.sources.registryOf(s).Kit(o), s, nil
}

// trees are the workspace's. A session is there, so it is open.
func (g *gateway) trees() *tree.Set {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.w.trees
}

// readRules are the policy of a session, for those who read files without a call.
type readRules struct{ policy tool.Policy }

// deniedTo tells whether a rule keeps a path, or all below it, from being read. A policy that cannot tell denies.
func deniedTo(s *tool.Session, target string) bool {
	none := func() *readRules { return &readRules{} }
	r := tool.Of(s, none)
	d, ok := r.policy.(interface {
		Denies(kind tool.Kind, target string) bool
	})
	return !ok || d.Denies(tool.Read, target)
}

// upstreams are the servers behind the workspace, none while it is not open.
func (g *gateway) upstreams() []server.Upstream {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.w == nil || g.w.brought.servers == nil {
		return nil
	}
	return g.w.brought.servers.Upstreams()
}
