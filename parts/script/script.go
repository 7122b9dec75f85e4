// Package script is the part of a workspace that offers run_script, with which a model makes many calls in one.
package script

import (
	"context"
	"errors"

	"helve/internal/workspace"
	"helve/script"
	"helve/tool"
	"helve/tool/drafting"
)

// Options are what the part may have. The zero value is of use.
type Options struct {
	// On offers run_script, whatever the configuration says. Where scripts cannot be confined, or the program has no
	// interpreter, it is not there, and the log says why. To know that, the sandbox is tried when the workspace is
	// opened: the one program that is started then.
	On bool
	// Person tells that it is a person who has scripts run, as helve script does: they may go on with any draft.
	Person bool
}

// Part is for helve.Options.Parts. Its key is script. The program's main function calls Init of package
// helve/script/interpreter.
func Part(o Options) workspace.Part { return part{o} }

type part struct{ o Options }

func (part) Keys() []string { return []string{"script"} }

func (p part) Open(ctx context.Context, s *workspace.Site) error {
	in := workspace.Within(s)
	in.Calls(script.Functions)
	if on := in.Settings().Script; !p.o.On && (on == nil || !*on) {
		return nil
	}
	switch err := script.Confined(ctx); {
	case errors.Is(err, script.ErrNoInterpreter):
		in.Warn("run_script is not offered: this program has no interpreter: it calls no interpreter.Init")
		return nil
	case err != nil:
		in.Warn("run_script is not offered: %v", err)
		return nil
	}
	scripts := script.Tool(nil, script.Options{
		Once: in.OneCall(),
		Draft: func(ctx context.Context, _ *tool.Call) (script.Draft, error) {
			return in.Files().DraftFor(ctx, script.Name, "the script")
		},
		GoOn: func(ctx context.Context, c *tool.Call, id string) (drafting.Stayer, error) {
			return in.Files().GoOnFor(ctx, c, id, p.o.Person)
		},
	})
	s.Close(scripts.Close)
	if in.Resident() || p.o.On {
		scripts.Ready()
	}
	s.Add(scripts)
	return nil
}
