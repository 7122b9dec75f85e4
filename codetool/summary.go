package codetool

import (
	"context"
	"fmt"
	"strings"

	"helve/engine/code"
	"helve/tool"
)

const (
	// topShown is how many symbols and folders the summary names.
	topShown = 15
	// skippedShown is how many skipped files it names.
	skippedShown = 5
)

type summaryIn struct{}

func (summaryIn) String() string { return "summarize the project" }

// languageRow counts one language.
type languageRow struct {
	Language string `json:"language"`
	Files    int    `json:"files"`
	Lines    int    `json:"lines"`
}

// folderRow counts one folder at the top.
type folderRow struct {
	Path      string `json:"path"`
	Files     int    `json:"files"`
	Lines     int    `json:"lines"`
	Functions int    `json:"functions"`
	Classes   int    `json:"classes"`
}

// topRow is a definition that many files mention.
type topRow struct {
	symbolRow
	Files int `json:"files" jsonschema:"description=That mention it"`
}

// projectRow is what a project has.
type projectRow struct {
	Root      string        `json:"root" jsonschema:"description=Absolute"`
	Files     int           `json:"files"`
	Indexed   int           `json:"indexed" jsonschema:"description=Files with code"`
	Lines     int           `json:"lines" jsonschema:"description=Of these"`
	Functions int           `json:"functions"`
	Classes   int           `json:"classes"`
	Packages  int           `json:"packages" jsonschema:"description=Folders that hold code"`
	Languages []languageRow `json:"languages"`
	Folders   []folderRow   `json:"folders" jsonschema:"description=At the top\\, the largest first"`
	Top       []topRow      `json:"top" jsonschema:"description=Definitions that many files mention"`
	Skipped   []string      `json:"skipped" jsonschema:"description=Files that were not read\\, with the reason"`
}

// projectData is the summary of the project.
type projectData struct {
	projectRow
	extent
}

// Text are the counts of the project, the largest parts first.
func (d projectRow) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "root: %s\n", d.Root)
	fmt.Fprintf(&b, "%d files, %d with code: %d lines, %d functions, %d classes, %d packages\n",
		d.Files, d.Indexed, d.Lines, d.Functions, d.Classes, d.Packages)
	for _, l := range d.Languages {
		fmt.Fprintf(&b, "language %s: %d files, %d lines\n", l.Language, l.Files, l.Lines)
	}
	for _, f := range d.Folders[:min(topShown, len(d.Folders))] {
		fmt.Fprintf(&b, "folder %s: %d files, %d lines, %d functions, %d classes\n",
			f.Path, f.Files, f.Lines, f.Functions, f.Classes)
	}
	for _, t := range d.Top {
		fmt.Fprintf(&b, "top %s, in %d files\n", cut(t.place()), t.Files)
	}
	for _, k := range d.Skipped[:min(skippedShown, len(d.Skipped))] {
		fmt.Fprintf(&b, "skipped %s\n", cut(k))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// getProjectSummary is for the first look at a project that one does not know.
func getProjectSummary(x *Index) spec[summaryIn] {
	return spec[summaryIn]{
		name:    "get_project_summary",
		title:   "Project Summary",
		short:   "Counts files, lines, languages, packages and symbols of the project.",
		renders: tool.Renders[projectData],
		run: asking(x, func(ctx context.Context, snap *code.Snapshot, s *sheet, _ summaryIn) (tool.Rendered, error) {
			d, err := x.project(ctx, snap, s)
			if err != nil {
				return nil, err
			}
			return projectData{*d, s.extent()}, nil
		}),
	}
}

// project counts what the project has.
func (x *Index) project(ctx context.Context, snap *code.Snapshot, s *sheet) (*projectRow, error) {
	sum, err := snap.Summary(ctx)
	if err != nil {
		return nil, err
	}
	d := &projectRow{
		Root:      clean(x.dir()),
		Files:     sum.Files,
		Indexed:   sum.Indexed,
		Lines:     sum.Lines,
		Functions: sum.Functions,
		Classes:   sum.Classes,
		Packages:  sum.Packages,
		Languages: make([]languageRow, 0, len(sum.Languages)),
		Folders:   make([]folderRow, 0, len(sum.Folders)),
		Top:       make([]topRow, 0, len(sum.Top)),
		Skipped:   cleaned(sum.Skipped),
	}
	for _, l := range sum.Languages {
		d.Languages = append(d.Languages, languageRow{l.Language.String(), l.Files, l.Lines})
	}
	for _, f := range sum.Folders {
		d.Folders = append(d.Folders, folderRow{clean(f.Path), f.Files, f.Lines, f.Functions, f.Classes})
	}
	for i := range sum.Top {
		t := &sum.Top[i]
		s.about(t.Path)
		d.Top = append(d.Top, topRow{rowOf(&t.Symbol), t.Files})
	}
	return d, nil
}
