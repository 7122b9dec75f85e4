package git

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// maxPointer bounds what is read of the small files with which git names other places: a path, and the system's longest
// is 4 KiB.
const maxPointer = 4 << 10

// errPointer says that a .git file is not believed.
var errPointer = errors.New("the .git file names a repository that knows nothing of this folder")

// Outside are the folders outside dir that git reads to know the last commit of the tree at dir: the .git of a
// folder above, or what a linked worktree or a submodule shares with others. A .git file is believed only if the
// place that it names says the same of it, or belongs to a repository around it, so that a tree from elsewhere cannot
// point at another repository.
func Outside(dir string) ([]string, error) {
	for at := dir; ; at = filepath.Dir(at) {
		link := filepath.Join(at, ".git")
		st, err := os.Lstat(link)
		switch {
		case err == nil && st.IsDir() && at == dir:
			return nil, nil
		case err == nil && st.IsDir():
			return []string{link}, nil
		case err == nil && st.Mode().IsRegular():
			return linked(at, link)
		case at == filepath.Dir(at):
			return nil, nil
		}
	}
}

// Top is the work tree around dir, where that begins above it; "" where dir is the top of one, or in none.
func Top(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		_, err := os.Lstat(filepath.Join(at, ".git"))
		switch {
		case err == nil && at == dir, at == filepath.Dir(at):
			return ""
		case err == nil:
			return at
		}
	}
}

// linked are the folders that the .git file at link names: a submodule's own, or that of a worktree and what it shares
// with the repository that it was made from.
func linked(at, link string) ([]string, error) {
	to, ok := strings.CutPrefix(pointer(link), "gitdir: ")
	if !ok {
		return nil, errPointer
	}
	to = below(at, to)
	if submodule(at, to) {
		return []string{to}, nil
	}
	back := pointer(filepath.Join(to, "gitdir")) // a worktree's own record of where its .git file is
	if back == "" || !sameFile(below(to, back), link) {
		return nil, errPointer
	}
	dirs := []string{to}
	common := pointer(filepath.Join(to, "commondir"))
	if common != "" {
		dirs = append(dirs, below(to, common))
	}
	return dirs, nil
}

// submodule reports whether to lies among the modules of a repository around at.
func submodule(at, to string) bool {
	for at != filepath.Dir(at) {
		at = filepath.Dir(at)
		modules := filepath.Join(at, ".git", "modules") + string(filepath.Separator)
		if strings.HasPrefix(to, modules) {
			return true
		}
	}
	return false
}

// below is a path that git gives relative to a folder, or as an absolute one.
func below(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// pointer is the only line of a small file, "" if it cannot be read.
func pointer(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return "" // a FIFO would be waited for
	}
	text, err := io.ReadAll(io.LimitReader(f, maxPointer))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// sameFile tells whether two paths are one file. A link in their place is not followed.
func sameFile(a, b string) bool {
	x, err := os.Lstat(a)
	if err != nil {
		return false
	}
	y, err := os.Lstat(b)
	return err == nil && os.SameFile(x, y)
}
