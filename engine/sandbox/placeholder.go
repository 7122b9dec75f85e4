package sandbox

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Placeholder tells whether what stands at a path of a writable directory is there only while a command runs, in
// place of a protected path that is missing: a socket that nobody may write to, or such a directory with nothing else
// in it. rel is relative to the directory, slash-separated.
func Placeholder(dir, rel string) bool {
	st, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(rel)))
	if err != nil {
		return false
	}
	const writes = 0o222
	known, leads := protects(rel)
	switch {
	case st.Mode().Perm()&writes != 0:
		return false
	case st.Mode().Type() == fs.ModeSocket:
		return known
	case !st.IsDir() || !leads:
		return false
	}
	entries, err := os.ReadDir(filepath.Join(dir, filepath.FromSlash(rel)))
	for _, e := range entries {
		if err != nil || !Placeholder(dir, path.Join(rel, e.Name())) {
			return false
		}
	}
	return err == nil
}

// protects tells whether a path is a protected one, and whether it is one or leads to one.
func protects(rel string) (known, leads bool) {
	for _, p := range DefaultProtected() {
		p = strings.Trim(path.Clean(p), "/")
		known = known || p == rel
		leads = leads || strings.HasPrefix(p+"/", rel+"/")
	}
	return known, leads
}
