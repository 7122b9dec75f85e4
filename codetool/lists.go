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

func getProjectSummary(x *Index) spec[summaryIn] {
	return spec[summaryIn]{name: "get_project_summary", title: "Project Summary", short: "Counts files, lines, languages, packages and symbols of the project.",
		run: func(ctx context.Context, s *sheet, _ summaryIn) error { return x.summary(ctx, s) }}
}

func (x *Index) summary(ctx context.Context, s *sheet) error {
	snap, err := x.Snapshot(ctx)
	if err != nil {
		return err
	}
	sum, err := snap.Summary(ctx)
	if err != nil {
		return err
	}
	s.printf("root: %s\n%d files, %d with code: %d lines, %d functions, %d classes, %d packages\n", x.dir(), sum.Files, sum.Indexed, sum.Lines, sum.Functions, sum.Classes, sum.Packages)
	for _, l := range sum.Languages {
		s.printf("language %s: %d files, %d lines\n", l.Language, l.Files, l.Lines)
	}
	for _, f := range sum.Folders[:min(topShown, len(sum.Folders))] {
		s.printf("folder %s: %d files, %d lines, %d functions, %d classes\n", f.Path, f.Files, f.Lines, f.Functions, f.Classes)
	}
	for _, t := range sum.Top[:min(topShown, len(sum.Top))] {
		s.about(t.Path)
		s.printf("top %s, in %d files\n", cut(place(t.Symbol)), t.Files)
	}
	for _, k := range sum.Skipped[:min(skippedShown, len(sum.Skipped))] {
		s.printf("skipped %s\n", cut(k))
	}
	return nil
}

type filesIn struct {
	Pattern    string `json:"pattern,omitempty" jsonschema:"description=Glob: src/**/*.py"`
	MaxResults int    `json:"max_results,omitempty" jsonschema:"description=Limit,minimum=0"`
	Cursor     string `json:"cursor,omitempty" jsonschema:"description=From before"`
}

func (in filesIn) String() string { return "list files " + in.Pattern }

func listFiles(x *Index) spec[filesIn] {
	return spec[filesIn]{name: "list_files", title: "List Files", short: "Lists the project's files, by glob if given.",
		run: func(ctx context.Context, s *sheet, in filesIn) error {
			snap, err := x.Snapshot(ctx)
			if err != nil {
				return err
			}
			f, err := snap.Files(ctx, in.Pattern, page(in.MaxResults, in.Cursor))
			if err != nil {
				return err
			}
			list(s, f.Paths, f.More, in.Cursor, func(p string) (string, string) { return "", p })
			return nil
		}}
}

type outlineIn struct {
	FilePath string `json:"file_path,omitempty" jsonschema:"description=Default: the whole project"`
	Cursor   string `json:"cursor,omitempty" jsonschema:"description=From before"`
}

func (in outlineIn) String() string { return "outline " + in.FilePath }

func getStructureSummary(x *Index) spec[outlineIn] {
	return spec[outlineIn]{name: "get_structure_summary", title: "Structure Summary", short: "Outline of a file; without one counts of the project.",
		file: func(in *outlineIn) *string { return &in.FilePath },
		run: func(ctx context.Context, s *sheet, in outlineIn) error {
			if in.FilePath == "" || in.FilePath == "." {
				return x.summary(ctx, s)
			}
			return x.outline(ctx, s, in)
		}}
}

func (x *Index) outline(ctx context.Context, s *sheet, in outlineIn) error {
	snap, err := x.Snapshot(ctx)
	if err != nil {
		return err
	}
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
		return o.Path, fmt.Sprintf("%s%d-%d %s", strings.Repeat("  ", n.Depth), n.Line, n.EndLine, text)
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

func getFunctions(x *Index) spec[itemsIn] {
	return spec[itemsIn]{name: "get_functions", title: "Functions", short: "Lists functions and methods with parameters and lines.", file: itemsFile,
		run: func(ctx context.Context, s *sheet, in itemsIn) error {
			return x.items(ctx, s, in, (*code.Snapshot).Functions)
		}}
}

func getClasses(x *Index) spec[itemsIn] {
	return spec[itemsIn]{name: "get_classes", title: "Classes", short: "Lists classes and other types with bases, methods and lines.", file: itemsFile,
		run: func(ctx context.Context, s *sheet, in itemsIn) error {
			return x.items(ctx, s, in, (*code.Snapshot).Classes)
		}}
}

func (x *Index) items(ctx context.Context, s *sheet, in itemsIn, ask func(*code.Snapshot, context.Context, string, code.Page) (code.Items, error)) error {
	snap, err := x.Snapshot(ctx)
	if err != nil {
		return err
	}
	l, err := ask(snap, ctx, in.FilePath, in.page())
	if err != nil {
		return err
	}
	list(s, l.Items, l.More, in.Cursor, item)
	return nil
}

func item(it code.Item) (string, string) {
	text := place(it.Symbol)
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

func getImports(x *Index) spec[itemsIn] {
	return spec[itemsIn]{name: "get_imports", title: "Imports", short: "Lists imports with file and line.", file: itemsFile,
		run: func(ctx context.Context, s *sheet, in itemsIn) error {
			snap, err := x.Snapshot(ctx)
			if err != nil {
				return err
			}
			l, err := snap.Imports(ctx, in.FilePath, in.page())
			if err != nil {
				return err
			}
			list(s, l.Imports, l.More, in.Cursor, importLine)
			return nil
		}}
}

func importLine(i code.ImportLine) (string, string) {
	text := fmt.Sprintf("%s:%d %s", i.Path, i.Line, i.Module)
	if i.Name != "" {
		text += " " + i.Name
	}
	if i.Local != "" && i.Local != i.Name && (i.Name != "" || i.Local != i.Module) {
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

func getFileDependencies(x *Index) spec[linksIn] {
	return spec[linksIn]{name: "get_file_dependencies", title: "File Dependencies", short: "Lists the files that a file uses.", file: linksFile,
		run: func(ctx context.Context, s *sheet, in linksIn) error {
			return x.links(ctx, s, in, (*code.Snapshot).FileDependencies)
		}}
}

func getFileDependents(x *Index) spec[linksIn] {
	return spec[linksIn]{name: "get_file_dependents", title: "File Dependents", short: "Lists the files that use a file.", file: linksFile,
		run: func(ctx context.Context, s *sheet, in linksIn) error {
			return x.links(ctx, s, in, (*code.Snapshot).FileDependents)
		}}
}

func (x *Index) links(ctx context.Context, s *sheet, in linksIn, ask func(*code.Snapshot, context.Context, string, code.Page) (code.FileLinks, error)) error {
	snap, err := x.Snapshot(ctx)
	if err != nil {
		return err
	}
	l, err := ask(snap, ctx, in.FilePath, page(in.MaxResults, in.Cursor))
	if err != nil {
		return err
	}
	list(s, l.Files, l.More, in.Cursor, fileLink)
	return nil
}

func fileLink(f code.FileLink) (string, string) {
	text := fmt.Sprintf("%s %d uses", f.Path, f.Uses)
	if f.Imported {
		text += ", imported"
	}
	if f.Test {
		text += " [test]"
	}
	return f.Path, text
}
