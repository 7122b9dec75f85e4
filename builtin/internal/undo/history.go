package undo

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"helve/builtin/internal/doc"
	"helve/builtin/internal/folders"
	"helve/builtin/internal/history"
	"helve/builtin/internal/record"
	"helve/builtin/internal/render"
	"helve/tool"
)

type changedFile = record.ChangedFile

// historyIn are the parameters of history.
type historyIn struct {
	Limit int `json:"limit,omitempty" jsonschema:"description=Calls shown\\, the newest ones,default=20,minimum=1,maximum=10000"`
}

func (historyIn) String() string { return "show the history" }

// diffIn are the parameters of diff.
type diffIn struct {
	Calls string `json:"calls" jsonschema:"description=ID of a call\\, or A..B: what came after A up to B,minLength=1"`
}

func (in diffIn) String() string { return "show what " + in.Calls + " changed" }

var (
	_ tool.Stringer = historyIn{}
	_ tool.Stringer = diffIn{}
)

// A rememberedCall is a call of the history as programs read it.
type rememberedCall struct {
	ID      string        `json:"id"`
	Time    time.Time     `json:"time"`
	Tool    string        `json:"tool"`
	Title   string        `json:"title"`
	Session string        `json:"session" jsonschema:"Empty without one"`
	Parent  string        `json:"parent,omitempty" jsonschema:"Calls that have it in common are one undo"`
	Call    string        `json:"call,omitempty" jsonschema:"The ID that the caller gave it"`
	Files   []changedFile `json:"files" jsonschema:"Lines are counted of the first ones only"`
	Gaps    []string      `json:"gaps" jsonschema:"What it may have done besides, in words"`

	Undone bool     `json:"undone" jsonschema:"A later call took it back"`
	Rest   []string `json:"rest,omitempty" jsonschema:"Undone but for these paths; empty where nothing or all of it is"`
	Of     []string `json:"of,omitempty" jsonschema:"Of an undo or redo: the calls that it took back"`
}

// historyData is the structured content of history.
type historyData struct {
	Calls   []rememberedCall `json:"calls" jsonschema:"The newest first"`
	Damaged int              `json:"damaged,omitempty" jsonschema:"Entries that cannot be read"`
	render.Extent
}

const (
	// countedFiles is of how many files of a call lines are counted for a list.
	countedFiles = 200
	// titleShown is how many characters of a title a list shows.
	titleShown = 60
)

// historyTool lists the calls that changed files, the newest first.
func (w *undoTools) historyTool(person bool) tool.Tool {
	s := tool.Spec{
		Name:     "history",
		Title:    "History",
		Origin:   folders.Origin("history"),
		Doc:      doc.Of("history"),
		Kind:     tool.Read,
		Category: "history",
		Tags:     []string{"history", "undo", "file"},
		Limits:   []string{"limit"},
	}
	plan := func(_ context.Context, c *tool.Call, in historyIn) (*tool.Job, error) {
		store, err := w.Settled()
		if err != nil {
			return nil, err
		}
		return &tool.Job{
			Effects: []tool.Effect{}, // what calls did is told, and no file is read
			Run: func(context.Context) (*tool.Result, error) {
				list, err := store.List(0)
				if err != nil {
					return nil, record.HistoryError(err)
				}
				return tool.Render(w.historyOf(list, w.sessionOf(c, person), in.Limit)), nil
			},
		}, nil
	}
	return tool.Renders[historyData](tool.Plan(s, plan))
}

// historyOf are the calls of a session, "" for all; the newest ones up to a limit, 0 for none.
func (w *undoTools) historyOf(list history.List, session string, limit int) historyData {
	data := historyData{Calls: []rememberedCall{}, Damaged: list.Broken}
	older, damaged := "", ""
	for _, c := range list.Calls {
		if session != "" && c.Session != session {
			continue
		}
		if limit > 0 && len(data.Calls) == limit {
			older = "there are older calls"
			break
		}
		data.Calls = append(data.Calls, w.rememberedCall(c))
	}
	if list.Broken > 0 {
		damaged = "entries are damaged"
	}
	data.Extent = render.ExtentOf(older, damaged)
	return data
}

// rememberedCall is a call for programs.
func (w *undoTools) rememberedCall(c history.Call) rememberedCall {
	return rememberedCall{
		ID:      c.ID,
		Time:    c.Time,
		Tool:    c.Tool,
		Title:   c.Title,
		Session: c.Session,
		Parent:  c.Parent,
		Call:    c.Caller,
		Files:   w.ChangedFiles(c.Changes, countedFiles),
		Gaps:    append([]string{}, c.Gaps...),
		Undone:  c.Undone,
		Rest:    w.restOf(c),
		Of:      c.Of,
	}
}

// restOf are the first paths at which a call that was undone in part still holds.
func (w *undoTools) restOf(c history.Call) []string {
	var out []string
	for _, ch := range c.Rest[:min(len(c.Rest), record.MaxChanged)] {
		out = append(out, w.ShownPath(ch.Place))
	}
	return out
}

// undoneWords say in a list that a call was taken back, or which part of it was not.
func (c rememberedCall) undoneWords() string {
	switch {
	case c.Undone:
		return " (undone)"
	case len(c.Rest) == 0:
		return ""
	}
	words := " (undone but for " + c.Rest[0]
	if more := len(c.Rest) - 1; more > 0 {
		words += fmt.Sprintf(" and %d more", more)
	}
	return words + ")"
}

// Text is a list for people and models: a line a call, and one for each gap.
func (data historyData) Text() string {
	var b strings.Builder
	if len(data.Calls) == 0 {
		b.WriteString("No call has changed a file that is remembered.\n")
	}
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, c := range data.Calls {
		added, removed := 0, 0
		for _, f := range c.Files {
			added += f.Added
			removed += f.Removed
		}
		title, _, _ := strings.Cut(c.Title, "\n")
		if r := []rune(title); len(r) > titleShown {
			title = string(r[:titleShown-1]) + "…"
		}
		if c.Parent != "" {
			title += " (part of " + c.Parent + ")"
		}
		title += c.undoneWords()
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t+%d −%d\t%s\n", c.ID, c.Time.Local().Format(time.DateTime), c.Tool,
			render.Quantity(len(c.Files), "file"), added, removed, title)
		for _, gap := range c.Gaps {
			fmt.Fprintf(t, "\t\t\t\t\t! %s\n", gap)
		}
	}
	t.Flush()
	if data.Damaged > 0 {
		fmt.Fprintf(&b, "Note: %s of the history are damaged: what they said is lost.\n",
			strings.Replace(render.Quantity(data.Damaged, "entry"), "entrys", "entries", 1))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// diffTool shows what a call changed, or several calls together.
func (w *undoTools) diffTool(person bool) tool.Tool {
	s := tool.Spec{
		Name:     "diff",
		Title:    "Diff of Calls",
		Origin:   folders.Origin("diff"),
		Doc:      doc.Of("diff"),
		Kind:     tool.Read,
		Category: "history",
		Tags:     []string{"history", "diff", "file"},
	}
	return tool.Renders[diffData](tool.Plan(s, func(_ context.Context, c *tool.Call, in diffIn) (*tool.Job, error) {
		store, err := w.Settled()
		if err != nil {
			return nil, err
		}
		changes, err := w.changesOfCalls(store, in.Calls, w.sessionOf(c, person))
		if err != nil {
			return nil, record.HistoryError(err)
		}
		effects := []tool.Effect{}
		for _, ch := range changes {
			if !w.leaves(ch.Place) {
				effects = append(effects, tool.Effect{Kind: tool.Read, Target: w.TargetOf(ch.Place)})
			}
		}
		return &tool.Job{Effects: effects, Run: func(context.Context) (*tool.Result, error) {
			return w.diffResult(store, c, in, changes), nil
		}}, nil
	}))
}

// diffData is what calls changed.
type diffData struct {
	Calls   string        `json:"calls" jsonschema:"As they were asked for"`
	Diff    string        `json:"diff" jsonschema:"In unified format; what has no lines in a sentence"`
	Added   int           `json:"added" jsonschema:"Lines"`
	Removed int           `json:"removed" jsonschema:"Lines"`
	Changes []changedFile `json:"changes" jsonschema:"By path; lines are counted of the first ones only"`
	render.Extent
}

// Text is the diff.
func (d diffData) Text() string {
	if d.Diff == "" {
		return "Nothing is different."
	}
	return strings.TrimSuffix(d.Diff, "\n")
}

// changesOfCalls are the changes of one call, or of those that a range names. A session may see its own calls only.
func (w *undoTools) changesOfCalls(store *history.Store, calls, session string) ([]history.Change, error) {
	from, to, isRange := strings.Cut(calls, "..")
	var found []history.Call
	if isRange {
		var err error
		if found, err = store.Between(from, to); err != nil {
			return nil, err
		}
	} else {
		var err error
		if found, err = store.Find(calls); err != nil {
			return nil, err
		}
	}
	for _, c := range found {
		if session != "" && c.Session != session {
			return nil, fmt.Errorf("%w: %s", history.ErrNotOwn, c.ID)
		}
	}
	return history.Fold(found), nil
}

// diffResult is the diff of changes. What a rule denies to read is named only.
func (w *undoTools) diffResult(store *history.Store, c *tool.Call, in diffIn, changes []history.Change) *tool.Result {
	shown := tool.Diff{Path: in.Calls}
	var b strings.Builder
	var why []string
	for _, ch := range changes {
		one, missing := w.diffOf(store, ch, render.ShownLinesOf(c))
		b.WriteString(one.Unified)
		shown.Added += one.Added
		shown.Removed += one.Removed
		if !slices.Contains(why, missing) {
			why = append(why, missing)
		}
	}
	shown.Unified = strings.ToValidUTF8(b.String(), "\ufffd")
	d := diffData{
		Calls:   in.Calls,
		Diff:    shown.Unified,
		Added:   shown.Added,
		Removed: shown.Removed,
		Changes: w.ChangedFiles(changes, countedFiles),
		Extent:  render.ExtentOf(why...),
	}
	res := tool.Render(d)
	res.Display = shown
	return res.WithMeta(record.UndoMeta{Changes: d.Changes})
}

// diffOf is what became of one path, as a diff or in a sentence, and why that is not all of it.
func (w *undoTools) diffOf(store *history.Store, ch history.Change, most int) (d tool.Diff, missing string) {
	name := w.ShownPath(ch.Place)
	said := func(what string) tool.Diff { return tool.Diff{Unified: name + ": " + what + "\n"} }
	if w.leaves(ch.Place) {
		return said("a rule denies to show it"), "a rule denies to show some of it"
	}
	was, err := store.Text(ch.Was)
	if err != nil {
		return said(stateChange(ch.Was, ch.Now) + ": " + err.Error()), noLines
	}
	now, err := store.Text(ch.Now)
	if err != nil {
		return said(stateChange(ch.Was, ch.Now) + ": " + err.Error()), noLines
	}
	if was == now {
		return said(stateChange(ch.Was, ch.Now)), ""
	}
	d = linesBetween(name, ch.Was.Type, ch.Now.Type, was, now, most)
	return d, render.CutDiff(d.Unified)
}

// noLines is why a diff does not have all that changed.
const noLines = "lines of some files are not known"
