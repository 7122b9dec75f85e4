package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"helve/builtin"
	"helve/engine/tree"
	"helve/internal/config"
	"helve/policy"
	"helve/source"
	"helve/tool"
	"helve/wrap"
)

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
	trees    *tree.Set   // that the tools look at: one watch for all
	brought  brought     // by parts
	tools    []tool.Tool // our own and the program's
	registry *tool.Registry
	loader   *source.Loader
	views    sessionViews

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

func (w *Assembly) warn(format string, args ...any) {
	w.o.Log.Warn(fmt.Sprintf(format, args...))
}

func (w *Assembly) notice(format string, args ...any) {
	w.o.Log.Log(context.Background(), LevelNotice, fmt.Sprintf(format, args...))
}

// rules are those of the workspace itself, as they stand.
func (w *Assembly) rules() *policy.Rules { return w.live.Rules() }

// Mode is how free the agent is: plan, ask, review or auto.
func (w *Assembly) Mode() policy.Mode { return w.now.Load().mode }

// Profile is the name of the set of tools: default, codebase-index, small or another.
func (w *Assembly) Profile() string { return w.now.Load().Profile }

// Approvals are what was approved before. Who asks a person finds there what a lasting yes may cover (Offers).
func (w *Assembly) Approvals() *policy.Grants { return w.grants }

// denied tells whether a rule keeps a file from being read. It is asked by calls only, when there are rules.
func (w *Assembly) denied(target string) bool { return w.rules().Denies(tool.Read, target) }

// deniedWrite tells whether a rule keeps a file from being written.
func (w *Assembly) deniedWrite(target string) bool { return w.rules().Denies(tool.Write, target) }

// secret tells whether a file may hold secrets.
func (w *Assembly) secret(target string) bool { return w.now.Load().secret.Has(target) }

// secretList names the list by which secret tells.
func (w *Assembly) secretList() string { return w.now.Load().secret.Version() }

// Note puts something on record that is no call, such as a switch that a person set. It stands among the calls.
func (w *Assembly) Note(r wrap.Record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return w.record(line)
}

// onceOnly warns of an error the first time that it comes.
func (w *Assembly) onceOnly(text string) func(error) {
	var once sync.Once
	return func(err error) { once.Do(func() { w.warn("%s: %v", text, err) }) }
}
