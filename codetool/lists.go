package codetool

import (
	"context"
	"fmt"
	"strings"

	"helve/engine/code"
	"helve/tool"
)

// filesIn asks for paths. The pattern is a glob, in which ** stands for folders; without a slash it is of the name in
// every folder.
type filesIn struct {
	Pattern    string `json:"pattern,omitempty" jsonschema:"description=Glob: src/**/*.py"`
	MaxResults int    `json:"max_results,omitempty" jsonschema:"description=Limit,minimum=0"`
	Cursor     string `json:"cursor,omitempty" jsonschema:"description=From before"`
}

func (in filesIn) String() string { return "list files " + in.Pattern }

// A listedPath is a name in a list. It says nothing of what is in the file: it does not count as one that was spoken
// of.
type listedPath string

func (p listedPath) String() string { return string(p) }
func (p listedPath) path() string   { return "" }

// filesData are paths.
type filesData struct {
	Files []listedPath `json:"files" jsonschema:"description=Relative to the workspace\\, by path"`
	pageData
	extent
}

// Text is a path a line.
func (d filesData) Text() string { return pageText(d.Files, d.pageData) }

// pageText is an answer that is one list.
func pageText[T fmt.Stringer](items []T, p pageData) string {
	var b strings.Builder
	writePage(&b, items, p)
	return strings.TrimSuffix(b.String(), "\n")
}

// listFiles answers from the index, and so knows what glob knows: the visible files, by path.
func listFiles(x *Index) spec[filesIn] {
	return spec[filesIn]{
		name:    "list_files",
		title:   "List Files",
		short:   "Lists the project's files, by glob if given.",
		limits:  []string{"max_results"},
		renders: tool.Renders[filesData],
		run: asking(x, func(ctx context.Context, snap *code.Snapshot, s *sheet, in filesIn) (tool.Rendered, error) {
			f, err := snap.Files(ctx, in.Pattern, s.page(in.MaxResults, in.Cursor))
			if err != nil {
				return nil, err
			}
			var d filesData
			paths := rows(len(f.Paths), func(i int) listedPath { return listedPath(clean(f.Paths[i])) })
			d.Files, d.pageData = list(s, paths, f.More, in.Cursor)
			d.extent = s.extent()
			return d, nil
		}),
	}
}

// itemsIn asks for definitions or imports of one file, or of all.
type itemsIn struct {
	FilePath   string `json:"file_path,omitempty" jsonschema:"description=Default: all files"`
	MaxResults int    `json:"max_results,omitempty" jsonschema:"description=Limit,minimum=0"`
	Cursor     string `json:"cursor,omitempty" jsonschema:"description=From before"`
}

func (in itemsIn) String() string { return "list the code of " + in.FilePath }

func itemsFile(in *itemsIn) *string { return &in.FilePath }

// itemsOf is a question for definitions of some kind; the path may be empty, for all files.
type itemsOf func(s *code.Snapshot, ctx context.Context, path string, p code.Page) (code.Items, error)

// itemRow is a definition with what one needs to use it.
type itemRow struct {
	symbolRow
	Params  *string  `json:"params,omitempty" jsonschema:"description=Between the brackets\\, of what is called"`
	Bases   []string `json:"bases,omitempty" jsonschema:"description=Of a type"`
	Methods []string `json:"methods,omitempty" jsonschema:"description=Of a type"`
}

func itemOf(it *code.Item) *itemRow {
	r := &itemRow{rowOf(&it.Symbol), nil, cleaned(it.Bases), cleaned(it.Methods)}
	if it.Kind.Callable() {
		params := clean(it.Params)
		r.Params = &params
	}
	return r
}

// String has the parameters of what is called, bases and methods of a type.
func (it itemRow) String() string {
	text := it.place()
	if it.Params != nil {
		text += " (" + *it.Params + ")"
	}
	if len(it.Bases) > 0 {
		text += " of " + strings.Join(it.Bases, ", ")
	}
	if len(it.Methods) > 0 {
		text += " methods: " + strings.Join(it.Methods, ", ")
	}
	return text
}

// itemsData are definitions.
type itemsData struct {
	Symbols []*itemRow `json:"symbols" jsonschema:"description=By path and line"`
	pageData
	extent
}

// Text is a definition a line.
func (d itemsData) Text() string { return pageText(d.Symbols, d.pageData) }

// getFunctions answers with lines such as "store/s.go#Store.Get:8-8 method (k string)".
func getFunctions(x *Index) spec[itemsIn] {
	return spec[itemsIn]{
		name:    "get_functions",
		title:   "Functions",
		short:   "Lists functions and methods with parameters and lines.",
		file:    itemsFile,
		limits:  []string{"max_results"},
		renders: tool.Renders[itemsData],
		run:     definitions{x, (*code.Snapshot).Functions}.run,
	}
}

// getClasses answers with lines such as "a.py#Child:5-7 class of Base methods: go".
func getClasses(x *Index) spec[itemsIn] {
	return spec[itemsIn]{
		name:    "get_classes",
		title:   "Classes",
		short:   "Lists classes and other types with bases, methods and lines.",
		file:    itemsFile,
		limits:  []string{"max_results"},
		renders: tool.Renders[itemsData],
		run:     definitions{x, (*code.Snapshot).Classes}.run,
	}
}

// definitions are a question for those of some kind.
type definitions struct {
	x   *Index
	ask itemsOf
}

func (l definitions) run(ctx context.Context, s *sheet, in itemsIn) (tool.Rendered, error) {
	snap, err := l.x.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	found, err := l.ask(snap, ctx, in.FilePath, s.page(in.MaxResults, in.Cursor))
	if err != nil {
		return nil, err
	}
	var d itemsData
	items := rows(len(found.Items), func(i int) *itemRow { return itemOf(&found.Items[i]) })
	d.Symbols, d.pageData = list(s, items, found.More, in.Cursor)
	d.extent = s.extent()
	return d, nil
}

// importRow is one import.
type importRow struct {
	Path   string `json:"path" jsonschema:"description=Of the file that imports"`
	Line   int    `json:"line" jsonschema:"description=From 1"`
	Module string `json:"module" jsonschema:"description=As written"`
	Name   string `json:"name,omitempty" jsonschema:"description=What is taken from it"`
	Local  string `json:"local,omitempty" jsonschema:"description=The name that it has in the file"`
}

func importOf(i *code.ImportLine) *importRow {
	return &importRow{clean(i.Path), i.Line, clean(i.Module), clean(i.Name), clean(i.Local)}
}

func (i importRow) path() string { return i.Path }

// String names an import as its line does: the module, what is taken from it, and the name that it gets here if that is
// another.
func (i importRow) String() string {
	text := fmt.Sprintf("%s:%d %s", i.Path, i.Line, i.Module)
	taken := i.Module
	if i.Name != "" {
		text += " " + i.Name
		taken = i.Name
	}
	if i.Local != "" && i.Local != taken {
		text += " as " + i.Local
	}
	return text
}

// importsData are imports.
type importsData struct {
	Imports []*importRow `json:"imports" jsonschema:"description=By path and line"`
	pageData
	extent
}

// Text is an import a line.
func (d importsData) Text() string { return pageText(d.Imports, d.pageData) }

// getImports answers with lines such as "main.go:3 example.com/app/store".
func getImports(x *Index) spec[itemsIn] {
	return spec[itemsIn]{
		name:    "get_imports",
		title:   "Imports",
		short:   "Lists imports with file and line.",
		file:    itemsFile,
		limits:  []string{"max_results"},
		renders: tool.Renders[importsData],
		run: asking(x, func(ctx context.Context, snap *code.Snapshot, s *sheet, in itemsIn) (tool.Rendered, error) {
			l, err := snap.Imports(ctx, in.FilePath, s.page(in.MaxResults, in.Cursor))
			if err != nil {
				return nil, err
			}
			var d importsData
			lines := rows(len(l.Imports), func(i int) *importRow { return importOf(&l.Imports[i]) })
			d.Imports, d.pageData = list(s, lines, l.More, in.Cursor)
			d.extent = s.extent()
			return d, nil
		}),
	}
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

// linkRow is a file and why it is in the list: how often one uses the other, and whether by an import.
type linkRow struct {
	Path     string `json:"path"`
	Uses     int    `json:"uses" jsonschema:"description=Distinct references between the two"`
	Imported bool   `json:"imported,omitempty" jsonschema:"description=An import names it"`
	Test     bool   `json:"test,omitempty" jsonschema:"description=It is a test file"`
}

func linkOf(f *code.FileLink) *linkRow {
	return &linkRow{clean(f.Path), f.Uses, f.Imported, f.Test}
}

func (f linkRow) path() string { return f.Path }

func (f linkRow) String() string {
	text := fmt.Sprintf("%s %d uses", f.Path, f.Uses)
	if f.Imported {
		text += ", imported"
	}
	if f.Test {
		text += " [test]"
	}
	return text
}

// linksData are the neighbours of a file.
type linksData struct {
	Files []*linkRow `json:"files" jsonschema:"description=Those with most references first"`
	pageData
	extent
}

// Text is a file a line.
func (d linksData) Text() string { return pageText(d.Files, d.pageData) }

// getFileDependencies answers with lines such as "store/s.go 2 uses, imported".
func getFileDependencies(x *Index) spec[linksIn] {
	return spec[linksIn]{
		name:    "get_file_dependencies",
		title:   "File Dependencies",
		short:   "Lists the files that a file uses.",
		file:    linksFile,
		limits:  []string{"max_results"},
		renders: tool.Renders[linksData],
		run:     neighbours{x, (*code.Snapshot).FileDependencies}.run,
	}
}

// getFileDependents is the other direction: what one may have to change with a file.
func getFileDependents(x *Index) spec[linksIn] {
	return spec[linksIn]{
		name:    "get_file_dependents",
		title:   "File Dependents",
		short:   "Lists the files that use a file.",
		file:    linksFile,
		limits:  []string{"max_results"},
		renders: tool.Renders[linksData],
		run:     neighbours{x, (*code.Snapshot).FileDependents}.run,
	}
}

// neighbours are a question for those of a file, in one of the two directions.
type neighbours struct {
	x   *Index
	ask linksOf
}

func (l neighbours) run(ctx context.Context, s *sheet, in linksIn) (tool.Rendered, error) {
	snap, err := l.x.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	found, err := l.ask(snap, ctx, in.FilePath, s.page(in.MaxResults, in.Cursor))
	if err != nil {
		return nil, err
	}
	var d linksData
	files := rows(len(found.Files), func(i int) *linkRow { return linkOf(&found.Files[i]) })
	d.Files, d.pageData = list(s, files, found.More, in.Cursor)
	d.extent = s.extent()
	return d, nil
}
