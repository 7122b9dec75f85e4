package refactoring

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"helve/builtin/internal/files"
	"helve/builtin/internal/record"
	"helve/builtin/internal/render"
	"helve/engine/code"
	"helve/engine/code/refactor"
	"helve/internal/change"
	"helve/internal/fsroot"
	"helve/tool"
)

// Code answers what the working tree defines and uses, as it is at that moment: the snapshot of the first folder.
type Code func(context.Context) (*code.Snapshot, error)

// A refactoring is one call that changes what a definition is called, or whether it is there, in all files at once. Its
// plan is made when the call is understood, since the plan says which files it writes. It is made again when it runs,
// and has to be the same one then.
type refactoring struct {
	w     *record.Records
	call  *tool.Call
	tool  string
	title string
	dry   bool
	make  func(context.Context) (*refactor.Changes, error)

	plan  *refactor.Changes
	paths []fsroot.Path // of its files
	record.UndoMeta
	note string // why it cannot be undone
}

// job plans the refactoring. What cannot be planned is refused in the engine's words.
func (r *refactoring) job(ctx context.Context) (*tool.Job, error) {
	var err error
	if r.plan, err = r.make(ctx); err != nil {
		return nil, refactorError(err)
	}
	if r.w.ChangesDir() == "" && !r.dry {
		return nil, tool.Errorf(tool.Execution, "there is no folder for changes that are made together")
	}
	effects := []tool.Effect{}
	for _, f := range r.plan.Files {
		p, err := r.w.ResolveWrite(&tool.Call{Dir: r.w.Dir()}, f.Path)
		if err != nil {
			return nil, err
		}
		r.paths = append(r.paths, p)
		effects = append(effects, files.WriteEffects(p, r.dry)...)
	}
	j := &tool.Job{
		Title:     r.title,
		Effects:   effects,
		Signature: r.title,
		Run:       r.run,
	}
	if !r.dry {
		j.Preview = func(context.Context) (tool.Display, error) { return r.show(render.WholeDiff), nil }
	}
	return j, nil
}

// refactorError gives the engine's refusals a code and the next step.
func refactorError(err error) error {
	var known *tool.Error
	if errors.As(err, &known) {
		return err
	}
	words := strings.TrimPrefix(err.Error(), "code: ")
	out := tool.Errorf(tool.Validation, "%s", words)
	if refused, ok := errors.AsType[*refactor.RefusedError](err); ok && refused.Next != "" {
		return out.WithHint("%s", refused.Next)
	}
	return out
}

// show is the diff of all files, with so many lines of each at most; above it stands how much it is.
func (r *refactoring) show(most int) tool.Diff {
	out := tool.Diff{Note: r.summary()}
	var text strings.Builder
	for i := range r.plan.Files {
		f := &r.plan.Files[i]
		before := f.Before
		if !f.New && before == nil {
			before = []byte{}
		}
		d := render.Change(r.paths[i], before, f.After(), 0, most)
		out.Added += d.Added
		out.Removed += d.Removed
		text.WriteString(d.Unified)
	}
	out.Unified = text.String()
	if len(r.paths) > 0 {
		out.Path = r.paths[0].String()
	}
	return out
}

// summary counts what the plan changes.
func (r *refactoring) summary() string {
	return render.Quantity(r.plan.Edits, "edit") + " in " + render.Quantity(len(r.plan.Files), "file")
}

// run makes the changes, or in a dry run shows them.
func (r *refactoring) run(ctx context.Context) (*tool.Result, error) {
	if !r.dry {
		if err := r.commit(ctx); err != nil {
			return nil, err
		}
	}
	view := r.show(render.ShownLinesOf(r.call))
	res := tool.Render(r.data(view))
	res.Display = view
	return res, nil
}

// commit plans again and makes all changes as one.
func (r *refactoring) commit(ctx context.Context) error {
	now, err := r.make(ctx)
	if err != nil {
		return refactorError(err)
	}
	if planned(now) != planned(r.plan) {
		return errMoved()
	}
	tx, err := change.Begin(r.w.Changes())
	if err != nil {
		return tool.Errorf(tool.Execution, "%w", err)
	}
	defer tx.Close()
	set, err := r.set(now)
	if err != nil {
		return err
	}
	places := make([]change.Place, 0, len(set.Changes))
	for i := range set.Changes {
		places = append(places, set.Changes[i].Place())
	}
	r.w.CatchUp(ctx, places...)
	past := r.w.Record(r.call, r.tool, r.title)
	defer past.Close()
	past.Plan(tx, set)
	report, err := tx.Apply(ctx, set)
	if report == nil {
		return tool.Errorf(tool.Execution, "nothing was changed: %w", err)
	}
	past.Made(report)
	if len(report.Refused) > 0 {
		first := report.Refused[0]
		return tool.Errorf(tool.Validation, "nothing was changed: %s: %w", r.w.ShownPath(first.Place), first.Why).
			WithHint("Repeat the call.")
	}
	r.known(now)
	r.w.Made(report)
	r.UndoMeta, r.note = past.Meta(), past.Note()
	return nil
}

func errMoved() error {
	return tool.Errorf(tool.Validation, "files changed after this was approved: nothing was done").
		WithHint("Repeat the call, to see what it would do now.")
}

// planned names what a plan would do.
func planned(c *refactor.Changes) [sha256.Size]byte {
	h := sha256.New()
	for i := range c.Files {
		f := &c.Files[i]
		fmt.Fprintf(h, "%q %x %v\n", f.Path, sha256.Sum256(f.Before), f.Edits)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// set is the plan as changes that are made together or not at all. What stands at each place is looked at first and
// read then, so that what somebody changes in between is another entry.
func (r *refactoring) set(plan *refactor.Changes) (*change.Set, error) {
	tree, err := change.OpenTree(r.w.Dir())
	if err != nil {
		return nil, tool.Errorf(tool.Execution, "%w", err)
	}
	defer tree.Close()
	set := &change.Set{}
	for i := range plan.Files {
		f := &plan.Files[i]
		at := r.w.PlaceOf(r.paths[i])
		was, err := tree.Look(at.Path)
		if err != nil {
			return nil, tool.Errorf(tool.Execution, "%w", err)
		}
		now := []byte(nil)
		if was.Type == change.File {
			now, err = tree.Read(at.Path, files.EditedFile)
		}
		missing := was.Type == change.None
		if err != nil || missing != f.New || !missing && was.Type != change.File || !bytes.Equal(now, f.Before) {
			return nil, errMoved()
		}
		will := change.Entry{Type: change.File, Mode: was.Mode}
		if missing {
			will.Mode = 0o644
		}
		after := f.After()
		set.Changes = append(set.Changes, change.Change{
			Root: at.Root,
			Path: at.Path,
			Was:  was,
			Will: will,
			Unit: r.tool,
			Write: func(w io.Writer) error {
				_, err := w.Write(after)
				return err
			},
		})
	}
	return set, nil
}

// known has a session that knew a file as it was before know it as it is now: it may go on editing it.
func (r *refactoring) known(plan *refactor.Changes) {
	session := files.SeenBy(r.call.Session)
	if session == nil {
		return
	}
	for i := range plan.Files {
		f := &plan.Files[i]
		fi, err := r.w.Files.Stat(r.paths[i])
		if err != nil || !f.New && session.Check(r.paths[i], sizedAs(fi, f.Before), f.Before) != nil {
			continue
		}
		session.Note(r.paths[i], fi, f.After())
	}
}

// data is what the call did.
func (r *refactoring) data(view tool.Diff) refactorData {
	d := refactorData{
		Symbol:   r.plan.Of.ID,
		Edits:    r.plan.Edits,
		DryRun:   r.dry,
		Diff:     strings.ToValidUTF8(view.Unified, "\ufffd"),
		Added:    view.Added,
		Removed:  view.Removed,
		Texts:    r.plan.Texts,
		Notes:    slices.Clone(r.plan.Notes),
		UndoMeta: r.UndoMeta,
	}
	for i := range r.plan.Files {
		f := &r.plan.Files[i]
		d.Files = append(d.Files, refactoredFile{r.paths[i].Shown(), len(f.Edits)})
	}
	if r.plan.Texts > 0 {
		often := render.Quantity(r.plan.Texts, "time")
		d.Notes = append(d.Notes, "in strings and comments the name stands "+often+" and was left as it is")
	}
	if r.note != "" {
		d.Notes = append(d.Notes, r.note)
	}
	d.Extent = render.ExtentOf(render.CutDiff(d.Diff))
	return d
}
