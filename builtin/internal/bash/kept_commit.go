package bash

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"helve/builtin/internal/record"
	"helve/internal/change"
	"helve/internal/diff"
	"helve/internal/state"
	"helve/tool"
)

// A DraftView is what a draft would change.
type DraftView struct {
	ID        string          `json:"id"`
	Summary   string          `json:"summary"` // how many paths are changed, new and deleted
	Diff      string          `json:"diff"`    // unified, with what waits and why above each
	Waits     []heldBack      `json:"waits,omitempty"`
	Conflicts []DraftConflict `json:"conflicts,omitempty"`
	Merged    []string        `json:"merged,omitempty"` // what somebody else changed, too, in other lines
}

// A DraftConflict is a path that somebody else changed since the draft relied upon it.
type DraftConflict struct {
	Path  string `json:"path"`
	Why   string `json:"why"`             // what somebody did, in words
	Diff  string `json:"diff,omitempty"`  // what the draft would do
	Since string `json:"since,omitempty"` // what was done meanwhile; "": it is not known
}

// Words are the conflict with both differences, each of at most so many bytes.
func (c *DraftConflict) Words(most int) string {
	text := "not made: " + c.Path + ": " + c.Why + "."
	switch {
	case c.Since != "":
		text += " The draft has:\n" + cut(c.Diff, most) + "\nand on the disk is since:\n" + cut(c.Since, most)
	case c.Diff != "":
		text += " The draft would make of what is on the disk now:\n" + cut(c.Diff, most)
	}
	return text
}

// cut is a text without its last line end, and its beginning where it is longer.
func cut(text string, most int) string {
	text = strings.TrimRight(text, "\n")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + fmt.Sprintf("…\n[%d more bytes]", len(text)-most)
	}
	return text
}

// A DraftOutcome is what became of a draft.
type DraftOutcome struct {
	ID        string               `json:"id"`
	State     string               `json:"state"`
	Undo      string               `json:"undo,omitempty"` // the call in the history: what helve undo takes
	Changes   []record.ChangedFile `json:"changes,omitempty"`
	More      int                  `json:"more_changes,omitempty"`
	Waits     []heldBack           `json:"waits,omitempty"` // was not made, and waits for a person
	Merged    []string             `json:"merged,omitempty"`
	Conflicts []DraftConflict      `json:"conflicts,omitempty"`
	Refused   *tool.Error          `json:"error,omitempty"`
}

// View shows what the draft would change, and changes nothing in it.
func (k *Kept) View(ctx context.Context) (*DraftView, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	c, f, err := k.copied(ctx, &tool.Call{Name: "draft diff"}, false)
	if err != nil {
		return nil, err
	}
	defer c.Drop()
	if k.Down.Shown, err = k.digest(); err != nil {
		return nil, err
	}
	out := &DraftView{ID: k.Down.ID, Merged: c.merged}
	if len(f.set.Changes) == 0 {
		return out, nil
	}
	shown, err := c.t.showAll(f.set, f.found)
	if err != nil {
		return nil, err
	}
	out.Summary, out.Diff = shown.count(), shown.diff.Unified
	for _, x := range f.found {
		out.Waits = append(out.Waits, heldBack{Path: k.w.ShownPath(x.Place), Why: x.Why})
	}
	out.Conflicts, err = c.conflicts(f.set)
	return out, err
}

// digest names what is in the draft.
func (k *Kept) digest() (string, error) {
	sum, _, err := k.holdings()
	return hex.EncodeToString(sum[:]), err
}

// CommitKept makes what the draft changes, as one. With shown somebody is asked by call.Ask, with the difference; else
// they have seen it, and what another program would run or follow goes on waiting. What is not made stays.
func (k *Kept) CommitKept(ctx context.Context, call *tool.Call, shown bool) (*DraftOutcome, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	d := k.Down
	c, f, err := k.copied(ctx, call, shown)
	if err != nil {
		return nil, err
	}
	defer c.Drop()
	out := &DraftOutcome{ID: d.ID, State: d.State, Merged: c.merged}
	holds, err := k.digest()
	if err != nil {
		return nil, err
	}
	if !shown && d.Shown != "" && d.Shown != holds {
		out.Refused = tool.Errorf(tool.Permission, "the draft was changed since its difference was shown")
		return out, nil
	}
	if len(f.set.Changes) == 0 {
		return out, nil
	}
	if out.Conflicts, err = c.conflicts(f.set); err != nil || len(out.Conflicts) > 0 {
		return out, err
	}
	_, err = k.makes(ctx, call, "", c, out)
	return out, err
}

// makes commits a copy of the draft, and notes what becomes of the draft: it is over, unless something is left.
func (k *Kept) makes(
	ctx context.Context, call *tool.Call, about string, c *Draft, out *DraftOutcome,
) (*Committed, error) {
	d := k.Down
	if err := k.committing(c.t.tx); err != nil {
		return nil, err
	}
	stays := false // something was not made, and waits nowhere else
	var noted error
	c.made = func(made *changes) {
		for _, h := range made.Held {
			stays = stays || h.ID == "" && k.onward == nil // a script is told of it, and goes on without
		}
		for _, h := range made.Refused { // changed in the moment in which the rest was made
			stays = true
			out.Conflicts = append(out.Conflicts, DraftConflict{Path: h.Path, Why: h.Why})
		}
		out.Waits = made.Held
		if !stays {
			d.State, d.Undo = record.DraftCommitted, made.undo.Undo
			noted = k.w.WriteDraft(d)
		}
	}
	done, err := c.Commit(ctx, call, about)
	if err == nil && done.Refused == nil && done.Need == nil && !stays {
		err = errors.Join(noted, k.end(record.DraftCommitted))
	} else {
		d.State, d.Set = record.DraftOpen, ""
		err = errors.Join(err, k.w.WriteDraft(d))
	}
	out.State = d.State
	if done != nil {
		out.Refused, out.Undo = done.Refused, done.Undo.Undo
		out.Changes, out.More = done.Undo.Changes, done.Undo.More
	}
	return done, err
}

// committing writes down which transaction makes the draft, so that after a kill it can be told what became of it.
func (k *Kept) committing(tx *change.Transaction) error {
	k.Down.State, k.Down.Set = record.DraftCommitting, tx.ID()
	if err := k.w.WriteDraft(k.Down); err != nil {
		return err
	}
	return state.Replace(filepath.Join(tx.Folder(), record.DraftMark), []byte(k.Down.ID), 0o600)
}

// copied is a draft of its own that has what this one holds, to be looked at and made: this one stays as it is.
func (k *Kept) copied(ctx context.Context, call *tool.Call, shown bool) (*Draft, *finished, error) {
	if err := k.unview(); err != nil {
		return nil, nil, err
	}
	tx, err := change.Begin(k.w.Changes())
	if err != nil {
		return nil, nil, fmt.Errorf("draft: %w", err)
	}
	c := k.w.draftIn(tx)
	c.t.tool, c.t.layer, c.what = "draft", k.t.layer.Copied(tx), "the draft"
	c.relied = k.reliedOn
	if shown {
		c.Owe()
	}
	k.stood.Range(func(key, value any) bool {
		c.stood.Store(key, value)
		return true
	})
	for _, p := range k.Down.Places {
		if text, err := k.text(p); err == nil && text != nil {
			c.base.Store(p.Place, text)
		}
	}
	f, err := c.looked(ctx, call)
	if err != nil {
		return nil, nil, errors.Join(err, c.Drop())
	}
	return c, f, nil
}

// text is what stood at a place before a tool for files changed it; nil: that is not known.
func (k *Kept) text(p record.DraftPlace) ([]byte, error) {
	if p.Text == "" || p.Text != filepath.Base(p.Text) {
		return nil, nil
	}
	return state.Read(filepath.Join(k.t.tx.Folder(), p.Text), MaxMerged)
}

// reliedOn takes back that somebody changed a place since the layer was there, where the draft came to it later.
func (k *Kept) reliedOn(set *change.Set) {
	since := map[change.Place]int64{}
	for _, p := range k.Down.Places {
		since[p.Place] = p.Since
	}
	for i := range set.Changes {
		c := &set.Changes[i]
		if c.Was.Type == change.None && k.onward == nil {
			continue // a folder that the draft had from below, and that is gone since
		}
		if then := since[c.Place()]; c.Stale && then > 0 {
			c.Stale = k.t.changedSince(c, then)
		}
	}
}

// conflicts are the places that somebody changed since the draft relied upon them, with both differences.
func (d *Draft) conflicts(set *change.Set) (out []DraftConflict, err error) {
	from, err := change.OpenTree(d.t.where.Folder)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	for i := range set.Changes {
		if c := &set.Changes[i]; c.Stale {
			out = append(out, d.conflict(c, from))
		}
	}
	return out, nil
}

// conflict shows one. What cannot be read as a text is named only.
func (d *Draft) conflict(c *change.Change, from *change.Tree) DraftConflict {
	out := DraftConflict{Path: d.w.ShownPath(c.Place()), Why: "somebody changed it meanwhile"}
	if from, is := d.from.Load(c.Place()); is {
		out.Why = "it was " + d.w.ShownPath(from.(change.Place)) + ", which somebody renamed or removed meanwhile"
	} else if c.Was.Type == change.None {
		out.Why = "somebody removed it meanwhile"
	}
	root, err := change.OpenTree(d.t.where.Roots[c.Root])
	if err != nil {
		return out
	}
	defer root.Close()
	now := textAt(root, c.Path, c.Was)
	mine := textAt(from, c.From, c.Will)
	if now == nil || mine == nil {
		return out
	}
	between := func(a, b string) string {
		return diff.Of(a, b, diff.Options{MaxLines: conflictLines}).Unified("a/"+out.Path, "b/"+out.Path)
	}
	old, _ := d.base.Load(c.Place())
	if text, known := old.([]byte); !known || text == nil {
		out.Diff = between(*now, *mine)
		return out
	}
	was := string(old.([]byte))
	out.Diff, out.Since = between(was, *mine), between(was, *now)
	return out
}

// conflictLines bounds each difference of a conflict: the whole is in helve draft diff.
const conflictLines = 200

// textAt is the text of a file; nil: it is none. Of nothing it is empty.
func textAt(at *change.Tree, path change.Name, e change.Entry) *string {
	text := ""
	switch e.Type {
	case change.None:
		return &text
	case change.File:
		raw, err := at.Read(path, MaxMerged)
		if err != nil || !isText(raw) {
			return nil
		}
		text = string(raw)
		return &text
	}
	return nil
}
