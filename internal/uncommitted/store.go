package uncommitted

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"helve/internal/state"
)

// Bounds of a store, whose drafts come from commands that somebody else wrote.
const (
	// Kept is how long a draft is kept: a week in which somebody is ill.
	Kept = 7 * 24 * time.Hour
	// MaxFiles bounds the files of one draft, and maxList what is read of their list: some 300 bytes each.
	MaxFiles = 100_000
	maxList  = 64 << 20
	// MaxBytes bounds the contents of one draft, and of all together.
	MaxBytes = 2 << 30
	// MaxDrafts bounds the drafts of a store that are still to be decided: nobody reads through more.
	MaxDrafts = 1000
	// unfinished is how long a folder may take to become a draft. Older ones are left over from a kill.
	unfinished = time.Hour
)

// What Find and Take cannot do.
var (
	ErrUnknown   = errors.New("there is no such draft")
	ErrAmbiguous = errors.New("several begin so")
	ErrFull      = errors.New("too much waits already")
)

// A Store is a folder of drafts, those of one workspace. It is safe for concurrent use, by several processes.
type Store struct {
	Dir string           // made when it is first written to
	Now func() time.Time // nil: time.Now
}

func (s *Store) now() time.Time {
	if s.Now == nil {
		return time.Now().UTC()
	}
	return s.Now()
}

func (s *Store) folder(id string) string { return filepath.Join(s.Dir, id) }

// isID tells the name of a draft's folder from others: ten letters and digits.
func isID(name string) bool {
	return len(name) == idLength && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// List is what is kept, the newest first. damaged counts what cannot be read.
func (s *Store) List() (all []*Draft, damaged int, err error) {
	ids, err := s.ids()
	if err != nil {
		return nil, 0, err
	}
	for _, id := range ids {
		d, err := s.read(id)
		switch {
		case errors.Is(err, ErrUnknown): // it went meanwhile
		case err != nil:
			damaged++
		case !s.old(d):
			all = append(all, d)
		}
	}
	slices.SortStableFunc(all, func(a, b *Draft) int {
		return cmp.Or(b.Made.Compare(a.Made), strings.Compare(a.ID, b.ID))
	})
	return all, damaged, nil
}

func (s *Store) old(d *Draft) bool { return s.now().Sub(d.Made) > Kept }

// ids are the names of drafts.
func (s *Store) ids() ([]string, error) {
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() && isID(e.Name()) {
			out = append(out, e.Name())
		}
	}
	return out, err
}

// read reads a draft.
func (s *Store) read(id string) (*Draft, error) {
	text, err := state.Read(filepath.Join(s.folder(id), listName), maxList)
	if err != nil {
		return nil, err
	}
	if text == nil {
		return nil, fmt.Errorf("%w: %s", ErrUnknown, id)
	}
	d := &Draft{}
	if err := json.Unmarshal(text, d); err != nil || d.ID != id {
		return nil, fmt.Errorf("draft %s: it cannot be read: %w", id, cmp.Or(err, errOther))
	}
	return d, nil
}

var errOther = errors.New("it names another draft")

// Find is the draft of an ID, or of its beginning where no other begins so.
func (s *Store) Find(id string) (*Draft, error) {
	ids, err := s.ids()
	if err != nil {
		return nil, err
	}
	fits := slices.DeleteFunc(ids, func(one string) bool { return id == "" || !strings.HasPrefix(one, id) })
	switch len(fits) {
	case 0:
		return nil, fmt.Errorf("%w: %s", ErrUnknown, id)
	case 1:
		return s.read(fits[0])
	}
	return nil, fmt.Errorf("%w: %s: %s", ErrAmbiguous, id, strings.Join(fits, ", "))
}

// Sweep removes what is older than a week, and what a kill left unfinished.
func (s *Store) Sweep() error {
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	errs := []error{err}
	for _, e := range entries {
		fi, err := e.Info()
		age := time.Duration(0)
		if err == nil {
			age = s.now().Sub(fi.ModTime())
		}
		switch {
		case isID(e.Name()) && age > Kept, strings.HasPrefix(e.Name(), newPrefix) && age > unfinished:
			errs = append(errs, s.sweep(e.Name()))
		}
	}
	return errors.Join(errs...)
}

// sweep removes one folder, unless it is a draft that was made within the week and changed since.
func (s *Store) sweep(name string) error {
	if !isID(name) {
		return os.RemoveAll(s.folder(name))
	}
	t, err := s.Take(name)
	if err == nil {
		defer t.Close()
		if !s.old(t.Draft) {
			return nil
		}
	}
	return os.RemoveAll(s.folder(name))
}
