package workspace

import (
	"context"
	"time"

	"helve/server"
	"helve/source"
	"helve/tool"
)

// registryOf is what the kit of a session's client is made of, with its sources on their way: the common registry, or
// one in which the MCP servers are listed for this session. No server is started for a list that this session does not
// see.
func (l *sources) registryOf(s *tool.Session) *tool.Registry {
	var own []tool.Source
	if l.brought.servers != nil {
		own = l.brought.servers.For(s)
	}
	if len(own) == 0 {
		l.follow()
		return l.registry
	}
	l.followAllBut(own)
	v := &sessionView{registry: l.registry.Branch()}
	v.loader = &source.Loader{
		Registry: v.registry,
		Patience: l.patience,
		Away:     source.IsAway,
		Late:     l.loader.Late,
	}
	v.loader.Add(own...)
	v.loader.Follow()
	l.views.set(s, v)
	tool.Of(s, func() *viewEnd { return &viewEnd{views: &l.views, session: s, view: v} })
	return v.registry
}

// seenBy is the registry that a session's tools are in.
func (l *sources) seenBy(s *tool.Session) *tool.Registry {
	if v := l.views.of(s); v != nil {
		return v.registry
	}
	return l.registry
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
	if v := w.sources.views.of(s); v != nil {
		return source.Loaders{v.loader, w.sources.loader}
	}
	return source.Loaders{w.sources.loader}
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
