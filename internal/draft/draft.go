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
	"sync"

	"helve/internal/change"
)

// Bounds of a draft.
const (
	// MaxEntries is how many places one draft may change: beyond it a person reads no difference.
	MaxEntries = 100_000
	// MaxBytes is how much new content it may hold.
	MaxBytes = 2 << 30
	// MaxDepth is how many drafts may lie over each other: one of a sub-agent, of its script, of a command in that.
	MaxDepth = 3
	// maxKept is the largest old file that is kept to be merged and compared; of a larger one only the state is.
	maxKept = 4 << 20
)

var (
	// ErrFull: the draft holds as much as it may, and the change was not made. The rest of the draft stands.
	ErrFull = errors.New("the draft is full")
	// ErrOver: the draft was committed or dropped.
	ErrOver = errors.New("the draft is over")
	// ErrDepth: drafts would lie over each other too deeply.
	ErrDepth = fmt.Errorf("drafts lie over each other at most %d deep", MaxDepth)
)

// A Tree is what a draft lies over: the disk, or another draft. It is safe for concurrent use.
type Tree interface {
	// Look tells what stands at a place; nothing is the zero Entry, and so is what lies behind a link or a file.
	Look(change.Place) (change.Entry, error)
	// Names lists a directory, in no order. A missing one has nothing in it.
	Names(change.Place) ([]string, error)
	// Open opens a regular file for reading.
	Open(change.Place) (*os.File, error)
	// depth is how many drafts there are, this one included.
	depth() int
}

// A Draft is a set of changes that were not made yet. It is safe for concurrent use.
type Draft struct {
	mu      sync.Mutex
	folder  string
	base    Tree
	layer   *Disk // the new entries, by the same places
	entries map[change.Place]*entry
	bytes   int64 // of new content
	merged  map[change.Place]bool
	log     *os.File
	over    bool
}

// An entry is a place that a draft changes.
type entry struct {
	Was  change.Entry `json:"was,omitzero"`   // in the base, when it was first changed
	Kept int          `json:"kept,omitempty"` // the number of its old content; 0: it is not kept
	Gone bool         `json:"gone,omitempty"` // nothing is to stand there
	size int64        // of the new content
}

// Names of what is in a draft's folder.
const (
	layerName = "new"     // folders by the number of the root
	oldName   = "old"     // files by their numbers
	logName   = "entries" // what was changed, line by line
)

// New makes a draft over a tree, in a private folder that is not there yet. roots is how many roots the tree has. With
// lasting, what is changed is written down, so that [Load] finds it; else the draft ends with the process.
func New(folder string, base Tree, roots int, lasting bool) (*Draft, error) {
	if base.depth() >= MaxDepth {
		return nil, ErrDepth
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		return nil, fmt.Errorf("draft: %w", err)
	}
	for i := range roots {
		if err := os.MkdirAll(layerOf(folder, i), 0o700); err != nil {
			return nil, fmt.Errorf("draft: %w", err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, oldName), 0o700); err != nil {
		return nil, fmt.Errorf("draft: %w", err)
	}
	return open(folder, base, roots, lasting)
}

// layerOf is the folder of the new entries of a root.
func layerOf(folder string, root int) string {
	return filepath.Join(folder, layerName, strconv.Itoa(root))
}

// open opens a draft whose folder is there.
func open(folder string, base Tree, roots int, lasting bool) (*Draft, error) {
	dirs := make([]string, roots)
	for i := range dirs {
		dirs[i] = layerOf(folder, i)
	}
	layer, err := OpenDisk(dirs)
	if err != nil {
		return nil, err
	}
	d := &Draft{folder: folder, base: base, layer: layer, entries: map[change.Place]*entry{}}
	d.merged = map[change.Place]bool{}
	if !lasting {
		return d, nil
	}
	d.log, err = os.OpenFile(filepath.Join(folder, logName), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		layer.Close()
		return nil, fmt.Errorf("draft: %w", err)
	}
	return d, nil
}

// Folder is the draft's private folder.
func (d *Draft) Folder() string { return d.folder }

// LayerDir is the folder in which the new entries of a root stand, at the paths that they will have. Directories in it
// that the draft does not change are there for what is in them.
func (d *Draft) LayerDir(root int) string { return layerOf(d.folder, root) }

func (d *Draft) depth() int { return d.base.depth() + 1 }

// Close closes the draft and leaves its folder. A second call does nothing.
func (d *Draft) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.close()
}

func (d *Draft) close() error {
	if d.over {
		return nil
	}
	d.over = true
	d.layer.Close()
	if d.log != nil {
		return d.log.Close()
	}
	return nil
}

// Drop ends the draft, with all that was changed in it.
func (d *Draft) Drop() error {
	err := d.Close()
	return errors.Join(err, removeFolder(d.folder))
}

// removeFolder removes a draft's folder. Its own folders may be such that nobody may write to them.
func removeFolder(folder string) error {
	err := os.RemoveAll(folder)
	if err == nil {
		return nil
	}
	err = filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			return os.Chmod(path, 0o700)
		}
		return err
	})
	return errors.Join(err, os.RemoveAll(folder))
}

// Len is how many places the draft changes.
func (d *Draft) Len() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.entries)
}

// Changed tells whether the draft says what stands at a place: it changes it, or a directory on the way to it.
func (d *Draft) Changed(p change.Place) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.nearest(p) != nil
}

// nearest is the entry of a place, or that of the deepest directory on the way to it which the draft takes away or puts
// something else in the place of.
func (d *Draft) nearest(p change.Place) *entry {
	if e := d.entries[p]; e != nil {
		return e
	}
	for up := p.Parent(); up.Path != "."; up = up.Parent() {
		e := d.entries[up]
		if e == nil {
			continue
		}
		if e.Gone || e.Was.Type != change.Dir {
			return e
		}
		if now, err := d.layer.Look(up); err != nil || now.Type != change.Dir {
			return e
		}
	}
	return nil
}

// Look tells what stands at a place in the draft.
func (d *Draft) Look(p change.Place) (change.Entry, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.look(p)
}

func (d *Draft) look(p change.Place) (change.Entry, error) {
	if d.over {
		return change.Entry{}, ErrOver
	}
	e := d.nearest(p)
	switch {
	case e == nil:
		return d.base.Look(p)
	case e.Gone || e != d.entries[p]:
		return change.Entry{}, nil
	}
	return d.layer.Look(p)
}

// Open opens a file as it is in the draft.
func (d *Draft) Open(p change.Place) (*os.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over {
		return nil, ErrOver
	}
	e := d.nearest(p)
	switch {
	case e == nil:
		return d.base.Open(p)
	case e.Gone || e != d.entries[p]:
		return nil, &fs.PathError{Op: "open", Path: string(p.Path), Err: fs.ErrNotExist}
	}
	return d.layer.Open(p)
}

// Names lists a directory of the draft, in no order.
func (d *Draft) Names(p change.Place) ([]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.names(p)
}

func (d *Draft) names(p change.Place) ([]string, error) {
	now, err := d.look(p)
	if p.Path == "." {
		now.Type = change.Dir
	}
	if err != nil || now.Type != change.Dir {
		return nil, err
	}
	out, err := d.untouched(p)
	if err != nil {
		return nil, err
	}
	own, err := d.layer.Names(p)
	if err != nil {
		return nil, err
	}
	for _, name := range own {
		if e := d.entries[p.Child(name)]; e != nil && !e.Gone {
			out = append(out, name)
		}
	}
	return out, nil
}

// untouched are the names in a directory of the draft of which the base alone says what they are.
func (d *Draft) untouched(p change.Place) ([]string, error) {
	own := d.entries[p]
	if own == nil && d.nearest(p) != nil || own != nil && own.Was.Type != change.Dir {
		return nil, nil // the directory is the draft's
	}
	names, err := d.base.Names(p)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(names, func(name string) bool { return d.entries[p.Child(name)] != nil }), nil
}

// read reads a file of a tree, up to so many bytes; more are an error.
func read(t Tree, p change.Place, most int64) ([]byte, error) {
	f, err := t.Open(p)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s: it is larger than %d bytes", p.Path, most)
	}
	return text, err
}
