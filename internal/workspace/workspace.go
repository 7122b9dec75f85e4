// Package workspace opens folders for agents: it makes the tools, puts the rules around them and keeps what is
// remembered. Package helve at the root is its face for Go programs; the commands use it as it is.
package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"helve/builtin"
	"helve/codetool"
	"helve/engine/sandbox"
	"helve/engine/tree"
	"helve/internal/config"
	"helve/policy"
	"helve/source"
	"helve/source/upstream"
	"helve/tool"
	"helve/tool/telemetry"
)

// Init is the first thing that the main function of a program does whose workspaces run commands: a copy of the program
// prepares each sandbox, and Init does not return in such a copy. Without it the tool bash refuses to run anything. A
// program that runs scripts calls Init of package helve/script/interpreter after it.
func Init() { sandbox.Init() }

// LevelNotice is the level at which a workspace logs what a person should read once although nothing is wrong: which
// configuration waits for trust, which tools were put away. It stands between slog's Info and Warn.
const LevelNotice = slog.Level(2)

// Options say what is opened, and who may be asked. The zero value opens the working directory under the user's own
// configuration, with nobody to ask: what needs approval is refused.
type Options struct {
	// Dirs are the folders that the tools work in. The first is the workspace: its configuration counts, relative paths
	// are its own. nil: the working directory.
	Dirs []string

	// Config is the program's own configuration, JSON with comments or TOML as a file has it. It stands above the files
	// of the person and the project and below flags, and may say what the person's own file may; what any layer denies
	// stays denied. Why and errors name its lines, Options.Config:3. nil: there is none.
	Config []byte

	Layers  Layers // what stands above and beside the workspace's own configuration
	Profile string // the set of tools: default, codebase-index, small or a name of clients; "": the configuration's
	Mode    string // how free the agent is: plan, ask, review or auto; "": the configuration's, else ask
	// Rules are the program's own as well, after those of Config: they may allow what would be asked about, and what
	// any layer denies stays denied. Why names the line that made each; policy.Allow, policy.Ask and policy.Deny make
	// them. The last that matches counts.
	Rules []policy.Rule
	Trust bool // this workspace's configuration counts as trusted, for this time
	// AllowHome lets tools change what is in a workspace that is the home folder, the root of the file system, or a
	// folder above helve's own files. Without it such a workspace can only be read.
	AllowHome bool
	Strict    bool // names in the configuration that mean no tool are errors

	// Tolerant is for servers, which should not end because of a file that somebody else wrote: a configuration that
	// cannot be read leaves a workspace that is read-only, and Log says so. Config and what the administrator says stay
	// strict.
	Tolerant bool

	// Foreign is for programs that judge the calls of another program's own tools (JudgeForeign): those read outside the
	// workspace, and without a mode of client_hooks they are judged as auto does, since that program asks, too.
	Foreign bool
	// Unrecorded says that calls are put on record elsewhere, as by the hook of a client: here none is.
	Unrecorded bool
	// Guards are what no tool writes, beside what is helve's own.
	Guards Guards

	// Ask asks a person about a call. nil: nobody is there, and what would be asked is refused; the clients of Server
	// are asked as Clients says.
	Ask tool.Asker
	// Clients say who approves what the clients of Server call, where Ask does not.
	Clients Clients
	// Review asks whether a tool of an MCP server may have another definition than was approved. nil: the person of a
	// client that can be asked (elicitation) is; elsewhere it may not.
	Review upstream.Review

	// Script offers run_script, whatever the configuration says. Where scripts cannot be confined, or the program has
	// no interpreter, it is not there, and Log says why. To know that, Open tries the sandbox: the one program that
	// it starts.
	Script bool

	Names tool.Names  // how the tools of MCP servers are named
	Tools []tool.Tool // of the program's own, as if given to Add

	// Resident is for programs that live long, such as servers: folders are watched and indexes kept up to date in the
	// background.
	Resident bool
	// OneCall is for programs that end after a call: it cannot leave commands running.
	OneCall bool
	// Attached is for programs that run one command for somebody who is as near to it as to one of their own: bash gives
	// it their streams, and no time-out. nil: what it prints is in the result alone.
	Attached *builtin.Attached

	// Summarizer answers the questions that fetch puts to a page; nil: the passages that have the question's words do.
	Summarizer builtin.Summarizer
	// Login lets a person log in to MCP servers that want it; nil: such a server is an error that says so.
	Login upstream.Login

	// Relocate has others do the work of our own tools, such as workers on other machines: it returns each of tools,
	// with its definition and another Prepare. dir is Workspace.Dir. nil: they work here.
	Relocate func(dir string, tools []tool.Tool) ([]tool.Tool, error)
	// Sources makes further sources of tools, such as a pool of workers. They are listed with those that the
	// configuration names, and closed with the workspace. dir is Workspace.Dir. nil: there are none.
	Sources func(dir string) ([]tool.Source, error)
	// Worker is for the other side of that: the defaults of parameters (tool_options) are those of whoever calls.
	Worker bool

	// Around are middlewares of the program's own around every call, whoever makes it, inside those of the workspace.
	// Wrap are those around approved jobs, outside the time limits and the bounds of results.
	Around []func(tool.Caller) tool.Caller
	Wrap   []func(tool.Runner) tool.Runner

	// Outermost are middlewares around everything else that stands around a call, the record and the hooks, too: they
	// see each call as it came, and what it came to.
	Outermost []func(tool.Caller) tool.Caller

	// Shared keeps what replicas have in common that offer the same workspace to the same clients: what conversations
	// read and keep, approvals, approved definitions. nil: this machine's state, and this process.
	Shared Shared

	// Watch is told of each step of every call, whoever makes it; see tool.KitOptions.
	Watch func(context.Context, tool.Event)

	// Telemetry is told of each call, of requests to MCP servers, and as a server of those of clients. nil: nobody
	// is, and it costs nothing.
	Telemetry telemetry.Provider

	// Reloaded is told each time that the configuration was read again: nil, or why it cannot
	// be used and the rules stay as they were.
	Reloaded func(error)

	State string // helve's folder for approvals, trust and records, outside every workspace; "": where Environ says
	Cache string // helve's folder for what can be made again, such as indexes; "": where Environ says

	Environ    []string     // of the person, as os.Environ gives it; nil: that of this process
	Log        *slog.Logger // hears of what is wrong and goes on all the same; nil: silent
	RecordArgs bool         // the record of calls has their arguments, too
	NoHistory  bool         // what calls change is not remembered, whatever the configuration says
}

// Layers are the parts of the configuration that stand neither in the workspace nor in the program.
type Layers struct {
	User    string // a file in the place of the user's own; "": that one
	Managed string // the administrator's folder, which can only tighten; "": the system's

	// Pushed is a further layer above all others, which can only tighten, as the administrator's: it is asked each time
	// that the configuration is read. An error is one of the configuration. nil: there is none.
	Pushed func() ([]byte, error)

	// Instead are contents that count in place of those of configuration files, by absolute path: Findings then tell
	// what a change would mean before it is made.
	Instead map[string][]byte

	// Tools is the highest layer: which tools are on, off or asked about, as --tools of the command line takes it,
	// {"bash":"ask"}. nil: says nothing.
	Tools json.RawMessage
	// DisabledTools are off whatever any layer says.
	DisabledTools []string
}

// An Assembly is a folder with its tools. Its methods are safe for concurrent use. Close it.
type Assembly struct {
	o        Options // as given, with the defaults filled in
	dirs     []string
	name     atomic.Pointer[string] // what whoever wanted it calls it; nil: the folder's own
	fixed    string                 // why nothing in the workspace may be changed; "": it may
	places   config.Environment
	settings *settings                // as it was opened
	now      atomic.Pointer[settings] // as the configuration was read last

	files    *builtin.Toolbox
	code     *codetool.Index
	trees    *tree.Set   // that the tools look at: one watch for all
	tools    []tool.Tool // our own and the program's
	registry *tool.Registry
	loader   *source.Loader
	views    sessionViews
	servers  []*upstream.Source

	processes *upstream.Processes // of the servers

	live     *policy.Live // the rules of settings, until the configuration is read again
	policies policies     // those of other profiles and modes
	grants   *policy.Grants
	around   []func(tool.Caller) tool.Caller
	kit      *tool.Kit
	record   func(line []byte) error // of calls, and of what servers ask

	calls     calls
	sessions  sessions
	unused    unused
	listeners listeners
	following sync.Once

	followingConfig sync.Once

	closing sync.Once
	close   []func() error // in reverse order
	closed  error
}

// Open opens a workspace: it reads the configuration, makes the tools and puts the rules around them. It starts no
// process; sources of further tools are listed by Connect or Follow. ctx bounds the opening only.
//
// The error says what is wrong with the folder or, with file and line, with the configuration. Nothing is left open
// then.
func Open(ctx context.Context, o Options) (*Assembly, error) {
	w := &Assembly{o: o, registry: &tool.Registry{}}
	for _, step := range []func() error{
		w.locate,       // the folders, and where state lies
		w.configure,    // the layers, the profile and the mode
		w.openTools,    // the built-in tools and those that know code
		w.makeRules,    // what the layers say of them
		w.register,     // the tools and the program's own
		w.makeSources,  // the discovery command and the MCP servers: nothing is started
		w.makeKit,      // all that stands around a call
		w.compareNames, // names in the configuration that mean nothing
		w.checkClient,  // and the client's
	} {
		err := ctx.Err()
		if err == nil {
			err = step()
		}
		if err != nil {
			return nil, errors.Join(err, w.Close())
		}
	}
	return w, nil
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
func (w *Assembly) Dir() string { return w.dirs[0] }

// Dirs are the folders that the tools work in, the workspace's first, with links resolved.
func (w *Assembly) Dirs() []string { return slices.Clone(w.dirs) }

// Kit offers the workspace's tools under its rules. It is always the same one.
func (w *Assembly) Kit() *tool.Kit { return w.kit }

// Add registers tools of the program's own, all or none. They are judged like all others: one that does not say what it
// touches (tool.Spec.Touches) is asked about as soon as a rule guards something that it might touch. Log names each tool
// of Kind Read that leaves that open.
func (w *Assembly) Add(tools ...tool.Tool) error {
	if err := w.registry.Add(tools...); err != nil {
		return err
	}
	w.tellUnsaid(tools)
	return nil
}

// tellUnsaid names the tools that only read and do not say what: a rule on a file makes them suspicious, which their
// author would learn from the first refusal.
func (w *Assembly) tellUnsaid(tools []tool.Tool) {
	for _, t := range tools {
		s := t.Spec()
		if s.Origin.Kind == tool.Go && s.Kind == tool.Read && s.Touches == tool.Unsaid {
			w.notice("tool %s: it does not say what it reads, so that a rule on any file makes it one that is asked about: "+
				"set Touches: tool.Nothing in its Spec, or make it by tool.Plan with the effects of each call", s.Name)
		}
	}
}

// Registry holds the tools of every origin, those too that the rules do not offer. It is for sources of the program's
// own.
func (w *Assembly) Registry() *tool.Registry { return w.registry }

// getenv is one variable of the person; the last of several counts.
func (w *Assembly) getenv(name string) string {
	for _, kv := range slices.Backward(w.o.Environ) {
		if k, v, _ := strings.Cut(kv, "="); k == name {
			return v
		}
	}
	return ""
}

// later notes what Close has to do, in reverse order.
func (w *Assembly) later(f func() error) { w.close = append(w.close, f) }
