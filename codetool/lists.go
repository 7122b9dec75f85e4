package codetool

import (
	"context"
	"fmt"
	"strings"

	"helve/engine/code"
)

const (
	// topShown is how many symbols and folders the summary names.
	topShown = 15
	// skippedShown is how many skipped files it names.
	skippedShown = 5
)

type summaryIn struct{}

func (summaryIn) String() string { return "summarize the project" }

// getProjectSummary is for the first look at a project that one does not know.
func getProjectSummary(x *Index) spec[summaryIn] {
	return spec[summaryIn]{
		name:  "get_project_summary",
		title: "Project Summary",
		short: "Counts files, lines, languages, packages and symbols of the project.",
		run: asking(x, func(ctx context.Context, snap *code.Snapshot, s *sheet, _ summaryIn) error {
			return x.summary(ctx, snap, s)
		}),
	}
}

// summary writes the counts of the project, the largest parts first: a budget that ends early cuts the small ones.
func (x *Index) summary(ctx context.Context, snap *code.Snapshot, s *sheet) error {
	sum, err := snap.Summary(ctx)
	if err != nil {
		return err
	}
	s.printf("root: %s\n", x.dir())
	s.printf("%d files, %d with code: %d lines, %d functions, %d classes, %d packages\n",
		sum.Files, sum.Indexed, sum.Lines, sum.Functions, sum.Classes, sum.Packages)
	for _, l := range sum.Languages {
		s.printf("language %s: %d files, %d lines\n", l.Language, l.Files, l.Lines)
	}
	for _, f := range first(topShown, sum.Folders) {
		s.printf("folder %s: %d files, %d lines, %d functions, %d classes\n",
			f.Path, f.Files, f.Lines, f.Functions, f.Classes)
	}
	for _, t := range first(topShown, sum.Top) {
		s.about(t.Path)
		s.printf("top %s, in %d files\n", cut(place(t.Symbol)), t.Files)
	}
	for _, k := range first(skippedShown, sum.Skipped) {
		s.printf("skipped %s\n", cut(k))
	}
	return nil
}

// first are at most n of a list.
func first[T any](n int, list []T) []T { return list[:min(n, len(list))] }

// filesIn asks for paths. The pattern is a glob, in which ** stands for folders; without a slash it is of the name in
// every folder.
type filesIn struct {
	Pattern    string `json:"pattern,omitempty" jsonschema:"description=Glob: src/**/*.py"`
	MaxResults int    `json:"max_results,omitempty" jsonschema:"description=Limit,minimum=0"`
	Cursor     string `json:"cursor,omitempty" jsonschema:"description=From before"`
}

func (in filesIn) String() string { return "list files " + in.Pattern }

// listFiles answers from the index, and so knows what glob knows: the visible files, by path.
func listFiles(x *Index) spec[filesIn] {
	return spec[filesIn]{
		name:  "list_files",
		title: "List Files",
		short: "Lists the project's files, by glob if given.",
		run: asking(x, func(ctx context.Context, snap *code.Snapshot, s *sheet, in filesIn) error {
			f, err := snap.Files(ctx, in.Pattern, page(in.MaxResults, in.Cursor))
			if err != nil {
				return err
			}
			// A name in a list says nothing of what is in the file: it does not count as one that was spoken of.
			list(s, f.Paths, f.More, in.Cursor, func(p string) (string, string) { return "", p })
			return nil
		}),
	}
}

// outlineIn asks for the parts of one file; without one, for the project's summary, which is what such a call means.
type outlineIn struct {
	FilePath string `json:"file_path,omitempty" jsonschema:"description=Default: the whole project"`
	Cursor   string `json:"cursor,omitempty" jsonschema:"description=From before"`
}

func (in outlineIn) String() string { return "outline " + in.FilePath }

// getStructureSummary answers with lines such as "  8-8 func (s *Store) Get(k string) string".
func getStructureSummary(x *Index) spec[outlineIn] {
	return spec[outlineIn]{
		name:  "get_structure_summary",
		title: "Structure Summary",
		short: "Outline of a file; without one counts of the project.",
		file:  func(in *outlineIn) *string { return &in.FilePath },
		run: asking(x, func(ctx context.Context, snap *code.Snapshot, s *sheet, in outlineIn) error {
			if in.FilePath == "" || in.FilePath == "." {
				return x.summary(ctx, snap, s)
			}
			return outline(ctx, snap, s, in)
		}),
	}
}

// outline lists the definitions of a file, each below the one that it is part of.
func outline(ctx context.Context, snap *code.Snapshot, s *sheet, in outlineIn) error {
	o, err := snap.Outline(ctx, in.FilePath, page(0, in.Cursor))
	if err != nil {
		return err
	}
	s.printf("%s: %s, %d lines, %d imports\n", o.Path, o.Language, o.Lines, len(o.Imports))
	if o.Generic {
		s.printf("[guessed from the text's shape: no reader of this language]\n")
	}
	if o.Skipped != "" {
		s.printf("[%s]\n", cut(o.Skipped))
	}
	list(s, o.Nodes, o.More, in.Cursor, func(n code.Node) (string, string) {
		text := n.Signature
		if text == "" {
			text = n.Kind.String() + " " + n.Name
		}
		indent := strings.Repeat("  ", n.Depth)
		return o.Path, fmt.Sprintf("%s%d-%d %s", indent, n.Line, n.EndLine, text)
	})
	return nil
}

// itemsIn asks for definitions or imports of one file, or of all.
type itemsIn struct {
	FilePath   string `json:"file_path,omitempty" jsonschema:"description=Default: all files"`
	MaxResults int    `json:"max_results,omitempty" jsonschema:"description=Limit,minimum=0"`
	Cursor     string `json:"cursor,omitempty" jsonschema:"description=From before"`
}

func (in itemsIn) String() string { return "list the code of " + in.FilePath }

func (in itemsIn) page() code.Page { return page(in.MaxResults, in.Cursor) }

func itemsFile(in *itemsIn) *string { return &in.FilePath }

// itemsOf is a question for definitions of some kind; the path may be empty, for all files.
type itemsOf func(s *code.Snapshot, ctx context.Context, path string, p code.Page) (code.Items, error)

// getFunctions answers with lines such as "store/s.go#Store.Get:8-8 method (k string)".
func getFunctions(x *Index) spec[itemsIn] {
	return spec[itemsIn]{
		name:  "get_functions",
		title: "Functions",
		short: "Lists functions and methods with parameters and lines.",
		file:  itemsFile,
		run:   x.items((*code.Snapshot).Functions),
	}
}

// getClasses answers with lines such as "a.py#Child:5-7 class of Base methods: go".
func getClasses(x *Index) spec[itemsIn] {
	return spec[itemsIn]{
		name:  "get_classes",
		title: "Classes",
		short: "Lists classes and other types with bases, methods and lines.",
		file:  itemsFile,
		run:   x.items((*code.Snapshot).Classes),
	}
}

// items makes the runner of a list of definitions.
func (x *Index) items(ask itemsOf) runner[itemsIn] {
	return asking(x, func(ctx context.Context, snap *code.Snapshot, s *sheet, in itemsIn) error {
		l, err := ask(snap, ctx, in.FilePath, in.page())
		if err != nil {
			return err
		}
		list(s, l.Items, l.More, in.Cursor, item)
		return nil
	})
}

// item is a definition with what one needs to use it: parameters of what is called, bases and methods of a type.
func item(it code.Item) (path, text string) {
	text = place(it.Symbol)
	if it.Kind.Callable() {
		text += " (" + it.Params + ")"
	}
	if len(it.Bases) > 0 {
		text += " of " + strings.Join(it.Bases, ", ")
	}
	if len(it.Methods) > 0 {
		text += " methods: " + strings.Join(it.Methods, ", ")
	}
	return it.Path, text
}

// getImports answers with lines such as "main.go:3 example.com/app/store".
func getImports(x *Index) spec[itemsIn] {
	return spec[itemsIn]{
		name:  "get_imports",
		title: "Imports",
		short: "Lists imports with file and line.",
		file:  itemsFile,
		run: asking(x, func(ctx context.Context, snap *code.Snapshot, s *sheet, in itemsIn) error {
			l, err := snap.Imports(ctx, in.FilePath, in.page())
			if err != nil {
				return err
			}
			list(s, l.Imports, l.More, in.Cursor, importLine)
			return nil
		}),
	}
}

// importLine names an import as its line does: the module, what is taken from it, and the name that it gets here if
// that is another.
func importLine(i code.ImportLine) (path, text string) {
	text = fmt.Sprintf("%s:%d %s", i.Path, i.Line, i.Module)
	taken := i.Module
	if i.Name != "" {
		text += " " + i.Name
		taken = i.Name
	}
	if i.Local != "" && i.Local != taken {
		text += " as " + i.Local
	}
	return i.Path, text
}

// linksIn asks for the neighbours of a file.
type linksIn struct {
	FilePath   string `json:"file_path" jsonschema:"description=File,minLength=1"`
	MaxResults int    `json:"max_results,omitempty" jsonschema:"description=Limit,minimum=0"`
	Cursor     string `json:"cursor,omitempty" jsonschema:"description=From before"`
}

func (in linksIn) String() string { return "links of " + in.FilePath }

func linksFile(in *linksIn) *string { return &in.FilePath }

// linksOf is a question about the neighbours of a file, in one of the two directions.
type linksOf func(s *code.Snapshot, ctx context.Context, path string, p code.Page) (code.FileLinks, error)

// getFileDependencies answers with lines such as "store/s.go 2 uses, imported".
func getFileDependencies(x *Index) spec[linksIn] {
	return spec[linksIn]{
		name:  "get_file_dependencies",
		title: "File Dependencies",
		short: "Lists the files that a file uses.",
		file:  linksFile,
		run:   x.links((*code.Snapshot).FileDependencies),
	}
}

// getFileDependents is the other direction: what one may have to change with a file.
func getFileDependents(x *Index) spec[linksIn] {
	return spec[linksIn]{
		name:  "get_file_dependents",
		title: "File Dependents",
		short: "Lists the files that use a file.",
		file:  linksFile,
		run:   x.links((*code.Snapshot).FileDependents),
	}
}

// links makes the runner of a list of files.
func (x *Index) links(ask linksOf) runner[linksIn] {
	return asking(x, func(ctx context.Context, snap *code.Snapshot, s *sheet, in linksIn) error {
		l, err := ask(snap, ctx, in.FilePath, page(in.MaxResults, in.Cursor))
		if err != nil {
			return err
		}
		list(s, l.Files, l.More, in.Cursor, fileLink)
		return nil
	})
}

// fileLink is a file and why it is in the list: how often one uses the other, and whether by an import.
func fileLink(f code.FileLink) (path, text string) {
	text = fmt.Sprintf("%s %d uses", f.Path, f.Uses)
	if f.Imported {
		text += ", imported"
	}
	if f.Test {
		text += " [test]"
	}
	return f.Path, text
}
