// Package discovery is the part of a workspace that has a command say which further tools there are.
package discovery

import (
	"context"
	"errors"
	"time"

	"helve/internal/config"
	"helve/internal/workspace"
	"helve/source"
	"helve/source/command"
	"helve/tool"
)

// Part is for helve.Options.Parts. Its key is discovery.
func Part() workspace.Part { return part{} }

type part struct{}

func (part) Keys() []string { return []string{"discovery"} }

// Open makes the source, which runs nothing before it is listed.
func (part) Open(_ context.Context, s *workspace.Site) error {
	in := workspace.Within(s)
	d := in.Settings().Discovery
	if d == nil {
		return nil
	}
	c := &Command{of: d, dir: s.Dirs()[0], environ: s.Environ(), in: in, log: s.Log()}
	in.Keep(c)
	in.Finds(c.findings)
	if d.Command != "" {
		patience := max(time.Duration(d.Timeout), command.DefaultTimeout)
		in.AddSource(command.New(c.source(false)), patience)
	}
	return nil
}

// Of is the discovery command of a workspace; nil: none is configured.
func Of(w *workspace.Assembly) *Command {
	c := workspace.Kept[*Command](w)
	if c == nil || c.of.Command == "" {
		return nil
	}
	return c
}

// ErrNone says that no discovery command is configured.
var ErrNone = errors.New("no discovery command is configured")

// Discover runs the discovery command and registers what it brings, instead of what it brought before. Unless fresh is
// true, what is remembered and not too old is taken instead. c may be nil.
func (c *Command) Discover(ctx context.Context, fresh bool) ([]tool.Tool, error) {
	if c == nil {
		return nil, ErrNone
	}
	src := command.New(c.source(fresh))
	tools, err := src.Tools(ctx)
	if source.IsAway(err) { // who asks for it has it run
		tools, err = src.Tools(ctx)
	}
	if err != nil {
		return nil, err
	}
	return tools, c.in.Registry().Set(string(tool.Command), tools)
}

// Absence is what is remembered of a discovery command that failed; nil: nothing. It is not run. c may be nil.
func (c *Command) Absence() *source.Absence {
	if c == nil {
		return nil
	}
	return command.New(c.source(false)).Absence()
}

// findings tell why a discovery brings no tool that can be called.
func (c *Command) findings() []workspace.Finding {
	err := check(c.of)
	if err == nil {
		return nil
	}
	at := c.in.Settings().At("discovery")
	return []workspace.Finding{{File: at.File, Line: at.Line, Key: "discovery", Message: err.Error()}}
}

var (
	errNoCommand = errors.New("nothing is discovered without discovery.command, which prints the tools")
	errNoCall    = errors.New("its tools are listed and cannot be called: " +
		"set discovery.call to the command that runs one")
)

func check(d *config.Discovery) error {
	c := command.Config{Discover: d.Command, Call: d.Call}
	switch err := c.Check(); {
	case err != nil:
		return err
	case d.Command == "":
		return errNoCommand
	case d.Call == "":
		return errNoCall
	}
	return nil
}
