package builtin

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"helve/internal/change"
	"helve/internal/diff"
	"helve/internal/fsroot"
	"helve/internal/history"
	"helve/tool"
)

// undoIn are the parameters of undo.
type undoIn struct {
	Call   string `json:"call,omitempty" jsonschema:"description=ID of the call to undo; default: the last one"`
	To     string `json:"to,omitempty" jsonschema:"description=Undo every call after this one"`
	Force  bool   `json:"force,omitempty" jsonschema:"description=Also what somebody changed since; a copy is kept"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"description=Only show the diff"`
}

func (in undoIn) String() string {
	switch {
	case in.To != "":
		return "undo everything after " + in.To
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
	Force  bool `json:"force,omitempty" jsonschema:"description=Also what somebody changed since; a copy is kept"`
	DryRun bool `json:"dry_run,omitempty" jsonschema:"description=Only show the diff"`
}

func (redoIn) String() string { return "redo what was undone last" }

var (
	_ tool.Stringer  = undoIn{}
	_ tool.Validator = undoIn{}
	_ tool.Stringer  = redoIn{}
)

// undoTool takes calls back: the files that they changed get back what was there before. What somebody changed since
// stays, beside what is undone where the two do not touch, else instead of it.
func (w *Workspace) undoTool(person bool) tool.Tool {
	s := tool.Spec{
		Name:     "undo",
		Title:    "Undo",
		Origin:   origin("undo"),
		Doc:      doc("undo"),
		Kind:     tool.Write,
		Category: "history",
		Tags:     []string{"history", "undo", "file", "write"},
	}
	return tool.Plan(s, func(_ context.Context, c *tool.Call, in undoIn) (*tool.Job, error) {
		u := &undoing{
			w:      w,
			call:   c,
			tool:   "undo",
			title:  in.String(),
			wish:   history.Wish{ID: in.Call, To: in.To},
			person: person,
			force:  in.Force,
			dry:    in.DryRun,
		}
		return u.job()
	})
}

// redoTool takes the last undo back.
func (w *Workspace) redoTool(person bool) tool.Tool {
	s := tool.Spec{
		Name:     "redo",
		Title:    "Redo",
		Origin:   origin("redo"),
		Doc:      doc("redo"),
		Kind:     tool.Write,
		Category: "history",
		Tags:     []string{"history", "redo", "file", "write"},
	}
	return tool.Plan(s, func(_ context.Context, c *tool.Call, in redoIn) (*tool.Job, error) {
		u := &undoing{
			w:      w,
			call:   c,
			tool:   "redo",
			title:  in.String(),
			wish:   history.Wish{Kind: history.Redo},
			person: person,
			force:  in.Force,
			dry:    in.DryRun,
		}
		return u.job()
	})
}

// An undoing is one call of undo or redo, understood.
type undoing struct {
	w      *Workspace
	call   *tool.Call
	tool   string
	title  string
	wish   history.Wish
	person bool // it is a person's: every call may be undone
	force  bool
	dry    bool

	store *history.Store
	shown *[sha256.Size]byte // the plan that was shown; nil: none was
}

// job says what the call may change: every file that the calls changed which it takes back. No file is looked at yet.
func (u *undoing) job() (*tool.Job, error) {
	var err error
	if u.store, err = u.w.remembered(); err != nil {
		return nil, err
	}
	u.wish.Session = u.w.sessionOf(u.call, u.person)
	calls, err := u.store.Choose(u.wish)
	if err != nil {
		return nil, historyError(err)
	}
	j := &tool.Job{
		Title:     u.title,
		Effects:   u.effects(calls),
		Signature: calls[0].ID,
		Run:       u.run,
	}
	if !u.dry {
		j.Preview = u.preview
	}
	return j, nil
}

// remembered is the history; an error where there is none.
func (w *Workspace) remembered() (*history.Store, error) {
	store, err := w.history()
	if err == nil && store == nil {
		return nil, tool.Errorf(tool.Execution, "Error: nothing is remembered here that could be undone.").
			WithHint("history is switched off in the configuration, or there is no folder for it.")
	}
	if err != nil {
		return nil, historyError(err)
	}
	return store, nil
}

// sessionOf is the session whose calls count: a model's own, for a person everybody's.
func (w *Workspace) sessionOf(c *tool.Call, person bool) string {
	if person || c.Session == nil {
		return ""
	}
	return c.Session.ID
}

// effects are those on the files of calls. What rules deny is left alone, so that it is no effect.
func (u *undoing) effects(calls []history.Call) []tool.Effect {
	kind := tool.Write
	if u.dry {
		kind = tool.Read
	}
	out := []tool.Effect{}
	seen := map[change.Place]bool{}
	for _, c := range calls {
		for _, ch := range c.Changes {
			if seen[ch.Place] || u.w.leaves(ch.Place) {
				continue
			}
			seen[ch.Place] = true
			out = append(out, tool.Effect{Kind: kind, Target: u.w.targetOf(ch.Place)})
		}
	}
	return out
}

// leaves tells of a place that an undo leaves alone: rules deny it, or it is in no folder of the workspace.
func (w *Workspace) leaves(at change.Place) bool {
	return at.Root < 0 || at.Root >= len(w.files.Roots()) || w.deniedAt(at)
}

// deniedAt tells whether rules keep a place from being read or written.
func (w *Workspace) deniedAt(at change.Place) bool {
	target := w.targetOf(at)
	read := w.opts.Denied != nil && w.opts.Denied(target)
	return read || w.opts.DeniedWrite != nil && w.opts.DeniedWrite(target)
}

// plan plans the undo for the files as they are now. What steers other programs only a person brings back.
func (u *undoing) plan() (*history.Plan, error) {
	p, err := u.store.Plan(u.wish)
	if err != nil {
		return nil, historyError(err)
	}
	if u.person {
		return p, nil
	}
	p.Leave(func(at change.Place) string {
		root := u.w.files.Roots()[at.Root]
		if err := u.w.opts.Protected(root.Name(), fsroot.Fold(string(at.Path))); err != nil {
			return err.Error()
		}
		return ""
	})
	return p, nil
}

// preview shows what would be done, and notes what was shown.
func (u *undoing) preview(context.Context) (tool.Display, error) {
	p, err := u.plan()
	if err != nil {
		return nil, err
	}
	id := planID(p)
	u.shown = &id
	return u.show(p, wholeDiff), nil
}

// planID names what would be done.
func planID(p *history.Plan) [sha256.Size]byte {
	h := sha256.New()
	for _, st := range p.Steps {
		fmt.Fprintf(h, "%d %q %+v %+v %q\n", st.Root, st.Path, st.Now, st.Will, st.Conflict)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// run does it, or in a dry run shows it.
func (u *undoing) run(ctx context.Context) (*tool.Result, error) {
	p, err := u.plan()
	switch {
	case err != nil:
		return nil, err
	case u.shown != nil && *u.shown != planID(p):
		return nil, tool.Errorf(tool.Validation, "Error: files changed after this was approved: nothing was done.").
			WithHint("Repeat the call, to see what it would do now.")
	case u.dry:
		d := u.show(p, shownDiff)
		res := tool.Textf("Dry run: nothing was changed. This would be done:\n%s", d.String())
		res.Display = d
		return res, nil
	}
	r := &recording{w: u.w, id: newID()}
	call := r.call(u.call, u.tool, u.title, nil)
	view := u.show(p, shownDiff) // before it is done: then what stood there is gone
	out, err := u.store.Apply(ctx, call, p, u.force)
	if err != nil {
		return nil, historyError(err)
	}
	u.w.stepped(out.Done)
	if out.Call.ID != "" {
		done, err := u.store.Find(out.Call.ID)
		if err != nil {
			return nil, historyError(err)
		}
		r.changed = done.Changes
	}
	return u.result(p, out, r.meta(), view), nil
}

// stepped tells the trees of what was changed.
func (w *Workspace) stepped(steps []history.Step) {
	roots := w.files.Roots()
	paths := make([][]string, len(roots))
	for _, st := range steps {
		paths[st.Root] = append(paths[st.Root], string(st.Path))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, list := range paths {
		if e := w.engines[roots[i]]; e != nil && len(list) > 0 {
			e.tree.Touch(list...)
		}
	}
}

// historyError gives errors of the history a code and, where there is one, the next step.
func historyError(err error) error {
	var known *tool.Error
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, history.ErrNothing):
		return tool.Errorf(tool.Validation, "Error: there is nothing to take back.").
			WithHint("Only what calls changed is in the history; edits of people are not.")
	case errors.Is(err, history.ErrUnknown):
		return tool.Errorf(tool.Validation, "Error: %w", err).
			WithHint("helve history lists the calls; edits of people are not among them.")
	case errors.Is(err, history.ErrNotOwn):
		return tool.Errorf(tool.Permission, "Error: %w", err).
			WithHint("A person can undo it: helve undo.")
	case errors.Is(err, history.ErrVersion):
		return tool.Errorf(tool.Execution, "Error: %w", err).
			WithHint("Nothing of it was changed. Use the helve that wrote it, or forget it: helve history prune --all.")
	}
	return tool.Errorf(tool.Execution, "Error: %w", err)
}

// undoneMeta is the metadata of undo and redo.
type undoneMeta struct {
	Of   []string  `json:"of"`             // the calls that were taken back
	Left []leftOut `json:"left,omitempty"` // files that were left alone, at most maxChanged
	undoMeta
}

// A leftOut file was not brought back.
type leftOut struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// result tells what was done, and what was left alone and why.
func (u *undoing) result(p *history.Plan, out *history.Outcome, meta undoMeta, view tool.Diff) *tool.Result {
	of := undoneMeta{undoMeta: meta, Of: []string{}}
	var titles []string
	for _, c := range p.Calls {
		of.Of = append(of.Of, c.ID)
		titles = append(titles, fmt.Sprintf("%s %s", c.ID, callTitle(c)))
	}
	for _, st := range out.Refused[:min(len(out.Refused), maxChanged)] {
		of.Left = append(of.Left, leftOut{u.w.shownPath(st.Place), st.Conflict})
	}
	var b strings.Builder
	verb := map[history.Kind]string{history.Undo: "Undid", history.Redo: "Redid"}[p.Kind]
	switch {
	case len(out.Done) == 0 && len(out.Refused) == 0:
		fmt.Fprintf(&b, "Everything is as it was before already: nothing was changed.\n")
	case len(out.Done) == 0:
		fmt.Fprintf(&b, "Nothing was changed.\n")
	default:
		fmt.Fprintf(&b, "%s %s\n", verb, strings.Join(titles[:min(len(titles), maxTitles)], "\n  "))
		if more := len(titles) - maxTitles; more > 0 {
			fmt.Fprintf(&b, "  and %d more\n", more)
		}
		fmt.Fprintf(&b, "%s\n", filesLine(meta))
	}
	u.tellLeft(&b, out.Refused)
	for _, c := range p.Calls {
		for _, gap := range c.Gaps {
			fmt.Fprintf(&b, "Note: %s: %s\n", c.ID, gap)
		}
	}
	res := tool.NewResult(tool.Text(strings.TrimSuffix(b.String(), "\n"))).WithMeta(of)
	res.Display = view
	if len(out.Refused) > 0 {
		res.Err = tool.Errorf(tool.Execution, "Error: %s left alone: they changed since, or cannot be brought back",
			quantity(len(out.Refused), "file"))
	}
	return res
}

// maxTitles is how many calls a result names.
const maxTitles = 10

// callTitle is what a call was for, in one line.
func callTitle(c history.Call) string {
	title, _, _ := strings.Cut(c.Title, "\n")
	if title == "" {
		return c.Tool
	}
	return title
}

// filesLine names the first files of a change.
func filesLine(m undoMeta) string {
	var names []string
	for _, f := range m.Changes[:min(len(m.Changes), maxTitles)] {
		names = append(names, f.Path)
	}
	total := len(m.Changes) + m.More
	line := fmt.Sprintf("%s changed: %s", quantity(total, "file"), strings.Join(names, ", "))
	if more := total - len(names); more > 0 {
		line += fmt.Sprintf(" and %d more", more)
	}
	return line
}

// tellLeft says what was left alone, with the three versions of the first ones.
func (u *undoing) tellLeft(b *strings.Builder, left []history.Step) {
	for i, st := range left {
		if i == maxTitles {
			fmt.Fprintf(b, "and %d more were left alone\n", len(left)-i)
			return
		}
		fmt.Fprintf(b, "Left alone: %s: %s\n", u.w.shownPath(st.Place), st.Conflict)
		b.WriteString(u.versions(&st))
	}
}

// versions shows a conflict: what somebody made of what the call had left, and what the undo would make of that.
func (u *undoing) versions(st *history.Step) string {
	if st.Denied() || u.w.leaves(st.Place) {
		return ""
	}
	now, will, err := u.store.Texts(st)
	if err != nil {
		return ""
	}
	left, err := u.store.Text(st.Left)
	if err != nil {
		return ""
	}
	name := u.w.shownPath(st.Place)
	o := diff.Options{MaxLines: versionLines}
	return diff.Of(left, now, o).Unified(name+" (as the call left it)", name+" (as it is now)") +
		diff.Of(now, will, o).Unified(name+" (as it is now)", name+" (as it was before)")
}

// versionLines is how many lines of each of two diffs a conflict shows.
const versionLines = 60

// show is what a plan would do, as one diff with what it leaves alone above.
func (u *undoing) show(p *history.Plan, most int) tool.Diff {
	var b strings.Builder
	var note []string
	d := tool.Diff{Path: u.title}
	for i := range p.Steps {
		st := &p.Steps[i]
		if st.Conflict != "" && (!u.force || st.Denied()) {
			note = append(note, u.w.shownPath(st.Place)+" is left alone: "+st.Conflict)
			continue
		}
		one := u.showStep(st, most)
		b.WriteString(one.Unified)
		d.Added += one.Added
		d.Removed += one.Removed
		if one.Note != "" {
			note = append(note, one.Note)
		}
	}
	d.Unified, d.Note = b.String(), strings.Join(note, "\n")
	return d
}

// showStep is what becomes of one file.
func (u *undoing) showStep(st *history.Step, most int) tool.Diff {
	name := u.w.shownPath(st.Place)
	now, will, err := u.store.Texts(st)
	if err != nil || now == will {
		return tool.Diff{Note: name + ": " + stateChange(st.Now, st.Will)}
	}
	old, fresh := "a/"+name, "b/"+name
	if st.Now.Type == change.None {
		old = "/dev/null"
	}
	if st.Will.Type == change.None {
		fresh = "/dev/null"
	}
	d := diff.Of(now, will, diff.Options{MaxLines: most})
	return tool.Diff{
		Unified: d.Unified(old, fresh),
		Added:   d.Added,
		Removed: d.Removed,
	}
}

// stateChange says what becomes of something of which no lines are shown.
func stateChange(was, now history.State) string {
	switch {
	case was.Type == change.None:
		return "comes back (" + now.Type.String() + ")"
	case now.Type == change.None:
		return "goes (" + was.Type.String() + ")"
	case was.Type != now.Type:
		return fmt.Sprintf("%v becomes %v", was.Type, now.Type)
	case was.Mode != now.Mode && was.Object == now.Object:
		return fmt.Sprintf("mode %v becomes %v", was.Mode, now.Mode)
	}
	return "gets another content"
}
