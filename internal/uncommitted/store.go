package uncommitted

import (
	"cmp"
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
	// MaxBytes bounds the contents of all drafts together, and maxLists what their lists hold: whoever looks at what
	// waits has all of them in memory.
	MaxBytes = 2 << 30
	maxLists = 256 << 20
	// MaxDrafts bounds the drafts of a store that are still to be decided: nobody reads through more.
	MaxDrafts = 1000
	// lasting bounds the list of a draft that is remembered when nothing of it is left to decide.
	lasting = 1 << 20
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
	// Repair finishes what a process had begun to make that was killed. Nil: nothing has to be.
	Repair func() error
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

// List is what is kept, the newest first. damaged counts what cannot be read, or is more than anybody can have in
// memory.
func (s *Store) List() (all []*Draft, damaged int, err error) {
	all, _, damaged, err = s.list()
	return all, damaged, err
}

// list is List with how many bytes the lists of open drafts have.
func (s *Store) list() (all []*Draft, bytes int64, damaged int, err error) {
	in, err := s.open()
	if in == nil {
		return nil, 0, 0, err
	}
	defer in.Close()
	ids, err := s.ids()
	if err != nil {
		return nil, 0, 0, err
	}
	left := int64(maxLists)
	for _, id := range ids {
		d, size, err := s.readIn(in, id, min(left, maxList))
		switch {
		case errors.Is(err, ErrUnknown): // it went meanwhile, or its week has passed
		case err != nil:
			damaged++
		default:
			all = append(all, d)
			left -= size
			if d.Count(Open) > 0 {
				bytes += size
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *Draft) int {
		return cmp.Or(b.Made.Compare(a.Made), strings.Compare(a.ID, b.ID))
	})
	return all, bytes, damaged, nil
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

// shownIDs bounds the IDs that an error names.
const shownIDs = 10

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
	text := strings.Join(fits[:min(len(fits), shownIDs)], ", ")
	if more := len(fits) - shownIDs; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return nil, fmt.Errorf("%w: %s: %s", ErrAmbiguous, id, text)
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
	if isID(name) {
		unlock, err := s.lock(name)
		if err != nil {
			return err // somebody decides about it
		}
		defer unlock()
		if _, err := s.read(name); err == nil {
			return nil
		}
	}
	return os.RemoveAll(s.folder(name))
}

// lock has nobody else decide about a draft. Drafts that begin alike share a lock, so that a store does not have one
// for each that ever was.
func (s *Store) lock(id string) (unlock func(), err error) {
	return state.Lock(filepath.Join(s.Dir, "locks"), id[:2])
}
