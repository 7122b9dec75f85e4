// Package codetool holds the tools that know the structure of code: what a working tree defines, what uses what, and
// what a change may touch. They stand on package code; All is the list.
//
// An Index does nothing before one of its tools is called: no folder is read, no file opened, nothing watched.
package codetool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"helve/engine/code"
	"helve/engine/search"
	"helve/engine/tree"
	"helve/internal/fsroot"
	"helve/tool"
)

// buildTime bounds how long one call waits for the index. The building goes on; the next call finds more of it.
const buildTime = 45 * time.Second

// Options say which tree the tools know.
type Options struct {
	Dir string // the workspace's folder

	// Cache is a private folder outside Dir for the index; "" keeps nothing. An index for searching that stands there
	// serves search_codebase. Resident says that the process lives long: the tree is then watched, and a question
	// costs no reading of folders.
	Cache    string
	Resident bool

	// Trees are the trees that others of the process look at too: one watch serves all, and the index learns at once
	// of files that they say they wrote. nil: the index has its own.
	Trees *tree.Set

	// Environ is the person's environment, as os.Environ gives it; nil: that of this process.
	Environ []string

	// Denied tells whether a file, as a target of an effect, must not be read. It is left out of every answer. nil:
	// none.
	Denied func(target string) bool

	// Progress is told how many of the files to read have been read. It may be nil.
	Progress func(done, total int)
}

// An Index is what the tools of one workspace share. It is safe for concurrent use.
type Index struct {
	o     Options
	roots *fsroot.Set
	usage usage

	mu       sync.Mutex
	closed   bool
	opened   *opened // nil until a tool is called
	searched search.Summary
}

// opened is an index at work.
type opened struct {
	tree   *tree.Tree
	source *source
	index  *code.Index
	search *search.Engine
}

// Open makes the index of a folder. Close it when its tools are no longer used.
func Open(o Options) (*Index, error) {
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	roots, err := fsroot.Open(fsroot.Options{}, o.Dir)
	if err != nil {
		return nil, err
	}
	x := &Index{o: o, roots: roots, usage: usage{since: time.Now()}}
	if x.o.Trees == nil {
		x.o.Trees = &tree.Set{Config: tree.Config{GlobalIgnore: tree.GitIgnoreFile(x.getenv)}}
	}
	return x, nil
}

// Close ends what is under way.
func (x *Index) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	return errors.Join(x.shut(), x.roots.Close())
}

func (x *Index) shut() error {
	o := x.opened
	x.opened = nil
	if o == nil {
		return nil
	}
	return errors.Join(o.index.Close(), o.tree.Close())
}

// Working tells whether any of the tools has needed the index yet.
func (x *Index) Working() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.opened != nil
}

// work opens the tree when it is first needed.
func (x *Index) work() (*opened, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return nil, code.ErrClosed
	}
	if x.opened != nil {
		return x.opened, nil
	}
	t, err := x.tree()
	if err != nil {
		return nil, err
	}
	s := &source{tree: t, denied: x.o.Denied}
	engine := search.New(t)
	if x.o.Cache != "" {
		engine = search.NewIndexed(t, x.o.Cache)
	}
	x.opened = &opened{tree: t, source: s, search: engine,
		index: code.New(s, code.Options{Cache: x.o.Cache, Key: t.Root(), Progress: x.o.Progress})}
	return x.opened, nil
}

func (x *Index) tree() (*tree.Tree, error) {
	if !x.o.Resident {
		return tree.At(x.dir(), x.o.Trees.Config)
	}
	return x.o.Trees.Open(x.dir())
}

// dir is the folder, links resolved.
func (x *Index) dir() string { return x.roots.Roots()[0].Dir() }

// getenv is a variable of the person's environment; the last of several counts.
func (x *Index) getenv(name string) string {
	for _, e := range slices.Backward(x.o.Environ) {
		if k, v, _ := strings.Cut(e, "="); k == name {
			return v
		}
	}
	return ""
}

// Snapshot is the state of the tree as it is now.
func (x *Index) Snapshot(ctx context.Context) (*code.Snapshot, error) {
	o, err := x.work()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, buildTime)
	defer cancel()
	s, err := o.index.Snapshot(ctx)
	if errors.Is(err, code.ErrBuilding) {
		return nil, tool.Errorf(tool.TimedOut, "the index is being built").WithHint("it goes on: call again in a while")
	}
	return s, err
}

// Stats are the figures of the work done so far, zeros before the first call.
func (x *Index) Stats() code.Stats {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.opened == nil {
		return code.Stats{}
	}
	return x.opened.index.Stats()
}

// Searched says how the last search went: whether an index was used, how many files were looked at.
func (x *Index) Searched() search.Summary {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.searched
}

// Clear removes the index, in memory and in the cache.
func (x *Index) Clear() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.shut(); err != nil {
		return err
	}
	path := x.Path()
	if path == "" {
		return nil
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("clear the index: %w", err)
	}
	return nil
}

// Path is the file that keeps the index, "" without a cache.
func (x *Index) Path() string {
	if x.o.Cache == "" {
		return ""
	}
	return filepath.Join(x.o.Cache, code.CacheName(x.dir()))
}

// Cached is how many bytes of index the cache holds, 0 for none.
func (x *Index) Cached() (int64, error) {
	st, err := os.Stat(x.Path())
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("index: %w", err)
	}
	return st.Size(), nil
}
