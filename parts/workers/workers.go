// Package workers is the part of a workspace whose tools have others do their work, such as helve on other machines.
package workers

import (
	"context"

	"helve/internal/workspace"
	"helve/tool"
)

// Options say who they are. The zero value is nobody: the key of the configuration is known, and nothing comes of it.
type Options struct {
	// Relocate has others do the work of our own tools: it returns each of tools, with its definition and another
	// Prepare. dir is the workspace's folder. nil: they work here.
	Relocate func(dir string, tools []tool.Tool) ([]tool.Tool, error)
	// Sources makes further sources of tools, such as a pool of workers with tools of their own. They are listed with
	// all others, and closed with the workspace. It is called after Relocate. nil: there are none.
	Sources func(dir string) ([]tool.Source, error)
}

// Part is for helve.Options.Parts. Its key is bus.
func Part(o Options) workspace.Part { return part{o} }

type part struct{ o Options }

func (part) Keys() []string { return []string{"bus"} }

func (p part) Open(_ context.Context, s *workspace.Site) error {
	dir := s.Dirs()[0]
	if p.o.Relocate != nil {
		workspace.Within(s).Relocate(func(tools []tool.Tool) ([]tool.Tool, error) { return p.o.Relocate(dir, tools) })
	}
	if p.o.Sources != nil {
		workspace.Within(s).Later(func() ([]tool.Source, error) { return p.o.Sources(dir) })
	}
	return nil
}
