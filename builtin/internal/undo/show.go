package undo

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"helve/builtin/internal/history"
	"helve/builtin/internal/record"
	"helve/builtin/internal/render"
	"helve/internal/change"
	"helve/internal/diff"
	"helve/tool"
)

// undoneMeta is the metadata of undo and redo.
type undoneMeta struct {
	Of   []string  `json:"of"`             // the calls that were taken back
	Left []leftOut `json:"left,omitempty"` // files that were left alone, at most MaxChanged
	record.UndoMeta
}

// A leftOut file was not brought back.
type leftOut struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// result tells what was done, and what was left alone and why.
func (u *undoing) result(p *history.Plan, out *history.Outcome, r *record.Recording, view tool.Diff) *tool.Result {
	d := u.data(p, view)
	d.Done = len(out.Done)
	d.UndoMeta = r.MetaUpTo(u.most(record.MaxChanged))
	d.leave(u, out.Refused)
	hidden, left := "", ""
	if d.More > 0 {
		hidden = "further files were changed"
	}
	if d.MoreLeft > 0 {
		left = "further files were left alone"
	}
	d.Extent = render.ExtentOf(u.cut, hidden, left)
	of := undoneMeta{UndoMeta: d.UndoMeta, Of: []string{}}
	if more := len(of.Changes) - record.MaxChanged; more > 0 {
		of.Changes, of.More = of.Changes[:record.MaxChanged], of.More+more
	}
	for _, c := range p.Calls {
		of.Of = append(of.Of, c.ID)
	}
	for _, st := range d.Left[:min(len(d.Left), record.MaxChanged)] {
		of.Left = append(of.Left, leftOut{st.Path, st.Why})
	}
	res := tool.Render(d).WithMeta(of)
	res.Display = view
	if len(out.Refused) > 0 {
		res.Err = tool.Errorf(tool.Execution, "%s left alone", render.Quantity(len(out.Refused), "file")).
			WithHint("%s", d.Next)
	}
	return res
}

// most is how many of something a result has: n for a model, all for a program.
func (u *undoing) most(n int) int {
	if u.call.Whole > 0 {
		return math.MaxInt
	}
	return n
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
func filesLine(m record.UndoMeta) string {
	var names []string
	for _, f := range m.Changes[:min(len(m.Changes), maxTitles)] {
		names = append(names, f.Path)
	}
	total := len(m.Changes) + m.More
	line := fmt.Sprintf("%s changed: %s", render.Quantity(total, "file"), strings.Join(names, ", "))
	if more := total - len(names); more > 0 {
		line += fmt.Sprintf(" and %d more", more)
	}
	return line
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
	name := u.w.ShownPath(st.Place)
	o := diff.Options{MaxLines: versionLines}
	return diff.Of(left, now, o).Unified(name+" (as the "+u.leaver()+" left it)", name+" (as it is now)") +
		diff.Of(now, will, o).Unified(name+" (as it is now)", name+" (as it was before)")
}

// leaver is what left a file as it was before somebody changed it: a redo takes back an undo.
func (u *undoing) leaver() string {
	if u.tool == "redo" {
		return "undo"
	}
	return "call"
}

// versionLines is how many lines of each of two diffs a conflict shows.
const versionLines = 60

// show is what a plan would do, as one diff with what it leaves alone above.
func (u *undoing) show(p *history.Plan, most int) tool.Diff {
	var b strings.Builder
	var note []string
	d := tool.Diff{Path: u.title}
	u.cut = ""
	for i := range p.Steps {
		st := &p.Steps[i]
		if st.Conflict != "" && (!u.force || st.Denied()) {
			note = append(note, u.w.ShownPath(st.Place)+" is left alone: "+st.Conflict)
			continue
		}
		one := u.showStep(st, most)
		u.cut = cmp.Or(u.cut, render.CutDiff(one.Unified))
		u.long = u.long || strings.Count(one.Unified, "\n") > render.ShownDiff
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
	name := u.w.ShownPath(st.Place)
	now, will, err := u.store.Texts(st)
	if err != nil || now == will {
		return tool.Diff{Note: name + ": " + stateChange(st.Now, st.Will)}
	}
	return linesBetween(name, st.Now.Type, st.Will.Type, now, will, most)
}

// linesBetween is the diff of what stood at a path and what stands there then, with so many lines at most. Nothing, on
// either side, is /dev/null.
func linesBetween(name string, was, now change.Type, before, after string, most int) tool.Diff {
	old, fresh := "a/"+name, "b/"+name
	if was == change.None {
		old = "/dev/null"
	}
	if now == change.None {
		fresh = "/dev/null"
	}
	d := diff.Of(before, after, diff.Options{MaxLines: most})
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
	case was.Object == now.Object:
		return "gets another time"
	}
	return "gets another content"
}
