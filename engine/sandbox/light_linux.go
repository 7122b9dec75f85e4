package sandbox

import (
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"helve/internal/secrets"
)

// A cover is a file, and what is seen in its place: its own text without what may be a secret.
type cover struct {
	Path string `json:"path"`
	Text []byte `json:"text"`
}

const (
	// sharedMemory is a temporary directory, too: programs that work together have it in common.
	sharedMemory = "/dev/shm"
	// maxLightProcesses bounds the tree: browsers have hundreds of threads, and this was the whole machine's bound
	// once.
	maxLightProcesses = 1 << 15
	// maxHomeEntries bounds the entries of a directory that are looked at one by one.
	maxHomeEntries = 5000
)

// lighten makes a plan one of the level Light.
func (o Options) lighten(p *plan) {
	p.Sockets = true
	p.Limits = Limits{Processes: max(o.Limits.Processes, maxLightProcesses)}
	kept := append(p.Mask, o.secretNames()...)
	p.Writable, p.Visible = o.places(append(p.Writable, o.shared(p.Mechanism, kept)...))
	masked := append(kept, o.services()...)
	p.Mask = o.clean(o.unmasked(o.clean(masked)))
	p.Covers = o.covers(p.Mask)
}

// places are what may be changed, without what lies in another of these: one mount will do, within which files can be
// moved. Everything else can be read; a home that lies in a temporary directory is read-only all the same, but for
// what in it may be changed.
func (o Options) places(paths []string) (writable, readOnly []string) {
	paths = o.clean(paths)
	home, err := filepath.EvalSymlinks(o.home())
	if err == nil && slices.ContainsFunc(o.clean(o.temporary()), func(t string) bool { return inside(home, t) }) &&
		!slices.Contains(paths, home) {
		readOnly = []string{home}
	}
	writable = slices.DeleteFunc(slices.Clone(paths), func(p string) bool {
		return slices.ContainsFunc(paths, func(outer string) bool {
			between := holdsAny(outer, readOnly) && insideAny(p, readOnly)
			return outer != p && inside(p, outer) && !between
		})
	})
	return writable, readOnly
}

// temporary are the machine's temporary directories.
func (o Options) temporary() []string {
	return []string{"/tmp", "/var/tmp", os.TempDir(), sharedMemory}
}

// shared are the temporary directories that the program has in common with all others. What Landlock allows, it allows
// with all that lies below it: one that holds the home or a secret is not shared there.
func (o Options) shared(mechanism string, kept []string) []string {
	dirs := o.clean(o.temporary())
	if mechanism != Landlock {
		return dirs
	}
	kept = o.clean(append(slices.Clone(kept), o.home()))
	return slices.DeleteFunc(dirs, func(d string) bool { return holdsAny(d, kept) })
}

// services are sockets of services that run commands for whoever reaches them, as far as they are there.
func (o Options) services() []string {
	var out []string
	for _, pattern := range readsTable()["services"] {
		found, _ := filepath.Glob(pattern) // the patterns are ours
		out = append(out, found[:min(len(found), maxSockets)]...)
	}
	return out
}

// secretNames are the files and directories at the top of the home, and of its folder of settings, that hold secrets by
// their names.
func (o Options) secretNames() []string {
	home := o.home()
	if home == "" {
		return nil
	}
	var out []string
	for _, dir := range []string{home, filepath.Join(home, ".config")} {
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) > maxHomeEntries {
			continue
		}
		for _, e := range entries {
			known := (*secrets.List)(nil)
			if known.Has(e.Name()) && !insideAny(filepath.Join(dir, e.Name()), o.Roots) {
				out = append(out, filepath.Join(dir, e.Name()))
			}
		}
	}
	return out
}

// around masks what is at or below a path, but for what was named: a named path is not masked, and of a directory that
// leads to one everything else is.
func around(mask string, named []string) []string {
	switch {
	case slices.Contains(named, mask):
		return nil
	case !holdsAny(mask, named):
		return []string{mask}
	}
	entries, err := os.ReadDir(mask)
	if err != nil || len(entries) > maxHomeEntries {
		return []string{mask}
	}
	var out []string
	for _, e := range entries {
		out = append(out, around(filepath.Join(mask, e.Name()), named)...)
	}
	return out
}

// covers are the settings among the masked files that can be shown without their secrets.
func (o Options) covers(masked []string) []cover {
	var out []cover
	for _, f := range inHome {
		path, err := filepath.EvalSymlinks(filepath.Join(o.home(), filepath.FromSlash(f.path)))
		if err != nil || !slices.Contains(masked, path) {
			continue
		}
		text, err := readSmall(path)
		if err == nil {
			out = append(out, cover{path, f.shown(text)})
		}
	}
	return out
}

// lightGuards keep what later commands are configured by, as far as it is there: a program that runs for days may make
// what is not.
func (o Options) lightGuards() []guard {
	var list []guard
	temporary := o.clean(o.temporary())
	for _, root := range o.writable() {
		if slices.Contains(temporary, root) || !isDirectory(root) {
			continue
		}
		for _, rel := range append(DefaultProtected(), o.Protected...) {
			there, _ := protect(root, rel)
			list = append(list, there...)
		}
	}
	return dedupe(list)
}

func isDirectory(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// copyShared copies the memory that programs share before a private /dev covers it.
func (p plan) copyShared() ([]tree, error) {
	if p.Level != Light || !exists(sharedMemory) {
		return nil, nil
	}
	t, err := copyTree(sharedMemory, attrSafe)
	return []tree{t}, err
}

// ownNamespaces are the calls with which a program makes namespaces of its own: browsers confine their own parts so.
// What is masked stays masked in them, since nothing can be mounted.
var ownNamespaces = []uint32{unix.SYS_UNSHARE, unix.SYS_CHROOT}

// deniedCalls are those that this level refuses.
func (p plan) deniedCalls() []uint32 {
	if p.Level != Light {
		return deniedCalls
	}
	return slices.DeleteFunc(slices.Clone(deniedCalls), func(nr uint32) bool { return slices.Contains(ownNamespaces, nr) })
}
