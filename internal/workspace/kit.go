package workspace

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"helve/builtin"
	"helve/codetool"
	"helve/internal/programs"
	"helve/policy"
	"helve/script"
	"helve/tool"
	"helve/tool/telemetry"
	"helve/wrap"
)

// KitOptions are what a further kit of a workspace has of its own. The zero value makes one like Workspace.Kit.
type KitOptions struct {
	Profile string     // the set of tools; "": the workspace's
	Mode    string     // plan, ask, review or auto; "": what the profile says
	Ask     tool.Asker // nil: the workspace's

	todos bool // the client keeps a list of what is to be done itself

	// Around are middlewares of this kit alone, inside those of the workspace: the record, the counts and the hooks.
	Around []func(tool.Caller) tool.Caller
}

// NewKit makes a further kit of the workspace's tools, under the same configuration and approvals: for another profile,
// or for another mode, as after a plan was approved.
func (w *Assembly) NewKit(o KitOptions) (*tool.Kit, error) {
	options, err := w.kitOptions(o)
	if err != nil {
		return nil, err
	}
	return w.registry.Kit(options), nil
}

func (w *Assembly) kitOptions(o KitOptions) (tool.KitOptions, error) {
	bounds := wrap.Options{ResultBytes: w.settings.Limits.ResultBytes, Endless: w.o.Attached != nil}
	out := tool.KitOptions{
		Ask:    o.Ask,
		Grants: w.grants,
		Watch:  w.watching(),
		Around: slices.Concat(w.around, o.Around),
		Wrap:   slices.Concat(w.o.Wrap, wrap.Standard(bounds)),
		Names:  w.o.Names,
	}
	if w.o.Telemetry != nil { // the innermost: what works, without what it waits for
		out.Wrap = append(out.Wrap, telemetry.Calls{To: w.o.Telemetry}.Wrap)
	}
	if o.Ask == nil {
		out.Ask = w.o.Ask
	}
	live, s, err := w.policyOf(o)
	if err != nil {
		return out, err
	}
	out.Policy = live
	out.Show = s.shown()
	if !w.o.Worker { // who knows the tools by their own definitions, and says which is meant
		out.Listing = s.listing(o.todos)
	}
	return out, nil
}

// watching is who is told of the steps of calls; nil: nobody.
func (w *Assembly) watching() func(context.Context, tool.Event) {
	own, to := w.o.Watch, w.o.Telemetry
	if to == nil {
		return own
	}
	spans := telemetry.Calls{To: to}.Watch
	if own == nil {
		return spans
	}
	return func(ctx context.Context, e tool.Event) {
		own(ctx, e)
		spans(ctx, e)
	}
}

// settingsOf are settings with another profile or mode; the same pointer if neither differs.
func settingsOf(s *settings, o policyKey) (*settings, error) {
	if o.profile != "" && o.profile != s.Profile {
		c := *s.Config
		c.Profile = o.profile
		var err error
		s, err = chosen(&c)
		if err != nil {
			return nil, err
		}
	}
	if o.mode == "" || o.mode == s.mode.String() {
		return s, nil
	}
	mode, err := policy.ParseMode(o.mode)
	if err != nil {
		return nil, err
	}
	own := *s
	own.mode = mode
	return &own, nil
}

// Mode is how free the agent is: plan, ask, review or auto.
func (w *Assembly) Mode() policy.Mode { return w.now.Load().mode }

// Profile is the name of the set of tools: default, codebase-index, small or another.
func (w *Assembly) Profile() string { return w.now.Load().Profile }

// Approvals are what was approved before. Who asks a person finds there what a lasting yes may cover (Offers).
func (w *Assembly) Approvals() *policy.Grants { return w.grants }

// sessionID keeps the names of sessions to what a file name may be.
var sessionID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)
})

// NewSession makes a session: what its calls remember of each other, and the commands that they leave running, end with
// it. The workspace closes it if nobody did before.
func (w *Assembly) NewSession() *tool.Session {
	return w.sessions.add(&tool.Session{ID: rand.Text(), Principal: "local", Roots: w.roots()})
}

// SessionID tells whether a session can be called so: at most 64 letters, digits, dots, dashes and underscores.
func SessionID(id string) bool { return sessionID().MatchString(id) }

// Session is NewSession for a conversation that later processes go on with under the same id: what was read, lists
// and long outputs are kept in helve's state. The id is one that SessionID takes.
func (w *Assembly) Session(id string) (*tool.Session, error) {
	if !SessionID(id) {
		return nil, fmt.Errorf("session %q: want at most 64 letters, digits, dots, dashes and underscores", id)
	}
	return w.sessions.add(&tool.Session{
		ID:        id,
		Principal: "local",
		Roots:     w.roots(),
		Store:     tool.DirStore(filepath.Join(w.places.StateDir, "sessions", id)),
	}), nil
}

// sessions are those that nobody has closed yet. The zero value is ready.
type sessions struct {
	mu  sync.Mutex
	all map[*tool.Session]bool
}

// A member takes its session from the list when that is closed.
type member struct {
	of *sessions
	s  *tool.Session
}

// Close is called by the session.
func (m *member) Close() error {
	m.of.mu.Lock()
	defer m.of.mu.Unlock()
	delete(m.of.all, m.s)
	return nil
}

func (l *sessions) add(s *tool.Session) *tool.Session {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = map[*tool.Session]bool{}
	}
	l.all[s] = true
	tool.Of(s, func() *member { return &member{l, s} })
	return s
}

// end closes them.
func (l *sessions) end() error {
	l.mu.Lock()
	left := slices.Collect(maps.Keys(l.all))
	l.mu.Unlock()
	errs := make([]error, len(left))
	var closing sync.WaitGroup // side by side: one that takes its time keeps no other
	for i, s := range left {
		closing.Go(func() { errs[i] = s.Close() })
	}
	closing.Wait()
	return errors.Join(errs...)
}

// Named says what whoever wanted the workspace calls it, such as an MCP client its root: servers that ask for the roots
// are told it, by sessions that are made from then on. "": the folder's own name.
func (w *Assembly) Named(name string) { w.name.Store(&name) }

func (w *Assembly) roots() []tool.Root {
	var out []tool.Root
	for _, dir := range w.dirs {
		out = append(out, tool.Root{Name: filepath.Base(dir), Path: dir})
	}
	if name := w.name.Load(); name != nil && *name != "" && len(out) > 0 {
		out[0].Name = *name
	}
	return out
}

// makeTools makes our own tools, with the defaults that the configuration's tool_options say. A tolerant workspace goes
// on without one that is wrong.
func (w *Assembly) makeTools() error {
	w.tools = append(builtin.All(w.files), codetool.All(w.code)...)
	w.tools = append(w.tools, builtin.Refactor(w.files, w.code.Snapshot)...)
	if w.wantsPast() {
		w.tools = append(w.tools, builtin.Past(w.files)...)
	}
	if w.o.Relocate != nil {
		moved, err := w.o.Relocate(w.Dir(), w.tools)
		if err != nil {
			return err
		}
		w.tools = moved
	}
	options := w.settings.ToolOptions
	if w.o.Worker {
		options = nil
	}
	for _, name := range slices.Sorted(maps.Keys(options)) {
		i := slices.IndexFunc(w.tools, func(t tool.Tool) bool { return t.Spec().Name == name })
		if i < 0 {
			continue // compareNames says so
		}
		made, err := wrap.Defaults(w.tools[i], options[name])
		switch {
		case err == nil:
			w.tools[i] = made
		case w.o.Tolerant:
			w.warn("tool_options.%s: %v: ignored", name, err)
		default:
			return fmt.Errorf("%s: tool_options.%s: %w", w.settings.At("tool_options", name), name, err)
		}
	}
	w.tools = append(w.tools, w.o.Tools...)
	w.makeScript()
	return nil
}

// makeScript makes run_script where it is wanted and scripts can be confined.
func (w *Assembly) makeScript() {
	if !w.o.Script && (w.settings.Script == nil || !*w.settings.Script) {
		return
	}
	switch err := script.Confined(context.Background()); {
	case errors.Is(err, script.ErrNoInterpreter):
		w.warn("run_script is not offered: this program has no interpreter: it calls no interpreter.Init")
		return
	case err != nil:
		w.warn("run_script is not offered: %v", err)
		return
	}
	scripts := script.Tool(nil, script.Options{})
	w.later(scripts.Close)
	w.tools = append(w.tools, scripts)
}

// ownNames are the names of our own tools: as a bare name they never mean another's.
func (w *Assembly) ownNames() []string {
	own := slices.Clone(protected)
	for _, t := range w.tools {
		own = append(append(own, t.Spec().Name), t.Spec().Aliases...)
	}
	return own
}

// hooks are the configuration's commands around calls. One that cannot be understood is an error: what it was
// to prevent would happen.
func (w *Assembly) hooks() (*wrap.Hooks, error) {
	out := &wrap.Hooks{Dir: w.Dir(), Environ: w.o.Environ}
	out.Understand = func(ctx context.Context, c *tool.Call) (*tool.Job, error) {
		return w.kit.Understand(ctx, c)
	}
	for i, c := range w.settings.Hooks {
		at := w.settings.AtItem("hooks", i)
		argv, err := programs.Split(c.Command, w.getenv("HOME"))
		if err != nil || len(argv) == 0 || argv[0] == "" {
			return nil, fmt.Errorf("%s: hooks: %q is no command", at, c.Command)
		}
		if c.On != "before" && c.On != "after" {
			return nil, fmt.Errorf("%s: hooks: on %q: want before or after", at, c.On)
		}
		hook := wrap.Hook{
			After:   c.On == "after",
			Argv:    argv,
			Timeout: time.Duration(c.Timeout),
		}
		if c.Match != "" {
			hook.Match = func(s *tool.Spec) bool { return w.rules().Selects(c.Match, s) }
		}
		out.List = append(out.List, hook)
	}
	return out, nil
}

// onceOnly warns of an error the first time that it comes.
func (w *Assembly) onceOnly(text string) func(error) {
	var once sync.Once
	return func(err error) { once.Do(func() { w.warn("%s: %v", text, err) }) }
}

// closeTime is how long Close waits for the calls that it cancelled: a tool that does not listen must not keep the
// program, which is given two seconds or more.
const closeTime = 1500 * time.Millisecond

// calls are those that run. The zero value is ready.
type calls struct {
	mu      sync.Mutex
	closed  bool
	running map[*context.CancelFunc]bool
	none    chan struct{} // closed when none is left after end; nil before
}

// ended is the result of a call that Close ended, or that came too late.
func ended() *tool.Result {
	return tool.Fail(tool.Errorf(tool.Cancelled, "the workspace is closed"))
}

// around is the middleware that knows of every call. A call that Close ends has a result that says so.
func (r *calls) around(next tool.Caller) tool.Caller {
	return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		own, done := r.begin(ctx)
		if done == nil {
			return ended(), nil
		}
		defer done()
		res, err := next(own, c)
		if err != nil && ctx.Err() == nil && own.Err() != nil {
			return ended(), nil // the caller's own context goes on
		}
		return res, err
	}
}

// begin notes a call. done is nil after end.
func (r *calls) begin(ctx context.Context) (own context.Context, done func()) {
	own, stop := context.WithCancel(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		stop()
		return own, nil
	}
	if r.running == nil {
		r.running = map[*context.CancelFunc]bool{}
	}
	key := &stop
	r.running[key] = true
	return own, func() {
		stop()
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.running, key)
		if r.none != nil && len(r.running) == 0 {
			close(r.none)
		}
	}
}

// end cancels what runs, lets nothing more begin, and waits a moment.
func (r *calls) end() {
	r.mu.Lock()
	r.closed = true
	none := make(chan struct{})
	if len(r.running) == 0 {
		close(none)
	} else {
		r.none = none
	}
	for stop := range r.running {
		(*stop)()
	}
	r.mu.Unlock()
	select {
	case <-none:
	case <-time.After(closeTime):
	}
}
