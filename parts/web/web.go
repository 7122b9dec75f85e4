// Package web is the part of a workspace that reaches the web: fetch.
package web

import (
	"context"

	"helve/builtin"
	"helve/internal/workspace"
)

// Options are what the part may have. The zero value is of use.
type Options struct {
	// Summarizer answers the questions that fetch puts to a page; nil: the passages that have the question's words do.
	Summarizer builtin.Summarizer
}

// Part is for helve.Options.Parts. Its key is fetch.
func Part(o Options) workspace.Part { return part{o} }

type part struct{ o Options }

func (part) Keys() []string { return []string{"fetch"} }

func (p part) Open(_ context.Context, s *workspace.Site) error {
	in := workspace.Within(s)
	in.AddOwn(builtin.FetchBy(in.Files(), p.o.Summarizer))
	return nil
}
