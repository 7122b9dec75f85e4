package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// bwrapPath finds the system's bubblewrap, never one in the workspace.
func bwrapPath() string {
	for _, dir := range []string{"/usr/bin", "/bin", "/usr/local/bin"} {
		if path, err := exec.LookPath(filepath.Join(dir, "bwrap")); err == nil {
			return path
		}
	}
	return ""
}

// bwrap builds the same file system as mountAll by bubblewrap's options, and runs the launcher in it for the rest.
func (p plan) bwrap(launcher string) []string {
	a := []string{bwrapPath(), "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try", "--die-with-parent"}
	if !p.Network {
		a = append(a, "--unshare-net")
	}
	a = append(a, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--remount-ro", "/proc")
	for _, d := range tempDirs {
		if st, err := os.Lstat(d); err == nil && st.IsDir() {
			a = append(a, "--tmpfs", d)
		}
	}
	paths := append(slices.Clone(p.Writable), p.Visible...)
	slices.Sort(paths)
	for _, path := range slices.Compact(paths) {
		switch {
		case slices.Contains(p.Writable, path):
			a = append(a, "--bind", path, path)
		case hiddenByTemp(path):
			a = append(a, "--ro-bind", path, path)
		}
	}
	for _, g := range p.Guard {
		if g.Pin {
			a = append(a, "--bind", g.Path, g.Path)
		} else {
			a = append(a, "--ro-bind", g.Path, g.Path)
		}
	}
	for _, m := range p.Mask {
		if st, err := os.Stat(m); err == nil && st.IsDir() {
			a = append(a, "--perms", "0000", "--tmpfs", m, "--remount-ro", m)
		} else if err == nil && !underMasked(m, p.Mask) {
			a = append(a, "--ro-bind", "/dev/null", m)
		}
	}
	self := launcher
	if launcher == "/proc/self/exe" { // inside, this would be bwrap
		self = fmt.Sprintf("/proc/%d/exe", os.Getpid())
		if real, err := os.Executable(); err == nil {
			self = real
		}
	}
	// The launcher may lie where nothing is visible any more.
	const inner = "/dev/launcher"
	return append(a, "--ro-bind", self, inner, "--chdir", "/", "--", inner)
}
