package store

import (
	"context"
	"io"
)

// Source is the tree of files that an Index reads. Its methods are safe for concurrent use.
type Source interface {
	// Files lists the regular files that the index may read, as they are now.
	Files(ctx context.Context) (Listing, error)
	// Open opens a listed file. It never leads out of the tree.
	Open(path string) (io.ReadCloser, error)
}

// Listing is the state of a tree.
type Listing struct {
	// Files is sorted by Path. The index keeps it; nobody may change it.
	Files []Entry
	// Version tells listings apart: two listings of one source that have the same Version, other than 0, are equal.
	Version uint64
}

// Entry is one file of a tree.
type Entry struct {
	Path    string // slash-separated, relative to the root
	Size    int64  // bytes
	ModTime int64  // nanoseconds since 1970
}
