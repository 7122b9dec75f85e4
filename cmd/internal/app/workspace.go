package app

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"

	"helve"
	"helve/internal/config"
	"helve/source"
	"helve/tool"
)

// options are how this run opens its workspace.
func (a *app) options(dir string, ask tool.Asker) helve.Options {
	o := helve.Options{
		Dirs:       []string{dir},
		Profile:    a.flags.profile,
		Mode:       a.flags.mode,
		Trust:      a.flags.trust,
		Strict:     a.flags.strict,
		Tolerant:   a.tolerant,
		Resident:   a.tolerant,
		OneCall:    a.oneCall,
		Ask:        ask,
		Review:     a.reviewer(),
		Clients:    a.clients,
		Names:      a.names,
		Summarizer: a.reads,
		Login:      a.login,
		Environ:    a.env.Environ,
		Log:        a.logger(),
		RecordArgs: a.flags.logLevel == "debug",
	}
	o.Config = helve.Layers{User: a.path(a.flags.config), Managed: a.env.Managed}
	if a.flags.tools.set {
		o.Config.Tools = json.RawMessage(a.flags.tools.text)
	}
	if a.flags.disabled.set {
		o.Config.DisabledTools = config.ParseList(a.flags.disabled.text)
	}
	return o
}

// open opens the workspace of this run. Close it.
func (a *app) open(ctx context.Context, ask tool.Asker) (*helve.Workspace, error) {
	dir, err := a.workspace()
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	ws, err := helve.Open(ctx, a.options(dir, ask))
	if err != nil {
		return nil, a.unopened(ctx, err)
	}
	a.ws = ws
	return ws, nil
}

// unopened is the error of a workspace that cannot be opened.
func (a *app) unopened(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	if tools, ok := errors.AsType[*config.ToolsError](err); ok {
		return tools
	}
	return usage("%s", printable(err.Error()))
}

// connected says which sources bring nothing; each costs a line, and nothing else.
func (a *app) connected(err error) {
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range list.Unwrap() {
			a.connected(e)
		}
		return
	}
	if e, ok := errors.AsType[*source.Error](err); ok && !a.told[e.Source] {
		if a.told == nil {
			a.told = map[string]bool{}
		}
		a.told[e.Source] = true
		a.say("%s", oneLine(e.Err.Error()))
	}
}

// oneLine is text of others fit for a message.
func oneLine(s string) string { return printable(strings.Join(strings.Fields(s), " ")) }

// workspace is the folder that the tools work in.
func (a *app) workspace() (string, error) {
	dir := a.flags.dir
	if dir == "" {
		dir = a.env.getenv("PROJECT_ROOT")
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(a.env.Dir, dir)
	}
	return helve.Folder(dir)
}

// places say where this run's configuration and state lie.
func (a *app) places() config.Environment {
	e := config.EnvironmentOf(a.env.getenv)
	if a.env.Managed != "" {
		e.Managed = a.env.Managed
	}
	return e
}

func (a *app) records() helve.Records { return helve.Records{Dir: a.places().StateDir} }

func (a *app) trustStore() config.TrustStore { return config.TrustStore{Dir: a.places().StateDir} }

// load reads the configuration of a workspace and says what there is to say about it.
func (a *app) load(dir string) (*config.Config, error) {
	c, err := config.Load(a.places(), config.Options{
		Workspace: dir,
		UserFile:  a.path(a.flags.config),
		Flags:     a.configFlags(),
		Tolerant:  a.tolerant,
		Trusted: func(ws, digest string) bool {
			return a.flags.trust || a.trustStore().Accepted(ws, digest)
		},
	})
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	for _, w := range c.Warnings {
		a.note("warning: %s", printable(w))
	}
	if line := c.IgnoredLine(); line != "" && !a.flags.quiet {
		a.note("%s", printable(line))
	}
	return c, nil
}

func (a *app) configFlags() config.Flags {
	f := config.Flags{Mode: a.flags.mode, Profile: a.flags.profile}
	if a.flags.tools.set {
		f.Tools, f.HasTools = a.flags.tools.text, true
	}
	if a.flags.disabled.set {
		f.DisabledTools = config.ParseList(a.flags.disabled.text)
	}
	return f
}

// path is a path of the command line, relative to where helve was started.
func (a *app) path(p string) string {
	if p == "" || filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(a.env.Dir, p)
}
