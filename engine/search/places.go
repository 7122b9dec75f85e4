package search

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"helve/engine/tree"
)

// places sorts Query.Paths into directories and files. No path means the root.
func (j *job) places() (dirs []string, files []target, err error) {
	if len(j.q.Paths) == 0 {
		return []string{"."}, nil, nil
	}
	for _, p := range j.q.Paths {
		p = path.Clean(p)
		if !fs.ValidPath(strings.ToValidUTF8(p, "x")) { // a name need not be UTF-8
			return nil, nil, fmt.Errorf("search: %s: not below the root", p)
		}
		kind, st, err := j.e.tree.Lookup(p)
		switch {
		case err != nil:
			return nil, nil, fmt.Errorf("search: %w", err)
		case kind == tree.Directory:
			dirs = append(dirs, p)
		case kind == tree.Regular:
			name := path.Base(p)
			dir := strings.TrimSuffix(p, name)
			files = append(files, j.newTarget(dir, name, st))
		default:
			return nil, nil, fmt.Errorf("search: %s: neither a file nor a directory", p)
		}
	}
	return outermost(dirs), files, nil
}

// outermost drops directories that lie in another of the list, so that no file is searched twice.
func outermost(dirs []string) []string {
	slices.Sort(dirs)
	var out []string
	for _, d := range dirs {
		if len(out) == 0 || !below(d, out[len(out)-1]) {
			out = append(out, d)
		}
	}
	return out
}

// below reports that p is dir or lies in it. The root is ".".
func below(p, dir string) bool {
	if dir == "." || p == dir {
		return true
	}
	return len(p) > len(dir) && p[:len(dir)] == dir && p[len(dir)] == '/'
}
