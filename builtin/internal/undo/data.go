package undo

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"helve/builtin/internal/history"
	"helve/builtin/internal/record"
	"helve/builtin/internal/render"
	"helve/tool"
)

// undoData is what an undo or redo did, or would do.
type undoData struct {
	DryRun   bool         `json:"dry_run,omitempty" jsonschema:"Nothing was changed"`
	Kind     string       `json:"kind" jsonschema:"undo or redo"`
	Calls    []undoneCall `json:"calls" jsonschema:"Those that were taken back"`
	Done     int          `json:"done" jsonschema:"Paths that were changed"`
	Left     []leftAlone  `json:"left,omitempty" jsonschema:"Files that were not brought back"`
	MoreLeft int          `json:"more_left,omitempty" jsonschema:"Further ones"`
	Next     string       `json:"next,omitempty" jsonschema:"What brings back what was left alone"`
	Diff     string       `json:"diff" jsonschema:"Of what was, or would be, done"`
	Note     string       `json:"note,omitempty" jsonschema:"What the diff does not show"`
	Added    int          `json:"added" jsonschema:"Lines"`
	Removed  int          `json:"removed" jsonschema:"Lines"`
	record.UndoMeta
	render.Extent
}

// undoneCall is a call that was taken back.
type undoneCall struct {
	ID    string   `json:"id"`
	Title string   `json:"title"`
	Gaps  []string `json:"gaps,omitempty" jsonschema:"What it may have done besides, in words"`
}

// leftAlone is a file that was not brought back.
type leftAlone struct {
	Path     string `json:"path"`
	Why      string `json:"why"`
	Versions string `json:"versions,omitempty" jsonschema:"Diffs: what somebody made of it, and what would become of that"`
}

// data is what of a plan is known before it is carried out.
func (u *undoing) data(p *history.Plan, view tool.Diff) undoData {
	d := undoData{
		DryRun:  u.dry,
		Kind:    string(p.Kind),
		Calls:   []undoneCall{},
		Diff:    strings.ToValidUTF8(view.Unified, "\ufffd"),
		Note:    view.Note,
		Added:   view.Added,
		Removed: view.Removed,
	}
	for _, c := range p.Calls {
		d.Calls = append(d.Calls, undoneCall{c.ID, callTitle(c), c.Gaps})
	}
	return d
}

// leave takes what was left alone, with the three versions of the first ones.
func (d *undoData) leave(u *undoing, left []history.Step) {
	shown := left[:min(len(left), u.most(record.MaxChanged))]
	d.MoreLeft = len(left) - len(shown)
	d.Next = u.next(left)
	for i := range shown {
		one := leftAlone{Path: u.w.ShownPath(shown[i].Place), Why: shown[i].Conflict}
		if i < u.most(maxTitles) {
			one.Versions = strings.ToValidUTF8(u.versions(&shown[i]), "\ufffd")
		}
		d.Left = append(d.Left, one)
	}
}

// next is what to type for what was left alone.
func (u *undoing) next(left []history.Step) string {
	if len(left) == 0 {
		return ""
	}
	if !slices.ContainsFunc(left, func(st history.Step) bool { return !st.Never }) {
		return "No --force brings that back; helve diff " + u.wish.Calls[0].ID + " shows what the call changed."
	}
	if u.person {
		command := "`helve " + u.commandLine() + " --force`"
		return command + " does it all the same; what stands there now stays in the history."
	}
	args := map[string]any{"force": true}
	if u.tool == "undo" && u.wish.To != "" {
		args["to"] = u.wish.To
	} else if u.tool == "undo" {
		args["call"] = u.subject()
	}
	b, err := json.Marshal(args)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s with %s does it all the same; what stands there now stays in the history.", u.tool, b)
}

// commandLine is the command that is repeated.
func (u *undoing) commandLine() string {
	switch {
	case u.tool == "redo":
		return "redo"
	case u.wish.To != "":
		return "undo --to " + u.wish.To
	}
	return "undo " + u.subject()
}

// subject is what undo calls the calls that are taken back: those that have a parent in common by that.
func (u *undoing) subject() string {
	calls := u.wish.Calls
	if len(calls) == 1 {
		return calls[0].ID
	}
	var names []string
	for _, c := range calls {
		if name := cmp.Or(c.Parent, c.ID); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ",")
}

// Text is what a model reads: what was done, and what was left alone and why.
func (d undoData) Text() string {
	if d.DryRun {
		view := tool.Diff{Unified: d.Diff, Note: d.Note}
		return "Dry run: nothing was changed. This would be done:\n" + view.String()
	}
	var b strings.Builder
	switch {
	case d.Done == 0 && len(d.Left) == 0:
		b.WriteString(map[string]string{
			string(history.Undo): "Everything is as it was before already: nothing was changed.\n",
			string(history.Redo): "Everything is as it was before the undo already: nothing was changed.\n",
		}[d.Kind])
	case d.Done == 0:
		b.WriteString("Nothing was changed.\n")
	default:
		d.writeDone(&b)
	}
	for i, l := range d.Left {
		if i == maxTitles {
			fmt.Fprintf(&b, "and %d more were left alone\n", len(d.Left)+d.MoreLeft-i)
			break
		}
		fmt.Fprintf(&b, "Left alone: %s: %s\n%s", l.Path, l.Why, l.Versions)
	}
	if d.Next != "" {
		fmt.Fprintf(&b, "%s\n", d.Next)
	}
	for _, c := range d.Calls {
		for _, gap := range c.Gaps {
			fmt.Fprintf(&b, "Note: %s: %s\n", c.ID, gap)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// writeDone names the calls and the files.
func (d undoData) writeDone(b *strings.Builder) {
	var titles []string
	for _, c := range d.Calls[:min(len(d.Calls), maxTitles)] {
		titles = append(titles, c.ID+" "+c.Title)
	}
	verb := map[string]string{string(history.Undo): "Undid", string(history.Redo): "Redid"}[d.Kind]
	fmt.Fprintf(b, "%s %s\n", verb, strings.Join(titles, "\n  "))
	if more := len(d.Calls) - len(titles); more > 0 {
		fmt.Fprintf(b, "  and %d more\n", more)
	}
	fmt.Fprintf(b, "%s\n", filesLine(d.UndoMeta))
}
