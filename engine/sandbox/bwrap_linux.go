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
		path, err := exec.LookPath(filepath.Join(dir, "bwrap"))
		if err == nil {
			return path
		}
	}
	return ""
}

// bwrap builds the same file system as mountAll by bubblewrap's options, and runs the launcher in it for the rest.
// bubblewrap mounts in the order of its options, so a later one covers an earlier one: first everything read-only,
// then the private directories, what is writable or visible in spite of them, what is guarded, what is masked.
func (p plan) bwrap(launcher string) []string {
	args := []string{
		bwrapPath(),
		"--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try",
		"--die-with-parent",
	}
	if !p.Network {
		args = append(args, "--unshare-net")
	}
	args = append(args, "--ro-bind", "/", "/")
	args = append(args, "--dev", "/dev", "--proc", "/proc", "--remount-ro", "/proc")
	for _, d := range tempDirs {
		st, err := os.Lstat(d)
		switch {
		case err != nil || !st.IsDir():
		case d == keptPlace && p.Kept != "":
			args = append(args, "--bind", p.Kept, d)
		default:
			args = append(args, "--tmpfs", d)
		}
	}
	args = append(args, p.bwrapBinds()...)
	args = append(args, p.bwrapMasks()...)
	// The launcher may lie where nothing is visible any more.
	const inner = "/dev/launcher"
	return append(args, "--ro-bind", outsidePath(launcher), inner, "--chdir", "/", "--", inner)
}

// bwrapBinds mounts the writable, the visible and the guarded paths, outer ones first.
func (p plan) bwrapBinds() []string {
	var args []string
	paths := append(slices.Clone(p.Writable), p.Visible...)
	slices.Sort(paths)
	for _, path := range slices.Compact(paths) {
		switch {
		case slices.Contains(p.Writable, path):
			args = append(args, "--bind", path, path)
		case hiddenByTemp(path):
			args = append(args, "--ro-bind", path, path)
		}
	}
	for _, g := range p.Guard {
		how := "--ro-bind"
		if g.Pin {
			how = "--bind"
		}
		args = append(args, how, g.Path, g.Path)
	}
	return args
}

// bwrapMasks covers masked directories with an empty one and masked files with one that has nothing to read.
func (p plan) bwrapMasks() []string {
	var args []string
	for _, m := range p.Mask {
		st, err := os.Stat(m)
		switch {
		case err != nil:
		case st.IsDir():
			args = append(args, "--perms", "0000", "--tmpfs", m, "--remount-ro", m)
		case !underOther(m, p.Mask):
			args = append(args, "--ro-bind", "/dev/null", m)
		}
	}
	return args
}

// outsidePath is the launcher as bubblewrap finds it: /proc/self/exe would be bubblewrap itself.
func outsidePath(launcher string) string {
	if launcher != "/proc/self/exe" {
		return launcher
	}
	real, err := os.Executable()
	if err != nil {
		return fmt.Sprintf("/proc/%d/exe", os.Getpid())
	}
	return real
}
