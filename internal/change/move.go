package change

import (
	"errors"
	"fmt"
	"io/fs"
)

// A spot is a name in an open directory, whether something stands there or not.
type spot struct {
	in   *dir
	name string
}

// look tells what stands there.
func (s spot) look() (Entry, error) { return s.in.look(s.name) }

// plain has renames do without what only Linux can: to keep what stands at the new name, and to exchange two names.
// The zero value uses what the system has.
type plain bool

// asideSuffix is how what is being replaced is called for the moment of a slow exchange.
const asideSuffix = ".was"

func (s spot) aside() spot { return spot{s.in, s.name + asideSuffix} }

// exchangeSlowly is an exchange in three steps. A file keeps its name at the place all the time; between two steps it
// is also found aside of the slot, from where [settle] finishes what was interrupted.
func exchangeSlowly(slot, place spot) error {
	linked, err := linkAside(slot, place)
	if err != nil {
		return err
	}
	if linked {
		err = replace(slot, place)
	} else {
		// For a moment nothing stands at the place.
		if err := renameSlowly(place, slot.aside()); err != nil {
			return err
		}
		err = renameSlowly(slot, place)
	}
	if err != nil {
		return errors.Join(err, settle(slot, place))
	}
	return renameSlowly(slot.aside(), slot)
}

// linkAside gives what stands at the place a second name, if both are such that one can replace the other.
func linkAside(slot, place spot) (bool, error) {
	now, err := place.look()
	if err != nil {
		return false, err
	}
	next, err := slot.look()
	if err != nil {
		return false, err
	}
	if now.Type != File || next.Type == Dir {
		return false, nil
	}
	return link(place, slot.aside()) == nil, nil
}

// settle finishes or takes back a slow exchange that was interrupted. Where none was, it does nothing. Each step of one
// is itself a link and a removal, between which an entry has two names.
func settle(slot, place spot) error {
	was, err := slot.aside().look()
	if err != nil || was.Type == None {
		return err
	}
	waits, err := slot.look()
	if err != nil {
		return err
	}
	stands, err := place.look()
	switch {
	case err != nil:
		return err
	case waits.Type == None: // the new one has its name: the old one takes the slot
		return renameSlowly(slot.aside(), slot)
	case waits.sameNumber(was):
		return slot.aside().unlink()
	case waits.sameNumber(stands):
		if err := slot.unlink(); err != nil {
			return err
		}
		return renameSlowly(slot.aside(), slot)
	case stands.Type == None:
		return renameSlowly(slot.aside(), place)
	case stands.sameNumber(was):
		return slot.aside().unlink()
	}
	return fmt.Errorf("%s: %w", place.name, errOvertaken)
}

// unlink removes one of several names.
func (s spot) unlink() error { return s.in.remove(s.name, false) }

// errOvertaken: somebody put something at a place while it was empty for a moment.
var errOvertaken = errors.New("somebody made it while it was being replaced")

// exists is the error of a rename to a name that is taken.
func exists(name string) error {
	return &fs.PathError{Op: "rename", Path: name, Err: fs.ErrExist}
}
