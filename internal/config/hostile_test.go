//go:build unix

package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"helve/internal/config"
)

func TestAHostileFileIsAClearErrorAndNeverHangs(t *testing.T) {
	for _, where := range []string{user, project, local, "work/.mcp.json"} {
		for name, c := range map[string]struct {
			make func(path string) error
			want string
		}{
			"a directory":    {func(p string) error { return os.Mkdir(p, 0o755) }, "is a directory"},
			"50 MB":          {func(p string) error { return os.WriteFile(p, make([]byte, 50<<20), 0o644) }, "52428800 bytes, at most 1048576"},
			"a FIFO":         {func(p string) error { return syscall.Mkfifo(p, 0o644) }, "not a regular file"},
			"a device":       {func(p string) error { return os.Symlink("/dev/zero", p) }, "not a regular file"},
			"a link loop":    {func(p string) error { return os.Symlink(filepath.Base(p), p) }, "leads in a circle"},
			"world-writable": {func(p string) error { os.WriteFile(p, []byte("{}"), 0o644); return os.Chmod(p, 0o666) }, "may be written by everybody"},
			"in a folder open to all": {func(p string) error {
				os.WriteFile(p, []byte("{}"), 0o644)
				return os.Chmod(filepath.Dir(p), 0o777)
			}, "its folder may be written by everybody"},
		} {
			h := newHome(t)
			if err := c.make(filepath.Join(h.dir, where)); err != nil {
				t.Fatal(err)
			}
			_, err := h.load(config.Options{})
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), filepath.Base(where)) {
				t.Errorf("%s: %s: %v, want %q", where, name, err, c.want)
			}
			if cfg, err := h.load(config.Options{Tolerant: true}); err != nil || !cfg.Degraded {
				t.Errorf("%s: %s: a server: %v", where, name, err)
			}
		}
	}
}

func TestAFileOfAnotherUserIsRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file to somebody else")
	}
	h := newHome(t).write(project, "{}")
	if err := os.Chown(filepath.Join(h.dir, project), 12345, 12345); err != nil {
		t.Skip(err)
	}
	if _, err := h.load(config.Options{}); err == nil || !strings.Contains(err.Error(), "belongs to user 12345") {
		t.Errorf("%v", err)
	}
}

func TestAnUnreadableFileIsAClearError(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	h := newHome(t).write(user, "{}")
	os.Chmod(filepath.Join(h.dir, user), 0)
	if _, err := h.load(config.Options{}); err == nil || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("%v", err)
	}
}

func TestALinkedUserFileIsRead(t *testing.T) {
	h := newHome(t).write("dotfile.json", `{"mode":"plan"}`)
	if err := os.Symlink(filepath.Join(h.dir, "dotfile.json"), filepath.Join(h.dir, user)); err != nil {
		t.Fatal(err)
	}
	if c := h.mustLoad(config.Options{}); c.Mode != "plan" {
		t.Errorf("%q", c.Mode)
	}
}
