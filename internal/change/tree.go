package change

import (
	"errors"
	"fmt"
	"io/fs"
)

// Bounds of a directory that is looked through or removed as a whole.
const (
	// maxDepth is how deep: PATH_MAX holds 2,048 names of one letter.
	maxDepth = 2048
	// MaxEntries is how many entries: beyond it nobody waits for an answer.
	MaxEntries = 4_000_000
)

var (
	errDeep = errors.New("it is nested too deeply")
	errMany = errors.New("it has too many entries")
)

// missing reports that a path leads nowhere: a name in it is not there, or no directory.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) || isNotDir(err) }

// A walk calls before for everything in a directory, and after when everything in it was visited. Either may be nil.
// Links are not followed.
type walk struct {
	before, after func(in *dir, path Name, e Entry) error
	// closed is told of what may not be listed or looked at, and is passed over. Nil: that is an error.
	closed func(path Name)
	seen   int
}

// run visits what is in a directory, whose path is what the callbacks' paths begin with.
func (w *walk) run(at *dir, path Name, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("%s: %w", quoted(path), errDeep)
	}
	names, more, err := at.names(MaxEntries - w.seen)
	if missing(err) { // it was removed meanwhile
		return nil
	}
	if w.passes(err) {
		w.closed(path)
		return nil
	}
	if err != nil {
		return err
	}
	if more {
		return fmt.Errorf("%s: %w", quoted(path), errMany)
	}
	w.seen += len(names)
	for _, name := range names {
		if err := w.entry(at, in(path, name), name, depth); err != nil {
			return err
		}
	}
	return nil
}

// entry visits one name. What is gone by now is left out.
func (w *walk) entry(at *dir, path Name, name string, depth int) error {
	e, err := at.look(name)
	if w.passes(err) {
		w.closed(path)
		return nil
	}
	if err != nil || e.Type == None { // gone meanwhile
		return err
	}
	if w.before != nil {
		err := w.before(at, path, e)
		if e.Type == Dir && errors.Is(err, fs.SkipDir) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	if e.Type == Dir {
		if err := w.enter(at, path, name, depth); err != nil {
			return err
		}
	}
	if w.after != nil {
		return w.after(at, path, e)
	}
	return nil
}

// passes tells whether a directory is passed over that cannot be listed.
func (w *walk) passes(err error) bool {
	return w.closed != nil && errors.Is(err, fs.ErrPermission)
}

// enter visits what is in a directory, which is held open for as long as that takes. One that is gone by now has
// nothing in it.
func (w *walk) enter(at *dir, path Name, name string, depth int) error {
	sub, err := at.enter(name)
	if missing(err) {
		return nil
	}
	if w.passes(err) {
		w.closed(path)
		return nil
	}
	if err != nil {
		return err
	}
	defer sub.close()
	return w.run(sub, path, depth+1)
}

// removeAll removes what stands at a name with everything in it. Nothing there is no error.
func (d *dir) removeAll(name string) error {
	e, err := d.look(name)
	if err != nil || e.Type == None {
		return err
	}
	if e.Type == Dir {
		if err := d.clear(name, e); err != nil {
			return err
		}
	}
	return d.remove(name, e.Type == Dir)
}

// clear removes what is in a directory.
func (d *dir) clear(name string, e Entry) error {
	if e.Mode&ownerAll != ownerAll {
		if err := d.chmod(name, e.Mode|ownerAll); err != nil {
			return err
		}
	}
	sub, err := d.enter(name)
	if err != nil {
		return err
	}
	defer sub.close()
	w := &walk{
		before: func(in *dir, path Name, e Entry) error {
			if e.Type != Dir || e.Mode&ownerAll == ownerAll {
				return nil
			}
			return in.chmod(base(path), e.Mode|ownerAll)
		},
		after: func(in *dir, path Name, e Entry) error {
			return in.remove(base(path), e.Type == Dir)
		},
	}
	return w.run(sub, ".", 0)
}

// ownerAll are the permissions with which an owner lists, enters and empties a directory.
const ownerAll = 0o700
