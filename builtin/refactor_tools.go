package builtin

import (
	"context"
	"strings"

	"helve/engine/code"
	"helve/tool"
)

// Refactor are the tools that change a definition and whatever uses it, in all files at once. They work on the first
// folder, of which code answers what is where.
func Refactor(w *Workspace, code Code) []tool.Tool {
	return []tool.Tool{
		renameSymbol(w, code),
		changeSignature(w, code),
		moveSymbol(w, code),
		safeDelete(w, code),
	}
}

// renameIn are the parameters of rename_symbol.
type renameIn struct {
	Name    string `json:"name" jsonschema:"description=Name; Type.method or path#Type.method,minLength=1"`
	NewName string `json:"new_name" jsonschema:"description=The new name alone\\, without a type or package,minLength=1,maxLength=200"`
	DryRun  bool   `json:"dry_run,omitempty" jsonschema:"description=Only show the diff"`
}

func (in renameIn) String() string { return "rename " + in.Name + " to " + in.NewName }

// signatureIn are the parameters of change_signature.
type signatureIn struct {
	Name       string             `json:"name" jsonschema:"description=Name; Type.method or path#Type.method,minLength=1"`
	Parameters []signatureParamIn `json:"parameters" jsonschema:"description=All parameters it then has\\, in order"`
	DryRun     bool               `json:"dry_run,omitempty" jsonschema:"description=Only show the diff"`
}

// signatureParamIn is a parameter of the new list.
type signatureParamIn struct {
	Name    string `json:"name" jsonschema:"description=Of one that it has (its number if it has no name)\\, or a new name,minLength=1"`
	Type    string `json:"type,omitempty" jsonschema:"description=Of a new one"`
	Value   string `json:"value,omitempty" jsonschema:"description=What all calls pass for a new one"`
	Default string `json:"default,omitempty" jsonschema:"description=Of a new one\\, where calls may leave it out (not in Go)"`
	Old     string `json:"old_name,omitempty" jsonschema:"description=Of one that gets another name (not in Go)"`
}

func (in signatureIn) String() string {
	var names []string
	for _, p := range in.Parameters {
		names = append(names, p.Name)
	}
	return "change " + in.Name + " to (" + strings.Join(names, ", ") + ")"
}

// moveIn are the parameters of move_symbol.
type moveIn struct {
	Name   string `json:"name" jsonschema:"description=Name; Type.method or path#Type.method,minLength=1"`
	To     string `json:"to" jsonschema:"description=Path of the file\\, which may be a new one,minLength=1"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"description=Only show the diff"`
}

func (in moveIn) String() string { return "move " + in.Name + " to " + in.To }

// deleteIn are the parameters of safe_delete.
type deleteIn struct {
	Name   string `json:"name" jsonschema:"description=Name; Type.method or path#Type.method,minLength=1"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"description=Only show the diff"`
}

func (in deleteIn) String() string { return "delete " + in.Name }

var (
	_ tool.Stringer = renameIn{}
	_ tool.Stringer = signatureIn{}
	_ tool.Stringer = moveIn{}
	_ tool.Stringer = deleteIn{}
)

// refactorSpec is what the refactorings have in common.
func refactorSpec(name, title string) tool.Spec {
	return tool.Spec{
		Name:     name,
		Title:    title,
		Origin:   origin(name),
		Doc:      doc(name),
		Kind:     tool.Write,
		Category: "code",
		Tags:     []string{"code", "refactor", "edit", "write"},
		Params: map[string]string{
			"symbol":      "name",
			"symbol_name": "name",
			"old_name":    "name",
			"to":          "new_name",
			"newName":     "new_name",
		},
	}
}

// renameSymbol gives a definition another name wherever it is used.
func renameSymbol(w *Workspace, of Code) tool.Tool {
	s := refactorSpec("rename_symbol", "Rename Symbol")
	return tool.Renders[refactorData](tool.Plan(s, func(ctx context.Context, c *tool.Call, in renameIn) (*tool.Job, error) {
		return refactor(ctx, w, c, s.Name, in.String(), in.DryRun, func(ctx context.Context) (*code.Changes, error) {
			snap, err := of(ctx)
			if err != nil {
				return nil, err
			}
			return snap.Rename(ctx, in.Name, in.NewName)
		})
	}))
}

// changeSignature gives a function other parameters, and all calls of it other arguments.
func changeSignature(w *Workspace, of Code) tool.Tool {
	s := refactorSpec("change_signature", "Change Signature")
	s.Params = map[string]string{
		"symbol":      "name",
		"symbol_name": "name",
		"params":      "parameters",
	}
	return tool.Renders[refactorData](tool.Plan(s, func(ctx context.Context, c *tool.Call, in signatureIn) (*tool.Job, error) {
		return refactor(ctx, w, c, s.Name, in.String(), in.DryRun, func(ctx context.Context) (*code.Changes, error) {
			snap, err := of(ctx)
			if err != nil {
				return nil, err
			}
			var to []code.Parameter
			for _, p := range in.Parameters {
				to = append(to, code.Parameter(p))
			}
			return snap.ChangeSignature(ctx, in.Name, to)
		})
	}))
}

// moveSymbol puts a definition into another file.
func moveSymbol(w *Workspace, of Code) tool.Tool {
	s := refactorSpec("move_symbol", "Move Symbol")
	s.Params = map[string]string{
		"symbol":      "name",
		"symbol_name": "name",
		"file_path":   "to",
		"target":      "to",
	}
	return tool.Renders[refactorData](tool.Plan(s, func(ctx context.Context, c *tool.Call, in moveIn) (*tool.Job, error) {
		return refactor(ctx, w, c, s.Name, in.String(), in.DryRun, func(ctx context.Context) (*code.Changes, error) {
			snap, err := of(ctx)
			if err != nil {
				return nil, err
			}
			return snap.Move(ctx, in.Name, in.To)
		})
	}))
}

// safeDelete removes a definition that nothing uses.
func safeDelete(w *Workspace, of Code) tool.Tool {
	s := refactorSpec("safe_delete", "Safe Delete")
	s.Params = map[string]string{"symbol": "name", "symbol_name": "name"}
	return tool.Renders[refactorData](tool.Plan(s, func(ctx context.Context, c *tool.Call, in deleteIn) (*tool.Job, error) {
		return refactor(ctx, w, c, s.Name, in.String(), in.DryRun, func(ctx context.Context) (*code.Changes, error) {
			snap, err := of(ctx)
			if err != nil {
				return nil, err
			}
			return snap.SafeDelete(ctx, in.Name)
		})
	}))
}

// refactor is the job of a call.
func refactor(
	ctx context.Context, w *Workspace, c *tool.Call, name, title string, dry bool, plan func(context.Context) (*code.Changes, error),
) (*tool.Job, error) {
	r := &refactoring{
		w:     w,
		call:  c,
		tool:  name,
		title: title,
		dry:   dry,
		make:  plan,
	}
	return r.job(ctx)
}
