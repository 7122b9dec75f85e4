package helve

import (
	"context"
	"log/slog"

	"helve/internal/workspace"
	"helve/policy"
	"helve/tool"
)

// Options say what is opened, and who may be asked. The zero value opens the working directory under the user's own
// configuration, with nobody to ask: what needs approval is refused.
type Options struct {
	// Dirs are the folders that the tools work in. The first is the workspace: its configuration counts, relative paths
	// are its own. nil: the working directory.
	Dirs []string

	// Config is the program's own configuration, JSON with comments or TOML as a file has it. It stands above the files
	// of the person and the project and below Profile and Mode, and may say what the person's own file may; what any
	// layer denies stays denied. Why and errors name its lines, Options.Config:3. nil: there is none.
	Config []byte
	// Rules are the program's own as well, after those of Config: they may allow what would be asked about, and what
	// any layer denies stays denied. Why names the line that made each; policy.Allow, policy.Ask and policy.Deny make
	// them. The last that matches counts.
	Rules []policy.Rule
	// Parts are what the workspace has beside files, searches, bash, the policy and the history. nil: nothing.
	Parts []Part

	Profile string // the set of tools: default, codebase-index, small or a name of clients; "": the configuration's
	Mode    string // how free the agent is: plan, ask, review or auto; "": the configuration's, else ask
	Trust   bool   // this workspace's configuration counts as trusted, for this time
	// AllowHome lets tools change what is in a workspace that is the home folder, the root of the file system, or a
	// folder above helve's own files. Without it such a workspace can only be read.
	AllowHome bool
	Strict    bool // names in the configuration that mean no tool are errors

	// Ask asks a person about a call. nil: nobody is there, and what would be asked is refused. The clients of a server
	// approve then what they call: their person is asked through a client that can ask, and clients that are known to
	// ask before each call by themselves are taken at their word for what mode auto would allow.
	Ask tool.Asker

	Tools []tool.Tool // of the program's own, as if given to Add

	// Resident is for programs that live long, such as servers: folders are watched and indexes kept up to date in the
	// background.
	Resident bool

	// Around are middlewares of the program's own around every call, whoever makes it, inside those of the workspace.
	// Wrap are those around approved jobs, outside the time limits and the bounds of results.
	Around []func(tool.Caller) tool.Caller
	Wrap   []func(tool.Runner) tool.Runner
	// Watch is told of each step of every call, whoever makes it; see tool.KitOptions.
	Watch func(context.Context, tool.Event)

	Environ []string     // of the person, as os.Environ gives it; nil: that of this process
	Log     *slog.Logger // hears of what is wrong and goes on all the same; nil: silent
	Places  Places       // where files outside the workspace lie
}

// Places are where configuration and state outside the workspace lie. The zero value is where Environ says.
type Places struct {
	User    string // a file of configuration in the place of the user's own; it must be there
	Managed string // the folder of the administrator's configuration, which can only tighten
	State   string // the folder for approvals, trust and records, outside every workspace
	Cache   string // the folder for what can be made again, such as indexes
}

// inside are the options as the package below takes them.
func (o Options) inside() workspace.Options {
	return workspace.Options{
		Dirs:      o.Dirs,
		Config:    o.Config,
		Rules:     o.Rules,
		Parts:     o.Parts,
		Profile:   o.Profile,
		Mode:      o.Mode,
		Trust:     o.Trust,
		AllowHome: o.AllowHome,
		Strict:    o.Strict,
		Ask:       o.Ask,
		Tools:     o.Tools,
		Resident:  o.Resident,
		Around:    o.Around,
		Wrap:      o.Wrap,
		Watch:     o.Watch,
		Environ:   o.Environ,
		Log:       o.Log,
		Layers:    workspace.Layers{User: o.Places.User, Managed: o.Places.Managed},
		State:     o.Places.State,
		Cache:     o.Places.Cache,
	}
}
