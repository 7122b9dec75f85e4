package tree

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
)

// Tree is one working tree. It is safe for concurrent use. At makes one that remembers nothing; a Set makes ones that stay
// fresh.
type Tree struct {
	root   string
	global string
	base   dirHandle
}

// Config is what every walk of a tree shares. The zero value is usable.
type Config struct {
	GlobalIgnore string // the person's own ignore file, see GitIgnoreFile
}

// At opens a tree for one command: every question reads the directories anew. Close releases it.
func At(root string, c Config) (*Tree, error) {
	abs, err := filepath.Abs(root)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return nil, fmt.Errorf("tree: %w", err)
	}
	base, err := openRoot(abs)
	if err != nil {
		return nil, fmt.Errorf("tree: %w", err)
	}
	return &Tree{root: abs, global: c.GlobalIgnore, base: base}, nil
}

// Root is the absolute path of the tree, links resolved.
func (t *Tree) Root() string { return t.root }

// Close releases the tree. Searches that still run fail.
func (t *Tree) Close() error {
	t.base.close()
	return nil
}

// Walk is the function Walk on this tree.
func (t *Tree) Walk(ctx context.Context, opt Options, visit func(worker int, d *Dir) error) (Stats, error) {
	if opt.GlobalIgnore == "" {
		opt.GlobalIgnore = t.global
	}
	return Walk(ctx, t.root, opt, visit)
}

// Open opens the file at a slash path below the root. Its last element is not followed if it is a link.
func (t *Tree) Open(path string) (Handle, error) { return t.base.open(path) }

// Lookup tells what there is at a slash path below the root.
func (t *Tree) Lookup(path string) (Kind, Stat, error) {
	st, err := t.base.stat(path)
	if err != nil {
		return Unknown, st, fmt.Errorf("%s: %w", path, err)
	}
	return t.base.kind(path), st, nil
}

// Workers is the number of goroutines that a walk uses by default: worker numbers are below it.
func Workers() int { return min(runtime.GOMAXPROCS(0), maxWorkers) }
