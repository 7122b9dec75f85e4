// Package files holds the tools that read, find and change files.
package files

//go:generate go test -run TestSchemasOfFilesAreThoseInferred -write-inferred

import (
	"context"

	"helve/builtin/internal/record"
)

// Options say how files are read and changed; the fields are those of builtin.Options.
type Options struct {
	ReadsFolders bool
	Buffers      Buffers
	Broken       func(ctx context.Context, path string) func(context.Context) (broke []string, unchecked string)
}

// Files are those of a workspace as its tools read, find and change them. They are safe for concurrent use.
type Files struct {
	*record.Records
	Options
	lines lineCache
}

// New reads nothing yet.
func New(r *record.Records, o Options) *Files { return &Files{Records: r, Options: o} }
