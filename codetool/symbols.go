package codetool

import (
	"context"
	"fmt"
	"strings"

	"helve/engine/code"
)

// sourceIn asks for the text of one definition, or of several with equal shares of the answer.
type sourceIn struct {
	Name     string   `json:"name" jsonschema:"description=Name; Type.method or path#Type.method,minLength=1"`
	FilePath string   `json:"file_path,omitempty" jsonschema:"description=Only in this file"`
	MaxLines int      `json:"max_lines,omitempty" jsonschema:"description=Line limit,minimum=0"`
	Names    []string `json:"names,omitempty" jsonschema:"description=More names"`
}

func (in sourceIn) String() string { return "source of " + in.Name }

func sourceFile(in *sourceIn) *string { return &in.FilePath }

// sourceOf is a question that two tools ask of a snapshot, each about its own kinds of definitions.
type sourceOf func(s *code.Snapshot, ctx context.Context, name, path string, maxLines int) (code.Excerpt, error)

// getFunctionSource saves the reading of a whole file for one function of it.
func getFunctionSource(x *Index) spec[sourceIn] {
	return spec[sourceIn]{
		name:  "get_function_source",
		title: "Function Source",
		short: "The text of a function or method.",
		file:  sourceFile,
		run:   x.source((*code.Snapshot).FunctionSource),
	}
}

// getClassSource takes any type: classes, structs, interfaces, enumerations.
func getClassSource(x *Index) spec[sourceIn] {
	return spec[sourceIn]{
		name:  "get_class_source",
		title: "Class Source",
		short: "The text of a class or other type.",
		file:  sourceFile,
		run:   x.source((*code.Snapshot).ClassSource),
	}
}

// source makes the runner of a question for text.
func (x *Index) source(ask sourceOf) runner[sourceIn] {
	return asking(x, func(ctx context.Context, snap *code.Snapshot, s *sheet, in sourceIn) error {
		return each(s, in.Name, in.Names, "", func(name, _ string) error {
			e, err := ask(snap, ctx, name, in.FilePath, in.MaxLines)
			if err != nil {
				return err
			}
			s.excerpt(e)
			return nil
		})
	})
}

// excerpt writes as many whole lines of a definition as fit. The first line always comes, cut if it must be: a model
// that was told nothing would ask again.
func (s *sheet) excerpt(e code.Excerpt) {
	s.about(e.Path)
	s.printf("%s\n", place(e.Symbol))
	s.others(e.Others)
	left, next := e.Cut, e.Line
	full := false
	for line := range strings.Lines(e.Text) {
		fits := s.fits(line)
		full = full || !fits && next > e.Line
		if full {
			left++
			continue
		}
		if !fits {
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

// findIn asks what names mean: a name alone, Type.method, or the id path#Type.method that other answers give.
type findIn struct{ named }

func (in findIn) String() string { return "find " + in.Name }

// findSymbol answers with lines such as "store/s.go#Store.Get:8-8 method func (s *Store) Get(k string) string", the
// likeliest meaning first.
func findSymbol(x *Index) spec[findIn] {
	return spec[findIn]{
		name:  "find_symbol",
		title: "Find Symbol",
		short: "Where a symbol is defined, all candidates ranked.",
		run: asking(x, func(ctx context.Context, snap *code.Snapshot, s *sheet, in findIn) error {
			return each(s, in.Name, in.Names, in.Cursor, func(name, cursor string) error {
				return find(ctx, snap, s, name, cursor)
			})
		}),
	}
}

// findItems is how many candidates are cut out of their files: more than an answer of usual size has room for.
const findItems = 80

// find lists what a name may mean. The only candidate is shown with its first lines, which often save a further call.
func find(ctx context.Context, snap *code.Snapshot, s *sheet, name, cursor string) error {
	m, err := snap.Find(ctx, name, page(findItems, cursor))
	if err != nil {
		return err
	}
	if m.Total == 0 {
		return &code.UnknownError{Name: name, Suggestions: m.Suggestions}
	}
	list(s, m.Matches, m.More, cursor, func(m code.Match) (string, string) {
		return m.Path, signed(m)
	})
	if len(m.Matches) != 1 {
		return nil
	}
	preview := m.Matches[0].Preview
	if preview != "" && s.fits(preview) {
		s.printf("%s\n", strings.TrimSuffix(preview, "\n"))
	}
	return nil
}

// signed is a definition in one line with its signature. In many languages this begins with the word for the kind, which
// is not said twice.
func signed(m code.Match) string {
	rest, same := strings.CutPrefix(m.Signature, m.Kind.String())
	if same && (rest == "" || rest[0] == ' ' || rest[0] == '*') { // function* in JavaScript
		return place(m.Symbol) + rest
	}
	return place(m.Symbol) + " " + m.Signature
}

// edgesIn asks for what one symbol is connected with.
type edgesIn struct {
	named
	MaxResults int `json:"max_results,omitempty" jsonschema:"description=Limit,minimum=0"`
}

func (in edgesIn) String() string { return "links of " + in.Name }

// edgesOf is a question about the neighbours of a symbol, in one of the two directions.
type edgesOf func(s *code.Snapshot, ctx context.Context, name string, p code.Page) (code.Edges, error)

// getDependencies answers with lines such as "store/s.go#Open:6-6 function, call at 8, import-resolved".
func getDependencies(x *Index) spec[edgesIn] {
	return spec[edgesIn]{
		name:  "get_dependencies",
		title: "Dependencies",
		short: "What a symbol uses, and how sure that is.",
		run:   x.edges((*code.Snapshot).Dependencies),
	}
}

// getDependents is the other direction: who has to be looked at when a symbol changes.
func getDependents(x *Index) spec[edgesIn] {
	return spec[edgesIn]{
		name:  "get_dependents",
		title: "Dependents",
		short: "What uses a symbol, and how sure that is.",
		run:   x.edges((*code.Snapshot).Dependents),
	}
}

// edges makes the runner of a question for connections.
func (x *Index) edges(ask edgesOf) runner[edgesIn] {
	return asking(x, func(ctx context.Context, snap *code.Snapshot, s *sheet, in edgesIn) error {
		ctx, cancel := context.WithTimeout(ctx, searchTime)
		defer cancel()
		return each(s, in.Name, in.Names, in.Cursor, func(name, cursor string) error {
			e, err := ask(snap, ctx, name, page(in.MaxResults, cursor))
			if err != nil {
				return err
			}
			ids := shared(e.Others)
			if cursor != "" || len(ids) == 0 {
				s.edges(e, cursor)
				return nil
			}
			e.Others = nil
			return s.share(ids, func() { s.name = e.Of.ID; s.edges(e, "") }, func(id string) error {
				e, err := ask(snap, ctx, id, page(in.MaxResults, ""))
				if err == nil {
					e.Others = nil
					s.edges(e, "")
				}
				return err
			})
		})
	})
}

// edges writes the connections of one definition.
func (s *sheet) edges(e code.Edges, cursor string) {
	s.about(e.Of.Path)
	s.printf("of %s\n", place(e.Of))
	s.others(e.Others)
	list(s, e.Edges, e.More, cursor, edge)
	s.unresolved(e.Unresolved)
}

// unresolved says how many references may mean a definition and are in no list.
func (s *sheet) unresolved(n int) {
	if n > 0 {
		s.printf("[%d more uses of this name have a receiver of unknown type: search for them by text]\n", n)
	}
}

// edge is a connection: the other end, what kind of use it is, in which line, and how sure that is.
func edge(e code.Edge) (path, text string) {
	return e.Path, fmt.Sprintf("%s, %s at %d, %s", place(e.Symbol), e.Use, e.At, e.Sure)
}

// chainIn asks for the way from one function to another.
type chainIn struct {
	From string `json:"from_name" jsonschema:"description=The caller,minLength=1"`
	To   string `json:"to_name" jsonschema:"description=The callee,minLength=1"`
}

func (in chainIn) String() string { return "calls from " + in.From + " to " + in.To }

// getCallChain answers how a call gets from one place to another, which takes many steps by getDependents.
func getCallChain(x *Index) spec[chainIn] {
	return spec[chainIn]{
		name:  "get_call_chain",
		title: "Call Chain",
		short: "The shortest chain of calls from one symbol to another.",
		run: asking(x, func(ctx context.Context, snap *code.Snapshot, s *sheet, in chainIn) error {
			c, err := snap.Chain(ctx, in.From, in.To)
			if err != nil {
				return err
			}
			s.chain(c)
			return nil
		}),
	}
}

// chain writes the steps from the caller to the callee. What else the two names may mean is said at either end.
func (s *sheet) chain(c code.Chain) {
	s.about(c.From.Path)
	s.printf("%s\n", place(c.From))
	s.others(c.FromOthers)
	if len(c.Steps) == 0 {
		s.printf("no chain to %s\n", place(c.To))
	}
	for i, e := range c.Steps {
		path, text := edge(e)
		text = cut(text)
		if !s.fits(text) {
			s.printf("[truncated: %d more steps]\n", len(c.Steps)-i)
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
