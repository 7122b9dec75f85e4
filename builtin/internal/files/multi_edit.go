package files

import (
	"context"

	"helve/builtin/internal/doc"
	"helve/builtin/internal/edit"
	"helve/builtin/internal/folders"
	"helve/tool"
)

// multiEditIn are the parameters of multi_edit.
type multiEditIn struct {
	FilePath string        `json:"file_path" jsonschema:"description=File to edit,minLength=1"`
	Edits    []replacement `json:"edits" jsonschema:"description=In this order,minItems=1,maxItems=200"`
	DryRun   bool          `json:"dry_run,omitempty" jsonschema:"Only show the diff"`
}

// A replacement is one of the edits, as edit has it.
type replacement struct {
	OldString  string `json:"old_string" jsonschema:"Exact text to replace"`
	NewString  string `json:"new_string" jsonschema:"Text in its place"`
	ReplaceAll bool   `json:"replace_all,omitempty" jsonschema:"Replace every occurrence"`
}

func (in multiEditIn) String() string { return "edit " + in.FilePath }

var _ tool.Stringer = multiEditIn{}

// MultiEdit makes several replacements in one file, each in what the one before left, all or none.
func MultiEdit(w *Files) tool.Tool {
	s := tool.Spec{
		Name:      "multi_edit",
		Aliases:   []string{"MultiEdit", "multiedit"},
		Title:     "File Multi-Edit",
		Origin:    folders.Origin("multi_edit"),
		Doc:       doc.Of("multi_edit"),
		Kind:      tool.Write,
		Category:  "file",
		Tags:      []string{"file", "edit", "write"},
		Params:    fileParams(nil),
		Translate: multiEditWords(),
	}
	plan := func(_ context.Context, c *tool.Call, in multiEditIn) (*tool.Job, error) {
		p, err := w.ResolveWrite(c, in.FilePath)
		if err != nil {
			return nil, err
		}
		var edits []edit.Edit
		for _, one := range in.Edits {
			edits = append(edits, edit.Edit{
				Old: one.OldString,
				New: one.NewString,
				All: one.ReplaceAll,
			})
		}
		e := w.edit(c, p, edits, in.DryRun)
		e.tool = "multi_edit"
		return e.job(in), nil
	}
	return tool.Renders[editData](tool.Plan(s, plan))
}
