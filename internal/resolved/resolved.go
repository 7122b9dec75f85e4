// Package resolved says where paths lead, links resolved, as far as they are there. Who asks for many paths in a few
// folders asks the system for each folder once.
package resolved

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Paths remembers what was found: for one look at the file system, and for one goroutine. The zero value does not
// remember: make one.
type Paths map[string]string

// Of is a clean path with its links resolved. What is not there keeps its name, in the folder that it would be in.
func (p Paths) Of(path string) string {
	above := filepath.Dir(path)
	if path == above {
		return path
	}
	if real, ok := p[path]; ok {
		return real
	}
	real := filepath.Join(p.Of(above), filepath.Base(path))
	st, err := os.Lstat(real)
	link := err == nil && st.Mode()&os.ModeSymlink != 0
	if link || runtime.GOOS == "windows" { // where short names are resolved, too
		if to, err := filepath.EvalSymlinks(real); err == nil {
			real = to
		}
	}
	p[path] = real
	return real
}

// Path is a path with its links resolved, as far as it exists.
func Path(path string) string {
	real, err := filepath.EvalSymlinks(path)
	switch {
	case err == nil:
		return real
	case path == filepath.Dir(path):
		return path
	}
	return filepath.Join(Path(filepath.Dir(path)), filepath.Base(path))
}

// Below is the part of a path behind a folder, "." for the folder itself; false: the path does not lie in it. It
// compares names, and resolves nothing.
func Below(dir, path string) (rel string, ok bool) {
	rel, err := filepath.Rel(dir, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return rel, true
}

// Within tells whether a path is a folder or lies in it, by their names.
func Within(dir, path string) bool {
	_, ok := Below(dir, path)
	return ok
}
