package draft

import (
	"errors"
	"os"
	"sync"

	"helve/internal/change"
)

// A Disk is folders as they are. It is safe for concurrent use.
type Disk struct {
	mu    sync.Mutex
	trees []*change.Tree
}

var (
	_ Tree = (*Disk)(nil)
	_ Tree = (*Draft)(nil)
)

// OpenDisk opens folders, absolute, in the order of the roots. The caller must Close it.
func OpenDisk(roots []string) (*Disk, error) {
	d := &Disk{}
	for _, dir := range roots {
		t, err := change.OpenTree(dir)
		if err != nil {
			d.Close()
			return nil, err
		}
		d.trees = append(d.trees, t)
	}
	return d, nil
}

// Close closes the folders. Files that were opened stay open.
func (d *Disk) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, t := range d.trees {
		t.Close()
	}
	d.trees = nil
}

func (d *Disk) depth() int { return 0 }

// tree is that of a root, with nothing held open from before: somebody may have put other directories there since.
func (d *Disk) tree(root int) (*change.Tree, error) {
	if root < 0 || root >= len(d.trees) {
		return nil, errors.New("draft: there is no such folder, or it was closed")
	}
	d.trees[root].Forget()
	return d.trees[root], nil
}

// Look tells what stands at a place.
func (d *Disk) Look(p change.Place) (change.Entry, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t, err := d.tree(p.Root)
	if err != nil {
		return change.Entry{}, err
	}
	return t.Look(p.Path)
}

// Names lists a directory.
func (d *Disk) Names(p change.Place) ([]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t, err := d.tree(p.Root)
	if err != nil {
		return nil, err
	}
	return t.Names(p.Path)
}

// Open opens a file.
func (d *Disk) Open(p change.Place) (*os.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t, err := d.tree(p.Root)
	if err != nil {
		return nil, err
	}
	return t.Open(p.Path)
}
