package codetool

import (
	"context"
	"fmt"
	"strings"

	"helve/engine/code"
	"helve/tool"
)

// outlineIn asks for the parts of one file; without one, for the project's summary, which is what such a call means.
type outlineIn struct {
	FilePath string `json:"file_path,omitempty" jsonschema:"description=Default: the whole project"`
	Cursor   string `json:"cursor,omitempty" jsonschema:"description=From before"`
}

func (in outlineIn) String() string { return "outline " + in.FilePath }

// nodeRow is a part of a file.
type nodeRow struct {
	Name      string `json:"name"`
	Qualified string `json:"qualified" jsonschema:"description=Type.method"`
	Kind      string `json:"kind"`
	Signature string `json:"signature,omitempty"`
	Line      int    `json:"line" jsonschema:"description=From 1"`
	EndLine   int    `json:"end_line"`
	Depth     int    `json:"depth" jsonschema:"description=Of nesting; 0 at the top"`
}

func nodeOf(n *code.Node) *nodeRow {
	return &nodeRow{clean(n.Name), clean(n.Qualified), n.Kind.String(), clean(n.Signature), n.Line, n.EndLine, n.Depth}
}

func (n nodeRow) path() string { return "" } // of the file that is spoken of

// String is a part below the one that it is part of.
func (n nodeRow) String() string {
	text := n.Signature
	if text == "" {
		text = n.Kind + " " + n.Name
	}
	return fmt.Sprintf("%s%d-%d %s", strings.Repeat("  ", n.Depth), n.Line, n.EndLine, text)
}

// fileOutline are the parts of one file.
type fileOutline struct {
	Path     string       `json:"path"`
	Language string       `json:"language"`
	Lines    int          `json:"lines"`
	Imports  int          `json:"imports" jsonschema:"description=How many; get_imports lists them"`
	Generic  bool         `json:"generic,omitempty" jsonschema:"description=Guessed from the shape of the text"`
	Skipped  string       `json:"skipped,omitempty" jsonschema:"description=Why it was read in part or not at all"`
	Nodes    []*nodeRow   `json:"nodes" jsonschema:"description=Its definitions\\, in the order of the text"`
	Passes   []*importRow `json:"passes_on,omitempty" jsonschema:"description=Its imports\\, where it defines nothing"`
	pageData
}

// head is what stands above the definitions.
func (d *fileOutline) head() string {
	text := fmt.Sprintf("%s: %s, %d lines, %d imports\n", d.Path, d.Language, d.Lines, d.Imports)
	if d.Generic {
		text += "[guessed from the text's shape: no reader of this language]\n"
	}
	if d.Skipped != "" {
		text += "[" + cut(d.Skipped) + "]\n"
	}
	return text
}

// entryRow is a file or folder in a folder.
type entryRow struct {
	Path  string   `json:"path" jsonschema:"description=That of a folder ends in /"`
	Files int      `json:"files" jsonschema:"description=Below a folder"`
	Lines int      `json:"lines"`
	Names []string `json:"names,omitempty" jsonschema:"description=What a file defines at its top"`
	More  int      `json:"more_names,omitempty" jsonschema:"description=That are not here"`
}

func (e entryRow) path() string { return "" } // its names say nothing of what is in it

func (e entryRow) String() string {
	text := fmt.Sprintf("%s %d lines", e.Path, e.Lines)
	if strings.HasSuffix(e.Path, "/") {
		text = fmt.Sprintf("%s %d files, %d lines", e.Path, e.Files, e.Lines)
	}
	if len(e.Names) > 0 {
		text += ": " + strings.Join(e.Names, ", ")
	}
	if e.More > 0 {
		text += fmt.Sprintf(" and %d more", e.More)
	}
	return text
}

// folderOutline is what is in a folder.
type folderOutline struct {
	Path    string      `json:"path"`
	Entries []*entryRow `json:"entries" jsonschema:"description=By path"`
	pageData
}

// structureData is the outline of a file, or what the project has.
type structureData struct {
	File    *fileOutline   `json:"file,omitempty" jsonschema:"description=The file that was asked for"`
	Folder  *folderOutline `json:"folder,omitempty" jsonschema:"description=The folder that was asked for"`
	Project *projectRow    `json:"project,omitempty" jsonschema:"description=The project\\, if no file was"`
	extent
}

// Text is either.
func (d structureData) Text() string {
	switch {
	case d.Project != nil:
		return d.Project.Text()
	case d.Folder != nil:
		return pageText(d.Folder.Entries, d.Folder.pageData)
	case d.File == nil:
		return ""
	}
	text := d.File.head()
	if len(d.File.Passes) > 0 {
		return text + passesNote + pageText(d.File.Passes, d.File.pageData)
	}
	return text + pageText(d.File.Nodes, d.File.pageData)
}

// getStructureSummary answers with lines such as "  8-8 func (s *Store) Get(k string) string".
func getStructureSummary(x *Index) spec[outlineIn] {
	return spec[outlineIn]{
		name:    "get_structure_summary",
		title:   "Structure Summary",
		short:   "Outline of a file or folder; else project counts.",
		file:    func(in *outlineIn) *string { return &in.FilePath },
		renders: tool.Renders[structureData],
		run: asking(x, func(ctx context.Context, snap *code.Snapshot, s *sheet, in outlineIn) (tool.Rendered, error) {
			return x.structure(ctx, snap, s, in)
		}),
	}
}

// structure is the outline of a file or folder, or what the project has.
func (x *Index) structure(ctx context.Context, snap *code.Snapshot, s *sheet, in outlineIn) (tool.Rendered, error) {
	var d structureData
	var err error
	if in.FilePath == "" || in.FilePath == "." {
		d.Project, err = x.project(ctx, snap, s)
	} else {
		d.Folder, err = folder(ctx, snap, s, in)
	}
	if err == nil && d.Project == nil && d.Folder == nil {
		d.File, err = outline(ctx, snap, s, in)
	}
	d.extent = s.extent()
	return d, err
}

// folder lists what is in a folder; nil: there is no such folder.
func folder(ctx context.Context, snap *code.Snapshot, s *sheet, in outlineIn) (*folderOutline, error) {
	f, err := snap.Folder(ctx, in.FilePath, s.page(0, in.Cursor))
	if err != nil || f.Total == 0 {
		return nil, err
	}
	return folderOf(s, f, in), nil
}

// folderOf are as many of the entries as fit.
func folderOf(s *sheet, f code.FolderEntries, in outlineIn) *folderOutline {
	d := &folderOutline{Path: clean(in.FilePath)}
	entries := rows(len(f.Entries), func(i int) *entryRow {
		e := &f.Entries[i]
		return &entryRow{clean(e.Path), e.Files, e.Lines, cleaned(e.Names), e.More}
	})
	d.Entries, d.pageData = list(s, entries, f.More, in.Cursor)
	return d
}

const passesNote = "[defines nothing; imports, or passes on:]\n"

// passOn lists the imports of a file that defines nothing: an index of others.
func (d *fileOutline) passOn(s *sheet, o code.Outline, cursor string) error {
	s.spend(passesNote)
	lines := rows(len(o.Imports), func(i int) *importRow {
		return importOf(&code.ImportLine{Path: o.Path, Import: o.Imports[i]})
	})
	start := min(number(offset(cursor)), len(lines))
	d.Nodes = []*nodeRow{}
	d.Passes, d.pageData = list(s, lines[start:], code.More{Total: len(lines)}, cursor)
	return nil
}

// outline lists the definitions of a file, each below the one that it is part of.
func outline(ctx context.Context, snap *code.Snapshot, s *sheet, in outlineIn) (*fileOutline, error) {
	o, err := snap.Outline(ctx, in.FilePath, s.page(0, in.Cursor))
	if err != nil {
		return nil, err
	}
	d := &fileOutline{
		Path:     clean(o.Path),
		Language: o.Language.String(),
		Lines:    o.Lines,
		Imports:  len(o.Imports),
		Generic:  o.Generic,
		Skipped:  clean(o.Skipped),
	}
	s.spend(d.head())
	if o.Skipped != "" {
		s.lacks("the file was read in part or not at all")
	}
	if len(o.Nodes) == 0 && o.Total == 0 && len(o.Imports) > 0 {
		return d, d.passOn(s, o, in.Cursor)
	}
	nodes := rows(len(o.Nodes), func(i int) *nodeRow { return nodeOf(&o.Nodes[i]) })
	s.about(o.Path)
	d.Nodes, d.pageData = list(s, nodes, o.More, in.Cursor)
	return d, nil
}
