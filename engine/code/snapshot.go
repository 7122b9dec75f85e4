package code

import (
	"context"
	"sync"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
)

// What is known of files, and how sure answers are: the words of the packages below, as far as answers hold them.
type (
	// Options of an Index.
	Options = store.Options
	// Stats count the work of an Index.
	Stats = store.Stats
	// Source lists files and opens them.
	Source = store.Source
	// Listing is the files of a source at one moment.
	Listing = store.Listing
	// Entry is a file of a listing.
	Entry = store.Entry
	// Symbol is one definition as answers show it.
	Symbol = store.Symbol
	// UnknownError says that nothing in the tree has a name.
	UnknownError = store.UnknownError
	// Unread tells of files that were not read, and may have what was asked for.
	Unread = store.Unread

	// Checker settles what an index alone leaves open.
	Checker = store.Checker
	// Asked is a name in a file.
	Asked = store.Asked
	// Position is a place in a text as language servers count.
	Position = store.Position
	// Meaning is where a name is defined.
	Meaning = store.Meaning
	// Definition is where a definition has its name.
	Definition = store.Definition

	// Confidence is how sure an edge is.
	Confidence = meaning.Confidence
	// Level says how an edge was found.
	Level = meaning.Level
	// Alone is what is to be known of a definition that nothing else uses.
	Alone = meaning.Alone
)

// The levels, from the surest down.
const (
	Exact       = meaning.Exact       // scope or type say so
	Imported    = meaning.Imported    // an import of the file says so
	SamePackage = meaning.SamePackage // another file of the package defines it
	Unique      = meaning.Unique      // the only definition of that name that fits
	Ambiguous   = meaning.Ambiguous   // one of several that fit
)

// Why there is no snapshot.
var (
	// ErrBuilding says that the index is not ready yet and goes on being built.
	ErrBuilding = store.ErrBuilding
	// ErrClosed says that the index was closed.
	ErrClosed = store.ErrClosed
)

// CacheName is the name of the file in Options.Cache that keeps the index of this key. It may be removed at any time.
func CacheName(key string) string { return store.CacheName(key) }

// Index is what is known of one source. It does nothing before the first Snapshot. Safe for concurrent use.
type Index struct {
	store *store.Index

	mu   sync.Mutex
	last *Snapshot // the answer before: the same state is the same pointer
}

// New makes the index of source.
func New(source Source, o Options) *Index { return &Index{store: store.New(source, o)} }

// Stats answers the work done so far.
func (x *Index) Stats() Stats { return x.store.Stats() }

// Snapshot answers the state of the source as it is now, after reading what has changed. When ctx ends first, the
// reading goes on and the error is ErrBuilding: ask again.
func (x *Index) Snapshot(ctx context.Context) (*Snapshot, error) {
	tree, err := x.store.Snapshot(ctx)
	return x.of(tree), err
}

// SnapshotWithin is Snapshot for who waits for no more than so many changed files to be read. Where more are to be, the
// reading goes on and the error is ErrBuilding.
func (x *Index) SnapshotWithin(ctx context.Context, files int) (*Snapshot, error) {
	tree, err := x.store.SnapshotWithin(ctx, files)
	return x.of(tree), err
}

func (x *Index) of(tree *store.Snapshot) *Snapshot {
	if tree == nil {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.last == nil || x.last.tree != tree {
		x.last = &Snapshot{tree}
	}
	return x.last
}

// Close ends what is under way. Snapshots stay usable.
func (x *Index) Close() error { return x.store.Close() }

// Snapshot is one immutable state of an Index. Its methods are safe for concurrent use.
type Snapshot struct{ tree *store.Snapshot }

// Tree is the state itself, for the packages beside this one.
func (s *Snapshot) Tree() *store.Snapshot { return s.tree }

// PlainIDs is the same state with IDs that hold no blank and no colon: these are written as in a URL (%20, %3A). An ID
// is understood in both forms, whichever it was answered in.
func (s *Snapshot) PlainIDs() *Snapshot { return &Snapshot{s.tree.PlainIDs()} }

// Unread are those files whose language can refer to that of path, or all where that is "".
func (s *Snapshot) Unread(path string) Unread { return s.tree.Unread(path) }

// A resolver finds what references of a snapshot mean, for one question. Not safe for concurrent use.
type resolver struct {
	*meaning.Resolver
	s *Snapshot
}

// newResolver is one that finds nothing more when ctx ends.
func newResolver(ctx context.Context, s *Snapshot) *resolver {
	return &resolver{meaning.NewResolver(ctx, s.tree), s}
}

// newPlanner is one that leaves nothing out: who changes code has to know all that may be meant.
func newPlanner(ctx context.Context, s *Snapshot) *resolver {
	return &resolver{meaning.NewPlanner(ctx, s.tree), s}
}
