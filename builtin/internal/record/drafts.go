package record

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"helve/internal/change"
	"helve/internal/state"
)

// States of a draft that stays.
const (
	DraftOpen       = "open"
	DraftCommitting = "committing"
	DraftCommitted  = "committed"
	DraftDropped    = "dropped"
)

// What FindDraft cannot do.
var (
	ErrDraftUnknown   = errors.New("there is no such draft here")
	ErrDraftAmbiguous = errors.New("several drafts begin so")
	ErrDraftDamaged   = errors.New("what is written down of the draft cannot be read")
)

const (
	// draftTime is how long a draft stays that nobody uses, and how long it is known what became of one.
	draftTime = 7 * 24 * time.Hour
	// maxDraft bounds what is written down of a draft, in bytes: some 200 for each of its places.
	maxDraft = 64 << 20
	// DraftMark is the file in a transaction's folder that names the draft which it commits.
	DraftMark = "draft"
	draftID   = 16 // letters
	// madeSuffix is what a file is named after a draft and this that another process finished: no more is written then.
	madeSuffix = ".made"
)

// A KeptDraft is what is written down of a draft that stays when its process ends. What it changes lies in a folder
// beside that.
type KeptDraft struct {
	ID     string        `json:"id"`
	Roots  []change.Name `json:"roots"`
	Opened time.Time     `json:"opened"`
	Used   time.Time     `json:"used"`
	State  string        `json:"state"`
	Set    string        `json:"set,omitempty"`  // the transaction that makes it, while it is committing
	Undo   string        `json:"undo,omitempty"` // the call in the history that made it

	// Moments by the clock of the files: when the layer was there, and when the last call began.
	Since  int64        `json:"since"`
	Call   int64        `json:"call"`
	Places []DraftPlace `json:"places,omitempty"`
}

// A DraftPlace is a place that the draft relies upon as it was at a moment.
type DraftPlace struct {
	change.Place
	Since int64  `json:"since,omitempty"` // 0: it is no change yet
	Text  string `json:"text,omitempty"`  // the file in the draft's folder with the text that stood there
	Known bool   `json:"known,omitempty"` // somebody asked for that text, whether it could be kept or not
}

// DraftsDir is where the drafts lie that stay, "" without a place for state.
func (w *Records) DraftsDir() string {
	if w.State == "" {
		return ""
	}
	return filepath.Join(w.State, "drafts", w.digest())
}

// DraftChanges are the options of the folders in which drafts stay.
func (w *Records) DraftChanges() change.Options {
	o := w.Changes()
	o.State = w.DraftsDir()
	return o
}

// WriteDraft writes a draft down.
func (w *Records) WriteDraft(d *KeptDraft) error {
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	return state.Replace(filepath.Join(w.DraftsDir(), d.ID+".json"), text, 0o600)
}

// ReadDraft reads what was written down of a draft.
func (w *Records) ReadDraft(id string) (*KeptDraft, error) {
	return readDraft(filepath.Join(w.DraftsDir(), id+".json"))
}

func readDraft(file string) (*KeptDraft, error) {
	id := strings.TrimSuffix(filepath.Base(file), ".json")
	text, err := state.Read(file, maxDraft)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDraftDamaged, id, err)
	}
	if text == nil {
		return nil, fmt.Errorf("%w: %s", ErrDraftUnknown, id)
	}
	d := &KeptDraft{}
	if err := json.Unmarshal(text, d); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDraftDamaged, id, err)
	}
	if d.ID != id || len(d.Roots) == 0 || d.State == "" {
		return nil, fmt.Errorf("%w: %s: it is of another one", ErrDraftDamaged, id)
	}
	if st, err := os.Stat(strings.TrimSuffix(file, ".json") + madeSuffix); err == nil {
		d.State, d.Used = DraftCommitted, st.ModTime().UTC()
	}
	return d, nil
}

// Drafts are the drafts of the workspace, the newest first. damaged are the IDs of those that cannot be read.
func (w *Records) Drafts() (all []*KeptDraft, damaged []string) {
	for _, id := range draftsIn(w.DraftsDir()) {
		d, err := w.ReadDraft(id)
		switch {
		case errors.Is(err, ErrDraftUnknown): // it went meanwhile
		case err != nil:
			damaged = append(damaged, id)
		default:
			all = append(all, d)
		}
	}
	slices.SortFunc(all, func(a, b *KeptDraft) int {
		return cmp.Or(b.Opened.Compare(a.Opened), strings.Compare(a.ID, b.ID))
	})
	return all, damaged
}

// draftsIn are the IDs of what is written down in a folder, which may not be there.
func draftsIn(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if id, json := strings.CutSuffix(e.Name(), ".json"); json && len(id) == draftID && isDraftWord(id) {
			out = append(out, id)
		}
	}
	return out
}

// isDraftWord tells what can be an ID or the beginning of one.
func isDraftWord(word string) bool {
	return word != "" && len(word) <= draftID && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// FindDraft is the ID that a word is, or the beginning of.
func (w *Records) FindDraft(word string) (string, error) {
	if !isDraftWord(word) {
		return "", fmt.Errorf("%w: %q is no ID of one", ErrDraftUnknown, word)
	}
	fits := slices.DeleteFunc(draftsIn(w.DraftsDir()), func(id string) bool { return !strings.HasPrefix(id, word) })
	switch len(fits) {
	case 1:
		return fits[0], nil
	case 0:
		return "", w.draftElsewhere(word)
	}
	return "", fmt.Errorf("%w: %s", ErrDraftAmbiguous, strings.Join(fits, ", "))
}

// draftElsewhere is the error of an ID that is none here, with the workspace of which it is one.
func (w *Records) draftElsewhere(word string) error {
	files, _ := filepath.Glob(filepath.Join(w.State, "drafts", "*", word+"*.json"))
	for _, file := range files {
		if d, err := readDraft(file); err == nil {
			return fmt.Errorf("%w: %s is one of %s", ErrDraftUnknown, word, d.Roots[0])
		}
	}
	return fmt.Errorf("%w: %s", ErrDraftUnknown, word)
}

// Finished notes what became of the draft that another process was committing, whose transaction was finished here.
func (w *Records) Finished(t *change.Transaction, r *change.Report) error {
	id, err := state.Read(filepath.Join(t.Folder(), DraftMark), draftID)
	if err != nil || len(id) != draftID || !isDraftWord(string(id)) || len(r.Made) == 0 {
		return nil //nolint:nilerr // it commits no draft of ours
	}
	return state.Replace(filepath.Join(w.DraftsDir(), string(id)+madeSuffix), nil, 0o600)
}

// SweepDrafts drops drafts that nobody used for a week, and forgets what became of those that are over as long.
func (w *Records) SweepDrafts(now time.Time) error {
	var errs []error
	all, _ := w.Drafts()
	for _, d := range all {
		if now.Sub(d.Used) > draftTime {
			errs = append(errs, w.sweepDraft(d.ID))
		}
	}
	return errors.Join(errs...)
}

func (w *Records) sweepDraft(id string) error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // one that somebody uses is left alone at once
	tx, err := change.Resume(ctx, w.DraftChanges(), id)
	switch {
	case errors.Is(err, change.ErrBusy):
		return nil
	case err == nil:
		if err := tx.Close(); err != nil {
			return err
		}
	case !errors.Is(err, change.ErrNoFolder):
		return err
	}
	os.Remove(filepath.Join(w.DraftsDir(), id+madeSuffix)) // of most there is none
	return os.Remove(filepath.Join(w.DraftsDir(), id+".json"))
}
