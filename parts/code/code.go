// Package code is the part of a workspace that knows its code: the questions about definitions and their uses, the
// refactorings, what a change breaks, and the language servers of this machine.
package code

import (
	"context"
	"path/filepath"

	"helve/builtin/refactoring"
	"helve/codetool"
	"helve/engine/exact"
	"helve/internal/version"
	"helve/internal/workspace"
	"helve/tool"
)

// Part is for helve.Options.Parts. Its keys are code and diagnostics.
func Part() workspace.Part { return part{} }

type part struct{}

func (part) Keys() []string { return []string{"code", "diagnostics"} }

// Open opens the index, which does nothing before one of the tools is called.
func (part) Open(_ context.Context, s *workspace.Site) error {
	in := workspace.Within(s)
	x, err := codetool.Open(codetool.Options{
		Dir:      s.Dirs()[0],
		Cache:    in.Indexes(),
		Version:  version.String(),
		Resident: in.Resident(),
		Trees:    in.Trees(),
		Environ:  s.Environ(),
		Denied:   in.Hidden,
		Checker:  checker(s, in),
	})
	if err != nil {
		return err
	}
	s.Close(x.Close)
	in.Keep(x)
	in.AddOwn(codetool.All(x)...)
	in.AddOwn(refactoring.Tools(in.Files(), x.Snapshot)...)
	in.Shows(shown)
	if on := in.Settings().Diagnostics; on == nil || *on {
		in.Breaks(func(ctx context.Context, path string) func(context.Context) ([]string, string) {
			return x.Broken(ctx, path)
		})
	}
	return nil
}

// checker asks the language servers of this machine, if the configuration says so; nil: nobody is asked.
func checker(s *workspace.Site, in workspace.Inside) codetool.Checker {
	c := in.Settings().Code
	if c == nil || c.Exact != "auto" {
		return nil
	}
	dir, err := filepath.EvalSymlinks(s.Dirs()[0])
	if err != nil {
		dir = s.Dirs()[0]
	}
	return exact.New(exact.Options{
		Dir:     dir,
		Environ: s.Environ(),
		Sandbox: in.Sandbox(),
		Notice: func(program string, err error) {
			in.Notice("code.exact: %s is not used: %v", program, err)
		},
	})
}

// shown is what a set of tools lists: of the code tools the core ones, or in codebase-index the eighteen in their place.
func shown(set string, t *tool.Spec) bool {
	if t.Origin.Kind != tool.Builtin || t.Category != "code" {
		return true
	}
	if set == "codebase-index" {
		return t.Kind == tool.Read && !codetool.Core(t.Name)
	}
	return codetool.Core(t.Name)
}
