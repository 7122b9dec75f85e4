package workspace

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"time"

	"helve/builtin"
	"helve/engine/sandbox"
	"helve/engine/stub"
	"helve/engine/tree"
	"helve/internal/config"
	"helve/server"
	"helve/tool"
	"helve/tool/telemetry"
	"helve/wrap"
)

type (
	// Relocate has others do the work of our own tools, such as workers on other machines: it returns each of tools,
	// with its definition and another Prepare.
	Relocate func(tools []tool.Tool) ([]tool.Tool, error)

	// Breaks is builtin.Options.Broken.
	Breaks func(ctx context.Context, path string) func(context.Context) (broke []string, unchecked string)
)

// Servers are the MCP servers behind a workspace, as the part has them that knows how to speak to one. Methods are safe
// for concurrent use.
type Servers interface {
	// Upstreams are those that gateways pass on, and Instructions what they say to models, without starting one.
	Upstreams() []server.Upstream
	Instructions() []server.Instructions
	// For are those that a session lists for itself.
	For(s *tool.Session) []tool.Source
}

// A Telling is a part that says who is told of calls and requests, in the place of Options.Telemetry.
type Telling interface{ Telemetry() telemetry.Provider }

// An Inside is a workspace that is being opened, as the parts of this module see it. What they take from it may be used
// as long as the workspace is open.
type Inside struct{ w *Assembly }

// Within is the inside of what a part sees.
func Within(s *Site) Inside { return Inside{s.w} }

// Settings are the configuration as it was read when the workspace was opened.
func (i Inside) Settings() *config.Config { return i.w.conf.opened.Config }

// Files are what the built-in tools work on, and Trees the trees that they look at.
func (i Inside) Files() *builtin.Toolbox { return i.w.files }

// Trees are one watch for all who look at the folders.
func (i Inside) Trees() *tree.Set { return i.w.trees }

// Resident tells that the workspace lives long.
func (i Inside) Resident() bool { return i.w.o.Resident }

// OneCall tells that the program ends after a call.
func (i Inside) OneCall() bool { return i.w.o.OneCall }

// StateDir is helve's folder for what must survive, CacheDir the one for what can be made again.
func (i Inside) StateDir() string { return i.w.places.StateDir }

// CacheDir is helve's folder for what can be made again.
func (i Inside) CacheDir() string { return i.w.places.CacheDir }

// Indexes is where indexes of the folders are kept; "" where nobody wants them.
func (i Inside) Indexes() string { return i.w.conf.opened.indexes(i.w.places.CacheDir) }

// Getenv is one variable of the person.
func (i Inside) Getenv(name string) string { return i.w.places.getenv(name) }

// Hidden tells whether a file, as a target of an effect, must not be read or may hold secrets.
func (i Inside) Hidden(target string) bool {
	return i.w.guard.denied(target) || i.w.conf.secret(target)
}

// Sandbox is how the configuration wants commands confined.
func (i Inside) Sandbox() sandbox.Options { return i.w.confined.options() }

// OwnFolders are those of helve's own, which programs do not see that the configuration names.
func (i Inside) OwnFolders() []string { return i.w.places.ownFolders() }

// ForNamed is the sandbox of programs that the configuration names: what is shown for them is nothing of helve's own.
func (i Inside) ForNamed() sandbox.Options {
	box := i.w.confined.options()
	box.Masked = slices.Concat(box.Masked, i.OwnFolders())
	return box
}

// Telemetry is told of requests; nil: nobody is.
func (i Inside) Telemetry() telemetry.Provider { return i.w.o.Telemetry }

// Shared is what replicas have in common; nil: there is one.
func (i Inside) Shared() Shared { return i.w.o.Shared }

// Clients say who approves what clients call.
func (i Inside) Clients() Clients { return i.w.o.Clients }

// Kit offers the workspace's tools. It is there when the first call comes, and nil before.
func (i Inside) Kit() *tool.Kit { return i.w.kit }

// SeenBy is the registry that a session's tools are in.
func (i Inside) SeenBy(s *tool.Session) *tool.Registry { return i.w.sources.seenBy(s) }

// Registry holds the tools of every origin.
func (i Inside) Registry() *tool.Registry { return i.w.registry }

// Tell tells everybody who listens what a server said unasked.
func (i Inside) Tell(server string, s *tool.Session, method string, params json.RawMessage) {
	i.w.listeners.tell(server, s, method, params)
}

// Note puts something on record that is no call.
func (i Inside) Note(r wrap.Record) error { return i.w.Note(r) }

// Notice says something that a person should read once.
func (i Inside) Notice(format string, args ...any) { i.w.say.notice(format, args...) }

// Warn says what is wrong and goes on all the same.
func (i Inside) Warn(format string, args ...any) { i.w.say.warn(format, args...) }

// AddOwn brings tools that count among the built-in ones: tool_options are theirs, and workers may do their work.
func (i Inside) AddOwn(tools ...tool.Tool) { i.w.brought.own = append(i.w.brought.own, tools...) }

// AddSource brings a source of tools whose listing may take so long.
func (i Inside) AddSource(s tool.Source, patience time.Duration) {
	if i.w.brought.patience == nil {
		i.w.brought.patience = map[string]time.Duration{}
	}
	i.w.brought.patience[s.Name()] = patience
	i.w.brought.sources = append(i.w.brought.sources, s)
}

// Relocate has others do the work of the built-in tools.
func (i Inside) Relocate(f Relocate) { i.w.brought.relocate = f }

// Later brings further sources, which are there once others do the work of the built-in tools.
func (i Inside) Later(f func() ([]tool.Source, error)) { i.w.brought.later = f }

// Shows says which tools a set of tools lists.
func (i Inside) Shows(f func(set string, t *tool.Spec) bool) { i.w.brought.shows = f }

// Breaks says what changes of files break.
func (i Inside) Breaks(f Breaks) { i.w.brought.breaks = f }

// Calls says what the tools of a view are called in scripts.
func (i Inside) Calls(f func(*tool.View) []stub.Function) { i.w.brought.functions = f }

// Serves names the MCP servers.
func (i Inside) Serves(s Servers) { i.w.brought.servers = s }

// Finds adds to what Findings tells.
func (i Inside) Finds(f func() []Finding) { i.w.brought.findings = append(i.w.brought.findings, f) }

// Keep keeps what a part wants to find again by its type: see Kept.
func (i Inside) Keep(thing any) {
	if i.w.brought.things == nil {
		i.w.brought.things = map[reflect.Type]any{}
	}
	i.w.brought.things[reflect.TypeOf(thing)] = thing
}

// Kept is what a part of the workspace has kept of this type; the zero value: there is no such part.
func Kept[T any](w *Assembly) T {
	thing, _ := w.brought.things[reflect.TypeFor[T]()].(T)
	return thing
}
