package change

import (
	"path"
	"strings"
)

// maxOpen bounds the directories that are held open for the next step: steps come by path, so few are wanted at once,
// and a process has a thousand descriptors.
const maxOpen = 128

// dirs are the roots, and the directories below them that were opened last.
type dirs struct {
	roots []*dir
	open  map[Place]*dir
}

// openRoots opens the roots by their paths on this host.
func openRoots(paths []string) (*dirs, error) {
	d := &dirs{open: map[Place]*dir{}}
	for _, p := range paths {
		root, err := openDir(p)
		if err != nil {
			d.close()
			return nil, err
		}
		d.roots = append(d.roots, root)
	}
	return d, nil
}

func (d *dirs) close() {
	d.forgetAll()
	for _, r := range d.roots {
		r.close()
	}
	d.roots = nil
}

// forgetAll drops everything that is held open but the roots.
func (d *dirs) forgetAll() {
	for at, sub := range d.open {
		sub.close()
		delete(d.open, at)
	}
}

// forget drops what is held open at a place and below it: another directory may stand there from now on.
func (d *dirs) forget(p Place) {
	for at, sub := range d.open {
		if at.Within(p) {
			sub.close()
			delete(d.open, at)
		}
	}
}

// dir opens a directory below a root, name by name. What it returns is valid until the next call.
func (d *dirs) dir(p Place) (*dir, error) {
	if p.Path == "." {
		return d.roots[p.Root], nil
	}
	if sub := d.open[p]; sub != nil {
		return sub, nil
	}
	if len(d.open) >= maxOpen {
		d.forgetAll()
	}
	at := d.roots[p.Root]
	rest := string(p.Path)
	if up := d.open[p.Parent()]; up != nil {
		at, rest = up, p.Base()
	}
	sub, err := descend(at, rest)
	if err != nil {
		return nil, err
	}
	d.open[p] = sub
	return sub, nil
}

// parent opens the directory in which a place lies.
func (d *dirs) parent(p Place) (*dir, error) {
	return d.dir(p.Parent())
}

// look tells what stands at a place. Where the directory is missing, nothing does.
func (d *dirs) look(p Place) (Entry, error) {
	up, err := d.parent(p)
	if missing(err) {
		return Entry{}, nil
	}
	if err != nil {
		return Entry{}, err
	}
	return up.look(p.Base())
}

// descend opens the directory at a path below from, which is left open.
func descend(from *dir, rel string) (*dir, error) {
	at := from
	for name := range strings.SplitSeq(rel, "/") {
		next, err := at.enter(name)
		if at != from {
			at.close()
		}
		if err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

// in is the path of a name in a directory's path.
func in(dir Name, name string) Name {
	return Name(path.Join(string(dir), name))
}

// base is the last part of a path.
func base(p Name) string { return path.Base(string(p)) }
