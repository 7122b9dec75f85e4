package files

import (
	"context"

	"helve/builtin/internal/doc"
	"helve/builtin/internal/edit"
	"helve/builtin/internal/folders"
	"helve/tool"
)

// editIn are the parameters of edit.
type editIn struct {
	FilePath   string `json:"file_path" jsonschema:"description=File to edit,minLength=1"`
	OldString  string `json:"old_string" jsonschema:"Exact text to replace"`
	NewString  string `json:"new_string" jsonschema:"Text in its place"`
	ReplaceAll bool   `json:"replace_all,omitempty" jsonschema:"Replace every occurrence"`
	DryRun     bool   `json:"dry_run,omitempty" jsonschema:"Only show the diff"`
}

func (in editIn) String() string { return "edit " + in.FilePath }

var _ tool.Stringer = editIn{}

// Edit replaces one text in one file: exactly, uniquely, and nothing beside it. Line ends, encoding and byte order mark
// stay as they are. What does not match, or matches several times without replace_all, is refused with the places that
// may be meant; an edit that was approved is made only if the lines are still those that were shown.
func Edit(w *Files) tool.Tool {
	s := tool.Spec{
		Name: "edit",
		Aliases: []string{
			"Edit", "edit_file", "str_replace", "str_replace_editor", "replace", "search_replace",
			"replace_string_in_file",
		},
		Title:     "File Edit",
		Origin:    folders.Origin("edit"),
		Doc:       doc.Of("edit"),
		Kind:      tool.Write,
		Category:  "file",
		Tags:      []string{"file", "edit", "write"},
		Params:    editParams(),
		Translate: editWords(),
	}
	return tool.Renders[editData](tool.Plan(s, func(_ context.Context, c *tool.Call, in editIn) (*tool.Job, error) {
		p, err := w.ResolveWrite(c, in.FilePath)
		if err != nil {
			return nil, err
		}
		edits := []edit.Edit{{
			Old: in.OldString,
			New: in.NewString,
			All: in.ReplaceAll,
		}}
		return w.edit(c, p, edits, in.DryRun).job(in), nil
	}))
}
