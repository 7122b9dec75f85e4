package workspace

import (
	"context"
	"slices"
	"time"

	"helve/server"
	"helve/source"
	"helve/tool"
)

// registryOf is what the kit of a session's client is made of, with its sources
// on their way: the common registry, or one in which the MCP servers are listed
// for this session. No server is started for a list that this session does not
// see.
func (w *Assembly) registryOf(s *tool.Session) *tool.Registry {
	var own []tool.Source
	if w.brought.servers != nil {
		own = w.brought.servers.For(s)
	}
	if len(own) == 0 {
		w.Follow()
		return w.registry
	}
	w.followAllBut(own)
	v := &sessionView{registry: w.registry.Branch()}
	v.loader = &source.Loader{
		Registry: v.registry,
		Patience: w.patience,
		Away:     source.IsAway,
		Late:     w.loader.Late,
	}
	v.loader.Add(own...)
	v.loader.Follow()
	w.views.set(s, v)
	tool.Of(s, func() *viewEnd { return &viewEnd{views: &w.views, session: s, view: v} })
	return v.registry
}

// seenBy is the registry that a session's tools are in.
func (w *Assembly) seenBy(s *tool.Session) *tool.Registry {
	if v := w.views.of(s); v != nil {
		return v.registry
	}
	return w.registry
}

// followAllBut is Follow without the servers that a session lists for itself.
func (w *Assembly) followAllBut(own []tool.Source) {
	if w.o.Resident {
		w.following.Do(w.watchUnused)
	}
	w.loader.FollowOnly(func(s tool.Source) bool {
		return !slices.ContainsFunc(own, func(o tool.Source) bool { return o.Name() == s.Name() })
	})
}

// loading tells the clients of a server what is still starting.
type loading struct{ g *gateway }

var _ server.Loading = loading{}

// loaders are those that a session waits for: its own, and the workspace's.
func (l loading) loaders(s *tool.Session) source.Loaders {
	l.g.mu.Lock()
	w := l.g.w
	l.g.mu.Unlock()
	if w == nil {
		return nil
	}
	if v := w.views.of(s); v != nil {
		return source.Loaders{v.loader, w.loader}
	}
	return source.Loaders{w.loader}
}

// Missing are the sources that a session waits for, and those that did not come.
func (l loading) Missing(s *tool.Session, name string) (starting, absent []string) {
	return l.loaders(s).Missing(name)
}

// Await waits for the sources that a tool of this name may come from; "" for
// all.
func (l loading) Await(ctx context.Context, s *tool.Session, name string) {
	l.loaders(s).Wait(ctx, name)
}

// AwaitFirst waits for the sources that have not been starting for so long yet.
func (l loading) AwaitFirst(ctx context.Context, s *tool.Session, most time.Duration) {
	l.loaders(s).WaitFirst(ctx, most)
}

// maxToolName is the longest name that every provider accepts, in bytes.
const maxToolName = 64

// named is how the tools of others are named for a client: what the client puts
// before a name counts.
func (w *Assembly) named(o *tool.KitOptions, c Client) {
	if c.Prefix == "" || w.o.Clients.KeepNames || o.Names != tool.QualifiedNames {
		return
	}
	longest := c.MaxName
	if longest == 0 {
		longest = maxToolName
	}
	o.Names = tool.ServerNames
	o.MaxName = longest - len(c.Prefix)
}
