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

var draftStates = []string{DraftOpen, DraftCommitting, DraftCommitted, DraftDropped}

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
	Why    string        `json:"why,omitempty"`  // it was dropped by nobody's word
	Set    string        `json:"set,omitempty"`  // the transaction that makes it, while it is committing
	Undo   string        `json:"undo,omitempty"` // the call in the history that made it

	Layer change.Name `json:"layer,omitempty"` // where in its folder it lies, since it took one that was in it

	// Moments by the clock of the files: when the layer was there, and when the last call began.
	Since  int64        `json:"since"`
	Call   int64        `json:"call"`
	Places []DraftPlace `json:"places,omitempty"`

	Shown string `json:"shown,omitempty"` // a digest of what was in it when its difference was shown last
	Owed  bool   `json:"owed,omitempty"`  // somebody must see the difference before it is made
	Plain bool   `json:"plain,omitempty"` // and no word counts that was said before

	Script *DraftScript `json:"script,omitempty"` // a script left it in conflict; nil: it is a person's
}

// A DraftScript says which script may go on with a draft.
type DraftScript struct {
	Left time.Time `json:"left"` // when the last one was over
	By   string    `json:"by"`   // a digest of its conversation; "": of calls that are of none
}

// A DraftPlace is a place that the draft relies upon as it was at a moment.
type DraftPlace struct {
	change.Place
	Since int64  `json:"since,omitempty"` // 0: it is no change yet
	Text  string `json:"text,omitempty"`  // the file in the draft's folder with the text that stood there
	Known bool   `json:"known,omitempty"` // somebody asked for that text, whether it could be kept or not
	Stood *Stood `json:"stood,omitempty"` // nil: it was not looked at
}

// Stood is what stood at a place when the draft came to it.
type Stood struct {
	There bool  `json:"there,omitempty"`
	Size  int64 `json:"size,omitempty"` // of a file
	Time  int64 `json:"time,omitempty"` // when its content was changed
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
	d, err := readDraft(filepath.Join(w.DraftsDir(), id+".json"))
	if err == nil && string(d.Roots[0]) != w.RootDirs()[0] {
		return nil, fmt.Errorf("%w: %s: it is of another folder, %s", ErrDraftDamaged, id, d.Roots[0])
	}
	_, left := os.Lstat(filepath.Join(w.DraftsDir(), id))
	if errors.Is(err, ErrDraftUnknown) && left == nil {
		return nil, fmt.Errorf("%w: %s: it is gone", ErrDraftDamaged, id)
	}
	return d, err
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
	if d.ID != id || len(d.Roots) == 0 || !slices.Contains(draftStates, d.State) {
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
		case err != nil && !w.held(id):
			damaged = append(damaged, id)
		case err == nil:
			all = append(all, d)
		}
	}
	slices.SortFunc(all, func(a, b *KeptDraft) int {
		return cmp.Or(b.Opened.Compare(a.Opened), strings.Compare(a.ID, b.ID))
	})
	return all, damaged
}

// draftsIn are the IDs of the drafts in a folder, which may not be there: of what is written down, and of what they
// change.
func draftsIn(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries { // in order: both of one are together
		id := strings.TrimSuffix(e.Name(), ".json")
		if len(id) == draftID && isDraftWord(id) {
			out = append(out, id)
		}
	}
	return slices.Compact(out)
}

// held tells that a process has a draft now, such as one that begins it and has written nothing down yet.
func (w *Records) held(id string) bool {
	tx, err := w.draftFolder(id)
	if tx != nil {
		tx.Leave()
	}
	return errors.Is(err, change.ErrBusy)
}

// draftFolder is the folder of a draft that nobody has; nil and no error: there is none.
func (w *Records) draftFolder(id string) (*change.Transaction, error) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	tx, err := change.Resume(ctx, w.DraftChanges(), id)
	if errors.Is(err, change.ErrNoFolder) {
		return nil, nil
	}
	return tx, err
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

// A DraftElsewhereError says of which workspace a draft is that is none of this one.
type DraftElsewhereError struct {
	ID, Dir string
	Gone    bool // no folder is there any more
}

func (e *DraftElsewhereError) Error() string {
	text := fmt.Sprintf("%v: %s is one of %s", ErrDraftUnknown, e.ID, e.Dir)
	if e.Gone {
		text += ", where no folder is any more"
	}
	return text
}

// Unwrap is ErrDraftUnknown.
func (e *DraftElsewhereError) Unwrap() error { return ErrDraftUnknown }

// draftElsewhere is the error of an ID that is none here, with the workspace of which it is one.
func (w *Records) draftElsewhere(word string) error {
	files, _ := filepath.Glob(filepath.Join(w.State, "drafts", "*", word+"*.json"))
	for _, file := range files {
		if d, err := readDraft(file); err == nil {
			at := string(d.Roots[0])
			st, err := os.Stat(at)
			return &DraftElsewhereError{ID: d.ID, Dir: at, Gone: err != nil || !st.IsDir()}
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

// unusedWhy is why a draft was dropped that nobody used.
const unusedWhy = "nobody used it for a week"

// SweepDrafts drops drafts that nobody used for a week, and names them. What became of those that are over it forgets
// after as long, and what cannot be read of others.
func (w *Records) SweepDrafts(now time.Time) (dropped []string, err error) {
	var errs []error
	all, damaged := w.Drafts()
	for _, d := range all {
		if now.Sub(d.Used) <= draftTime {
			continue
		}
		was := d.State
		gone, err := w.removeDraft(d.ID)
		errs = append(errs, err)
		if !gone || was != DraftOpen {
			continue
		}
		d.State, d.Why, d.Places, d.Used = DraftDropped, unusedWhy, nil, now.UTC()
		errs = append(errs, w.WriteDraft(d))
		dropped = append(dropped, d.ID)
	}
	for _, id := range damaged {
		st, err := os.Lstat(filepath.Join(w.DraftsDir(), id+".json"))
		if err != nil {
			st, err = os.Lstat(filepath.Join(w.DraftsDir(), id))
		}
		if err != nil || now.Sub(st.ModTime()) <= draftTime {
			continue
		}
		gone, err := w.removeDraft(id)
		errs = append(errs, err)
		if gone {
			dropped = append(dropped, id)
		}
	}
	return dropped, errors.Join(errs...)
}

// DropDamaged loses a draft of which nobody can read what is written down, or which is of other folders.
func (w *Records) DropDamaged(id string) (*KeptDraft, error) {
	gone, err := w.removeDraft(id)
	if err == nil && !gone {
		err = change.ErrBusy
	}
	if err != nil {
		return nil, err
	}
	now := time.Now().UTC()
	d := &KeptDraft{ID: id, Opened: now, Used: now, State: DraftDropped}
	for _, dir := range w.RootDirs() {
		d.Roots = append(d.Roots, change.Name(dir))
	}
	return d, w.WriteDraft(d)
}

// removeDraft removes all of a draft, unless somebody has it.
func (w *Records) removeDraft(id string) (gone bool, err error) {
	tx, err := w.draftFolder(id)
	switch {
	case errors.Is(err, change.ErrBusy):
		return false, nil
	case err != nil:
		return false, err
	}
	if tx != nil {
		if err := tx.Close(); err != nil {
			return false, err
		}
	}
	os.Remove(filepath.Join(w.DraftsDir(), id+madeSuffix)) // of most there is none
	err = os.Remove(filepath.Join(w.DraftsDir(), id+".json"))
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return err == nil, err
}
