package tree

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
)

// Tree is one working tree. It is safe for concurrent use. At makes one that remembers nothing; a Set makes ones that
// stay fresh.
type Tree struct {
	root   string
	at     string // by which it is opened; see Over
	global string
	base   dirHandle
	live   *resident    // nil: made by At
	shared func() error // how a Set takes it back
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
	return Over(abs, abs, c)
}

// Over is At for a tree over which something lies: it is opened by the path at, as that is, and goes by the name root,
// absolute and with links resolved. The rules that stand above it are those above root.
func Over(root, at string, c Config) (*Tree, error) {
	base, err := openRoot(at)
	if err != nil {
		return nil, fmt.Errorf("tree: %w", err)
	}
	return &Tree{root: root, at: at, global: c.GlobalIgnore, base: base}, nil
}

// Root is the absolute path of the tree, links resolved.
func (t *Tree) Root() string { return t.root }

// GlobalIgnore is the person's own ignore file; "" if there is none.
func (t *Tree) GlobalIgnore() string { return t.global }

// Close gives the tree back. After the last Close of a tree nothing may use it. Its error is always nil so far.
func (t *Tree) Close() error {
	if t.shared != nil {
		return t.shared()
	}
	t.base.close()
	return nil
}

// Resident reports whether the tree stays fresh in memory, so that Snapshot is cheap.
func (t *Tree) Resident() bool { return t.live != nil }

// Snapshot returns the table of visible files as they are now: every change that was complete before the call is in
// it, whoever made it, except writes through a shared memory map, of which the kernel tells only when the file is
// closed. On a resident tree it costs microseconds when nothing changed; otherwise the tree is read.
func (t *Tree) Snapshot(ctx context.Context) (*Snapshot, error) {
	if t.live != nil {
		return t.live.snapshot(ctx)
	}
	return (&resident{t: t}).snapshot(ctx)
}

// Touch says that the caller changed files, as slash paths relative to the root. Where there is no word from the
// kernel it saves nothing and harms nothing.
func (t *Tree) Touch(paths ...string) {
	if t.live == nil {
		return
	}
	t.live.mu.Lock()
	defer t.live.mu.Unlock()
	for _, p := range paths {
		t.live.touch(p, dirtyFile)
	}
}

// Walk is the function Walk on this tree, with the tree's own ignore file of the person unless opt names another. It
// reads the directories also where the tree is resident.
func (t *Tree) Walk(ctx context.Context, opt Options, visit func(worker int, d *Dir) error) (Stats, error) {
	if opt.GlobalIgnore == "" {
		opt.GlobalIgnore = t.global
	}
	return walk(ctx, t.root, t.at, opt, visit)
}

// Open opens the file at a slash path below the root. Its last element is not followed if it is a link.
func (t *Tree) Open(path string) (Handle, error) { return t.base.open(path) }

// Lookup tells what there is at a slash path below the root, ignored or not. A link is a link, and not what it names.
func (t *Tree) Lookup(path string) (Kind, Stat, error) {
	st, err := t.base.stat(path)
	if err != nil {
		return Unknown, st, fmt.Errorf("%s: %w", path, err)
	}
	return t.base.kind(path), st, nil
}

// Workers is the number of goroutines that a walk uses by default: worker numbers are below it.
func Workers() int { return min(runtime.GOMAXPROCS(0), maxWorkers) }
