package files

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"helve/builtin/internal/record"
	"helve/builtin/internal/render"
	"helve/tool"
)

// changeData is what became of one file.
type changeData struct {
	Path     string   `json:"path" jsonschema:"As tools show it"`
	DryRun   bool     `json:"dry_run,omitempty" jsonschema:"Nothing was written"`
	Diff     string   `json:"diff" jsonschema:"In unified format"`
	Added    int      `json:"added" jsonschema:"Lines"`
	Removed  int      `json:"removed" jsonschema:"Lines"`
	Before   string   `json:"before,omitempty" jsonschema:"SHA-256 of the old file; of large ones for programs only"`
	After    string   `json:"after,omitempty" jsonschema:"SHA-256 of the new one"`
	Encoding string   `json:"encoding,omitempty" jsonschema:"That was kept, if it is not UTF-8"`
	Notes    []string `json:"notes,omitempty" jsonschema:"What may not be as expected"`
	Broke    []string `json:"broke,omitempty" jsonschema:"What the change broke, path:line: message"`
	// Unchecked is why Broke may not be all.
	Unchecked string `json:"not_checked,omitempty" jsonschema:"Why it is not known what the change broke"`
	record.UndoMeta
	render.Extent
}

// A comparison is what a change's data are made of.
type comparison struct {
	old   []byte // nil: there was no file
	size  int64  // of the new file
	write func(io.Writer) error
	diff  tool.Diff
}

// data is what the change did, with what the history has of it.
func (c *fileChange) data(of comparison, notes []string) changeData {
	d := changeData{
		Path:     c.path.Shown(),
		DryRun:   c.dry,
		Diff:     of.diff.Unified,
		Added:    of.diff.Added,
		Removed:  of.diff.Removed,
		Notes:    notes,
		Broke:    c.broke,
		UndoMeta: c.UndoMeta,

		Unchecked: c.unchecked,
	}
	// Hashing what a model edits costs nothing that anybody notices; a large file takes as long as the edit.
	if c.call.Whole > 0 || of.size <= hashedFile && len(of.old) <= hashedFile {
		if of.old != nil {
			d.Before = sha256Hex(of.old)
		}
		h := sha256.New()
		if of.write(h) == nil {
			d.After = hex.EncodeToString(h.Sum(nil))
		}
	}
	d.Extent = render.ExtentOf(render.CutDiff(d.Diff))
	return d
}

// shownLines is how many lines of the diff are in the data of a result.
func (c *fileChange) shownLines() int {
	return render.ShownLinesOf(c.call)
}

// noted is a text with the notes below it.
func (d *changeData) noted(text string) string {
	for _, n := range d.Notes {
		text += "\nNote: " + n
	}
	if len(d.Broke) > 0 {
		text += "\nThis change broke:\n" + strings.Join(d.Broke, "\n")
	}
	if d.Unchecked != "" {
		text += "\nNot checked for what it broke: " + d.Unchecked
	}
	return text
}

func sha256Hex(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// editData is what edit and multi_edit did.
type editData struct {
	Replacements int   `json:"replacements" jsonschema:"Of all edits together"`
	Edits        []int `json:"edits,omitempty" jsonschema:"Replacements by edit, of multi_edit"`
	changeData
}

// Text is what a model reads: what was done, and what it may not expect.
func (d editData) Text() string {
	count := render.Quantity(d.Replacements, "replacement")
	text := fmt.Sprintf("Successfully edited %s (%s)", d.Path, count)
	if d.DryRun {
		text = fmt.Sprintf("Dry run: nothing was written. The edit of %s (%s) would be:\n%s", d.Path, count, d.Diff)
	}
	return d.noted(text)
}

// writeData is what write did.
type writeData struct {
	Overwrote    bool   `json:"overwrote,omitempty" jsonschema:"There was such a file"`
	Appended     bool   `json:"appended,omitempty" jsonschema:"Its old text stays"`
	Lines        int    `json:"lines" jsonschema:"Of the new file"`
	LinesAdded   int    `json:"lines_added,omitempty" jsonschema:"To the old ones, where it was appended"`
	Bytes        int    `json:"bytes" jsonschema:"Of the new file"`
	FinalNewline string `json:"final_newline" jsonschema:"added, kept or none"`
	LineEnds     string `json:"line_ends,omitempty" jsonschema:"That were kept: CRLF, CR or mixed"`
	changeData
}

// Text is what a model reads: what was written, and which of it is not as it said.
func (d writeData) Text() string {
	did := "created"
	switch {
	case d.DryRun:
		return fmt.Sprintf("Dry run: nothing was written. %s would become:\n%s", d.Path, d.Diff)
	case d.Appended:
		added := render.Quantity(d.LinesAdded, "line")
		return d.noted(fmt.Sprintf("Successfully added %s to %s (%d lines)", added, d.Path, d.Lines))
	case d.Overwrote:
		did = "overwrote"
	}
	return d.noted(fmt.Sprintf("Successfully %s %s (%d lines)", did, d.Path, d.Lines))
}
