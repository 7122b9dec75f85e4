package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"helve/builtin"
	"helve/engine/tree"
	"helve/policy"
	"helve/tool"
	"helve/wrap"
)

// An Assembly is a folder with its tools: what the stages of Open have made, and what is asked of it then. Its methods
// are safe for concurrent use. Close it.
type Assembly struct {
	o   Options // as given, with the defaults filled in
	say messages

	places   *places
	conf     *configuration
	guard    *guard
	confined confinement
	trees    *tree.Set // that the tools look at: one watch for all
	files    *builtin.Toolbox
	brought  brought     // by parts
	tools    []tool.Tool // our own and the program's
	registry *tool.Registry
	sources  *sources
	records  *records
	kits     *kits
	kit      *tool.Kit
	clients  clients

	name      atomic.Pointer[string] // what whoever wanted it calls it; nil: the folder's own
	calls     calls
	sessions  sessions
	listeners listeners
	following sync.Once // the configuration

	closing sync.Once
	close   []func() error // in reverse order
	closed  error
}

// Close cancels the calls that run, waits for them a moment, closes the workspace's sessions and ends all that it
// started. A second Close does nothing.
func (w *Assembly) Close() error {
	w.closing.Do(func() {
		w.calls.end()
		errs := []error{w.sessions.end()}
		for _, f := range slices.Backward(w.close) {
			errs = append(errs, f())
		}
		w.closed = errors.Join(errs...)
	})
	return w.closed
}

// Dir is the workspace's folder, the first of Dirs, with links resolved.
func (w *Assembly) Dir() string { return w.places.dir() }

// Dirs are the folders that the tools work in, the workspace's first, with links resolved.
func (w *Assembly) Dirs() []string { return slices.Clone(w.places.dirs) }

// Kit offers the workspace's tools under its rules. It is always the same one.
func (w *Assembly) Kit() *tool.Kit { return w.kit }

// Registry holds the tools of every origin, those too that the rules do not offer. It is for sources of the program's
// own.
func (w *Assembly) Registry() *tool.Registry { return w.registry }

// Mode is how free the agent is: plan, ask, review or auto.
func (w *Assembly) Mode() policy.Mode { return w.conf.now.Load().mode }

// Profile is the name of the set of tools: default, codebase-index, small or another.
func (w *Assembly) Profile() string { return w.conf.now.Load().Profile }

// Approvals are what was approved before. Who asks a person finds there what a lasting yes may cover (Offers).
func (w *Assembly) Approvals() *policy.Grants { return w.guard.grants }

// Note puts something on record that is no call, such as a switch that a person set. It stands among the calls.
func (w *Assembly) Note(r wrap.Record) error { return w.records.note(r) }

// Decided puts on record what a person decided beside the calls.
func (w *Assembly) Decided(principal string, by tool.Approver, what, title string) error {
	return w.Note(wrap.Record{
		Time:      time.Now().UTC(),
		Principal: principal,
		Name:      what,
		Title:     title,
		Approver:  by,
		Outcome:   "ok",
	})
}

// NewKit makes a further kit of the workspace's tools, under the same configuration and approvals: for another profile,
// or for another mode, as after a plan was approved.
func (w *Assembly) NewKit(o KitOptions) (*tool.Kit, error) {
	options, err := w.kits.options(o)
	if err != nil {
		return nil, err
	}
	return w.registry.Kit(options), nil
}

// Add registers tools of the program's own, all or none. They are judged like all others: one that does not say
// what it touches (tool.Spec.Touches) is asked about as soon as a rule guards something that it might touch. Log
// names each tool of Kind Read that leaves that open.
func (w *Assembly) Add(tools ...tool.Tool) error {
	if err := w.registry.Add(tools...); err != nil {
		return err
	}
	w.say.tellUnsaid(tools)
	return nil
}

// Connect lists the sources that the configuration names, the discovery command and the MCP servers, starting what has
// to be started, and waits until each has answered or its time is over. The kit has their tools from then on. The error
// joins a *source.Error for each source that brings nothing; all others stand, and the workspace can be used.
//
// With names only those sources are listed that have such a name, or that a tool of such a name would belong to. A
// source is listed once; later calls only wait.
func (w *Assembly) Connect(ctx context.Context, names ...string) error {
	if len(names) == 0 {
		return w.sources.loader.All(ctx)
	}
	return w.sources.loader.Named(ctx, names...)
}

// ConnectFor lists the sources that a tool of this name may come from: none if it is there already, as the built-in
// ones are; the servers that the name begins with; all, if it names no server. It is Connect for one call.
func (w *Assembly) ConnectFor(ctx context.Context, toolName string) error {
	return w.sources.loader.For(ctx, toolName)
}

// Follow lists the sources in the background, for programs that live long. Lists that are remembered stand when it
// returns; sources that have to be started first come when they are ready, and Log says which do not. In a resident
// workspace it also puts away the tools of sources that nobody calls, if the configuration says after how long
// (drop_unused). The channel is closed when every source has answered; the background work ends with the workspace.
func (w *Assembly) Follow() <-chan struct{} { return w.sources.follow() }

// Listen has f hear what MCP servers say unasked, until the workspace is closed: s is the session whose connection
// said it, nil for a connection that sessions share. f does not block. A server of the workspace hears it without
// that.
func (w *Assembly) Listen(f func(server string, s *tool.Session, method string, params json.RawMessage)) {
	w.listeners.add(f)
}

// Client is the client of this name: claude-code, codex or another, or one that the configuration names.
func (w *Assembly) Client(name string) (Client, error) { return w.clients.client(name) }

// Why tells what the rules say to a call, and why. Nothing is run, and nobody is asked: approvals that were given
// before do not count either. A call without arguments asks about the tool as a whole.
//
// The error is a *tool.Error: there is no such tool, its arguments are wrong, or they mean nothing that could be
// judged.
func (w *Assembly) Why(ctx context.Context, c *tool.Call) (Explanation, error) {
	return w.explain().why(ctx, c)
}

func (w *Assembly) explain() explaining {
	return explaining{w.guard, w.registry, w.Past(), w.kit}
}

// Findings are what a person who looks for mistakes should know: values that do not count, names that mean no tool,
// also in profiles that are not chosen, and sources of tools that can never bring any. Nothing is started.
func (w *Assembly) Findings() []Finding { return w.inspect().findings() }

func (w *Assembly) inspect() inspection {
	return inspection{w.conf, w.guard, &w.brought, w.tools, w.registry, w.o.Strict, w.say}
}

// Disabled are the tools that somebody switched off, by name.
func (w *Assembly) Disabled() []string {
	off := func(s *tool.Spec) bool { return w.kit.Lists(s).Off }
	if !slices.ContainsFunc(w.registry.Specs(), off) {
		return nil // and no names are made that the client may not see
	}
	var out []string
	for _, off := range w.kit.View().Withheld() {
		if off.Verdict.Off {
			out = append(out, off.Name)
		}
	}
	slices.Sort(out)
	return out
}
