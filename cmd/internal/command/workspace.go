package command

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"helve/internal/config"
	"helve/internal/workspace"
	"helve/parts/everything"
	"helve/parts/workers"
)

// Folder is the workspace: the folder that the tools work in.
func (c Common) Folder(s Streams) (string, error) {
	dir := c.Dir
	if dir == "" {
		dir = s.Getenv("PROJECT_ROOT")
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(s.Dir, dir)
	}
	dir, err := workspace.Folder(dir)
	if err != nil {
		return "", Misused(err)
	}
	return dir, nil
}

// In is the same command line for another workspace, with further folders beside those of its own.
func (c Common) In(dir string, more []string) Common {
	c.Dir, c.more = dir, slices.Concat(c.more, more)
	return c
}

// Options are how a command opens its workspace with nobody to ask. A command that can do more adds it.
func (c Common) Options(s Streams) (workspace.Options, error) {
	dir, err := c.Folder(s)
	if err != nil {
		return workspace.Options{}, err
	}
	return c.OptionsIn(s, dir)
}

// OptionsIn are the same for another folder than the command line's.
func (c Common) OptionsIn(s Streams, dir string) (workspace.Options, error) {
	o := workspace.Options{
		Dirs:       []string{dir},
		Profile:    c.profile,
		Mode:       c.Mode,
		Trust:      c.trust,
		AllowHome:  c.home,
		Strict:     c.strict,
		Environ:    s.Environ,
		Log:        s.Logger(),
		NoHistory:  c.forget,
		Parts:      append(everything.Parts(), workers.Part(workers.Options{})),
		RecordArgs: s.level == "debug", // arguments have secrets in them: only who looks for a mistake wants them
	}
	o.Layers.User = s.Path(c.Config)
	o.Layers.Managed = s.Managed
	if c.tools.set {
		o.Layers.Tools = json.RawMessage(c.tools.text)
	}
	if c.disabled.set {
		o.Layers.DisabledTools = config.ParseList(c.disabled.text)
	}
	for _, more := range c.more {
		dir, err := workspace.Folder(s.Path(more))
		if err != nil {
			return o, Usage("--add-dir: %v", err)
		}
		o.Dirs = append(o.Dirs, dir)
	}
	if s.Options != nil {
		s.Options(&o)
	}
	return o, nil
}

// OnlyFolder is folder for commands that work in one folder and have no use for more of them.
func (c Common) OnlyFolder(s Streams, cmd string) (string, error) {
	if len(c.more) > 0 {
		return "", Usage("%s: --add-dir is for tools; this works in one folder\nhint: -C names another one", cmd)
	}
	return c.Folder(s)
}

// Open opens the workspace of a command that asks nobody. Close it.
func Open(ctx context.Context, s Streams, c Common) (*workspace.Assembly, error) {
	o, err := c.Options(s)
	if err != nil {
		return nil, err
	}
	return OpenWith(ctx, o)
}

// In opens the workspace of a command that asks nobody, runs the command there, and closes it.
func In(ctx context.Context, s Streams, c Common, run func(*workspace.Assembly) error) (err error) {
	ws, err := Open(ctx, s, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ws.Close()) }()
	return run(ws)
}

// OpenWith opens a workspace. That it cannot be is a mistake of the command line or of the configuration, unless the
// person stopped it.
func OpenWith(ctx context.Context, o workspace.Options) (*workspace.Assembly, error) {
	ws, err := workspace.Open(ctx, o)
	if err == nil || ctx.Err() != nil {
		return ws, err
	}
	if tools, ok := errors.AsType[*config.ToolsError](err); ok {
		return nil, tools
	}
	return nil, Usage("%s", Printable(err.Error()))
}

// Places say where this run's configuration and state lie.
func (s Streams) Places() config.Environment {
	e := config.EnvironmentOf(s.Getenv)
	if s.Managed != "" {
		e.Managed = s.Managed
	}
	return e
}

// Records are what is remembered of calls and approvals, for all workspaces of this person.
func (s Streams) Records() workspace.Records { return workspace.Records{Dir: s.Places().StateDir} }

// TrustStore is where it stands which configurations this person trusts.
func (s Streams) TrustStore() config.TrustStore { return config.TrustStore{Dir: s.Places().StateDir} }

// Load reads the configuration of a workspace without opening it, and says what there is to say about it.
func (c Common) Load(s Streams, dir string) (*config.Config, error) {
	trusted := s.TrustStore()
	read, err := config.Load(s.Places(), config.Options{
		Workspace: dir,
		UserFile:  s.Path(c.Config),
		Flags:     c.ConfigFlags(),
		Trusted: func(ws, digest string) bool {
			return c.trust || trusted.Accepted(ws, digest)
		},
	})
	if err != nil {
		return nil, Misused(err)
	}
	for _, w := range read.Warnings {
		s.Note("warning: %s", Printable(w))
	}
	if line := read.IgnoredLine(); line != "" {
		s.Note("%s", Printable(line))
	}
	return read, nil
}

// LoadHere reads the configuration of the workspace that the command line names.
func (c Common) LoadHere(s Streams) (*config.Config, error) {
	dir, err := c.Folder(s)
	if err != nil {
		return nil, err
	}
	return c.Load(s, dir)
}

// ConfigFlags are the flags as the highest layer of the configuration.
func (c Common) ConfigFlags() config.Flags {
	f := config.Flags{Mode: c.Mode, Profile: c.profile}
	if c.tools.set {
		f.Tools, f.HasTools = c.tools.text, true
	}
	if c.disabled.set {
		f.DisabledTools = config.ParseList(c.disabled.text)
	}
	return f
}

// LoadAs reads the configuration without a word, trusting what the function trusts; nil trusts nothing.
func (c Common) LoadAs(s Streams, dir string, trusted func(string, string) bool) (*config.Config, error) {
	read, err := config.Load(s.Places(), config.Options{
		Workspace: dir,
		UserFile:  s.Path(c.Config),
		Trusted:   trusted,
	})
	if err != nil {
		return nil, Misused(err)
	}
	return read, nil
}

// Change changes the configuration of a workspace. Who makes a change by a command means it: what was trusted, or
// was none, is trusted as the change leaves it, and with nothing that somebody else wrote meanwhile. Helves at once
// wait for each other, so that each finds trusted what the one before made. edit gets what was there before; nil:
// it cannot be read, and is not trusted.
func (c Common) Change(s Streams, dir string, edit func(before *config.Config) (config.Edit, error)) error {
	store := s.TrustStore()
	unlock, err := store.Hold(dir)
	if err != nil {
		return err
	}
	defer unlock()
	before, _ := c.LoadAs(s, dir, store.Accepted)
	made, err := edit(before)
	if err != nil || before == nil || before.Project && !before.Trusted {
		return err
	}
	digest := before.After(made)
	if digest == "" {
		return nil
	}
	return store.Accept(dir, digest, time.Now())
}
