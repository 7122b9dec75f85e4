package change

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
)

// A Tree reads what stands below a directory, without following a link. It is for one goroutine.
type Tree struct {
	dirs *dirs
}

// OpenTree opens the directory at a path of this host. The caller must Close the tree.
func OpenTree(dir string) (*Tree, error) {
	d, err := openRoots([]string{dir})
	if err != nil {
		return nil, err
	}
	return &Tree{d}, nil
}

// Close closes the tree. Files that were opened by it stay open.
func (t *Tree) Close() { t.dirs.close() }

// Forget drops the directories that are held open for the next look: others may stand at their paths by now.
func (t *Tree) Forget() { t.dirs.forgetAll() }

// Look tells what stands at a path. Nothing is the zero Entry, not an error; so is a path through something that is no
// directory. "." is the tree's own directory.
func (t *Tree) Look(path Name) (Entry, error) {
	if path == "." {
		return t.dirs.roots[0].look(".")
	}
	return t.dirs.look(Place{Path: path})
}

// Open opens a file for reading. Anything else, a link among it, is an error. The caller closes it.
func (t *Tree) Open(path Name) (*os.File, error) {
	at := Place{Path: path}
	up, err := t.dirs.parent(at)
	if err != nil {
		return nil, err
	}
	f, err := up.open(at.Base())
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = named("open", string(path), errNoFile)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

var (
	errNoFile = errors.New("is not a regular file")
	errLarge  = errors.New("is larger than it may be")
)

// Read reads a file of at most limit bytes. A longer one is an error.
func (t *Tree) Read(path Name, limit int64) ([]byte, error) {
	f, err := t.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = named("read", string(path), errLarge)
	}
	return text, err
}

// Names lists what is in a directory, in no order. A missing directory has nothing in it.
func (t *Tree) Names(path Name) ([]string, error) {
	d, err := t.dirs.dir(Place{Path: path})
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	names, more, err := d.names(MaxEntries)
	if more {
		err = errMany
	}
	return names, err
}

// Walk calls visit for everything below a directory, a directory before what is in it, which
// fs.SkipDir leaves out. Any other error of visit ends the walk.
func (t *Tree) Walk(path Name, visit func(Name, Entry) error) error {
	return t.walk(path, visit, nil)
}

// WalkOpen is Walk that passes over what may not be listed or looked at: closed is told of each.
func (t *Tree) WalkOpen(path Name, visit func(Name, Entry) error, closed func(Name)) error {
	return t.walk(path, visit, closed)
}

func (t *Tree) walk(path Name, visit func(Name, Entry) error, closed func(Name)) error {
	d, err := t.dirs.dir(Place{Path: path})
	if missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	own, err := d.enter(".") // the walk may open others that close this one
	if err != nil {
		return err
	}
	defer own.close()
	w := &walk{
		before: func(_ *dir, at Name, e Entry) error { return visit(at, e) },
		closed: closed,
	}
	return w.run(own, path, 0)
}

// Date sets when what stands at a path was changed, in nanoseconds since 1970. A link is not followed; "." is the
// tree's own directory.
func (t *Tree) Date(path Name, nanoseconds int64) error {
	if path == "." {
		return t.dirs.roots[0].touch(".", nanoseconds)
	}
	at := Place{Path: path}
	up, err := t.dirs.parent(at)
	if err != nil {
		return err
	}
	return up.touch(at.Base(), nanoseconds)
}

// named gives an error of the system its operation and name; nil stays nil.
func named(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// SameBytes tells whether two files hold the same. It stops at the first piece that differs.
func SameBytes(a, b io.Reader) (bool, error) {
	const piece = 64 << 10
	x, y := make([]byte, piece), make([]byte, piece)
	for {
		n, err := io.ReadFull(a, x)
		m, err2 := io.ReadFull(b, y)
		if !bytes.Equal(x[:n], y[:m]) {
			return false, nil
		}
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return true, nil
		case err != nil || err2 != nil:
			return false, errors.Join(err, err2)
		}
	}
}
