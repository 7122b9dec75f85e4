package uncommitted

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"helve/internal/change"
	"helve/internal/state"
)

// A Taken draft is one that nobody else decides about until it is closed.
type Taken struct {
	*Draft
	s      *Store
	unlock func()
	at     map[change.Place]int // its files, when they were first asked for
}

// Take takes a draft by its ID or the beginning of it. What was being made when a helve was killed is made or open from
// then on, as what stands there tells. The caller must close it.
func (s *Store) Take(id string) (*Taken, error) {
	d, err := s.Find(id)
	if err != nil {
		return nil, err
	}
	unlock, err := s.lock(d.ID)
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

// settle finds out what became of files that were being made, once what was begun is finished. What cannot be looked
// at is open: whoever wants to make it is told why.
func (t *Taken) settle() error {
	if t.Count(Committing) == 0 {
		return nil
	}
	if t.s.Repair != nil {
		if err := t.s.Repair(); err != nil {
			return err
		}
	}
	trees := newTrees(t.Roots)
	defer trees.close()
	for i := range t.Files {
		f := &t.Files[i]
		if f.State != Committing {
			continue
		}
		f.State, f.Since = Open, t.s.now()
		if now, err := trees.look(f); err == nil && now.is(f.Will, f.New) {
			f.State = Committed
		}
	}
	return t.write()
}

// write writes the draft's list.
func (t *Taken) write() error {
	text, err := json.Marshal(t.Draft)
	if err != nil {
		return err
	}
	if ended := t.State(); len(text) > lasting && (ended == Committed || ended == Dropped) {
		return os.RemoveAll(t.s.folder(t.ID))
	}
	return state.Replace(t.path(listName), text, 0o600)
}

// Mark says what became of some of its files. What nobody can make any more keeps no content.
func (t *Taken) Mark(to State, places ...change.Place) error {
	meant := make(map[change.Place]bool, len(places))
	for _, at := range places {
		meant[at] = true
	}
	for i := range t.Files {
		f := &t.Files[i]
		if meant[f.Place] {
			f.State, f.Since = to, t.s.now()
		}
	}
	err := t.write()
	if err != nil && to == Dropped { // the disk may be full, of what is to go
		err = cmp.Or(t.empty(), t.write())
	}
	if err != nil {
		return err
	}
	return t.empty()
}

// empty removes the contents of what nobody can make any more.
func (t *Taken) empty() error {
	var errs []error
	for i := range t.Files {
		f := &t.Files[i]
		if f.State != Committed && f.State != Dropped {
			continue
		}
		if f.KeptOld {
			errs = append(errs, gone(t.path(oldName(i))))
		}
		if f.New != "" {
			errs = append(errs, gone(t.path(newName(i))))
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
	if t.at == nil {
		t.at = make(map[change.Place]int, len(t.Files))
		for i := range t.Files {
			t.at[t.Files[i].Place] = i
		}
	}
	i, known := t.at[at]
	if !known {
		return nil, nil, false
	}
	f := &t.Files[i]
	ok = f.State == Open
	read := func(name, digest string, is bool) []byte {
		if !is {
			return nil
		}
		var text bytes.Buffer
		if err := t.s.content(&text, t.ID, name, digest, limit); err != nil {
			ok = false
			return nil
		}
		return text.Bytes()
	}
	before = read(oldName(i), f.Old, f.Was.Type == change.File) // not there where it was not to be kept
	after = read(newName(i), f.New, f.Will.Type == change.File)
	return before, after, ok
}

// A Conflict is a file that somebody changed since the draft was made of it.
type Conflict struct {
	File
	Now change.Entry // what stands there
	Err error        // why that cannot be looked at
}

// Set is what makes the open files that choose means, on the folders as they are by now, and folders on the way to them
// that are not there. Of files that stand already as they would be nothing is left to make: they are done. Those that
// somebody changed since are conflicts, and not in the set. The contents lie in the store until the draft is closed.
func (t *Taken) Set(choose func(change.Place) bool) (set *change.Set, done []change.Place, no []Conflict, err error) {
	trees := newTrees(t.Roots)
	defer trees.close()
	set = &change.Set{}
	made := map[change.Place]bool{}
	for i := range t.Files {
		f := &t.Files[i]
		if f.State != Open || !choose(f.Place) {
			continue
		}
		now, err := trees.look(f)
		switch {
		case err != nil:
			no = append(no, Conflict{File: *f, Err: err})
		case now.is(f.Will, f.New):
			done = append(done, f.Place)
		case !now.is(f.Was, f.Old):
			no = append(no, Conflict{File: *f, Now: now.Entry})
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
	c.Write = func(w io.Writer) error { return t.s.content(w, t.ID, newName(i), f.New, MaxBytes) }
	return c
}

// trees are the folders of a draft, opened when something in them is looked at first: one that is gone by now takes
// nothing with it.
type trees struct {
	roots []string
	open  []*change.Tree
}

func newTrees(roots []string) *trees { return &trees{roots, make([]*change.Tree, len(roots))} }

// at is the folder that a place is in.
func (ts *trees) at(at change.Place) (*change.Tree, error) {
	if at.Root < 0 || at.Root >= len(ts.roots) {
		return nil, fmt.Errorf("%s: it is in no folder of the workspace", at.Path)
	}
	if ts.open[at.Root] == nil {
		one, err := change.OpenTree(ts.roots[at.Root])
		if err != nil {
			return nil, err
		}
		ts.open[at.Root] = one
	}
	return ts.open[at.Root], nil
}

func (ts *trees) close() {
	for _, one := range ts.open {
		if one != nil {
			one.Close()
		}
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

// look is what stands at the place of a file. It is not read where its size tells already that it is neither what was
// there nor what would be.
func (ts *trees) look(f *File) (standing, error) {
	t, err := ts.at(f.Place)
	if err != nil {
		return standing{}, err
	}
	e, err := t.Look(f.Path)
	s := standing{Entry: e}
	known := e.Size == f.Was.Size && f.Was.Type == change.File || e.Size == f.Will.Size && f.Will.Type == change.File
	if err == nil && e.Type == change.File && known {
		s.digest, err = digest(t, f.Path, e.Size)
	}
	return s, err
}

// digest is that of a file as far as it had a size: what grows is not read for ever.
func digest(t *change.Tree, path change.Name, size int64) (string, error) {
	f, err := t.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, io.LimitReader(f, size+1)); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// addParents adds the folders on the way to a place that are not there.
func (ts *trees) addParents(set *change.Set, at change.Place, made map[change.Place]bool) error {
	in, err := ts.at(at)
	if err != nil {
		return err
	}
	for up := at.Parent(); up.Path != "." && !made[up]; up = up.Parent() {
		e, err := in.Look(up.Path)
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
