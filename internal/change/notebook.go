package change

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// A notebook is of what lies in the roots for a moment only: near slots, and the locks of units. Each is noted before
// it is made, so that a repair finds it.
type notebook struct {
	*workplace
}

// A note is a file in a root that is there for a moment only. It is written down before the file is made, so that a
// process that is killed leaves nothing behind for ever.
type note struct {
	Place
	Lock bool   `json:"lock,omitempty"` // it holds the transaction's id
	Unit string `json:"unit,omitempty"` // that a lock is for
}

// noteDown adds notes to those of the transaction.
func (b *notebook) noteDown(notes []note) error {
	if len(notes) == 0 {
		return nil
	}
	path := b.folder + string(os.PathSeparator) + notesName
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	for _, n := range notes {
		text, err := json.Marshal(n)
		if err != nil {
			return err
		}
		w.Write(append(text, '\n')) // its error is Flush's
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return b.flush(f)
}

// notes reads them back. A last line that is cut was not acted upon.
func (b *notebook) notes() ([]note, error) {
	f, err := b.home.open(notesName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []note
	r := bufio.NewReaderSize(f, maxJournalLine)
	for {
		text, err := r.ReadSlice('\n')
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		var n note
		if err := json.Unmarshal(text, &n); err != nil {
			return out, fmt.Errorf("%w: a note of it: %w", ErrJournal, err)
		}
		if err := b.checkPlace(n.Place); err != nil {
			return out, err
		}
		out = append(out, n)
	}
}

// clean removes what lies in the roots for a moment only, as the notes say.
func (b *notebook) clean() error {
	notes, err := b.notes()
	if err != nil {
		return err
	}
	var errs []error
	for _, n := range notes {
		if n.Lock {
			errs = append(errs, b.removeLock(n.Place))
			continue
		}
		errs = append(errs, b.removeNear(n.Place))
		b.at("near slot removed")
	}
	return errors.Join(errs...)
}

// removeNear removes a near slot, and what a slow exchange may have left aside of it.
func (b *notebook) removeNear(at Place) error {
	if !b.isNear(at.Base()) {
		return nil // no name of ours: the notes were tampered with
	}
	up, err := b.roots.parent(at)
	if missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := up.removeAll(at.Base()); err != nil {
		return err
	}
	return up.removeAll(at.Base() + asideSuffix)
}

// lockUnits makes the lock files of the units that want one. A unit whose lock exists is refused.
func (b *notebook) lockUnits(p *plan) error {
	for name, u := range p.units {
		if u.Lock == nil || len(p.inUnit[name]) == 0 {
			continue
		}
		if p.at[*u.Lock] != nil {
			continue // a lock that the set itself changes cannot be taken as well
		}
		n := note{Place: *u.Lock, Lock: true, Unit: name}
		if err := b.noteDown([]note{n}); err != nil {
			return err
		}
		err := b.makeLock(n.Place)
		if err != nil && !refusal(err) {
			return fmt.Errorf("lock %s: %w", quoted(n.Path), err)
		}
		if err != nil {
			p.refuseUnit(name, lockedBy(n))
		}
		b.at("unit locked")
	}
	return nil
}

// lockedBy is why a unit is refused whose lock another program has.
func lockedBy(n note) error {
	return fmt.Errorf("%s: %w", quoted(n.Path), ErrLocked)
}

// makeLock makes a lock file that tells whose it is. It gets its name when it is whole.
func (b *notebook) makeLock(at Place) error {
	draft := at.Parent().Child(b.nearName("lock"))
	if err := b.noteDown([]note{{Place: draft}}); err != nil {
		return err
	}
	up, err := b.roots.parent(at)
	if err != nil {
		return err
	}
	f, err := up.create(draft.Base())
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := io.WriteString(f, b.id); err != nil {
		return err
	}
	err = b.o.plain.rename(spot{up, draft.Base()}, spot{up, at.Base()})
	if err == nil {
		return nil
	}
	if errors.Is(err, fs.ErrExist) {
		err = ErrLocked
	}
	return errors.Join(err, up.remove(draft.Base(), false))
}

// removeLock removes a lock file that is ours.
func (b *notebook) removeLock(at Place) error {
	ours, err := b.ownLock(at)
	if err != nil || !ours {
		return err
	}
	up, err := b.roots.parent(at)
	if err != nil {
		return err
	}
	return up.remove(at.Base(), false)
}

// ownLock reports that a lock file is there and this transaction's.
func (b *notebook) ownLock(at Place) (bool, error) {
	up, err := b.roots.parent(at)
	if missing(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	f, err := up.open(at.Base())
	if missing(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, int64(len(b.id)+1)))
	return string(text) == b.id, err
}

// unlockUnits removes the lock files, also where nothing else is to clean up.
func (b *notebook) unlockUnits() {
	notes, err := b.notes()
	if err != nil {
		return // the next start says so
	}
	for _, n := range notes {
		if n.Lock {
			b.removeLock(n.Place)
		}
	}
}

// relock takes the units' locks again where somebody removed them, and refuses the units whose lock others have.
func (b *notebook) relock(p *plan) error {
	notes, err := b.notes()
	if err != nil {
		return err
	}
	for _, n := range notes {
		if !n.Lock {
			continue
		}
		ours, err := b.ownLock(n.Place)
		if err != nil {
			return err
		}
		if ours {
			continue
		}
		if err := b.makeLock(n.Place); err != nil {
			p.refuseUnit(n.Unit, lockedBy(n))
		}
	}
	return nil
}
