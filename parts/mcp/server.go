package mcp

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"helve/engine/sandbox"
	"helve/internal/config"
	"helve/internal/programs"
	"helve/internal/version"
	"helve/internal/workspace"
	"helve/source/upstream"
	"helve/tool"
	"helve/wrap"
)

// Servers are the MCP servers of one workspace. Methods are safe for concurrent use.
type Servers struct {
	o         Options
	in        workspace.Inside
	dir       string
	environ   []string
	log       *slog.Logger
	of        map[string]config.Server // as the configuration has them
	list      []*upstream.Source
	processes *upstream.Processes
}

// server makes the source of one MCP server; a fresh one takes nothing from memory.
func (l *Servers) server(name string, fresh bool) (*upstream.Source, error) {
	c := l.of[name]
	launch, err := l.launcher(name, c)
	if err != nil {
		return nil, fmt.Errorf("mcp server %s: %w", name, err)
	}
	var pins upstream.PinStore
	if shared := l.in.Shared(); shared != nil {
		pins = shared
	}
	processes := l.processes
	if fresh { // it is not one of ours, and ends soon
		processes = nil
	}
	return upstream.New(l.config(name, c), upstream.Options{
		Pins:     pins,
		StateDir: filepath.Join(l.in.StateDir(), "mcp"),
		CacheDir: l.in.CacheDir(),
		Fresh:    fresh,
		Patient:  l.startsFor(),
		Environ:  l.environ,
		Launch:   launch,
		Version:  version.String(),
		Log:      l.log,
		Login:    l.o.Login,

		Processes: processes,
		Telemetry: l.in.Telemetry(),

		Notify: l.in.Tell,
		Asked:  l.asked,
	})
}

// goesOnFor is how long a server may go on starting in a program that lives long, when nobody waits for it any more:
// npx and uvx download what they start, and on a slow line that takes a minute or two.
const goesOnFor = 2 * time.Minute

// startsFor is that time in a resident workspace.
func (l *Servers) startsFor() time.Duration {
	if !l.in.Resident() {
		return 0
	}
	return goesOnFor
}

func (l *Servers) config(name string, c config.Server) upstream.Config {
	out := upstream.Config{
		Name:         name,
		Command:      programs.AtHome([]string{c.Command}, l.in.Getenv("HOME"))[0],
		Args:         c.Args,
		Env:          c.Env,
		Dir:          l.dir,
		URL:          c.URL,
		Headers:      c.Headers,
		Type:         c.Type,
		Trust:        c.Trust,
		Timeout:      time.Duration(c.Timeout),
		StartTimeout: time.Duration(c.StartTimeout),
		Include:      c.IncludeTools,
		Exclude:      c.ExcludeTools,
		Eager:        c.Lazy != nil && !*c.Lazy,
		Share:        c.Share,
		Unpinned:     c.Pin != nil && !*c.Pin,
	}
	switch {
	case filepath.IsAbs(c.Cwd):
		out.Dir = c.Cwd
	case c.Cwd != "":
		out.Dir = filepath.Join(l.dir, c.Cwd)
	}
	if c.Type == "streamable-http" {
		out.Type = "http"
	}
	if c.OAuth != nil {
		out.OAuth = upstream.OAuth(*c.OAuth)
	}
	return out
}

// launcher is how a server is started: nil, as the user's own program, where it is to run unconfined.
func (l *Servers) launcher(name string, c config.Server) (upstream.Launcher, error) {
	level := cmp.Or(c.Sandbox, sandbox.Light.String())
	switch {
	case level == "off", c.URL != "" && c.Sandbox == "":
		return nil, nil
	case c.URL != "":
		return nil, errors.New("sandbox: a server behind a url is not started here")
	}
	box := l.in.Sandbox()
	box.Level = workspace.Level(level)
	box.Network = c.Network != nil && *c.Network
	if box.Level != sandbox.Light {
		box.Masked = l.in.ForNamed().Masked
		if box.Network && box.Level == sandbox.ReadOnly {
			return nil, errors.New("sandbox: read-only has no network: want workspace-write")
		}
		return upstream.Confined(box), nil
	}
	box.Network = c.Network == nil || *c.Network
	return &upstream.Light{
		Box:  box,
		Own:  l.in.OwnFolders(),
		Warn: func(text string) { l.log.Info("mcp server " + name + ": " + text) },
	}, nil
}

// asked puts a question of an MCP server on record, beside the calls: who was asked what, and what the client said. The
// name is the question's method, the title its text.
func (l *Servers) asked(q upstream.Question) {
	r := wrap.Record{
		Time:      q.Began.UTC(),
		Principal: "local",
		Name:      q.Method,
		Origin:    &tool.Origin{Kind: tool.MCP, Server: q.Server, Name: q.Method},
		Title:     q.Text,
		Outcome:   q.Outcome,
		Duration:  float64(q.Took.Round(time.Microsecond).Microseconds()) / 1000,
	}
	if q.Session != nil {
		r.Session, r.Principal = q.Session.ID, q.Session.Principal
	}
	if err := l.in.Note(r); err != nil {
		l.log.Error("the record of what servers ask cannot be kept: " + err.Error())
	}
}
