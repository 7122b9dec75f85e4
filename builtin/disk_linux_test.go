package builtin_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"helve/builtin"
	"helve/tool"
)

// A child of this test binary meets a disk that is full, or a limit on the size of files: real ones, where the system lets it make them.
// HELVE_DISK names the folder, HELVE_DISK_LIMIT what the system says. (What a quota says is internal/fsroot's to test: few kernels make one.)
func TestAFullDiskLeavesEveryFileAsItWas(t *testing.T) {
	const own = "^TestAFullDiskLeavesEveryFileAsItWas$"
	if dir := os.Getenv("HELVE_DISK"); dir != "" {
		meetTheLimit(t, dir, os.Getenv("HELVE_DISK_LIMIT"))
		return
	}
	for name, c := range map[string]struct {
		says  string
		clone uintptr
	}{
		"disk":  {"no space left on device", syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS},
		"limit": {"file too large", 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			cmd := exec.Command(os.Args[0], "-test.run="+own, "-test.v")
			cmd.Env = append(os.Environ(), "HELVE_DISK="+dir, "HELVE_DISK_LIMIT="+c.says, "TMPDIR="+t.TempDir())
			if c.clone != 0 {
				me := []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
				group := []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
				cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: c.clone, UidMappings: me, GidMappings: group}
			}
			out, err := cmd.CombinedOutput()
			switch {
			case err != nil && len(out) == 0:
				t.Skip("no user namespace here: ", err)
			case strings.Contains(string(out), "--- SKIP"):
				t.Skipf("%s", out)
			case err != nil:
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// meetTheLimit is the child: what is too much is refused by name, the files stay, and what fits goes on to work.
func meetTheLimit(t *testing.T, dir, says string) {
	switch says {
	case "no space left on device":
		if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=512k"); err != nil {
			t.Skip("no file system can be mounted here: ", err)
		}
	case "file too large":
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 512 << 10, Max: 512 << 10}); err != nil {
			t.Skip(err)
		}
	}
	h := open(t, builtin.Options{Dirs: []string{dir}, State: t.TempDir()})
	for _, n := range []int{900 << 10, 3 << 20} { // found while writing, and while space is reserved
		h.put("f", "head\nold\ntail\n")
		much := strings.Repeat("0123456789abcde\n", n/16)
		for what, a := range map[string]args{
			"edit":       {"file_path": "f", "old_string": "old", "new_string": much},
			"multi_edit": {"file_path": "f", "edits": []args{{"old_string": "old", "new_string": "x"}, {"old_string": "x", "new_string": much}}},
			"write":      {"file_path": "f", "contents": much},
		} {
			r := h.call(what, a)
			if code(r) != tool.Execution || !strings.Contains(r.Text(), says) || !strings.Contains(r.Text(), "the file is unchanged") || h.get("f") != "head\nold\ntail\n" {
				t.Errorf("%s of %d: %s %.300q", what, n, code(r), r.Text())
			}
		}
		r := h.call("write", args{"file_path": "new/g", "contents": much})
		if _, err := os.Lstat(filepath.Join(dir, "new", "g")); code(r) != tool.Execution || err == nil {
			t.Errorf("a new file: %s %.300q, %v", code(r), r.Text(), err)
		}
		for _, pattern := range []string{".helve-*", "new/.helve-*"} {
			if left, _ := filepath.Glob(filepath.Join(dir, pattern)); len(left) > 0 {
				t.Errorf("left: %q", left)
			}
		}
	}
	if r := h.call("edit", args{"file_path": "f", "old_string": "old", "new_string": "new"}); r.Err != nil || h.get("f") != "head\nnew\ntail\n" {
		t.Errorf("what fits: %q", r.Text())
	}
}
