package main

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"helve/engine/code"
)

// folder is a code.Source that lists a folder once.
//
// The workspace's own source would leave out what is ignored, hidden or too large. Here both sides
// have to read the same files.
type folder struct {
	root string
	list code.Listing
}

// openFolder lists what is below root, sorted by path as the index wants it.
func openFolder(root string) (*folder, error) {
	f := &folder{root: root}
	err := filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		f.list.Files = append(f.list.Files, code.Entry{
			Path:    filepath.ToSlash(rel),
			Size:    info.Size(),
			ModTime: info.ModTime().UnixNano(),
		})
		return err
	})
	slices.SortFunc(f.list.Files, func(a, b code.Entry) int { return strings.Compare(a.Path, b.Path) })
	f.list.Version = 1 // never 0, and the same at every look: nothing changes while it is scored
	return f, err
}

// Files lists every regular file, also what git ignores: the oracles read all of them.
func (f *folder) Files(context.Context) (code.Listing, error) { return f.list, nil }

// Open opens a file of the list.
func (f *folder) Open(path string) (io.ReadCloser, error) {
	return os.Open(filepath.Join(f.root, filepath.FromSlash(path)))
}

// spread picks count items of list, the same ones at every run, so that a change shows as a
// difference of two outputs.
func spread(list []string, count int) []string {
	sort.Strings(list)
	if len(list) <= count {
		return list
	}
	var out []string
	for i := range count {
		out = append(out, list[i*len(list)/count])
	}
	return out
}

// each calls yield for every file of the list.
func (f *folder) each(yield func(code.Entry) bool) {
	for _, e := range f.list.Files {
		if !yield(e) {
			return
		}
	}
}
