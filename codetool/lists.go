package codetool

import (
	"context"
	"fmt"
	"strings"

	"helve/engine/code"
	"helve/tool"
)

// paging is what each list is asked for.
type paging struct {
	MaxResults int    `json:"max_results,omitempty" jsonschema:"description=Limit,minimum=0"`
	Cursor     string `json:"cursor,omitempty" jsonschema:"description=From before"`
}

func (p paging) paged() paging { return p }

// listing is a runner that answers with one list: a row for each item that ask finds, in the data that made puts it in.
func listing[In interface{ paged() paging }, Item any, R row](
	x *Index,
	ask func(context.Context, *code.Snapshot, In, code.Page) ([]Item, code.More, error),
	of func(*Item) R,
	made func([]R, pageData, extent) tool.Rendered,
) runner[In] {
	return asking(x, func(ctx context.Context, snap *code.Snapshot, s *sheet, in In) (tool.Rendered, error) {
		want := in.paged()
		found, more, err := ask(ctx, snap, in, s.page(want.MaxResults, want.Cursor))
		if err != nil {
			return nil, err
		}
		all := rows(len(found), func(i int) R { return of(&found[i]) })
		shown, p := list(s, all, more, want.Cursor)
		return made(shown, p, s.extent()), nil
	})
}

// filesIn asks for paths. The pattern is a glob, in which ** stands for folders; without a slash it is of the name in
// every folder.
type filesIn struct {
	Pattern string `json:"pattern,omitempty" jsonschema:"description=Glob: src/**/*.py"`
	paging
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
		run: listing(x, pathsOf, func(path *string) listedPath { return listedPath(clean(*path)) },
			func(l []listedPath, p pageData, e extent) tool.Rendered { return filesData{l, p, e} }),
	}
}

func pathsOf(ctx context.Context, snap *code.Snapshot, in filesIn, p code.Page) ([]string, code.More, error) {
	f, err := snap.Files(ctx, in.Pattern, p)
	return f.Paths, f.More, err
}

// itemsIn asks for definitions or imports of one file, or of all.
type itemsIn struct {
	FilePath string `json:"file_path,omitempty" jsonschema:"description=Default: all files"`
	paging
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
	return definitions(x, (*code.Snapshot).Functions, spec[itemsIn]{
		name:  "get_functions",
		title: "Functions",
		short: "Lists functions and methods with parameters and lines.",
	})
}

// getClasses answers with lines such as "a.py#Child:5-7 class of Base methods: go".
func getClasses(x *Index) spec[itemsIn] {
	return definitions(x, (*code.Snapshot).Classes, spec[itemsIn]{
		name:  "get_classes",
		title: "Classes",
		short: "Lists classes and other types with bases, methods and lines.",
	})
}

// definitions are a question for those of some kind.
func definitions(x *Index, ask itemsOf, as spec[itemsIn]) spec[itemsIn] {
	as.file, as.limits, as.renders = itemsFile, []string{"max_results"}, tool.Renders[itemsData]
	of := func(ctx context.Context, snap *code.Snapshot, in itemsIn, p code.Page) ([]code.Item, code.More, error) {
		found, err := ask(snap, ctx, in.FilePath, p)
		return found.Items, found.More, err
	}
	as.run = listing(x, of, itemOf,
		func(l []*itemRow, p pageData, e extent) tool.Rendered { return itemsData{l, p, e} })
	return as
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
		run: listing(x, importsOf, importOf,
			func(l []*importRow, p pageData, e extent) tool.Rendered { return importsData{l, p, e} }),
	}
}

func importsOf(
	ctx context.Context, snap *code.Snapshot, in itemsIn, p code.Page,
) ([]code.ImportLine, code.More, error) {
	l, err := snap.Imports(ctx, in.FilePath, p)
	return l.Imports, l.More, err
}

// linksIn asks for the neighbours of a file.
type linksIn struct {
	FilePath string `json:"file_path" jsonschema:"description=File,minLength=1"`
	paging
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
	return neighbours(x, (*code.Snapshot).FileDependencies, spec[linksIn]{
		name:  "get_file_dependencies",
		title: "File Dependencies",
		short: "Lists the files that a file uses.",
	})
}

// getFileDependents is the other direction: what one may have to change with a file.
func getFileDependents(x *Index) spec[linksIn] {
	return neighbours(x, (*code.Snapshot).FileDependents, spec[linksIn]{
		name:  "get_file_dependents",
		title: "File Dependents",
		short: "Lists the files that use a file.",
	})
}

// neighbours are a question for those of a file, in one of the two directions.
func neighbours(x *Index, ask linksOf, as spec[linksIn]) spec[linksIn] {
	as.file, as.limits, as.renders = linksFile, []string{"max_results"}, tool.Renders[linksData]
	of := func(ctx context.Context, snap *code.Snapshot, in linksIn, p code.Page) ([]code.FileLink, code.More, error) {
		found, err := ask(snap, ctx, in.FilePath, p)
		return found.Files, found.More, err
	}
	as.run = listing(x, of, linkOf,
		func(l []*linkRow, p pageData, e extent) tool.Rendered { return linksData{l, p, e} })
	return as
}
