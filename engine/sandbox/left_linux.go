package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// maxLeft bounds the names that are told: they are a hint that something is lost, not a listing.
	maxLeft = 20
	// maxLooked bounds the entries of a directory that are looked at for them. The command ends when this is done.
	maxLooked = 200
)

// caches are how the names begin that run times leave in any temporary directory, of no interest to anybody.
var caches = []string{
	".cache", "node-compile-cache", "v8-compile-cache", "go-build", "hsperfdata_", "tsx-", "jiti", "metro-", "npm-",
}

// left lists what the command leaves in its private temporary directories, which end with it. Sorted.
func (p plan) left() []string {
	if p.Level == Light {
		return nil // they are the machine's
	}
	dirs := []string{"/tmp", "/var/tmp"}
	if p.Mechanism == Landlock {
		dirs = []string{p.Temp}
	}
	if p.Kept != "" { // it does not end with the command
		dirs = slices.DeleteFunc(dirs, func(d string) bool { return d == keptPlace || d == p.Kept })
	}
	var out []string
	for _, d := range dirs {
		out = append(out, p.leftIn(d)...)
	}
	slices.Sort(out)
	return out[:min(len(out), maxLeft)]
}

// leftIn lists what is worth telling of one temporary directory.
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
		if holdsAny(path, p.Visible) || holdsAny(path, p.Writable) {
			continue // a part of the workspace, mounted there
		}
		if p.Reads != nil && p.Reads.leads(path) {
			continue
		}
		if worthTelling(path, e) {
			out = append(out, path)
		}
	}
	return out
}

// worthTelling reports a file that holds something, or a directory that does.
func worthTelling(path string, e fs.DirEntry) bool {
	isCache := func(begin string) bool { return strings.HasPrefix(e.Name(), begin) }
	if slices.ContainsFunc(caches, isCache) {
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
