// Package resolved says where paths lead, links resolved, as far as they are there. Who asks for many paths in a few
// folders asks the system for each folder once.
package resolved

import (
	"os"
	"path/filepath"
	"runtime"
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
