package codetool

import (
	"context"
	"fmt"
	"strings"

	"helve/engine/code"
)

type sourceIn struct {
	Name     string   `json:"name" jsonschema:"description=Name; Type.method or path#Type.method,minLength=1"`
	FilePath string   `json:"file_path,omitempty" jsonschema:"description=Only in this file"`
	MaxLines int      `json:"max_lines,omitempty" jsonschema:"description=Line limit,minimum=0"`
	Names    []string `json:"names,omitempty" jsonschema:"description=More names"`
}

func (in sourceIn) String() string { return "source of " + in.Name }

func sourceFile(in *sourceIn) *string { return &in.FilePath }

type sourceOf func(s *code.Snapshot, ctx context.Context, name, path string, maxLines int) (code.Excerpt, error)

func getFunctionSource(x *Index) spec[sourceIn] {
	return spec[sourceIn]{name: "get_function_source", title: "Function Source", short: "The text of a function or method.", file: sourceFile,
		run: func(ctx context.Context, s *sheet, in sourceIn) error {
			return x.source(ctx, s, in, (*code.Snapshot).FunctionSource)
		}}
}

func getClassSource(x *Index) spec[sourceIn] {
	return spec[sourceIn]{name: "get_class_source", title: "Class Source", short: "The text of a class or other type.", file: sourceFile,
		run: func(ctx context.Context, s *sheet, in sourceIn) error {
			return x.source(ctx, s, in, (*code.Snapshot).ClassSource)
		}}
}

func (x *Index) source(ctx context.Context, s *sheet, in sourceIn, ask sourceOf) error {
	snap, err := x.Snapshot(ctx)
	if err != nil {
		return err
	}
	return each(s, in.Name, in.Names, "", func(name, _ string) error {
		e, err := ask(snap, ctx, name, in.FilePath, in.MaxLines)
		if err != nil {
			return err
		}
		s.excerpt(e)
		return nil
	})
}

// excerpt writes as many whole lines of a definition as fit.
func (s *sheet) excerpt(e code.Excerpt) {
	s.about(e.Path)
	s.printf("%s\n", place(e.Symbol))
	s.others(e.Others)
	left, next := e.Cut, e.Line
	full := false
	for line := range strings.Lines(e.Text) {
		if full = full || next > e.Line && !s.fits(line); full {
			left++
			continue
		}
		if !s.fits(line) {
			line = cut(line) + "\n"
		}
		s.printf("%s", line)
		next++
	}
	if !strings.HasSuffix(s.text.String(), "\n") {
		s.printf("\n")
	}
	if left > 0 {
		s.printf("[truncated: %d more lines: read %s from line %d]\n", left, e.Path, next)
	}
}

type findIn struct{ named }

func (in findIn) String() string { return "find " + in.Name }

func findSymbol(x *Index) spec[findIn] {
	return spec[findIn]{name: "find_symbol", title: "Find Symbol", short: "Where a symbol is defined, all candidates ranked.",
		run: func(ctx context.Context, s *sheet, in findIn) error {
			snap, err := x.Snapshot(ctx)
			if err != nil {
				return err
			}
			return each(s, in.Name, in.Names, in.Cursor, func(name, cursor string) error { return find(ctx, snap, s, name, cursor) })
		}}
}

// findItems is how many candidates are cut out of their files: more than an answer of usual size has room for.
const findItems = 80

func find(ctx context.Context, snap *code.Snapshot, s *sheet, name, cursor string) error {
	m, err := snap.Find(ctx, name, page(findItems, cursor))
	if err != nil {
		return err
	}
	if m.Total == 0 {
		return &code.UnknownError{Name: name, Suggestions: m.Suggestions}
	}
	list(s, m.Matches, m.More, cursor, func(m code.Match) (string, string) {
		return m.Path, place(m.Symbol) + " " + m.Signature
	})
	if len(m.Matches) == 1 && m.Matches[0].Preview != "" && s.fits(m.Matches[0].Preview) {
		s.printf("%s\n", strings.TrimSuffix(m.Matches[0].Preview, "\n"))
	}
	return nil
}

type edgesIn struct {
	named
	MaxResults int `json:"max_results,omitempty" jsonschema:"description=Limit,minimum=0"`
}

func (in edgesIn) String() string { return "links of " + in.Name }

type edgesOf func(s *code.Snapshot, ctx context.Context, name string, p code.Page) (code.Edges, error)

func getDependencies(x *Index) spec[edgesIn] {
	return spec[edgesIn]{name: "get_dependencies", title: "Dependencies", short: "What a symbol uses, and how sure that is.",
		run: func(ctx context.Context, s *sheet, in edgesIn) error {
			return x.edges(ctx, s, in, (*code.Snapshot).Dependencies)
		}}
}

func getDependents(x *Index) spec[edgesIn] {
	return spec[edgesIn]{name: "get_dependents", title: "Dependents", short: "What uses a symbol, and how sure that is.",
		run: func(ctx context.Context, s *sheet, in edgesIn) error {
			return x.edges(ctx, s, in, (*code.Snapshot).Dependents)
		}}
}

func (x *Index) edges(ctx context.Context, s *sheet, in edgesIn, ask edgesOf) error {
	snap, err := x.Snapshot(ctx)
	if err != nil {
		return err
	}
	return each(s, in.Name, in.Names, in.Cursor, func(name, cursor string) error {
		e, err := ask(snap, ctx, name, page(in.MaxResults, cursor))
		if err != nil {
			return err
		}
		s.about(e.Of.Path)
		s.printf("of %s\n", place(e.Of))
		s.others(e.Others)
		list(s, e.Edges, e.More, cursor, edge)
		return nil
	})
}

func edge(e code.Edge) (string, string) {
	return e.Path, fmt.Sprintf("%s, %s at %d, %s", place(e.Symbol), e.Use, e.At, e.Sure)
}

type chainIn struct {
	From string `json:"from_name" jsonschema:"description=The caller,minLength=1"`
	To   string `json:"to_name" jsonschema:"description=The callee,minLength=1"`
}

func (in chainIn) String() string { return "calls from " + in.From + " to " + in.To }

func getCallChain(x *Index) spec[chainIn] {
	return spec[chainIn]{name: "get_call_chain", title: "Call Chain", short: "The shortest chain of calls from one symbol to another.",
		run: func(ctx context.Context, s *sheet, in chainIn) error {
			snap, err := x.Snapshot(ctx)
			if err != nil {
				return err
			}
			c, err := snap.Chain(ctx, in.From, in.To)
			if err != nil {
				return err
			}
			s.chain(c)
			return nil
		}}
}

func (s *sheet) chain(c code.Chain) {
	s.about(c.From.Path)
	s.printf("%s\n", place(c.From))
	s.others(c.FromOthers)
	if len(c.Steps) == 0 {
		s.printf("no chain to %s\n", place(c.To))
	}
	list := c.Steps
	for i, e := range list {
		path, text := edge(e)
		if text = cut(text); !s.fits(text) {
			s.printf("[truncated: %d more steps]\n", len(list)-i)
			break
		}
		s.about(path)
		s.printf("→ %s\n", text)
	}
	s.others(c.ToOthers)
	if c.Stopped {
		s.printf("[ended at a bound of time or size: there may be a way]\n")
	}
}
