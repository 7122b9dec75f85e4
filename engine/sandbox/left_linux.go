package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxLeft bounds the names that are told, and maxLooked the entries of a directory that are looked at for them.
const (
	maxLeft   = 20
	maxLooked = 200
)

// caches are what run times leave in any temporary directory, of no interest to anybody.
var caches = []string{"node-compile-cache", "v8-compile-cache", "go-build", "hsperfdata_", "tsx-", "jiti", "metro-", "npm-"}

// left lists what the command leaves in its private temporary directories, which end with it. Sorted.
func (p plan) left() []string {
	dirs := []string{"/tmp", "/var/tmp"}
	if p.Mechanism == Landlock {
		dirs = []string{p.Temp}
	}
	var out []string
	for _, d := range dirs {
		out = append(out, p.leftIn(d)...)
	}
	slices.Sort(out)
	return out[:min(len(out), maxLeft)]
}

func (p plan) leftIn(dir string) []string {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, _ := f.ReadDir(maxLooked) // an error ends the list
	var out []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		shown := func(v string) bool { return inside(v, path) }
		if slices.ContainsFunc(p.Visible, shown) || slices.ContainsFunc(p.Writable, shown) || !worthTelling(path, e) {
			continue // a part of the workspace, mounted there
		}
		out = append(out, path)
	}
	return out
}

// worthTelling reports a file that holds something, or a directory that does.
func worthTelling(path string, e fs.DirEntry) bool {
	if slices.ContainsFunc(caches, func(c string) bool { return strings.HasPrefix(e.Name(), c) }) {
		return false
	}
	if e.IsDir() {
		f, err := os.Open(path)
		if err != nil {
			return false
		}
		defer f.Close()
		names, _ := f.Readdirnames(1)
		return len(names) > 0
	}
	st, err := e.Info()
	return err == nil && st.Mode().IsRegular() && st.Size() > 0
}
