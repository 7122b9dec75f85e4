//go:build unix

package config_test

import (
	"errors"
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
			"a directory":    {func(p string) error { return os.Mkdir(p, 0o755) }, "is a directory, want a file: move it away"},
			"a FIFO":         {func(p string) error { return syscall.Mkfifo(p, 0o644) }, "is a pipe, not a regular file"},
			"a socket":       {func(p string) error { return syscall.Mknod(p, syscall.S_IFSOCK|0o644, 0) }, "is a socket, not a regular file: move it away"},
			"100 MB":         {func(p string) error { return errors.Join(os.WriteFile(p, nil, 0o644), os.Truncate(p, 100<<20)) }, "104857600 bytes, at most 1048576"},
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

// Somebody writes the file again and again, cutting it off first: what is read is one of the texts as a whole, or
// nothing, with a word.
func TestAFileThatChangesWhileItIsReadIsReadAsAWholeOrNotAtAll(t *testing.T) {
	h := newHome(t).write(user, `{"mode":"plan"}`)
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		long := `{"mode":"auto"}` + strings.Repeat(" ", 100_000)
		for {
			select {
			case <-stop:
				return
			default:
				os.WriteFile(filepath.Join(h.dir, user), []byte(long), 0o644)
			}
		}
	}()
	defer func() { close(stop); <-ended }()
	for range 20 {
		c, err := h.load(config.Options{})
		switch {
		case err != nil && strings.Contains(err.Error(), "changes while it is read: try again"):
		case err != nil || c.Mode != "auto" && c.Mode != "plan":
			t.Fatalf("neither one text nor a word: %v", err)
		}
	}
}
