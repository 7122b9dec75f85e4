package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

// An absent path is a protected one that is not there: a name that the command must not make in a directory. A mount
// needs something to be mounted on, so these are refused call by call ([renames.makes]), and nothing stands in their
// place.
type absent struct {
	Dir  string `json:"dir"`
	Name string `json:"name"`
}

// guards returns what must be mounted in the writable directories, and what must not be made in them.
func (o Options) guards(writable []string) ([]guard, []absent) {
	var list []guard
	var none []absent
	roots := o.clean(o.Roots)
	for _, root := range writable {
		looked := o.Looked && slices.Contains(roots, root)
		for _, rel := range o.protected(root) {
			there, missing := protect(root, rel)
			list = append(list, there...)
			if missing != nil && !looked {
				none = append(none, *missing)
			}
		}
		for _, path := range o.Kept {
			rel, err := filepath.Rel(root, path)
			if err != nil || !filepath.IsLocal(rel) {
				continue
			}
			there, missing := protect(root, rel)
			list = append(list, there...)
			if missing != nil {
				none = append(none, *missing)
			}
		}
	}
	return dedupe(list), none
}

// protected are the paths in a writable directory that stay as they are.
func (o Options) protected(root string) []string {
	list := append(DefaultProtected(), o.Protected...)
	if isGitDir(root) {
		list = append(list, "hooks/", "config", "modules/")
	}
	if o.NewRepository && !exists(filepath.Join(root, ".git")) {
		// git init makes hooks and a configuration of its own
		list = slices.DeleteFunc(list, func(rel string) bool { return inside(rel, ".git") })
	}
	return list
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// isGitDir reports a git directory given as writable by itself, as a linked work tree needs it.
func isGitDir(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if !exists(filepath.Join(dir, name)) {
			return false
		}
	}
	return true
}

// protect keeps one path below root: the path itself read-only, the directories on the way to it pinned. What is
// missing of it is returned, too: without its directory the path is protected by protecting the directory.
func protect(root, rel string) ([]guard, *absent) {
	rel = strings.Trim(filepath.Clean(rel), "/")
	if rel == "." || rel == ".." || strings.HasPrefix(rel, "../") {
		return nil, nil // not in this directory: nothing of it is writable by way of this root
	}
	var list []guard
	parts := strings.Split(rel, "/")
	dir := root
	for i, part := range parts {
		path := filepath.Join(dir, part)
		last := i == len(parts)-1
		st, err := os.Lstat(path)
		switch {
		case err != nil:
			return list, &absent{dir, part}
		case !last && !st.IsDir():
			return append(list, guard{Path: path}), nil // .git is a file in a linked work tree: it names the real one
		}
		list = append(list, guard{Path: path, Pin: !last})
		dir = path
	}
	return list, nil
}

// dedupe keeps one guard a path, the read-only one if there are both, outer paths first.
func dedupe(list []guard) []guard {
	sort.SliceStable(list, func(i, j int) bool {
		a, b := list[i], list[j]
		return a.Path < b.Path || a.Path == b.Path && !a.Pin && b.Pin
	})
	return slices.CompactFunc(list, func(a, b guard) bool { return a.Path == b.Path })
}
