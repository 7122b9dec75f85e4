// Package undo holds the tools that show what calls changed, and take it back.
package undo

//go:generate go test -run TestSchemasOfUndoAreThoseInferred -write-inferred

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"helve/builtin/internal/doc"
	"helve/builtin/internal/folders"
	"helve/builtin/internal/history"
	"helve/builtin/internal/record"
	"helve/builtin/internal/render"
	"helve/internal/change"
	"helve/internal/fsroot"
	"helve/tool"
)

// undoTools are history, diff, undo and redo.
type undoTools struct{ *record.Records }

// Tools are history, diff, undo and redo: for a person, who knows the calls of everybody, or for a model, which knows
// those of its own session.
func Tools(r *record.Records, person bool) []tool.Tool {
	w := &undoTools{r}
	return []tool.Tool{
		w.historyTool(person),
		w.diffTool(person),
		w.undoTool(person),
		w.redoTool(person),
	}
}

// undoIn are the parameters of undo.
type undoIn struct {
	Call   string `json:"call,omitempty" jsonschema:"Its ID, or several with commas; default: the last one"`
	To     string `json:"to,omitempty" jsonschema:"Undo every call after this one"`
	Force  bool   `json:"force,omitempty" jsonschema:"Also what somebody changed since; a copy is kept"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"Only show the diff"`
}

func (in undoIn) String() string {
	switch {
	case in.To != "":
		return "undo everything after " + in.To
	case strings.Contains(in.Call, ","):
		return fmt.Sprintf("undo %d calls", strings.Count(in.Call, ",")+1)
	case in.Call != "":
		return "undo " + in.Call
	}
	return "undo the last call"
}

// Validate refuses what cannot be both.
func (in undoIn) Validate() error {
	if in.Call != "" && in.To != "" {
		return errors.New("call and to: one call is undone, or every one after another: give one of them")
	}
	return nil
}

// redoIn are the parameters of redo.
type redoIn struct {
	Force  bool `json:"force,omitempty" jsonschema:"Also what somebody changed since; a copy is kept"`
	DryRun bool `json:"dry_run,omitempty" jsonschema:"Only show the diff"`
}

func (redoIn) String() string { return "redo what was undone last" }

var (
	_ tool.Stringer  = undoIn{}
	_ tool.Validator = undoIn{}
	_ tool.Stringer  = redoIn{}
)

// undoTool takes calls back: the files that they changed get back what was there before. What somebody changed since
// stays, beside what is undone where the two do not touch, else instead of it.
func (w *undoTools) undoTool(person bool) tool.Tool {
	s := tool.Spec{
		Name:     "undo",
		Title:    "Undo",
		Origin:   folders.Origin("undo"),
		Doc:      doc.Of("undo"),
		Kind:     tool.Write,
		Category: "history",
		Tags:     []string{"history", "undo", "file", "write"},
	}
	return tool.Renders[undoData](tool.Plan(s, func(_ context.Context, c *tool.Call, in undoIn) (*tool.Job, error) {
		u := &undoing{
			w:      w,
			call:   c,
			tool:   "undo",
			title:  in.String(),
			wish:   history.Wish{ID: in.Call, To: in.To, Force: in.Force},
			person: person,
			force:  in.Force,
			dry:    in.DryRun,
		}
		return u.job()
	}))
}

// redoTool takes the last undo back.
func (w *undoTools) redoTool(person bool) tool.Tool {
	s := tool.Spec{
		Name:     "redo",
		Title:    "Redo",
		Origin:   folders.Origin("redo"),
		Doc:      doc.Of("redo"),
		Kind:     tool.Write,
		Category: "history",
		Tags:     []string{"history", "redo", "file", "write"},
	}
	return tool.Renders[undoData](tool.Plan(s, func(_ context.Context, c *tool.Call, in redoIn) (*tool.Job, error) {
		u := &undoing{
			w:      w,
			call:   c,
			tool:   "redo",
			title:  in.String(),
			wish:   history.Wish{Kind: history.Redo, Force: in.Force},
			person: person,
			force:  in.Force,
			dry:    in.DryRun,
		}
		return u.job()
	}))
}

// An undoing is one call of undo or redo, understood.
type undoing struct {
	w      *undoTools
	call   *tool.Call
	tool   string
	title  string
	wish   history.Wish
	person bool // it is a person's: every call may be undone
	force  bool
	dry    bool

	store *history.Store
	shown *history.Plan // what was shown before it is done; nil: nothing was
	view  tool.Diff     // as which it was shown
	long  bool          // more of a file was shown than a result shows
	cut   string        // why the diff is not whole
}

// job says what the call may change: every file that the calls changed which it takes back. No file is looked at yet.
func (u *undoing) job() (*tool.Job, error) {
	var err error
	if u.store, err = u.w.Settled(); err != nil {
		return nil, err
	}
	u.wish.Session = u.w.sessionOf(u.call, u.person)
	calls, err := u.store.Choose(u.wish)
	if err != nil {
		return nil, record.HistoryError(err)
	}
	u.wish.Calls = calls // what is judged is what is done, whatever is called meanwhile
	j := &tool.Job{
		Title:     u.title,
		Effects:   u.effects(calls),
		Signature: u.subject(),
		Run:       u.run,
	}
	if !u.dry {
		j.Preview = u.preview
	}
	return j, nil
}

// sessionOf is the session whose calls count: a model's own, for a person everybody's.
func (w *undoTools) sessionOf(c *tool.Call, person bool) string {
	if person || c.Session == nil {
		return ""
	}
	return c.Session.ID
}

// effects are those on the files of calls. What rules deny and what no tool writes is left alone, so that it is no
// effect.
func (u *undoing) effects(calls []history.Call) []tool.Effect {
	kind := tool.Write
	if u.dry {
		kind = tool.Read
	}
	out := []tool.Effect{}
	seen := map[change.Place]bool{}
	for _, c := range calls {
		for _, ch := range c.Changes {
			if seen[ch.Place] || u.w.leaves(ch.Place) || u.w.guards(ch.Place) != "" {
				continue
			}
			seen[ch.Place] = true
			at := ch.Place
			if fsroot.Fold(at.Base()) == ".git" { // it was made by the call, or something in it was: no loss
				at = at.Child("HEAD")
			}
			out = append(out, tool.Effect{Kind: kind, Target: u.w.TargetOf(at)})
		}
	}
	return out
}

// leaves tells of a place that an undo leaves alone: rules deny it, or it is in no folder of the workspace.
func (w *undoTools) leaves(at change.Place) bool {
	return at.Root < 0 || at.Root >= len(w.Files.Roots()) || w.DeniedAt(at)
}

// plan plans the undo for the files as they are now. What steers other programs only a person brings back.
func (u *undoing) plan() (*history.Plan, error) {
	p, err := u.store.Plan(u.wish)
	if err != nil {
		return nil, record.HistoryError(err)
	}
	u.leaveGuarded(p)
	if u.person {
		return p, nil
	}
	p.Leave(func(at change.Place) string {
		root := u.w.Files.Roots()[at.Root]
		if err := u.w.Protected(root.Name(), fsroot.Fold(string(at.Path))); err != nil {
			return err.Error()
		}
		return ""
	})
	return p, nil
}

// leaveGuarded has a plan leave alone what no tool writes, and with it the whole repository that git would not know
// without that.
func (u *undoing) leaveGuarded(p *history.Plan) {
	repositories := map[change.Place]bool{}
	p.Leave(func(at change.Place) string {
		why := u.w.guards(at)
		if why == "" {
			return ""
		}
		if dir, in := repositoryOf(at); in {
			repositories[dir] = true
		}
		return "it is never written by a tool: " + why
	})
	p.Leave(func(at change.Place) string {
		dir, in := repositoryOf(at)
		if !in || !repositories[dir] || u.w.guards(at) != "" {
			return ""
		}
		return "a part of this repository is never written by a tool"
	})
}

// repositoryOf is the .git directory that a place is or is in.
func repositoryOf(at change.Place) (dir change.Place, in bool) {
	segments := strings.Split(string(at.Path), "/")
	i := slices.Index(segments, ".git")
	if i < 0 {
		return at, false
	}
	at.Path = change.Name(strings.Join(segments[:i+1], "/"))
	return at, true
}

// guards tells why a place is never written by a tool; "" if it may be.
func (w *undoTools) guards(at change.Place) string {
	known := at.Root >= 0 && at.Root < len(w.Files.Roots())
	if w.Guarded == nil || !known {
		return ""
	}
	return w.Guarded(w.TargetOf(at))
}

// preview shows what would be done, and notes what was shown.
func (u *undoing) preview(context.Context) (tool.Display, error) {
	p, err := u.plan()
	if err != nil {
		return nil, err
	}
	u.shown, u.view = p, u.show(p, render.WholeDiff)
	shown := u.view
	shown.Unchanged = len(placesOf(p.Steps)) == 0
	return shown, nil
}

// settled is the plan that is done, with its diff. It is the one that was shown, where nothing changed since then;
// where something did, it is made again and must come to the same.
func (u *undoing) settled() (*history.Plan, tool.Diff, error) {
	if u.shown != nil && u.store.Fresh(u.shown) {
		return u.shown, u.shortened(), nil
	}
	p, err := u.plan()
	switch {
	case err != nil:
		return nil, tool.Diff{}, err
	case u.shown == nil:
		return p, u.show(p, render.ShownLinesOf(u.call)), nil
	case planID(p) != planID(u.shown):
		err := tool.Errorf(tool.Validation, "files changed after this was approved: nothing was done").
			WithHint("Repeat the call, to see what it would do now.")
		return nil, tool.Diff{}, err
	}
	return p, u.shortened(), nil
}

// shortened is what was shown, with no more of a file than a result shows.
func (u *undoing) shortened() tool.Diff {
	if u.long && u.call.Whole == 0 {
		return u.show(u.shown, render.ShownDiff)
	}
	return u.view
}

// planID names what would be done.
func planID(p *history.Plan) [sha256.Size]byte {
	h := sha256.New()
	for _, st := range p.Steps {
		if st.Now.Type == change.Dir {
			st.Now.Time = 0 // it changes with whatever comes and goes in it
		}
		fmt.Fprintf(h, "%d %q %+v %+v %q\n", st.Root, st.Path, st.Now, st.Will, st.Conflict)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// run does it, or in a dry run shows it. The diff is made before: then what stood there is gone.
func (u *undoing) run(ctx context.Context) (*tool.Result, error) {
	p, view, err := u.settled()
	if err != nil {
		return nil, err
	}
	if u.dry {
		d := u.data(p, view)
		d.Extent = render.ExtentOf(u.cut)
		res := tool.Render(d)
		res.Display = view
		return res, nil
	}
	u.w.CatchUp(ctx, placesOf(p.Steps)...)
	r, out, err := u.w.Apply(ctx, u.call, u.tool, u.title, p, u.force)
	if err != nil {
		return nil, record.HistoryError(err)
	}
	u.w.stepped(out.Done)
	return u.result(p, out, r, view), nil
}

// placesOf are where steps are made.
func placesOf(steps []history.Step) []change.Place {
	out := make([]change.Place, 0, len(steps))
	for _, st := range steps {
		if st.Conflict == "" {
			out = append(out, st.Place)
		}
	}
	return out
}

// stepped tells the trees of what was changed.
func (w *undoTools) stepped(steps []history.Step) {
	paths := make([][]string, len(w.Files.Roots()))
	for _, st := range steps {
		paths[st.Root] = append(paths[st.Root], string(st.Path))
	}
	w.TouchAll(paths)
}
