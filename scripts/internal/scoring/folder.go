// Package scoring is what the scores share: a folder that both sides read, and servers that are asked about it.
package scoring

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"helve/engine/code"
)

// Folder is a code.Source that lists a folder once.
//
// The workspace's own source would leave out what is ignored, hidden or too large. Here both sides have to read the
// same files.
type Folder struct {
	root string
	list code.Listing
}

var _ code.Source = (*Folder)(nil)

// OpenFolder lists what is below root, sorted by path as the index wants it.
func OpenFolder(root string) (*Folder, error) {
	f := &Folder{root: root}
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
func (f *Folder) Files(context.Context) (code.Listing, error) { return f.list, nil }

// Open opens a file of the list.
func (f *Folder) Open(path string) (io.ReadCloser, error) {
	return os.Open(filepath.Join(f.root, filepath.FromSlash(path)))
}

// Entries are the files of the list, which is not to be changed.
func (f *Folder) Entries() []code.Entry { return f.list.Files }

// Holds tells whether a file is in this language by its name.
func (f *Folder) Holds(l code.Language) bool {
	return slices.ContainsFunc(f.list.Files, func(e code.Entry) bool { return code.LanguageOf(e.Path, nil) == l })
}

// ReadAll reads a whole file: the corpora are source code, not what an attacker made large.
func ReadAll(src code.Source, path string) ([]byte, error) {
	r, err := src.Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// Spread picks count items of a list, the same ones at every run, so that a change shows as a difference of two
// outputs.
func Spread(list []string, count int) []string {
	slices.Sort(list)
	if len(list) <= count {
		return list
	}
	var out []string
	for i := range count {
		out = append(out, list[i*len(list)/count])
	}
	return out
}
