package main

import (
	"context"
	"slices"
	"strings"

	"helve/engine/code"
	"helve/scripts/internal/scoring"
)

// This file finds for each definition of an oracle the one of the index, and for each line the definition around it.

// newEdgeScorer matches the definitions of both sides.
func newEdgeScorer(ctx context.Context, t *edgeTruth, src *scoring.Folder, s *code.Snapshot) (*edgeScorer, error) {
	e := &edgeScorer{
		truth: t, s: s,
		files:   map[string][]placed{},
		same:    map[string][]int{},
		below:   map[int][]int{},
		uses:    map[string][]trueUse{},
		in:      map[string][]trueUse{},
		unknown: map[string][]int{},
	}
	for _, path := range t.Files {
		o, err := s.Outline(ctx, path, code.Page{Limit: outlinePage})
		if err != nil {
			return nil, err
		}
		text, err := scoring.ReadAll(src, path)
		if err != nil {
			return nil, err
		}
		lines := strings.Split(string(text), "\n")
		for _, n := range o.Nodes {
			e.files[path] = append(e.files[path], placed{
				id:   path + "#" + n.Qualified,
				name: n.Name,
				path: path,
				from: decorated(lines, n.Line),
				line: n.Line,
				end:  n.EndLine,
				kind: n.Kind,
			})
		}
	}
	for i := range t.Defs {
		id := e.match(&t.Defs[i])
		e.ids = append(e.ids, id)
		if id != "" {
			e.same[id] = append(e.same[id], i)
		}
	}
	e.overridden()
	e.collect()
	return e, nil
}

// match is the ID that the index gives a definition: what has its name and begins nearest above the name.
func (e *edgeScorer) match(d *trueDef) string {
	best := placed{line: -1}
	for _, p := range e.files[d.Path] {
		if p.name == d.Name && p.line <= d.Line && d.Line <= max(p.end, p.line) && p.line >= best.line {
			best = p
		}
	}
	return best.id
}

// overridden closes over the overrides: what a method overrides, and what that does.
func (e *edgeScorer) overridden() {
	direct := map[int][]int{}
	for _, o := range e.truth.Over {
		direct[o[0]] = append(direct[o[0]], o[1])
	}
	for n := range direct {
		queue := slices.Clone(direct[n])
		for i := 0; i < len(queue); i++ {
			for _, m := range direct[queue[i]] {
				if m != n && !slices.Contains(queue, m) {
					queue = append(queue, m)
				}
			}
		}
		e.below[n] = queue
	}
}

// decorated is the line where the decorators of the definition on a line begin, or that line: they are a part of what
// they decorate, as which functions register and which are cached.
func decorated(lines []string, line int) int {
	depth := 0
	for n := line - 1; n > 0; n-- {
		text := strings.TrimSpace(lines[n-1])
		depth += strings.Count(text, ")") - strings.Count(text, "(")
		switch {
		case depth > 0: // the end of one of several lines
		case strings.HasPrefix(text, "@"):
			line = n
		default:
			return line
		}
	}
	return line
}

// collect sorts the uses by what they mean and where they stand.
func (e *edgeScorer) collect() {
	for _, u := range e.truth.Uses {
		if len(u.To) == 0 {
			e.unknown[u.Path+"#"+u.Name] = append(e.unknown[u.Path+"#"+u.Name], u.Line)
			continue
		}
		e.in[u.Path] = append(e.in[u.Path], u)
		seen := map[string]bool{}
		for _, n := range u.To {
			if id := e.ids[n]; id != "" && !seen[id] {
				seen[id] = true
				e.uses[id] = append(e.uses[id], u)
			}
		}
	}
	for _, list := range e.in {
		slices.SortFunc(list, func(a, b trueUse) int { return a.Line - b.Line })
	}
}

// around is the innermost function or type of the index at a line; where there is none, the variable or field there,
// or the file. What a function body gives its fields belongs to the function: both sides see it differently.
func (e *edgeScorer) around(path string, line int) string {
	best := placed{id: path, end: 1 << 30}
	for _, p := range e.files[path] {
		if p.from > line || line > p.end {
			continue
		}
		if p.holds() == best.holds() && p.end-p.line <= best.end-best.line || p.holds() && !best.holds() {
			best = p
		}
	}
	return best.id
}

// holds tells whether a definition is one that others stand in.
func (p placed) holds() bool { return p.kind.Callable() || p.kind.Type() }
