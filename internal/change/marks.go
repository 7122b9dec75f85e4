package change

import (
	"errors"
	"io/fs"
)

// marks are what reading a layer took out of it, and an overlay needs to show the same again. Nil: nobody wants to know.
type marks struct{ all []mark }

// A mark is an attribute that the overlay noted at a directory, or a whiteout in a directory that the layer brings.
type mark struct {
	path  Name   // in the transaction's folder
	attr  string // "": it is a whiteout
	value []byte
}

// whiteout takes down one that is removed.
func (m *marks) whiteout(path Name) {
	if m != nil {
		m.all = append(m.all, mark{path: path})
	}
}

// owned does something with an entry that is ours. One whose mode forbids that, also to its owner, has another mode for
// that moment.
func (s spot) owned(e Entry, do func() error) error {
	err := do()
	if !errors.Is(err, fs.ErrPermission) || e.Mode&ownerAll == ownerAll {
		return err
	}
	if err := s.in.chmod(s.name, e.Mode|ownerAll); err != nil {
		return err
	}
	return errors.Join(do(), s.in.chmod(s.name, e.Mode))
}
