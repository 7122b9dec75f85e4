package app

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"

	"helve/internal/config"
	"helve/internal/workspace"
)

// folder is the workspace: the folder that the tools work in.
func (c common) folder(s streams) (string, error) {
	dir := c.dir
	if dir == "" {
		dir = s.getenv("PROJECT_ROOT")
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(s.Dir, dir)
	}
	dir, err := workspace.Folder(dir)
	if err != nil {
		return "", misused(err)
	}
	return dir, nil
}

// options are how a command opens its workspace with nobody to ask. A command that can do more adds it.
func (c common) options(s streams) (workspace.Options, error) {
	dir, err := c.folder(s)
	if err != nil {
		return workspace.Options{}, err
	}
	return c.optionsIn(s, dir)
}

// optionsIn are the same for another folder than the command line's.
func (c common) optionsIn(s streams, dir string) (workspace.Options, error) {
	o := workspace.Options{
		Dirs:       []string{dir},
		Profile:    c.profile,
		Mode:       c.mode,
		Trust:      c.trust,
		AllowHome:  c.home,
		Strict:     c.strict,
		Environ:    s.Environ,
		Log:        s.logger(),
		NoHistory:  c.forget,
		RecordArgs: s.level == "debug", // arguments have secrets in them: only who looks for a mistake wants them
	}
	o.Layers.User = s.path(c.config)
	o.Layers.Managed = s.Managed
	if c.tools.set {
		o.Layers.Tools = json.RawMessage(c.tools.text)
	}
	if c.disabled.set {
		o.Layers.DisabledTools = config.ParseList(c.disabled.text)
	}
	for _, more := range c.more {
		dir, err := workspace.Folder(s.path(more))
		if err != nil {
			return o, usage("--add-dir: %v", err)
		}
		o.Dirs = append(o.Dirs, dir)
	}
	if s.Options != nil {
		s.Options(&o)
	}
	return o, nil
}

// onlyFolder is folder for commands that work in one folder and have no use for more of them.
func (c common) onlyFolder(s streams, cmd string) (string, error) {
	if len(c.more) > 0 {
		return "", usage("%s: --add-dir is for tools; this works in one folder\nhint: -C names another one", cmd)
	}
	return c.folder(s)
}

// open opens the workspace of a command that asks nobody. Close it.
func open(ctx context.Context, s streams, c common) (*workspace.Assembly, error) {
	o, err := c.options(s)
	if err != nil {
		return nil, err
	}
	return openWith(ctx, o)
}

// openWith opens a workspace. That it cannot be is a mistake of the command line or of the configuration, unless the
// person stopped it.
func openWith(ctx context.Context, o workspace.Options) (*workspace.Assembly, error) {
	ws, err := workspace.Open(ctx, o)
	if err == nil || ctx.Err() != nil {
		return ws, err
	}
	if tools, ok := errors.AsType[*config.ToolsError](err); ok {
		return nil, tools
	}
	return nil, usage("%s", printable(err.Error()))
}

// places say where this run's configuration and state lie.
func (s streams) places() config.Environment {
	e := config.EnvironmentOf(s.getenv)
	if s.Managed != "" {
		e.Managed = s.Managed
	}
	return e
}

// records are what is remembered of calls and approvals, for all workspaces of this person.
func (s streams) records() workspace.Records { return workspace.Records{Dir: s.places().StateDir} }

// trustStore is where it stands which configurations this person trusts.
func (s streams) trustStore() config.TrustStore { return config.TrustStore{Dir: s.places().StateDir} }

// load reads the configuration of a workspace without opening it, and says what there is to say about it.
func (c common) load(s streams, dir string) (*config.Config, error) {
	trusted := s.trustStore()
	read, err := config.Load(s.places(), config.Options{
		Workspace: dir,
		UserFile:  s.path(c.config),
		Flags:     c.configFlags(),
		Trusted: func(ws, digest string) bool {
			return c.trust || trusted.Accepted(ws, digest)
		},
	})
	if err != nil {
		return nil, misused(err)
	}
	for _, w := range read.Warnings {
		s.note("warning: %s", printable(w))
	}
	if line := read.IgnoredLine(); line != "" {
		s.note("%s", printable(line))
	}
	return read, nil
}

// loadHere reads the configuration of the workspace that the command line names.
func (c common) loadHere(s streams) (*config.Config, error) {
	dir, err := c.folder(s)
	if err != nil {
		return nil, err
	}
	return c.load(s, dir)
}

// configFlags are the flags as the highest layer of the configuration.
func (c common) configFlags() config.Flags {
	f := config.Flags{Mode: c.mode, Profile: c.profile}
	if c.tools.set {
		f.Tools, f.HasTools = c.tools.text, true
	}
	if c.disabled.set {
		f.DisabledTools = config.ParseList(c.disabled.text)
	}
	return f
}

// loadAs reads the configuration without a word, trusting what the function trusts; nil trusts nothing.
func (c common) loadAs(s streams, dir string, trusted func(string, string) bool) (*config.Config, error) {
	read, err := config.Load(s.places(), config.Options{
		Workspace: dir,
		UserFile:  s.path(c.config),
		Trusted:   trusted,
	})
	if err != nil {
		return nil, misused(err)
	}
	return read, nil
}
