package meaning

import (
	"context"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"helve/engine/code/internal/store"
)

// texts is a source in memory: a text for each path.
type texts map[string]string

func (t texts) Files(context.Context) (store.Listing, error) {
	var l store.Listing
	for _, path := range slices.Sorted(maps.Keys(t)) {
		l.Files = append(l.Files, store.Entry{Path: path, Size: int64(len(t[path])), ModTime: 1})
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
func read(t *testing.T, files texts) *store.Snapshot {
	t.Helper()
	x := store.New(files, store.Options{})
	t.Cleanup(func() { x.Close() })
	s, err := x.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}
