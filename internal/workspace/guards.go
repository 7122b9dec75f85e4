package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"helve/internal/hookfiles"
	"helve/internal/resolved"
	"helve/tool"
)

// asks tells why a path, absolute, is one of Options.Guards; "" if it is none.
func (g *guard) asks(path string) string {
	target := g.places.targetsOf([]string{path})
	return g.rules().Asks(filepath.ToSlash(target[len(target)-1]))
}

// askTargets are Options.Guards as effects name them. A folder of the workspace above one that stays where it is does
// so, too; the workspace itself cannot be moved from inside, and is no target.
func (g *guard) askTargets() (within, alone []string) {
	var folders []string
	for _, path := range g.guards.Alone {
		i := slices.IndexFunc(g.places.dirs, func(dir string) bool { return resolved.Within(dir, path) })
		if i < 0 {
			folders = append(folders, path)
			continue
		}
		for at := path; len(at) > len(g.places.dirs[i]); at = filepath.Dir(at) {
			folders = append(folders, at)
		}
	}
	slices.Sort(folders)
	return g.places.targetsOf(g.guards.Within), g.places.targetsOf(slices.Compact(folders))
}

// askingHere are the guarded files of the workspace: those that are there, and of each other one the first name on the
// way to it that is missing. A folder that others use as well may be made; what comes to lie in it is looked at.
func (g *guard) askingHere() []string {
	var there, missing []string
	for _, path := range g.guards.Within {
		i := slices.IndexFunc(g.places.dirs, func(dir string) bool { return path != dir && resolved.Within(dir, path) })
		if i < 0 {
			continue
		}
		first := firstMissing(g.places.dirs[i], path)
		switch {
		case first == "":
			there = append(there, path)
		case g.asks(first) != "" || hookfiles.Why(strings.ToLower(filepath.ToSlash(first))) != "":
			missing = append(missing, first)
		}
	}
	slices.Sort(missing)
	return append(there, slices.Compact(missing)...)
}

// firstMissing is the first name below dir, on the way to a path in it, that is not there; "": all are.
func firstMissing(dir, path string) string {
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		return ""
	}
	for name := range strings.SplitSeq(rel, string(filepath.Separator)) {
		dir = filepath.Join(dir, name)
		if _, err := os.Lstat(dir); err != nil {
			return dir
		}
	}
	return ""
}

// guardedInode tells that a file which is written is one of Options.Guards by another name: a second name of a file is
// no link that could be followed.
func (g *guard) guardedInode(effects []tool.Effect) (target string, found bool) {
	var guards []os.FileInfo
	for _, e := range effects {
		if e.Kind != tool.Write || e.Target == tool.AnyTarget || e.Target == tool.NoTarget {
			continue
		}
		path := filepath.FromSlash(e.Target)
		if !filepath.IsAbs(path) {
			path = filepath.Join(g.places.dir(), path)
		}
		st, err := os.Stat(path)
		if err != nil || !st.Mode().IsRegular() {
			continue
		}
		if guards == nil {
			guards = infos(g.guards.Within)
		}
		if slices.ContainsFunc(guards, func(g os.FileInfo) bool { return os.SameFile(g, st) }) {
			return e.Target, true
		}
	}
	return "", false
}

// infos are the files that are there.
func infos(paths []string) []os.FileInfo {
	out := []os.FileInfo{}
	for _, p := range paths {
		if st, err := os.Stat(p); err == nil && st.Mode().IsRegular() {
			out = append(out, st)
		}
	}
	return out
}
