package history

import (
	"errors"
	"time"

	"helve/internal/change"
)

// coarse is the coarsest clock of a file system (FAT's): what changed within it before a look may change after it
// without a sign.
const coarse = 2 * time.Second

// A sight is what a plan saw at a place.
type sight struct {
	entry  change.Entry
	denied bool // a rule kept it from looking
	fails  bool // it could not be looked at
}

// sights are the looks of a plan. Each root is opened once for all of them.
type sights struct {
	store *Store
	trees map[int]*change.Tree
	seen  map[change.Place]sight
	since time.Time // when the first look was
}

func (s *Store) sights() *sights {
	return &sights{
		store: s,
		trees: map[int]*change.Tree{},
		seen:  map[change.Place]sight{},
		since: time.Now(),
	}
}

func (s *sights) close() {
	for _, t := range s.trees {
		t.Close()
	}
}

// denies tells whether a rule denies a place, and notes it.
func (s *sights) denies(at change.Place) bool {
	if !s.store.denies(at) {
		return false
	}
	s.seen[at] = sight{denied: true}
	return true
}

// denies tells whether a rule denies a place of the workspace.
func (s *Store) denies(at change.Place) bool {
	return s.o.Denied != nil && s.known(at) && s.o.Denied(at)
}

// look is Store.look, noted.
func (s *sights) look(at change.Place) (State, change.Entry, error) {
	t, err := s.tree(at)
	if err != nil {
		s.seen[at] = sight{fails: true}
		return State{}, change.Entry{}, err
	}
	now, entry, err := lookIn(t, at.Path)
	s.seen[at] = sight{entry: entry, fails: err != nil}
	return now, entry, err
}

func (s *sights) tree(at change.Place) (*change.Tree, error) {
	if !s.store.known(at) {
		return nil, errForeign
	}
	if t := s.trees[at.Root]; t != nil {
		return t, nil
	}
	t, err := change.OpenTree(s.store.o.Roots[at.Root])
	if err == nil {
		s.trees[at.Root] = t
	}
	return t, err
}

var errForeign = errors.New("it was in a folder that the workspace does not have now")

// Fresh tells that the files and the rules are still those that a plan was made for, so that it need not be made again.
// It is told without reading a file, so that it says no where the system would not show a change. Whether the calls of
// the plan are still to be taken back is looked at by Apply.
func (s *Store) Fresh(p *Plan) bool {
	now := s.sights()
	defer now.close()
	for at, was := range p.seen.seen {
		if was.fails || was.denied != s.denies(at) {
			return false
		}
		if was.denied {
			continue
		}
		t, err := now.tree(at)
		if err != nil {
			return false
		}
		entry, err := t.Look(at.Path)
		if err != nil || !was.stays(entry, p.seen.since) {
			return false
		}
	}
	return true
}

// stays tells that a place is as it was seen, for certain.
func (s sight) stays(now change.Entry, since time.Time) bool {
	switch {
	case !s.entry.Unchanged(now):
		return false
	case now.Type == change.None:
		return true
	case now.Type == change.Dir:
		return s.entry.Time == now.Time
	}
	return now.Changed != 0 && now.Changed < since.Add(-coarse).UnixNano()
}
