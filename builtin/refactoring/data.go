package refactoring

import (
	"fmt"
	"io/fs"
	"strings"

	"helve/builtin/internal/record"
	"helve/builtin/internal/render"
)

// refactorData is what a refactoring did, or would do.
type refactorData struct {
	Symbol  string           `json:"symbol" jsonschema:"ID of the definition, as it was before"`
	Edits   int              `json:"edits" jsonschema:"Of all files together"`
	Files   []refactoredFile `json:"files" jsonschema:"Those that were changed"`
	Texts   int              `json:"texts" jsonschema:"Occurrences in strings and comments, left as they are"`
	DryRun  bool             `json:"dry_run,omitempty" jsonschema:"Nothing was changed"`
	Diff    string           `json:"diff" jsonschema:"In unified format"`
	Added   int              `json:"added" jsonschema:"Lines"`
	Removed int              `json:"removed" jsonschema:"Lines"`
	Notes   []string         `json:"notes,omitempty" jsonschema:"What may not be as expected"`
	record.UndoMeta
	render.Extent
}

// refactoredFile is a file that a refactoring changed.
type refactoredFile struct {
	Path  string `json:"path"`
	Edits int    `json:"edits"`
}

// maxRefactored bounds the files that the text names.
const maxRefactored = 50

// Text is what a model reads: how much was changed, where, and what was left alone.
func (d refactorData) Text() string {
	var b strings.Builder
	count := render.Quantity(d.Edits, "edit") + " in " + render.Quantity(len(d.Files), "file")
	if d.DryRun {
		fmt.Fprintf(&b, "Dry run: nothing was changed. This would be %s:\n%s", count, d.Diff)
	} else {
		fmt.Fprintf(&b, "Done: %s", count)
		for _, f := range d.Files[:min(len(d.Files), maxRefactored)] {
			fmt.Fprintf(&b, "\n%s: %d", f.Path, f.Edits)
		}
		if n := len(d.Files) - maxRefactored; n > 0 {
			fmt.Fprintf(&b, "\n(%d more files)", n)
		}
	}
	for _, n := range d.Notes {
		b.WriteString("\nNote: " + n)
	}
	return b.String()
}

// sized is a look at a file of another size and time than it has now.
type sized struct {
	fs.FileInfo
	size int64
}

func (s sized) Size() int64 { return s.size }

// sizedAs is the look at a file that had the content before.
func sizedAs(fi fs.FileInfo, before []byte) fs.FileInfo { return sized{fi, int64(len(before))} }
