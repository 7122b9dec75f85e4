package change

import (
	"errors"
	"fmt"
	"strconv"
)

// An Earlier is a place that somebody changed, and what stood there before.
type Earlier struct {
	Place
	Was Entry
	// Text is the content of what was a file; nil where it is not known.
	Text []byte
}

// A Return tells how a place came back.
type Return struct {
	Place
	// Kept is the absolute path where what stood there is kept after Close; "" if nothing did, or it cannot be kept.
	Kept string
	// Err is why the place is not as it was; nil: it is.
	Err error
}

// errUnknown: what was at a place cannot be made again.
var errUnknown = errors.New("what was there is not known")

// PutAside takes what stands at places out of the roots, keeps it in the folder, and puts there again what was. It
// looks at nothing else and compares nothing: the caller knows that these places must not stay as they are. Each
// place is done by itself, in the order of the list, and in two steps: a process that ends between them leaves
// nothing there.
func (t *Transaction) PutAside(list []Earlier) ([]Return, error) {
	kept, err := t.subfolder(keptName)
	if err != nil {
		return nil, fmt.Errorf("change: put aside: %w", err)
	}
	defer kept.close()
	var out []Return
	for n, e := range list {
		r := Return{Place: e.Place}
		to := spot{kept, keptAs(e.Place) + "%" + strconv.Itoa(n)}
		r.Err = t.putAside(e, to, &r)
		out = append(out, r)
	}
	return out, nil
}

func (k *keeper) putAside(e Earlier, to spot, r *Return) error {
	up, err := k.roots.parent(e.Place)
	if missing(err) && e.Was.Type == None {
		return nil // gone, with the folder that it was in
	}
	if err != nil {
		return err
	}
	at := spot{up, e.Base()}
	now, err := at.look()
	if err != nil {
		return err
	}
	if now.Type != None {
		if err := k.takeOut(at, to, now, e.Root, r); err != nil {
			return err
		}
	}
	return at.makeAgain(e)
}

// takeOut moves what stands at a place to where it is kept. What cannot be kept, a device on another mount, is removed.
func (k *keeper) takeOut(at, to spot, now Entry, root int, r *Return) error {
	if !k.near[root] {
		if err := k.o.plain.rename(at, to); err != nil {
			return err
		}
		k.keep, r.Kept = true, k.keptPath(to)
		return nil
	}
	err := copyEntry(at, to, 0)
	if err != nil && !now.Special() {
		return err
	}
	if err == nil {
		k.keep, r.Kept = true, k.keptPath(to)
	}
	return at.in.removeAll(at.name)
}

// makeAgain makes what was there.
func (s spot) makeAgain(e Earlier) error {
	switch {
	case e.Was.Type == None:
		return nil
	case e.Was.Type == Link:
		return s.in.symlink(string(e.Was.Target), s.name)
	case e.Was.Type != File || e.Text == nil:
		return errUnknown
	}
	f, err := s.in.create(s.name)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(e.Text); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return s.dress(e.Was)
}
