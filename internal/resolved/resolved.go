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
type Paths map[string]place

// A place is where a path leads. What is not there keeps its name, in the folder that it would be in.
type place struct {
	real  string
	there bool
}

// Of is a clean path with its links resolved. What is not there keeps its name, in the folder that it would be in.
func (p Paths) Of(path string) string { return p.look(path).real }

// There is a clean path with its links resolved, as filepath.EvalSymlinks has it; false: nothing is there.
func (p Paths) There(path string) (string, bool) {
	at := p.look(path)
	return at.real, at.there
}

func (p Paths) look(path string) place {
	above := filepath.Dir(path)
	if path == above {
		return place{real: path, there: true}
	}
	if known, ok := p[path]; ok {
		return known
	}
	dir := p.look(above)
	at := place{real: filepath.Join(dir.real, filepath.Base(path))}
	if dir.there {
		at.follow()
	}
	p[path] = at
	return at
}

// follow asks whether something is there, and resolves a link.
func (at *place) follow() {
	st, err := os.Lstat(at.real)
	at.there = err == nil
	if !at.there || st.Mode()&os.ModeSymlink == 0 && runtime.GOOS != "windows" { // where short names are resolved, too
		return
	}
	to, err := filepath.EvalSymlinks(at.real)
	at.there = err == nil
	if at.there {
		at.real = to
	}
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
