package store

import (
	"context"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
)

// texts is a source in memory: a text for each path.
type texts map[string]string

func (t texts) Files(context.Context) (Listing, error) {
	var l Listing
	for _, path := range slices.Sorted(maps.Keys(t)) {
		l.Files = append(l.Files, Entry{Path: path, Size: int64(len(t[path])), ModTime: 1})
	}
	return l, nil
}

func (t texts) Open(path string) (io.ReadCloser, error) {
	text, ok := t[path]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return io.NopCloser(strings.NewReader(text)), nil
}

// read is what an index knows of the texts.
func read(t *testing.T, files texts, o Options) *Snapshot {
	t.Helper()
	x := New(files, o)
	t.Cleanup(func() { x.Close() })
	s, err := x.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}
