// Package codetool holds the tools that know the structure of code: what a working tree defines, what uses what, and
// what a change may touch. Package code answers the questions; this package makes tools of them. [All] is the list.
//
// A program opens an [Index] of a folder, adds its tools to a registry and closes the index at the end:
//
//	x, err := codetool.Open(codetool.Options{Dir: "."})
//	for _, t := range codetool.All(x) {
//		registry.Add(t)
//	}
//
// An Index does nothing before one of its tools is called: no folder is read, no file opened, nothing watched. After
// that each call sees the files as they are at that moment; what changed is read again, the rest is not.
//
// An answer has about two thousand tokens at most. A longer list ends with a cursor, by which the same call goes on
// where the answer ended. Every connection that an answer names says how sure it is: most languages are read without
// their compiler, and a name may mean more than one thing.
package codetool

//go:generate go test -run TestSchemasAreThoseInferred -write-inferred

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	// Dir is the workspace's folder. It must exist.
	Dir string

	// Cache is a private folder outside Dir for the index; "" keeps nothing. search_codebase uses an index for
	// searching that it finds there.
	Cache string
	// Version names the program, as helve.Version does. An index in Cache that another version wrote is built anew.
	Version string
	// Resident says that the process lives long: the tree is then watched, and a question costs no reading of folders.
	Resident bool

	// Trees are the trees that others of the process look at too: one watch serves all, and the index learns at once
	// of files that they say they wrote. nil: the index has its own.
	Trees *tree.Set

	// Environ is the person's environment, as os.Environ gives it; nil: that of this process.
	Environ []string

	// Checker settles what the index leaves open. nil: nobody does. Close closes it.
	Checker Checker

	// Denied tells whether a file, as a target of an effect, must not be read. It is left out of every answer. nil:
	// none.
	Denied func(target string) bool

	// Progress is told how many of the files to read have been read. It may be nil.
	Progress func(done, total int)
}

// A Checker knows what names in source mean, and is ended when nobody asks any more.
type Checker interface {
	code.Checker
	io.Closer
}

// An Index is what the tools of one workspace share. It is safe for concurrent use.
type Index struct {
	o       Options
	roots   *fsroot.Set
	usage   usage
	ceiling time.Duration // of a look at a change; 0: checkCeiling

	mu       sync.Mutex
	closed   bool
	opened   *opened // nil until a tool is called
	searched search.Summary
}

// opened is an index at work: the tree, what reads it for the index, the index, and the search engine over the same
// tree.
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
		config := tree.Config{GlobalIgnore: tree.GitIgnoreFile(x.getenv)}
		x.o.Trees = &tree.Set{Config: config}
	}
	return x, nil
}

// Close ends what is under way. Calls after it fail with [code.ErrClosed].
func (x *Index) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	var ended error
	if x.o.Checker != nil {
		ended = x.o.Checker.Close()
	}
	return errors.Join(ended, x.shut(), x.roots.Close())
}

// shut closes what is open; a later call opens it again. The lock is held.
func (x *Index) shut() error {
	o := x.opened
	x.opened = nil
	if o == nil {
		return nil
	}
	return errors.Join(o.index.Close(), o.tree.Close())
}

// Working tells whether any of the tools has needed the index yet.
func (x *Index) Working() bool { return x.working() != nil }

// working is the index at work, nil before a tool was called.
func (x *Index) working() *opened {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.opened
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
	options := code.Options{
		Cache:    x.o.Cache,
		Key:      t.Root(),
		Version:  x.o.Version,
		Progress: x.o.Progress,
	}
	if x.o.Checker != nil {
		options.Checker = x.o.Checker
	}
	index := code.New(s, options)
	x.opened = &opened{tree: t, source: s, search: engine, index: index}
	return x.opened, nil
}

// tree opens the working tree: watched, and shared with others of the process, if the process lives long.
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
		k, v, _ := strings.Cut(e, "=")
		if k == name {
			return v
		}
	}
	return ""
}

// Snapshot is the state of the tree as it is now, for questions that no tool asks. The first call reads the tree and
// may take long: after 45 s it returns an error of the code [tool.TimedOut] while the reading goes on.
func (x *Index) Snapshot(ctx context.Context) (*code.Snapshot, error) {
	o, err := x.work()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, buildTime)
	defer cancel()
	s, err := o.index.Snapshot(ctx)
	if errors.Is(err, code.ErrBuilding) {
		building := tool.Errorf(tool.TimedOut, "the index is being built")
		return nil, building.WithHint("it goes on: call again in a while")
	}
	return s, err
}

// Stats are the figures of the work done so far, zeros before the first call.
func (x *Index) Stats() code.Stats {
	o := x.working()
	if o == nil {
		return code.Stats{}
	}
	return o.index.Stats()
}

// Searched says how the last search went: whether an index was used, how many files were looked at.
func (x *Index) Searched() search.Summary {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.searched
}

// Clear removes the index, in memory and in the cache. The next call of a tool builds it anew.
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
	err := os.Remove(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
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
