package change

import (
	"errors"
	"fmt"
	"io/fs"
)

// plain has renames do without what only Linux can: to keep what stands at the new name, and to exchange two names.
// The zero value uses what the system has.
type plain bool

// asideSuffix is how what is being replaced is called for the moment of a slow exchange.
const asideSuffix = ".was"

// exchangeSlowly is an exchange in three steps. A file keeps its name at b all the time; between two steps it is also
// found under the aside name, from which [settle] finishes what was interrupted.
func exchangeSlowly(a *dir, name string, b *dir, other string) error {
	aside := name + asideSuffix
	now, err := b.look(other)
	if err != nil {
		return err
	}
	next, err := a.look(name)
	if err != nil {
		return err
	}
	linked := now.Type == File && next.Type != Dir && link(b, other, a, aside) == nil
	if linked {
		err = replace(a, name, b, other)
	} else {
		if err := renameSlowly(b, other, a, aside); err != nil {
			return err
		}
		err = renameSlowly(a, name, b, other)
	}
	if err != nil {
		return errors.Join(err, settle(a, name, b, other))
	}
	return renameSlowly(a, aside, a, name)
}

// settle finishes or takes back a slow exchange that was interrupted. Where none was, it does nothing.
func settle(a *dir, name string, b *dir, other string) error {
	aside := name + asideSuffix
	was, err := a.look(aside)
	if err != nil || was.Type == None {
		return err
	}
	slot, err := a.look(name)
	if err != nil {
		return err
	}
	if slot.Type == None { // the new one has its name: the old one takes the slot
		return renameSlowly(a, aside, a, name)
	}
	place, err := b.look(other)
	switch {
	case err != nil:
		return err
	case place.Type == None:
		return renameSlowly(a, aside, b, other)
	case was.sameThing(place): // two names of one file
		return a.remove(aside, false)
	}
	return fmt.Errorf("%s: %w", other, errOvertaken)
}

// errOvertaken: somebody put something at a place while it was empty for a moment.
var errOvertaken = errors.New("somebody made it while it was being replaced")

// exists is the error of a rename to a name that is taken.
func exists(name string) error {
	return &fs.PathError{Op: "rename", Path: name, Err: fs.ErrExist}
}
