//go:build !portable

package beneath

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// Whatever is asked, and whether it was there or was refused, no descriptor is left over, and none is closed twice:
// the folder that everything is below is still the same one.
func TestNothingIsLeftOpen(t *testing.T) {
	dir := layout(t)
	root, err := OpenDir(dir)
	must(t, err)
	defer root.Close()
	paths := []string{".", "a/..", "a/b/../f", "f", "a", "a/b", "a/b/f", "a/b/link", "a/self", "a/self/f", "out", "out/f", "abs", "nothing", "a/nothing/f", "f/f", "../out"}
	calls := map[string]func(path string){
		"Open": func(path string) {
			if fd, err := Open(root.fd, path, unix.O_PATH, 0); err == nil {
				unix.Close(fd)
			}
		},
		"descend": func(path string) {
			if fd, err := descend(root.fd, path, unix.O_PATH|unix.O_NOFOLLOW, 0); err == nil {
				unix.Close(fd)
			}
		},
		"OpenDir": func(path string) {
			if d, err := OpenDir(filepath.Join(dir, path)); err == nil {
				d.Close()
			}
		},
		"Dir": func(path string) {
			if d, err := root.Dir(path); err == nil {
				d.Close()
			}
		},
		"OpenFile": func(path string) {
			if f, err := root.OpenFile(path, os.O_RDONLY, 0); err == nil {
				f.Close()
			}
		},
		"Lstat":    func(path string) { root.Lstat(path) },
		"Readlink": func(path string) { root.Readlink(path) },
		"MkdirAll": func(path string) { root.MkdirAll(filepath.Join(path, "made", "below"), 0o755) },
		"Stat": func(path string) {
			var st unix.Stat_t
			Stat(root.fd, path, &st)
		},
	}
	for name, call := range calls {
		for _, path := range paths {
			before := descriptors(t)
			call(path)
			if after := descriptors(t); after != before {
				t.Errorf("%s %s: %d descriptors, before %d", name, path, after, before)
			}
		}
	}
}

// descriptors is how many this process has.
func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	must(t, err)
	return len(entries)
}
