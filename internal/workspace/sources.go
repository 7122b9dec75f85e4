package workspace

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"helve/source"
	"helve/tool"
)

// waitExtra is what the listing of a source may take beyond its own start time-out. The source ends it itself, says why
// and remembers it; on a machine that is busy ending its server may take seconds.
const waitExtra = 20 * time.Second

// defaultPatience is how long a listing of a source is waited for that does not say: that of an MCP server.
const defaultPatience = 10 * time.Second

func (w *Assembly) serverNames() []string { return slices.Sorted(maps.Keys(w.settings.MCPServers)) }

// Connect lists the sources that the configuration names, the discovery command and the MCP servers, starting what has
// to be started, and waits until each has answered or its time is over. The kit has their tools from then on. The error
// joins a *source.Error for each source that brings nothing; all others stand, and the workspace can be used.
//
// With names only those sources are listed that have such a name, or that a tool of such a name would belong to. A
// source is listed once; later calls only wait.
func (w *Assembly) Connect(ctx context.Context, names ...string) error {
	if len(names) == 0 {
		return w.loader.All(ctx)
	}
	return w.loader.Named(ctx, names...)
}

// ConnectFor lists the sources that a tool of this name may come from: none if it is there already, as the built-in
// ones are; the servers that the name begins with; all, if it names no server. It is Connect for one call.
func (w *Assembly) ConnectFor(ctx context.Context, toolName string) error {
	return w.loader.For(ctx, toolName)
}

// Follow lists the sources in the background, for programs that live long. Lists that are remembered stand when it
// returns; sources that have to be started first come when they are ready, and Log says which do not. In a resident
// workspace it also puts away the tools of sources that nobody calls, if the configuration says after how long
// (drop_unused). The channel is closed when every source has answered; the background work ends with the workspace.
func (w *Assembly) Follow() <-chan struct{} {
	if w.o.Resident {
		w.following.Do(w.watchUnused)
	}
	return w.loader.Follow()
}

// patience is how long a listing of this source is waited for.
func (w *Assembly) patience(name string) time.Duration {
	own, ok := w.brought.patience[name]
	if !ok {
		own = defaultPatience
	}
	return own + waitExtra
}

// Listen has f hear what MCP servers say unasked, until the workspace is closed: s is the session whose connection
// said it, nil for a connection that sessions share. f does not block. A server of the workspace hears it without
// that.
func (w *Assembly) Listen(f func(server string, s *tool.Session, method string, params json.RawMessage)) {
	w.listeners.add(f)
}

// makeLoader makes what lists the sources of parts, before there are any.
func (w *Assembly) makeLoader() error {
	w.loader = &source.Loader{
		Registry: w.registry,
		Patience: w.patience,
		Away:     source.IsAway,
		Late: func(err *source.Error) {
			w.o.Log.Error(err.Err.Error())
		},
	}
	w.later(w.registry.Close)
	w.later(w.closeParts)
	w.later(w.loader.Close)
	return nil
}
