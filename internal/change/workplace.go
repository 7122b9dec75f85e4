package change

import (
	"fmt"
	"os"
	"strings"
)

// A workplace is where a set is made: the roots, and the transaction's private folder beside them.
type workplace struct {
	o      Options
	id     string
	folder string
	home   *dir // the folder
	slots  *dir
	layer  *dirs // the folder again, for what its owner put there
	roots  *dirs
	near   []bool // by root: nothing can be renamed between it and the folder
}

// open opens the folder and the roots.
func (w *workplace) open() (err error) {
	if w.home, err = openDir(w.folder); err != nil {
		return err
	}
	if e, err := w.home.look(slotsName); err == nil && e.Type == None {
		if err := w.home.mkdir(slotsName); err != nil {
			return err
		}
	}
	if w.slots, err = w.home.enter(slotsName); err != nil {
		return err
	}
	if w.layer, err = openRoots([]string{w.folder}); err != nil {
		return err
	}
	if w.roots, err = openRoots(w.o.Roots); err != nil {
		return err
	}
	for _, r := range w.roots.roots {
		w.near = append(w.near, w.o.near || !sameMount(w.home, r))
	}
	return nil
}

// closeDirs closes what open opened, as far as it got.
func (w *workplace) closeDirs() {
	for _, d := range []*dirs{w.roots, w.layer} {
		if d != nil {
			d.close()
		}
	}
	for _, d := range []*dir{w.home, w.slots} {
		if d != nil {
			d.close()
		}
	}
	w.roots, w.layer, w.home, w.slots = nil, nil, nil, nil
}

// subfolder opens a directory in the folder, and makes it first if it is not there.
func (w *workplace) subfolder(name string) (*dir, error) {
	e, err := w.home.look(name)
	if err != nil {
		return nil, err
	}
	if e.Type == None {
		if err := w.home.mkdir(name); err != nil {
			return nil, err
		}
	}
	return w.home.enter(name)
}

// slotOf opens the directory of a step's slot. It is valid until another directory is opened in the same place.
func (w *workplace) slotOf(st *step) (spot, error) {
	at := Place{st.Root, st.Slot.Path}
	if st.Slot.Near {
		up, err := w.roots.parent(at)
		return spot{up, at.Base()}, err
	}
	if name, ok := strings.CutPrefix(string(at.Path), slotsName+"/"); ok {
		return spot{w.slots, name}, nil
	}
	return w.inFolder(at.Path)
}

// inFolder opens the directory of a path below the transaction's folder.
func (w *workplace) inFolder(path Name) (spot, error) {
	at := Place{Path: path}
	up, err := w.layer.parent(at)
	return spot{up, at.Base()}, err
}

// nearName is the name of an entry that is in a root for a moment.
func (w *workplace) nearName(what string) string {
	return nearPrefix + w.id[:idInNames] + "-" + what + nearSuffix
}

// isNear reports a name that this transaction gives to what is in a root for a moment.
func (w *workplace) isNear(name string) bool {
	ours := nearPrefix + w.id[:idInNames]
	return strings.HasPrefix(name, ours) && strings.HasSuffix(name, nearSuffix)
}

// rootNames are the roots as a journal names them: it is followed for the same ones only.
func (w *workplace) rootNames() []Name {
	var out []Name
	for _, r := range w.o.Roots {
		out = append(out, Name(r))
	}
	return out
}

// checkPlace refuses a place that no set could have held.
func (w *workplace) checkPlace(p Place) error {
	if p.Root < 0 || p.Root >= len(w.o.Roots) {
		return fmt.Errorf("%w: root %d", ErrJournal, p.Root)
	}
	if err := checkPath(string(p.Path)); err != nil {
		return fmt.Errorf("%w: %w", ErrJournal, err)
	}
	return nil
}

// flush has a file reach the disk, where that was asked for.
func (w *workplace) flush(f *os.File) error {
	if !w.o.Sync {
		return nil
	}
	return f.Sync()
}

// flushDir has the names in a directory reach the disk, where that was asked for.
func (w *workplace) flushDir(d *dir) error {
	if !w.o.Sync {
		return nil
	}
	return d.flush()
}

// at tells tests where the work is.
func (w *workplace) at(point string) {
	if w.o.point != nil {
		w.o.point(point)
	}
}
