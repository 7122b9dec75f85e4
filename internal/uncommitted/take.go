package uncommitted

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"helve/internal/change"
	"helve/internal/state"
)

// A Taken draft is one that nobody else decides about until it is closed.
type Taken struct {
	*Draft
	s      *Store
	unlock func()
}

// Take takes a draft by its ID or the beginning of it. What was being made when a helve was killed is made or open from
// then on, as what stands there tells. The caller must close it.
func (s *Store) Take(id string) (*Taken, error) {
	d, err := s.Find(id)
	if err != nil {
		return nil, err
	}
	unlock, err := state.Lock(filepath.Join(s.Dir, "locks"), d.ID)
	if err != nil {
		return nil, err
	}
	t := &Taken{s: s, unlock: unlock}
	if t.Draft, err = s.read(d.ID); err == nil { // somebody may have had it meanwhile
		err = t.settle()
	}
	if err != nil {
		unlock()
		return nil, err
	}
	return t, nil
}

// Close gives the draft free.
func (t *Taken) Close() { t.unlock() }

// settle finds out what became of files that were being made.
func (t *Taken) settle() error {
	if t.Count(Committing) == 0 {
		return nil
	}
	trees, err := openTrees(t.Roots)
	if err != nil {
		return err
	}
	defer trees.close()
	for i := range t.Files {
		f := &t.Files[i]
		if f.State != Committing {
			continue
		}
		now, err := trees.look(f.Place)
		if err != nil {
			return err
		}
		f.State = Open
		if now.is(f.Will, f.New) {
			f.State = Committed
		}
		f.Since = t.s.now()
	}
	return t.write()
}

// write writes the draft's list.
func (t *Taken) write() error {
	text, err := json.Marshal(t.Draft)
	if err != nil {
		return err
	}
	return state.Replace(filepath.Join(t.s.folder(t.ID), listName), text, 0o600)
}

// Mark says what became of some of its files. What nobody can make any more keeps no content.
func (t *Taken) Mark(to State, places ...change.Place) error {
	for i := range t.Files {
		f := &t.Files[i]
		if slices.Contains(places, f.Place) {
			f.State, f.Since = to, t.s.now()
		}
	}
	if err := t.write(); err != nil {
		return err
	}
	var errs []error
	for i := range t.Files {
		if f := &t.Files[i]; f.State == Committed || f.State == Dropped {
			errs = append(errs, gone(t.path(oldName(i))), gone(t.path(newName(i))))
		}
	}
	return errors.Join(errs...)
}

func gone(path string) error {
	err := os.Remove(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

func (t *Taken) path(name string) string { return filepath.Join(t.s.folder(t.ID), name) }

// Texts are the contents of a file before and after, as far as they are kept and no longer than limit each. ok is false
// where one is not.
func (t *Taken) Texts(at change.Place, limit int64) (before, after []byte, ok bool) {
	i := slices.IndexFunc(t.Files, func(f File) bool { return f.Place == at })
	if i < 0 {
		return nil, nil, false
	}
	f := &t.Files[i]
	ok = f.State == Open
	read := func(name string, is bool) []byte {
		if !is {
			return nil
		}
		text, err := state.Read(t.path(name), limit)
		ok = ok && err == nil && text != nil
		return text
	}
	before = read(oldName(i), f.Was.Type == change.File) // not there where it was not to be kept
	after = read(newName(i), f.Will.Type == change.File)
	return before, after, ok
}

// A Conflict is a file that somebody changed since the draft was made of it.
type Conflict struct {
	File
	Now change.Entry // what stands there
}

// Set is what makes the open files that choose means, on the folders as they are by now, and folders on the way to them
// that are not there. Of files that stand already as they would be nothing is left to make: they are done. Those that
// somebody changed since are conflicts, and not in the set. The contents lie in the store until the draft is closed.
func (t *Taken) Set(choose func(change.Place) bool) (set *change.Set, done []change.Place, no []Conflict, err error) {
	trees, err := openTrees(t.Roots)
	if err != nil {
		return nil, nil, nil, err
	}
	defer trees.close()
	set = &change.Set{}
	made := map[change.Place]bool{}
	for i := range t.Files {
		f := &t.Files[i]
		if f.State != Open || !choose(f.Place) {
			continue
		}
		now, err := trees.look(f.Place)
		switch {
		case err != nil:
			return nil, nil, nil, err
		case now.is(f.Will, f.New):
			done = append(done, f.Place)
		case !now.is(f.Was, f.Old):
			no = append(no, Conflict{*f, now.Entry})
		default:
			if err := trees.addParents(set, f.Place, made); err != nil {
				return nil, nil, nil, err
			}
			if !made[f.Place] {
				set.Changes = append(set.Changes, t.change(i, now.Entry))
			}
			made[f.Place] = true
		}
	}
	return set, done, no, nil
}

// change is a file of the draft as a change of a set.
func (t *Taken) change(i int, now change.Entry) change.Change {
	f := &t.Files[i]
	c := change.Change{Root: f.Root, Path: f.Path, Was: now, Will: f.Will}
	if f.Will.Type != change.File {
		return c
	}
	name := t.path(newName(i))
	c.Write = func(w io.Writer) error {
		from, err := os.Open(name)
		if errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("what was to stand there is not kept any more: %w", err)
		}
		if err != nil {
			return err
		}
		defer from.Close()
		_, err = io.Copy(w, from)
		return err
	}
	return c
}

// trees are the folders of a draft.
type trees []*change.Tree

func openTrees(roots []string) (trees, error) {
	var out trees
	for _, dir := range roots {
		one, err := change.OpenTree(dir)
		if err != nil {
			out.close()
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

func (ts trees) close() {
	for _, one := range ts {
		one.Close()
	}
}

// A standing entry is what stands at a place by now.
type standing struct {
	change.Entry
	digest string // of a file
}

// is tells that it is what was expected, as far as a person would see a difference.
func (s standing) is(want change.Entry, digest string) bool {
	switch {
	case s.Type != want.Type:
		return false
	case s.Type == change.Link:
		return s.Target == want.Target
	case s.Type == change.File:
		return change.SameMode(s.Mode, want.Mode) && s.digest == digest
	}
	return true
}

// look is what stands at a place.
func (ts trees) look(at change.Place) (standing, error) {
	if at.Root < 0 || at.Root >= len(ts) {
		return standing{}, fmt.Errorf("%s: it is in no folder of the workspace", at.Path)
	}
	e, err := ts[at.Root].Look(at.Path)
	s := standing{Entry: e}
	if err == nil && e.Type == change.File {
		s.digest, err = ts.digest(at)
	}
	return s, err
}

func (ts trees) digest(at change.Place) (string, error) {
	f, err := ts[at.Root].Open(at.Path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// addParents adds the folders on the way to a place that are not there.
func (ts trees) addParents(set *change.Set, at change.Place, made map[change.Place]bool) error {
	for up := at.Parent(); up.Path != "." && !made[up]; up = up.Parent() {
		e, err := ts[up.Root].Look(up.Path)
		if err != nil {
			return err
		}
		if e.Type != change.None {
			return nil // what is no folder is refused when the set is made
		}
		made[up] = true
		set.Changes = append(set.Changes, change.Change{
			Root: up.Root,
			Path: up.Path,
			Will: change.Entry{Type: change.Dir, Mode: 0o755},
		})
	}
	return nil
}
