package draft

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"helve/internal/change"
)

// tempName is how a new content is called until it is whole. Listings of tools leave such names out.
const tempName = ".helve-draft.tmp"

// newMode is the mode of new files and directories, of which the system takes what its owner does not want.
const (
	newFile = 0o666
	newDir  = 0o777
)

// path is where a place lies in the layer.
func (d *Draft) path(p change.Place) string {
	return filepath.Join(layerOf(d.folder, p.Root), filepath.FromSlash(string(p.Path)))
}

// oldPath is where an old content lies.
func (d *Draft) oldPath(n int) string { return filepath.Join(d.folder, oldName, strconv.Itoa(n)) }

// Put gives a file new content, or makes it, in a directory that is there. A mode of 0 keeps that of the old file. What
// fails leaves the draft as it was.
func (d *Draft) Put(p change.Place, mode fs.FileMode, write func(io.Writer) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	now, err := d.mayPut(p)
	if err != nil {
		return err
	}
	if now.Type == change.Dir {
		return pathError("write", p, errors.New("it is a directory"))
	}
	return d.put(p, func(temp string) (int64, error) {
		return d.compose(temp, now, mode, write)
	})
}

// compose writes a new content, with the mode of the old file where none is given.
func (d *Draft) compose(temp string, now change.Entry, mode fs.FileMode, write func(io.Writer) error) (int64, error) {
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, newFile)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	w := &bounded{to: f, room: MaxBytes - d.bytes}
	if err := write(w); err != nil {
		return 0, err
	}
	if mode == 0 && now.Type == change.File {
		mode = now.Mode
	}
	if mode != 0 {
		if err := f.Chmod(mode); err != nil {
			return 0, err
		}
	}
	return w.wrote, f.Close()
}

// A bounded writer refuses what the draft has no room for.
type bounded struct {
	to          io.Writer
	room, wrote int64
}

func (b *bounded) Write(p []byte) (int, error) {
	if int64(len(p)) > b.room-b.wrote {
		return 0, ErrFull
	}
	n, err := b.to.Write(p)
	b.wrote += int64(n)
	return n, err
}

// Link makes a symbolic link.
func (d *Draft) Link(p change.Place, target string) error {
	return d.putNew("link", p, func(temp string) error { return os.Symlink(target, temp) })
}

// Mkdir makes a directory in one that is there.
func (d *Draft) Mkdir(p change.Place) error {
	return d.putNew("make directory", p, func(temp string) error { return os.Mkdir(temp, newDir) })
}

// putNew puts what makes at a place where nothing stands.
func (d *Draft) putNew(verb string, p change.Place, makes func(temp string) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	now, err := d.mayPut(p)
	if err != nil {
		return err
	}
	if now.Type != change.None {
		return pathError(verb, p, fs.ErrExist)
	}
	return d.put(p, func(temp string) (int64, error) { return 0, makes(temp) })
}

// mayPut is what stands at a place in a directory of the draft.
func (d *Draft) mayPut(p change.Place) (change.Entry, error) {
	if up := p.Parent(); up.Path != "." {
		now, err := d.look(up)
		if err != nil {
			return now, err
		}
		if now.Type != change.Dir {
			return now, pathError("write", p, fs.ErrNotExist)
		}
	}
	return d.look(p)
}

// put brings a new entry to its place in the layer, by one rename.
func (d *Draft) put(p change.Place, compose func(temp string) (int64, error)) error {
	to := d.path(p)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return pathError("write", p, err)
	}
	temp := filepath.Join(d.folder, tempName)
	size, err := compose(temp)
	if err == nil {
		err = d.enter(p, temp, to)
	}
	if err != nil {
		os.RemoveAll(temp)
		return pathError("write", p, err)
	}
	e := d.entries[p]
	d.bytes += size - e.size
	e.Gone, e.size = false, size
	return nil
}

// enter gives what is ready its name in the layer.
func (d *Draft) enter(p change.Place, temp, to string) error {
	_, known := d.entries[p]
	_, err := d.touch(p, false)
	if err == nil {
		err = d.giveName(p, temp, to)
	}
	if err != nil && !known {
		delete(d.entries, p)
	}
	return err
}

// giveName renames what is ready. A directory that was there for what was in it makes room, or becomes the new one.
func (d *Draft) giveName(p change.Place, temp, to string) error {
	there, err := os.Lstat(to)
	if err != nil || !there.IsDir() {
		err := os.Rename(temp, to)
		os.Remove(temp) // where both are names of one file, a rename leaves both
		return err
	}
	ready, err := os.Lstat(temp)
	if err != nil {
		return err
	}
	if ready.IsDir() {
		return errors.Join(os.Remove(temp), os.Chmod(to, ready.Mode()))
	}
	if err := d.emptyLayer(p); err != nil {
		return err
	}
	return os.Rename(temp, to)
}

// touch is the entry of a place that is about to be changed. The first time it takes down what stands there in the
// base, and keeps a text.
func (d *Draft) touch(p change.Place, gone bool) (*entry, error) {
	e := d.entries[p]
	if e == nil {
		if len(d.entries) >= MaxEntries {
			return nil, fmt.Errorf("%w: it changes %d places", ErrFull, MaxEntries)
		}
		was, err := d.base.Look(p)
		if err != nil {
			return nil, err
		}
		e = &entry{Was: was}
		if e.Kept, err = d.keep(p, was); err != nil {
			return nil, err
		}
	}
	if err := d.note(p, e, gone); err != nil {
		return nil, err
	}
	d.entries[p] = e
	return e, nil
}

// keep keeps an old content; 0: it is none that is kept.
func (d *Draft) keep(p change.Place, was change.Entry) (int, error) {
	if was.Type != change.File || was.Size > maxKept {
		return 0, nil
	}
	text, err := read(d.base, p, maxKept)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return 0, nil // somebody took it away; or it cannot be read: it cannot be merged then
	}
	if err != nil {
		return 0, err
	}
	n := len(d.entries) + 1
	for exists(d.oldPath(n)) {
		n++
	}
	return n, os.WriteFile(d.oldPath(n), text, 0o600)
}

// exists tells whether something stands at a path of this host.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Remove takes away what stands at a place, a directory with all that is in it.
func (d *Draft) Remove(p change.Place) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	now, err := d.look(p)
	if err != nil {
		return err
	}
	if now.Type == change.None {
		return pathError("remove", p, fs.ErrNotExist)
	}
	places, err := d.below(p, now, nil)
	if err != nil {
		return err
	}
	if len(d.entries)+len(places) > MaxEntries {
		return pathError("remove", p, ErrFull)
	}
	for _, at := range slices.Backward(places) { // what is in a directory goes first
		if err := d.takeAway(at); err != nil {
			return pathError("remove", at, err)
		}
	}
	return nil
}

// below are a place and all that is in it, directories before what is in them.
func (d *Draft) below(p change.Place, now change.Entry, out []change.Place) ([]change.Place, error) {
	out = append(out, p)
	if now.Type != change.Dir {
		return out, nil
	}
	if len(out) > MaxEntries {
		return nil, ErrFull
	}
	names, err := d.names(p)
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	for _, name := range names {
		at := p.Child(name)
		e, err := d.look(at)
		if err != nil {
			return nil, err
		}
		if out, err = d.below(at, e, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// takeAway takes one entry away, of which nothing is left that is in it.
func (d *Draft) takeAway(p change.Place) error {
	_, known := d.entries[p]
	e, err := d.touch(p, true)
	if err != nil {
		return err
	}
	if err := d.emptyLayer(p); err != nil {
		if !known {
			delete(d.entries, p)
		}
		return err
	}
	d.went(p, e)
	return nil
}

// went notes that nothing is to stand at a place.
func (d *Draft) went(p change.Place, e *entry) {
	d.bytes -= e.size
	e.Gone, e.size = true, 0
	if e.Was.Type == change.None { // it came and went
		delete(d.entries, p)
	}
}

// emptyLayer removes what the layer has at a place. What is in a directory there that nobody can get to any more,
// because somebody took its own directory away from the base, goes with it.
func (d *Draft) emptyLayer(p change.Place) error {
	err := os.Remove(d.path(p))
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for at, e := range d.entries {
		if at == p || !at.Within(p) || e.Gone {
			continue
		}
		if err := d.note(at, e, true); err != nil {
			return err
		}
		d.went(at, e)
	}
	return os.RemoveAll(d.path(p))
}

// Rename moves what stands at a place to another one, where nothing stands, a directory with all that is in it.
func (d *Draft) Rename(from, to change.Place) error {
	if to.Within(from) {
		return pathError("rename", to, errors.New("it lies in what is renamed"))
	}
	if err := d.copy(from, to); err != nil {
		return err
	}
	err := d.Remove(from)
	if from.Within(to) && errors.Is(err, fs.ErrNotExist) {
		return nil // it went with the directory in whose place it is now, which somebody had removed
	}
	return err
}

// copy copies what stands at a place to another one, where nothing stands.
func (d *Draft) copy(from, to change.Place) error {
	now, err := d.Look(from)
	if err != nil {
		return err
	}
	there, err := d.Look(to)
	switch {
	case err != nil:
		return err
	case there.Type != change.None:
		return pathError("rename", to, fs.ErrExist)
	}
	switch now.Type {
	case change.File:
		f, err := d.Open(from)
		if err != nil {
			return err
		}
		defer f.Close()
		return d.Put(to, now.Mode, func(w io.Writer) error { _, err := io.Copy(w, f); return err })
	case change.Link:
		return d.Link(to, string(now.Target))
	case change.Dir:
		return d.copyDir(from, to)
	case change.None:
		return pathError("rename", from, fs.ErrNotExist)
	}
	return pathError("rename", from, fmt.Errorf("%s cannot be drafted", now.Type))
}

// copyDir copies a directory with what is in it.
func (d *Draft) copyDir(from, to change.Place) error {
	if err := d.Mkdir(to); err != nil {
		return err
	}
	names, err := d.Names(from)
	if err != nil {
		return err
	}
	slices.Sort(names)
	for _, name := range names {
		if err := d.copy(from.Child(name), to.Child(name)); err != nil {
			return err
		}
	}
	return nil
}

// pathError gives an error its operation and place.
func pathError(op string, p change.Place, err error) error {
	return &fs.PathError{Op: "draft: " + op, Path: string(p.Path), Err: err}
}
