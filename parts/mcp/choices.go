package mcp

import (
	"fmt"

	"helve/internal/names"
	"helve/internal/workspace"
	"helve/source/upstream"
)

// emptyChoices are entries of include_tools and exclude_tools that mean none of a server's tools. Of a server whose
// list nobody knows nothing can be said.
func (l *Servers) emptyChoices() []workspace.Finding {
	var found []workspace.Finding
	for _, s := range l.list {
		at := l.in.Settings().At("mcp_servers", s.Name())
		for _, c := range s.Unmatched() {
			found = append(found, workspace.Finding{
				File:    at.File,
				Line:    at.Line,
				Key:     "mcp_servers." + s.Name(),
				Message: c.Key + ": " + emptyChoice(c, s),
				Certain: c.Err != nil,
			})
		}
	}
	return found
}

func emptyChoice(c upstream.Choice, s *upstream.Source) string {
	if c.Err != nil {
		return fmt.Sprintf("%q: %v", c.Text, c.Err)
	}
	text := fmt.Sprintf("%s has no tool %q", s.Name(), c.Text)
	if near := names.Near(c.Text, s.Known(), 1); len(near) > 0 {
		text += fmt.Sprintf(": did you mean %q?", near[0])
	}
	return text
}
