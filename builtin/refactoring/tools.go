// Package refactoring holds the tools that change a definition and whatever uses it. It stands beside package builtin
// and not in it: a program that asks nothing about code does not link what knows languages.
package refactoring

//go:generate go test -run TestSchemasOfRefactoringAreThoseInferred -write-inferred

import (
	"context"
	"strings"

	"helve/builtin"
	"helve/builtin/internal/doc"
	"helve/builtin/internal/folders"
	"helve/builtin/internal/record"
	"helve/engine/code"
	"helve/engine/code/refactor"
	"helve/tool"
)

// Tools are the tools that change a definition and whatever uses it, in all files at once. They work on the first
// folder, of which code answers what is where.
func Tools(t *builtin.Toolbox, code Code) []tool.Tool {
	w := t.Records()
	return []tool.Tool{
		renameSymbol(w, code),
		changeSignature(w, code),
		moveSymbol(w, code),
		safeDelete(w, code),
	}
}

// symbolNamed is the parameter that all of them have.
type symbolNamed struct {
	Name string `json:"name" jsonschema:"description=Name; Type.method or path#Type.method,minLength=1"`
}

// dryRun is the parameter of what may only be shown.
type dryRun struct {
	DryRun bool `json:"dry_run,omitempty" jsonschema:"Only show the diff"`
}

func (in dryRun) dry() bool { return in.DryRun }

// renameIn are the parameters of rename_symbol.
type renameIn struct {
	symbolNamed
	NewName string `json:"new_name" jsonschema:"description=The new name alone\\, unqualified,minLength=1,maxLength=200"`
	dryRun
}

func (in renameIn) String() string { return "rename " + in.Name + " to " + in.NewName }

// signatureIn are the parameters of change_signature.
type signatureIn struct {
	symbolNamed
	Parameters []signatureParamIn `json:"parameters" jsonschema:"All parameters it then has, in order"`
	dryRun
}

// signatureParamIn is a parameter of the new list.
type signatureParamIn struct {
	Name    string `json:"name" jsonschema:"description=One that it has (or its number)\\, or a new one,minLength=1"`
	Type    string `json:"type,omitempty" jsonschema:"Of a new one"`
	Value   string `json:"value,omitempty" jsonschema:"What all calls pass for a new one"`
	Default string `json:"default,omitempty" jsonschema:"Of a new one, where calls may leave it out (not in Go)"`
	Old     string `json:"old_name,omitempty" jsonschema:"Of one that gets another name (not in Go)"`
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
	symbolNamed
	To string `json:"to" jsonschema:"description=Path of the file\\, which may be a new one,minLength=1"`
	dryRun
}

func (in moveIn) String() string { return "move " + in.Name + " to " + in.To }

// deleteIn are the parameters of safe_delete.
type deleteIn struct {
	symbolNamed
	dryRun
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
		Origin:   folders.Origin(name),
		Doc:      doc.Of(name),
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

// A planner plans the change of a call in the tree as it is now.
type planner func(context.Context, *code.Snapshot) (*refactor.Changes, error)

// refactorTool is the tool of a refactoring: of its arguments plan makes the change.
func refactorTool[In interface {
	tool.Stringer
	dry() bool
}](w *record.Records, of Code, s tool.Spec, plan func(In) planner) tool.Tool {
	job := func(ctx context.Context, c *tool.Call, in In) (*tool.Job, error) {
		now := func(ctx context.Context) (*refactor.Changes, error) {
			snap, err := of(ctx)
			if err != nil {
				return nil, err
			}
			return plan(in)(ctx, snap)
		}
		return refactorJob(ctx, w, c, s.Name, in.String(), in.dry(), now)
	}
	return tool.Renders[refactorData](tool.Plan(s, job))
}

// renameSymbol gives a definition another name wherever it is used.
func renameSymbol(w *record.Records, of Code) tool.Tool {
	s := refactorSpec("rename_symbol", "Rename Symbol")
	return refactorTool(w, of, s, func(in renameIn) planner {
		return func(ctx context.Context, snap *code.Snapshot) (*refactor.Changes, error) {
			return refactor.Rename(ctx, snap, in.Name, in.NewName)
		}
	})
}

// changeSignature gives a function other parameters, and all calls of it other arguments.
func changeSignature(w *record.Records, of Code) tool.Tool {
	s := refactorSpec("change_signature", "Change Signature")
	s.Params = map[string]string{
		"symbol":      "name",
		"symbol_name": "name",
		"params":      "parameters",
	}
	return refactorTool(w, of, s, func(in signatureIn) planner {
		return func(ctx context.Context, snap *code.Snapshot) (*refactor.Changes, error) {
			var to []refactor.Parameter
			for _, p := range in.Parameters {
				to = append(to, refactor.Parameter(p))
			}
			return refactor.ChangeSignature(ctx, snap, in.Name, to)
		}
	})
}

// moveSymbol puts a definition into another file.
func moveSymbol(w *record.Records, of Code) tool.Tool {
	s := refactorSpec("move_symbol", "Move Symbol")
	s.Params = map[string]string{
		"symbol":      "name",
		"symbol_name": "name",
		"file_path":   "to",
		"target":      "to",
	}
	return refactorTool(w, of, s, func(in moveIn) planner {
		return func(ctx context.Context, snap *code.Snapshot) (*refactor.Changes, error) {
			return refactor.Move(ctx, snap, in.Name, in.To)
		}
	})
}

// safeDelete removes a definition that nothing uses.
func safeDelete(w *record.Records, of Code) tool.Tool {
	s := refactorSpec("safe_delete", "Safe Delete")
	s.Params = map[string]string{"symbol": "name", "symbol_name": "name"}
	return refactorTool(w, of, s, func(in deleteIn) planner {
		return func(ctx context.Context, snap *code.Snapshot) (*refactor.Changes, error) {
			return refactor.SafeDelete(ctx, snap, in.Name)
		}
	})
}

// refactorJob is the job of a call.
func refactorJob(
	ctx context.Context, w *record.Records, c *tool.Call, name, title string, dry bool,
	plan func(context.Context) (*refactor.Changes, error),
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
