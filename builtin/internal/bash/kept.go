package bash

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"helve/builtin/internal/record"
	"helve/engine/sandbox"
	"helve/internal/change"
	"helve/internal/state"
	"helve/tool"
)

// A Kept draft stays when its process ends, until a person commits or drops it. One process at a time has it.
type Kept struct {
	*Draft
	Down *record.KeptDraft // what is written down of it

	holds [sha256.Size]byte // a digest of what was in it when it was opened here

	onward *onward    // nil: no script goes on with it
	call   *tool.Call // of that script
	making *Draft     // a copy that is being committed; nil: none is
}

// keptWait is how long a call waits for the one before it in the same draft.
const keptWait = time.Minute

// What a kept draft cannot do.
var (
	ErrDraftBusy = errors.New("another helve works in this draft")
	ErrDraftOver = errors.New("the draft is over")

	// ErrDraftFolders: the workspace has the draft's first folder, and not the same further ones.
	ErrDraftFolders = errors.New("the draft is of other folders")
)

// OpenKept begins a draft that stays, or says in words why nothing can be held back here. Leave or Drop it.
func (w *Commands) OpenKept(ctx context.Context) (*Kept, error) {
	if err := w.holdsBack(ctx); err != nil {
		return nil, err
	}
	tx, err := change.Begin(w.DraftChanges())
	if err != nil {
		return nil, fmt.Errorf("draft: %w", err)
	}
	k := &Kept{Draft: w.draftIn(tx)}
	k.keep = k.keepTaken
	k.t.layer.Last()
	if err := k.begin(ctx); err != nil {
		return nil, errors.Join(err, tx.Close())
	}
	return k, nil
}

// begin lays the layer over the roots for the first time, which tells whether that can be done here.
func (k *Kept) begin(ctx context.Context) error {
	v, err := k.t.layer.View(ctx, sandbox.Options{Launcher: k.w.Sandbox.Launcher})
	if err != nil {
		return err
	}
	if err := v.Close(); err != nil {
		return err
	}
	k.Down = k.downAt(k.t.layer.Since())
	return k.w.WriteDraft(k.Down)
}

// downAt is what is written down of a draft whose layer is there since a moment, and whose last call began then.
func (k *Kept) downAt(since int64) *record.KeptDraft {
	now := time.Now().UTC()
	out := &record.KeptDraft{
		ID:     k.t.tx.ID(),
		Opened: now,
		Used:   now,
		State:  record.DraftOpen,
		Since:  since,
		Call:   since,
	}
	for _, dir := range k.w.RootDirs() {
		out.Roots = append(out.Roots, change.Name(dir))
	}
	return out
}

// GoOn opens a draft that stays by its ID, or the beginning of one. It waits for another process that has it.
func (w *Commands) GoOn(ctx context.Context, word string) (*Kept, error) {
	id, err := w.FindDraft(word)
	if err != nil {
		return nil, err
	}
	return w.goOn(ctx, id, keptWait, nil)
}

// goOn is GoOn by a whole ID.
func (w *Commands) goOn(ctx context.Context, id string, wait time.Duration, o *onward) (*Kept, error) {
	short, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	tx, err := change.Resume(short, w.DraftChanges(), id)
	switch {
	case errors.Is(err, change.ErrBusy):
		return nil, fmt.Errorf("%w: %s", ErrDraftBusy, id)
	case errors.Is(err, change.ErrNoFolder):
		return nil, w.becameOf(id)
	case err != nil:
		return nil, err
	}
	k := &Kept{Draft: w.draftIn(tx), onward: o}
	k.keep = k.keepTaken
	if err := k.goOn(ctx, id); err != nil {
		tx.Leave()
		return nil, err
	}
	return k, nil
}

// DropKept loses a draft that stays, also one that is damaged or of other folders.
func (w *Commands) DropKept(ctx context.Context, word string) (*record.KeptDraft, error) {
	id, err := w.FindDraft(word)
	if err != nil {
		return nil, err
	}
	k, err := w.GoOn(ctx, id)
	if err == nil {
		if err = k.Drop(); err == nil {
			return k.Down, nil
		}
		k.Leave() // what it was of no use for is told by what comes next
	}
	if errors.Is(err, record.ErrDraftUnknown) || errors.Is(err, ErrDraftBusy) || errors.Is(err, ErrDraftOver) {
		return nil, err
	}
	d, err := w.DropDamaged(id) // also on a full disk
	if errors.Is(err, change.ErrBusy) {
		err = fmt.Errorf("%w: %s", ErrDraftBusy, id)
	}
	return d, err
}

// becameOf is the error of a draft that has no folder any more.
func (w *Commands) becameOf(id string) error {
	d, err := w.ReadDraft(id)
	switch {
	case err != nil:
		return err
	case d.State == record.DraftCommitted || d.State == record.DraftDropped:
		why := ""
		if d.Why != "" {
			why = ": " + d.Why
		}
		return fmt.Errorf("%w: %s was %s at %s%s", ErrDraftOver, id, d.State, d.Used.Local().Format(time.DateTime), why)
	}
	return fmt.Errorf("%w: %s: its folder is gone", record.ErrDraftDamaged, id)
}

// goOn reads what is written down, and finds out what became of a commit whose process was killed.
func (k *Kept) goOn(ctx context.Context, id string) (err error) {
	w := k.w
	if err := change.Repair(ctx, w.Changes(), w.Finished); err != nil {
		return err
	}
	if k.Down, err = w.ReadDraft(id); err != nil {
		return err
	}
	d := k.Down
	dirs := w.RootDirs()
	switch d.State {
	case record.DraftCommitted, record.DraftDropped: // killed before the folder was removed
		return errors.Join(w.becameOf(id), k.t.tx.Close())
	case record.DraftCommitting:
		if _, err := os.Lstat(filepath.Join(w.ChangesDir(), d.Set)); d.Set != "" && err == nil {
			return fmt.Errorf("%w: %s: it is being committed", ErrDraftBusy, id)
		}
		d.State, d.Set = record.DraftOpen, "" // nothing was made
	}
	if !slices.EqualFunc(d.Roots, dirs, func(a change.Name, b string) bool { return string(a) == b }) {
		return fmt.Errorf("%w: %s is one of the folders %s", ErrDraftFolders, id, joined(d.Roots))
	}
	if err := k.t.layer.Again(d.Since, d.Layer); err != nil {
		return err
	}
	if err := k.relies(); err != nil {
		return err
	}
	for _, p := range d.Places {
		if p.Stood != nil {
			k.stood.Store(p.Place, *p.Stood)
		}
		if p.Known {
			k.base.Store(p.Place, []byte(nil)) // it is read when it is merged
		}
	}
	if d.Call, err = k.t.tx.Now(); err != nil {
		return err
	}
	if k.onward != nil {
		if err := k.beginOnward(); err != nil {
			return err
		}
	}
	d.Used = time.Now().UTC()
	return w.WriteDraft(d)
}

func joined(names []change.Name) string {
	var out []string
	for _, n := range names {
		out = append(out, string(n))
	}
	return strings.Join(out, ", ")
}

// relies notes of what the last call changed that it relied upon what stood there when the call began.
func (k *Kept) relies() error {
	d := k.Down
	k.holds, k.size = [sha256.Size]byte{}, 0
	known := map[change.Place]int{}
	for i, p := range d.Places {
		known[p.Place] = i
	}
	layer, err := change.OpenTree(k.t.tx.Folder())
	if err != nil {
		return err
	}
	defer layer.Close()
	for root, upper := range k.t.layer.Uppers() {
		err := layer.WalkOpen(upper, func(path change.Name, e change.Entry) error {
			k.holdsOne(path, e)
			at := change.Place{Root: root, Path: change.Name(strings.TrimPrefix(string(path), string(upper)+"/"))}
			i, was := known[at]
			anew := k.anew(at, e)
			switch {
			case !was:
				d.Places = append(d.Places, record.DraftPlace{Place: at, Since: d.Call})
			case anew:
				d.Places[i] = record.DraftPlace{Place: at, Since: d.Call}
			case d.Places[i].Since == 0:
				d.Places[i].Since = d.Call
			}
			if len(d.Places) > maxDrafted {
				return fmt.Errorf("draft: it changes more than %d places", maxDrafted)
			}
			return nil
		}, closedToUs)
		if err != nil {
			return err
		}
	}
	return nil
}

// holdsOne takes an entry into the digest, in whatever order they come, and into the size.
func (k *Kept) holdsOne(path change.Name, e change.Entry) {
	if e.Type == change.File {
		k.size += e.Size
	}
	switch {
	case e.Type == change.Dir:
		e.Changed = 0 // the overlay notes things of its own at directories
	case e.Type == change.File && e.Mode&0o400 == 0:
		e.Changed = e.Time // it is opened to be copied
	}
	one := sha256.Sum256(fmt.Appendf(nil, "%q %d %o %d %d", path, e.Type, e.Mode, e.Size, e.Changed))
	subtle.XORBytes(k.holds[:], k.holds[:], one[:])
}

// Leave writes down what was done, and gives the draft to the next process. A second call does nothing, nor one after
// Drop.
func (k *Kept) Leave() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.over {
		return nil
	}
	k.over = true
	err := k.unview()
	if k.onward != nil {
		err = errors.Join(err, k.leaveOnward())
	} else {
		err = errors.Join(err, k.touchedByPerson())
	}
	err = errors.Join(err, k.keepTexts())
	k.keepStood()
	err = errors.Join(err, k.w.WriteDraft(k.Down))
	k.t.tx.Leave()
	return err
}

// keepTexts keeps the texts that tools for files changed since the draft was opened here.
func (k *Kept) keepTexts() (err error) {
	d := k.Down
	known := map[change.Place]int{}
	for i, p := range d.Places {
		known[p.Place] = i
	}
	k.base.Range(func(key, value any) bool {
		at, text := key.(change.Place), value.([]byte)
		i, was := known[at]
		if was && d.Places[i].Known {
			return true
		}
		if !was {
			i = len(d.Places)
			d.Places = append(d.Places, record.DraftPlace{Place: at})
		}
		d.Places[i].Known = true
		if text == nil {
			return true
		}
		d.Places[i].Text = "text-" + strconv.Itoa(i)
		err = state.Replace(filepath.Join(k.t.tx.Folder(), d.Places[i].Text), text, 0o600)
		return err == nil
	})
	return err
}

// keepStood keeps what stood where the draft changes something.
func (k *Kept) keepStood() {
	d := k.Down
	known := map[change.Place]int{}
	for i, p := range d.Places {
		known[p.Place] = i
	}
	k.stood.Range(func(key, value any) bool {
		at, stood := key.(change.Place), value.(record.Stood)
		i, was := known[at]
		if !was {
			i = len(d.Places)
			d.Places = append(d.Places, record.DraftPlace{Place: at})
		}
		d.Places[i].Stood = &stood
		return true
	})
}

// Drop loses the draft.
func (k *Kept) Drop() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.end(record.DraftDropped)
}

// end writes down what became of the draft, and removes its folder.
func (k *Kept) end(became string) error {
	if k.over {
		return nil
	}
	d := k.Down
	d.State, d.Set, d.Places, d.Used = became, "", nil, time.Now().UTC()
	if err := k.w.WriteDraft(d); err != nil {
		return err
	}
	return k.drop()
}
