package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"helve/internal/history"
	"helve/tool"
)

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
	Session string        `json:"session"`          // "" without one
	Parent  string        `json:"parent,omitempty"` // calls that have it in common are one undo
	Files   []changedFile `json:"files"`
	Gaps    []string      `json:"gaps"`   // what it may have done besides, in words
	Undone  bool          `json:"undone"` // a later call took it back
	Of      []string      `json:"of,omitempty"`
}

// historyData is the structured content of history.
type historyData struct {
	Calls   []rememberedCall `json:"calls"`             // the newest first
	Damaged int              `json:"damaged,omitempty"` // entries that cannot be read
}

const (
	// countedFiles is of how many files of a call lines are counted for a list.
	countedFiles = 200
	// titleShown is how many characters of a title a list shows.
	titleShown = 60
)

// historyTool lists the calls that changed files, the newest first.
func (w *Workspace) historyTool(person bool) tool.Tool {
	s := tool.Spec{
		Name:     "history",
		Title:    "History",
		Origin:   origin("history"),
		Doc:      doc("history"),
		Kind:     tool.Read,
		Category: "history",
		Tags:     []string{"history", "undo", "file"},
	}
	return tool.Plan(s, func(_ context.Context, c *tool.Call, in historyIn) (*tool.Job, error) {
		store, err := w.remembered()
		if err != nil {
			return nil, err
		}
		return &tool.Job{
			Effects: []tool.Effect{}, // what calls did is told, and no file is read
			Run: func(context.Context) (*tool.Result, error) {
				list, err := store.List(0)
				if err != nil {
					return nil, historyError(err)
				}
				return w.historyResult(list, w.sessionOf(c, person), in.Limit)
			},
		}, nil
	})
}

// historyResult lists the calls of a session, "" for all.
func (w *Workspace) historyResult(list history.List, session string, limit int) (*tool.Result, error) {
	data := historyData{Calls: []rememberedCall{}, Damaged: list.Broken}
	for _, c := range list.Calls {
		if len(data.Calls) == limit {
			break
		}
		if session == "" || c.Session == session {
			data.Calls = append(data.Calls, w.rememberedCall(c))
		}
	}
	raw, err := json.Marshal(data)
	if err != nil {
		return nil, err
	}
	res := tool.NewResult(tool.Text(historyText(data)))
	res.Data = raw
	return res, nil
}

// rememberedCall is a call for programs.
func (w *Workspace) rememberedCall(c history.Call) rememberedCall {
	return rememberedCall{
		ID:      c.ID,
		Time:    c.Time,
		Tool:    c.Tool,
		Title:   c.Title,
		Session: c.Session,
		Parent:  c.Parent,
		Files:   w.changedFiles(c.Changes, countedFiles),
		Gaps:    append([]string{}, c.Gaps...),
		Undone:  c.Undone,
		Of:      c.Of,
	}
}

// historyText is a list for people and models: a line a call, and one for each gap.
func historyText(data historyData) string {
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
		if c.Undone {
			title += " (undone)"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t+%d −%d\t%s\n", c.ID, c.Time.Local().Format(time.DateTime), c.Tool,
			quantity(len(c.Files), "file"), added, removed, title)
		for _, gap := range c.Gaps {
			fmt.Fprintf(t, "\t\t\t\t\t! %s\n", gap)
		}
	}
	t.Flush()
	if data.Damaged > 0 {
		fmt.Fprintf(&b, "Note: %s of the history are damaged: what they said is lost.\n",
			strings.Replace(quantity(data.Damaged, "entry"), "entrys", "entries", 1))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// diffTool shows what a call changed, or several calls together.
func (w *Workspace) diffTool(person bool) tool.Tool {
	s := tool.Spec{
		Name:     "diff",
		Title:    "Diff of Calls",
		Origin:   origin("diff"),
		Doc:      doc("diff"),
		Kind:     tool.Read,
		Category: "history",
		Tags:     []string{"history", "diff", "file"},
	}
	return tool.Plan(s, func(_ context.Context, c *tool.Call, in diffIn) (*tool.Job, error) {
		store, err := w.remembered()
		if err != nil {
			return nil, err
		}
		changes, err := w.changesOfCalls(store, in.Calls, w.sessionOf(c, person))
		if err != nil {
			return nil, historyError(err)
		}
		effects := []tool.Effect{}
		for _, ch := range changes {
			if !w.leaves(ch.Place) {
				effects = append(effects, tool.Effect{Kind: tool.Read, Target: w.targetOf(ch.Place)})
			}
		}
		return &tool.Job{Effects: effects, Run: func(context.Context) (*tool.Result, error) {
			return w.diffResult(store, in, changes), nil
		}}, nil
	})
}

// changesOfCalls are the changes of one call, or of those that a range names. A session may see its own calls only.
func (w *Workspace) changesOfCalls(store *history.Store, calls, session string) ([]history.Change, error) {
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
func (w *Workspace) diffResult(store *history.Store, in diffIn, changes []history.Change) *tool.Result {
	d := tool.Diff{Path: in.Calls}
	var b strings.Builder
	for _, ch := range changes {
		one := w.diffOf(store, ch)
		b.WriteString(one.Unified)
		d.Added += one.Added
		d.Removed += one.Removed
	}
	d.Unified = b.String()
	text := d.Unified
	if text == "" {
		text = "Nothing is different."
	}
	res := tool.NewResult(tool.Text(strings.TrimSuffix(text, "\n")))
	res.Display = d
	return res.WithMeta(undoMeta{Changes: w.changedFiles(changes, countedFiles)})
}

// diffOf is what became of one path, as a diff or in a sentence.
func (w *Workspace) diffOf(store *history.Store, ch history.Change) tool.Diff {
	name := w.shownPath(ch.Place)
	said := func(what string) tool.Diff { return tool.Diff{Unified: name + ": " + what + "\n"} }
	if w.leaves(ch.Place) {
		return said("a rule denies to show it")
	}
	was, err := store.Text(ch.Was)
	if err != nil {
		return said(stateChange(ch.Was, ch.Now) + ": " + err.Error())
	}
	now, err := store.Text(ch.Now)
	if err != nil {
		return said(stateChange(ch.Was, ch.Now) + ": " + err.Error())
	}
	if was == now {
		return said(stateChange(ch.Was, ch.Now))
	}
	return linesBetween(name, ch.Was.Type, ch.Now.Type, was, now, shownDiff)
}
