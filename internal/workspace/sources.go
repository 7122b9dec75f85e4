package workspace

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"helve/engine/sandbox"
	"helve/internal/config"
	"helve/internal/programs"
	"helve/internal/version"
	"helve/source/command"
	"helve/source/upstream"
	"helve/tool"
	"helve/wrap"
)

// waitExtra is what the listing of a source may take beyond its own start time-out. The source ends it itself, says why
// and remembers it; on a machine that is busy ending its server may take seconds.
const waitExtra = 20 * time.Second

// addSources makes the sources that the configuration names. Nothing is started. One that cannot be made is said, and
// left out.
func (w *Assembly) addSources() error {
	bounds := w.settings.Limits
	w.processes = upstream.NewProcesses(bounds.ServerProcessesPerClient, bounds.ServerProcesses)
	if d := w.settings.Discovery; d != nil && d.Command != "" {
		w.loader.Add(command.New(w.discovery(d, false)))
	}
	for _, name := range w.serverNames() {
		if w.settings.MCPServers[name].Disabled {
			continue
		}
		s, err := w.server(name, false)
		if err != nil {
			w.o.Log.Error(err.Error())
			continue
		}
		w.servers = append(w.servers, s)
		w.loader.Add(s)
	}
	if w.o.Sources == nil {
		return nil
	}
	more, err := w.o.Sources(w.Dir())
	w.loader.Add(more...)
	return err
}

// closeServers ends what conversations share of the MCP servers: one that is listed for sessions only is in no registry.
func (w *Assembly) closeServers() error {
	var closing sync.WaitGroup // side by side
	for _, s := range w.servers {
		closing.Go(func() { _ = s.Close() }) // it returns none
	}
	closing.Wait()
	return nil
}

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

// Servers are the MCP servers that the configuration names, by name. The workspace closes them.
func (w *Assembly) Servers() []*upstream.Source { return slices.Clone(w.servers) }

// FreshServer makes a source of its own for one of the configured MCP servers, which takes nothing from memory and
// whose tools are not registered: to try it, or to look at its definitions. Close it.
func (w *Assembly) FreshServer(name string) (*upstream.Source, error) {
	if _, ok := w.settings.MCPServers[name]; !ok {
		hint := "none is configured: helve mcp add"
		if len(w.settings.MCPServers) > 0 {
			hint = "configured are: " + strings.Join(w.serverNames(), ", ")
		}
		return nil, fmt.Errorf("there is no mcp server %q\nhint: %s", name, hint)
	}
	return w.server(name, true)
}

// ErrNoDiscovery says that no discovery command is configured.
var ErrNoDiscovery = errors.New("no discovery command is configured")

// Discover runs the discovery command and registers what it brings, instead of what it brought before. Unless fresh is
// true, what is remembered and not too old is taken instead.
func (w *Assembly) Discover(ctx context.Context, fresh bool) ([]tool.Tool, error) {
	d := w.settings.Discovery
	if d == nil || d.Command == "" {
		return nil, ErrNoDiscovery
	}
	src := command.New(w.discovery(d, fresh))
	tools, err := src.Tools(ctx)
	if isAway(err) { // who asks for it has it run
		tools, err = src.Tools(ctx)
	}
	if err != nil {
		return nil, err
	}
	return tools, w.registry.Set(string(tool.Command), tools)
}

// DiscoveryAbsence is what is remembered of a discovery command that failed; nil: nothing. It is not run.
func (w *Assembly) DiscoveryAbsence() *upstream.Absence {
	d := w.settings.Discovery
	if d == nil || d.Command == "" {
		return nil
	}
	return command.New(w.discovery(d, false)).Absence()
}

func (w *Assembly) discovery(d *config.Discovery, fresh bool) (command.Config, command.Options) {
	c := command.Config{
		Discover: d.Command,
		Call:     d.Call,
		Dir:      w.Dir(),
		Timeout:  time.Duration(d.Timeout),
		TTL:      time.Duration(d.TTL),
		Verbose:  d.VerboseDescriptions,
	}
	return c, command.Options{
		Environ:  w.o.Environ,
		CacheDir: w.places.CacheDir,
		Fresh:    fresh,
		Log:      w.o.Log,
		Runner:   command.Confined(w.forNamed()),
	}
}

// forNamed is the sandbox of programs that the configuration names: what is shown for them is nothing of helve's own.
func (w *Assembly) forNamed() sandbox.Options {
	box := w.sandbox()
	box.Masked = slices.Concat(box.Masked, w.guarded(), []string{w.places.CacheDir})
	return box
}

// server makes the source of one MCP server; a fresh one takes nothing from memory.
func (w *Assembly) server(name string, fresh bool) (*upstream.Source, error) {
	c := w.settings.MCPServers[name]
	launch, err := w.launcher(name, c)
	if err != nil {
		return nil, fmt.Errorf("mcp server %s: %w", name, err)
	}
	var pins upstream.PinStore
	if w.o.Shared != nil {
		pins = w.o.Shared
	}
	processes := w.processes
	if fresh { // it is not one of ours, and ends soon
		processes = nil
	}
	return upstream.New(w.upstreamConfig(name, c), upstream.Options{
		Pins:     pins,
		StateDir: filepath.Join(w.places.StateDir, "mcp"),
		CacheDir: w.places.CacheDir,
		Fresh:    fresh,
		Patient:  w.startsFor(),
		Environ:  w.o.Environ,
		Launch:   launch,
		Version:  version.String(),
		Log:      w.o.Log,
		Login:    w.o.Login,

		Processes: processes,
		Telemetry: w.o.Telemetry,

		Notify: w.listeners.tell,
		Asked:  w.asked,
	})
}

// goesOnFor is how long a server may go on starting in a program that lives long, when nobody waits for it any more:
// npx and uvx download what they start, and on a slow line that takes a minute or two.
const goesOnFor = 2 * time.Minute

// startsFor is that time in a resident workspace.
func (w *Assembly) startsFor() time.Duration {
	if !w.o.Resident {
		return 0
	}
	return goesOnFor
}

func (w *Assembly) upstreamConfig(name string, c config.Server) upstream.Config {
	out := upstream.Config{
		Name:         name,
		Command:      programs.AtHome([]string{c.Command}, w.getenv("HOME"))[0],
		Args:         c.Args,
		Env:          c.Env,
		Dir:          w.Dir(),
		URL:          c.URL,
		Headers:      c.Headers,
		Type:         c.Type,
		Trust:        c.Trust,
		Timeout:      time.Duration(c.Timeout),
		StartTimeout: time.Duration(c.StartTimeout),
		Include:      c.IncludeTools,
		Exclude:      c.ExcludeTools,
		Eager:        c.Lazy != nil && !*c.Lazy,
		Share:        c.Share,
		Unpinned:     c.Pin != nil && !*c.Pin,
	}
	switch {
	case filepath.IsAbs(c.Cwd):
		out.Dir = c.Cwd
	case c.Cwd != "":
		out.Dir = filepath.Join(w.Dir(), c.Cwd)
	}
	if c.Type == "streamable-http" {
		out.Type = "http"
	}
	if c.OAuth != nil {
		out.OAuth = upstream.OAuth(*c.OAuth)
	}
	return out
}

// launcher is how a server is started: nil, as the user's own program, where it is to run unconfined.
func (w *Assembly) launcher(name string, c config.Server) (upstream.Launcher, error) {
	level := cmp.Or(c.Sandbox, sandbox.Light.String())
	switch {
	case level == "off", c.URL != "" && c.Sandbox == "":
		return nil, nil
	case c.URL != "":
		return nil, errors.New("sandbox: a server behind a url is not started here")
	}
	box := w.sandbox()
	box.Level = levelOf[level]
	box.Network = c.Network != nil && *c.Network
	if box.Level != sandbox.Light {
		box.Masked = w.forNamed().Masked
		if box.Network && box.Level == sandbox.ReadOnly {
			return nil, errors.New("sandbox: read-only has no network: want workspace-write")
		}
		return upstream.Confined(box), nil
	}
	box.Network = c.Network == nil || *c.Network
	return &upstream.Light{
		Box:  box,
		Own:  append(w.guarded(), w.places.CacheDir),
		Warn: func(text string) { w.o.Log.Info("mcp server " + name + ": " + text) },
	}, nil
}

// patience is how long a listing of this source is waited for.
func (w *Assembly) patience(source string) time.Duration {
	if source == string(tool.Command) {
		own := time.Duration(w.settings.Discovery.Timeout)
		return max(own, command.DefaultTimeout) + waitExtra
	}
	start := time.Duration(w.settings.MCPServers[source].StartTimeout)
	if start <= 0 {
		start = upstream.DefaultStartTimeout
	}
	return start + waitExtra
}

func isAway(err error) bool { return errors.Is(err, upstream.ErrAway) }

// listeners hear what servers say unasked. The zero value is ready.
type listeners struct {
	mu  sync.Mutex
	all []notify
}

func (l *listeners) add(f notify) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, f)
}

func (l *listeners) tell(server string, s *tool.Session, method string, params json.RawMessage) {
	l.mu.Lock()
	all := slices.Clone(l.all)
	l.mu.Unlock()
	for _, f := range all {
		f(server, s, method, params)
	}
}

// Listen has f hear what MCP servers say unasked, until the workspace is closed: s is the session whose connection
// said it, nil for a connection that sessions share. f does not block. A server of the workspace hears it without
// that.
func (w *Assembly) Listen(f func(server string, s *tool.Session, method string, params json.RawMessage)) {
	w.listeners.add(f)
}

// sweepsPerAge is how often a server looks for unused tools in the time after which they count as unused.
const sweepsPerAge = 4

// unused are the tools of others that nobody calls. The zero value is ready.
type unused struct {
	idle wrap.Idle
	mu   sync.Mutex
	from map[string]bool // the sources of what was put away
}

// watchUnused puts tools away, if the configuration says after how long, until the workspace is closed.
func (w *Assembly) watchUnused() {
	age := time.Duration(w.settings.DropUnused)
	if age <= 0 {
		return
	}
	w.loader.Go(func(life context.Context) {
		t := time.NewTicker(max(age/sweepsPerAge, time.Second))
		defer t.Stop()
		for {
			select {
			case <-life.Done():
				return
			case now := <-t.C:
				w.putAway(now)
			}
		}
	})
}

// putAway drops what nobody called for as long as the configuration says before now.
func (w *Assembly) putAway(now time.Time) {
	age := time.Duration(w.settings.DropUnused)
	before := w.registry.View() // knows where the tools come from
	gone := w.unused.idle.Sweep(w.registry, age, now)
	if len(gone) == 0 {
		return
	}
	w.unused.mu.Lock()
	defer w.unused.mu.Unlock()
	if w.unused.from == nil {
		w.unused.from = map[string]bool{}
	}
	for _, name := range gone {
		if t, ok := before.Get(name); ok {
			w.unused.from[t.Spec().Origin.Source()] = true
		}
	}
	w.notice("dropped, unused for %v: %s", age, strings.Join(gone, ", "))
}

// fetchBack lists the sources again whose tools were put away, without waiting: a new client starts with all of them.
func (w *Assembly) fetchBack() {
	w.unused.mu.Lock()
	from := w.unused.from
	w.unused.from = nil
	w.unused.mu.Unlock()
	for name := range from {
		w.loader.Again(name)
	}
}
