//go:build !portable

package search

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"helve/engine/tree"
)

// What is remembered of directories is used, or TestCommandsWithAnIndexSeeEveryChange says nothing. Elsewhere than on
// Linux a directory's time is not relied on, and each is read anew.
func TestCommandsWithAnIndexReadNoDirectoryAnew(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	for i := range 5 {
		write(t, filepath.Join(dir, fmt.Sprint("d", i), "f.txt"), "alpha\n")
	}
	backdate()
	e := once(t, dir, cache)
	e.build(t)
	set := e.index.open(e.tree.Root())
	known := set.known(e.tree.Root(), e.tree.GlobalIgnore())
	if known == nil {
		t.Skip("the tree changed a moment ago, or its parents did")
	}
	var read []string
	_, err := e.tree.Walk(context.Background(), tree.Options{Stat: true, Known: known}, func(_ int, d *tree.Dir) error {
		for _, f := range d.Files {
			if f.Number < 0 {
				read = append(read, d.Path+f.Name)
			}
		}
		return nil
	})
	if err != nil || len(read) > 0 {
		t.Errorf("%v, files of directories that were read: %v", err, slices.Sorted(slices.Values(read)))
	}
}
