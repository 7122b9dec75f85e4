package workspace

import (
	"context"
	"encoding/json"
	"log/slog"

	"helve/builtin"
	"helve/policy"
	"helve/server"
	"helve/tool"
	"helve/tool/telemetry"
)

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
	// Private is a folder outside the workspace of which confined commands have one of their own, absolute with slashes:
	// what they write there nobody is asked about by default. "": there is none.
	Private string
	// Unrecorded says that calls are put on record elsewhere, as by the hook of a client: here none is.
	Unrecorded bool
	// NoHooks leaves the configuration's own commands around calls away: they would run unconfined.
	NoHooks bool
	// Guards are what no tool writes, beside what is helve's own.
	Guards Guards

	// Ask asks a person about a call. nil: nobody is there, and what would be asked is refused; the clients of Server
	// are asked as Clients says.
	Ask tool.Asker
	// Clients say who approves what the clients of Server call, where Ask does not.
	Clients Clients

	// Parts are what the workspace has beside files, searches, bash, the policy and the history. nil: nothing.
	Parts []Part

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

	// Buffers are what the editor of the person holds of files; see builtin.Options. nil: nothing.
	Buffers builtin.Buffers

	// Worker is for those who do the work of another workspace's tools: the defaults of parameters (tool_options) are
	// those of whoever calls.
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

// Guards are what has another program ask helve before its tools run: its settings and hooks wherever they really lie,
// and what they start. No tool writes them. All paths are absolute; where one is a link, that is for whoever names it.
type Guards struct {
	Within []string // files, and folders with all that is in them
	Alone  []string // folders that stay where they are, while other things in them may change
}

// Clients say who approves the calls that come from the clients of a server. In the zero value the person does,
// through a client that can ask (elicitation); clients that are known to ask before each call by themselves are taken
// at their word for what mode auto would allow.
type Clients struct {
	Approval server.Approval
	Name     string // the profile of every client, whatever it calls itself; "": by the name that it gives itself

	// Ask is put around the Asker of every client, such as one that asks somebody else first (tool.AskInTurn). client
	// is nil where Approval asks nobody. nil: each client's own.
	Ask func(client tool.Asker) tool.Asker

	// KeepNames names the tools of others as Options.Names says, whatever the
	// client puts before a name.
	KeepNames bool
}

// KitOptions are what a further kit of a workspace has of its own. The zero value makes one like Workspace.Kit.
type KitOptions struct {
	Profile string     // the set of tools; "": the workspace's
	Mode    string     // plan, ask, review or auto; "": what the profile says
	Ask     tool.Asker // nil: the workspace's

	todos bool // the client keeps a list of what is to be done itself

	// Around are middlewares of this kit alone, inside those of the workspace: the record, the counts and the hooks.
	Around []func(tool.Caller) tool.Caller
}
