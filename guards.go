package helve

import (
	"os"
	"path/filepath"
	"slices"

	"helve/tool"
)

// Guards are what has another program ask helve before its tools run: its settings and hooks wherever they really lie,
// and what they start. No tool writes them. All paths are absolute; where one is a link, that is for whoever names it.
type Guards struct {
	Within []string // files, and folders with all that is in them
	Alone  []string // folders that stay where they are, while other things in them may change
}

// Asks tells why a path, absolute, is one of Options.Guards; "" if it is none.
func (w *Workspace) Asks(path string) string {
	target := w.targetsOf([]string{path})
	return w.rules().Asks(filepath.ToSlash(target[len(target)-1]))
}

// targetsOf are paths as effects name them: what lies below the workspace is named from there, too.
func (w *Workspace) targetsOf(paths []string) []string {
	out := slices.Clone(paths)
	for _, p := range paths {
		for i, dir := range w.dirs {
			rel, ok := inside(dir, resolved(p))
			if !ok {
				continue
			}
			target := filepath.ToSlash(rel)
			if i > 0 {
				target = "//" + filepath.Base(dir) + "/" + target
			}
			out = append(out, target)
		}
	}
	return out
}

// askTargets are Options.Guards as effects name them. A folder of the workspace above one that stays where it is does
// so, too; the workspace itself cannot be moved from inside, and is no target.
func (w *Workspace) askTargets() (within, alone []string) {
	var folders []string
	for _, path := range w.o.Guards.Alone {
		holds := func(dir string) bool {
			_, ok := inside(dir, path)
			return ok
		}
		i := slices.IndexFunc(w.dirs, holds)
		if i < 0 {
			folders = append(folders, path)
			continue
		}
		for at := path; len(at) > len(w.dirs[i]); at = filepath.Dir(at) {
			folders = append(folders, at)
		}
	}
	slices.Sort(folders)
	return w.targetsOf(w.o.Guards.Within), w.targetsOf(slices.Compact(folders))
}

// askingThere are the guarded files that are in the workspace now.
func (w *Workspace) askingThere() []string {
	var out []string
	for _, path := range w.o.Guards.Within {
		_, err := os.Lstat(path)
		in := func(dir string) bool {
			_, ok := inside(dir, path)
			return ok
		}
		if err == nil && slices.ContainsFunc(w.dirs, in) {
			out = append(out, path)
		}
	}
	return out
}

// guardedInode tells that a file which is written is one of Options.Guards by another name: a second name of a file is
// no link that could be followed.
func (w *Workspace) guardedInode(effects []tool.Effect) (target string, found bool) {
	var guards []os.FileInfo
	for _, e := range effects {
		if e.Kind != tool.Write || e.Target == tool.AnyTarget || e.Target == tool.NoTarget {
			continue
		}
		path := filepath.FromSlash(e.Target)
		if !filepath.IsAbs(path) {
			path = filepath.Join(w.Dir(), path)
		}
		st, err := os.Stat(path)
		if err != nil || !st.Mode().IsRegular() {
			continue
		}
		if guards == nil {
			guards = infos(w.o.Guards.Within)
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
