package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"helve/engine/code"
)

// outlinePage is more definitions than any file that was scored has; what goes beyond it would
// count as missing.
const outlinePage = 10000

// compare scores the index against the truth, file by file. Edges are scored twice: with the
// likeliest of several meanings, which is what a question about callers shows, and with those alone
// that the index calls certain.
func (t *truth) compare(ctx context.Context, w io.Writer, s *code.Snapshot, misses int) error {
	defs := &score{found: map[string]bool{}, truth: t.defs}
	all := &score{found: map[string]bool{}, truth: t.edges}
	sure := &score{found: map[string]bool{}, truth: t.edges}
	for path := range t.files {
		if err := t.findDefinitions(ctx, s, path, defs); err != nil {
			return err
		}
		if err := findCalls(ctx, s, path, all, sure); err != nil {
			return err
		}
	}

	fmt.Fprintf(w, "%s against go/types, %d files\n", t.root, len(t.files))
	defs.print(w, "Go definitions", misses)
	all.print(w, "Go call edges, likeliest of ambiguous too", misses)
	sure.print(w, "Go call edges, unambiguous", 0)
	t.findImplementers(ctx, s).print(w, "Go methods that implement an interface's", misses)
	return nil
}

// findDefinitions notes what the index finds in a file. What is nested (a local type, a field of an
// anonymous struct) counts only where the truth has it: go/types lists such things elsewhere, or
// nowhere.
func (t *truth) findDefinitions(ctx context.Context, s *code.Snapshot, path string, defs *score) error {
	o, err := s.Outline(ctx, path, code.Page{Limit: outlinePage})
	if err != nil {
		return err
	}
	for _, n := range o.Nodes {
		id := path + "#" + n.Qualified
		if t.defs[id] || n.Depth == 0 {
			defs.found[id] = true
		}
	}
	return nil
}

// findCalls notes the calls that the index finds in a file: in sure those of which it says that
// there is one callee.
func findCalls(ctx context.Context, s *code.Snapshot, path string, all, sure *score) error {
	links, err := s.Links(ctx, path)
	if err != nil {
		return err
	}
	for _, l := range links {
		if l.Use != code.Call || !callable(l.From) || !callable(l.To) {
			continue
		}
		edge := place(l.From) + " -> " + place(l.To)
		all.found[edge] = true
		if l.Sure.Level != code.Ambiguous {
			sure.found[edge] = true
		}
	}
	return nil
}

// callable leaves out calls of types (conversions, constructors) and calls at the top of a file,
// which go/types has no function for.
func callable(s code.Symbol) bool { return s.Kind == code.Function || s.Kind == code.Method }

// place names a symbol by its folder, as the edges of truth do.
func place(s code.Symbol) string { return filepath.Dir(s.Path) + "#" + s.Qualified }

// findImplementers asks the index for the methods that implement each method of an interface.
func (t *truth) findImplementers(ctx context.Context, s *code.Snapshot) *score {
	out := &score{found: map[string]bool{}, truth: t.implements}
	for id := range t.asked {
		list, err := s.Overrides(ctx, id)
		if err != nil {
			continue // missing among the definitions above
		}
		path, name, _ := strings.Cut(id, "#")
		asked := filepath.Dir(path) + "#" + name
		for _, m := range list {
			if t.files[m.Path] { // what go/types was not asked about, it cannot deny
				out.found[asked+" => "+place(m)] = true
			}
		}
	}
	return out
}
