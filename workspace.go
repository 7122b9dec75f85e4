package helve

import (
	"context"
	"time"

	"helve/internal/workspace"
	"helve/policy"
	"helve/server"
	"helve/tool"
	"helve/tool/drafting"
)

// A Workspace is a folder with its tools. Its methods are safe for concurrent use. Open makes one; close it.
type Workspace struct{ a *workspace.Assembly }

// Dir is the workspace's folder, the first of Dirs, with links resolved.
func (w *Workspace) Dir() string { return w.a.Dir() }

// Dirs are the folders that the tools work in, the workspace's first, with links resolved.
func (w *Workspace) Dirs() []string { return w.a.Dirs() }

// Mode is how free the agent is: plan, ask, review or auto.
func (w *Workspace) Mode() policy.Mode { return w.a.Mode() }

// Profile is the name of the set of tools: default, codebase-index, small or another.
func (w *Workspace) Profile() string { return w.a.Profile() }

// Profiles are the names of the sets of tools, for server.HTTPOptions.Profiles.
func (w *Workspace) Profiles() []string { return w.a.Profiles() }

// Kit offers the workspace's tools under its rules. It is always the same one.
func (w *Workspace) Kit() *tool.Kit { return w.a.Kit() }

// NewKit makes a further kit of the workspace's tools, under the same configuration and approvals: for another profile,
// or for another mode, as after a plan was approved.
func (w *Workspace) NewKit(o KitOptions) (*tool.Kit, error) { return w.a.NewKit(o) }

// Add registers tools of the program's own, all or none. They are judged like all others: one that does not say what it
// touches (tool.Spec.Touches) is asked about as soon as a rule guards something that it might touch. Log names each
// tool of Kind Read that leaves that open.
func (w *Workspace) Add(tools ...tool.Tool) error { return w.a.Add(tools...) }

// Registry holds the tools of every origin, those too that the rules do not offer. It is for sources of the program's
// own.
func (w *Workspace) Registry() *tool.Registry { return w.a.Registry() }

// Connect lists the sources that the configuration names, the discovery command and the MCP servers, starting what has
// to be started, and waits until each has answered or its time is over. The kit has their tools from then on. The error
// joins a *source.Error for each source that brings nothing; all others stand, and the workspace can be used.
//
// With names only those sources are listed that have such a name, or that a tool of such a name would belong to. A
// source is listed once; later calls only wait.
func (w *Workspace) Connect(ctx context.Context, names ...string) error {
	return w.a.Connect(ctx, names...)
}

// Follow lists the sources in the background, for programs that live long. Lists that are remembered stand when it
// returns; sources that have to be started first come when they are ready, and Log says which do not. In a resident
// workspace it also puts away the tools of sources that nobody calls, if the configuration says after how long
// (drop_unused). The channel is closed when every source has answered; the background work ends with the workspace.
func (w *Workspace) Follow() <-chan struct{} { return w.a.Follow() }

// NewSession makes a session: what its calls remember of each other, and the commands that they leave running, end with
// it. The workspace closes it if nobody did before.
func (w *Workspace) NewSession() *tool.Session { return w.a.NewSession() }

// Session is NewSession for a conversation that later processes go on with under the same id: what was read, lists
// and long outputs are kept in helve's state. The id is one that SessionID takes.
func (w *Workspace) Session(id string) (*tool.Session, error) { return w.a.Session(id) }

// Server makes an MCP server of the workspace, the one that helve serve runs: each client gets the kit of its profile
// and a session of its own; the files are resources; MCP servers behind the workspace are passed on, with their
// resources and prompts. Empty fields of o are filled in. Close the server before the workspace.
//
// Options.Ask of the workspace is who approves; without one the client, or its person, is asked. A workspace that is
// served should be Resident.
func (w *Workspace) Server(o server.Options) *server.Server { return w.a.Server(o) }

// Why tells what the rules say to a call, and why. Nothing is run, and nobody is asked: approvals that were given
// before do not count either. A call without arguments asks about the tool as a whole.
//
// The error is a *tool.Error: there is no such tool, its arguments are wrong, or they mean nothing that could be
// judged.
func (w *Workspace) Why(ctx context.Context, c *tool.Call) (Explanation, error) {
	return w.a.Why(ctx, c)
}

// Findings are what a person who looks for mistakes should know: values that do not count, names that mean no tool,
// also in profiles that are not chosen, and sources of tools that can never bring any. Nothing is started.
func (w *Workspace) Findings() []Finding { return w.a.Findings() }

// Approvals are what was approved before. Who asks a person finds there what a lasting yes may cover (Offers).
func (w *Workspace) Approvals() *policy.Grants { return w.a.Approvals() }

// Reload reads the configuration again and has its rules stand: what is listed, what is refused, asked about and
// allowed, in every kit of the workspace and for calls that are not judged yet. What a configuration says of processes,
// folders and bounds (MCP servers, hooks, the sandbox …) counts from the next opening on, and Log says so where it
// changed.
//
// An error, or a configuration that cannot be read, leaves the rules as they were. Approvals hold as before.
func (w *Workspace) Reload() error { return w.a.Reload() }

// History is the calls that changed files, the newest first; limit 0 is all of them. damaged counts entries that cannot
// be read: what they said is lost, all others are there.
func (w *Workspace) History(ctx context.Context, limit int) (calls []PastCall, damaged int, err error) {
	return w.a.Past().Calls(ctx, limit)
}

// Diff shows what a call changed, by its ID or the beginning of it, or what the calls after A up to and with B changed
// together: "A..B". The result's display is a tool.Diff.
func (w *Workspace) Diff(ctx context.Context, calls string) (*tool.Result, error) {
	return w.a.Past().Diff(ctx, calls)
}

// Undo takes calls back: their files get back what was there before. It is a call like any other: the rules judge it,
// Options.Ask is asked with a diff, it is on record, and it can be undone. What somebody changed since stays: merged
// where it does not touch, else the file is left alone, and the result has an error that says so.
//
// The error is ctx's; what goes wrong otherwise is in the result.
func (w *Workspace) Undo(ctx context.Context, o UndoOptions) (*tool.Result, error) {
	return w.a.Past().Undo(ctx, o)
}

// Redo takes the last undo back, in the same way.
func (w *Workspace) Redo(ctx context.Context, force bool) (*tool.Result, error) {
	return w.a.Past().Redo(ctx, force)
}

// PruneHistory forgets what calls did before a time, and the oldest of them beyond so many bytes as they are stored;
// zero values are the bounds of the configuration (history_limits), within which it happens by itself. It returns how
// many calls were forgotten, and how many bytes that freed.
func (w *Workspace) PruneHistory(before time.Time, bytes int64) (calls int, freed int64, err error) {
	return w.a.Past().Prune(before, bytes)
}

// ForgetHistory forgets what all calls did, also where the history cannot be read. The files stay as they are.
func (w *Workspace) ForgetHistory() error { return w.a.Past().Forget() }

// Close cancels the calls that run, waits for them a moment, closes the workspace's sessions and ends all that it
// started. A second Close does nothing.
func (w *Workspace) Close() error { return w.a.Close() }

// TurnDraft is the Draft of an agent.Agent whose kit is of that mode of the workspace: where the configuration says
// "review": "turn", the calls of one reply are one question. nil: each call is asked about by itself.
func TurnDraft(w *Workspace, m policy.Mode) func(context.Context, *tool.Call) (drafting.Draft, error) {
	if !w.a.ReviewsTurns(m) {
		return nil
	}
	return w.a.TurnDraft
}
