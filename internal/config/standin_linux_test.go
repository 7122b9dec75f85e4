package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"helve/internal/config"
)

// leave makes what earlier versions put into a workspace while a command ran.
func leave(t *testing.T, work string) {
	t.Helper()
	for _, name := range []string{".mcp.json", ".envrc", ".gitmodules"} {
		if err := syscall.Mknod(filepath.Join(work, name), syscall.S_IFSOCK|0o444, 0); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{".claude", ".vscode", ".git"} {
		if err := os.Mkdir(filepath.Join(work, name), 0o555); err != nil {
			t.Fatal(err)
		}
	}
}

func namesIn(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return strings.Join(out, " ")
}

func TestWhatAKilledHelveOfAnEarlierVersionLeftIsClearedAway(t *testing.T) {
	h := newHome(t).write(project, `{"mode":"plan"}`)
	leave(t, h.work())
	if c := h.mustLoad(config.Options{Workspace: h.work()}); c.Mode != "plan" || len(c.Warnings) > 0 {
		t.Errorf("mode %q, warnings %q", c.Mode, c.Warnings)
	}
	if got := namesIn(t, h.work()); got != ".helve" {
		t.Errorf("left: %s", got)
	}
}

func TestWhatAnEarlierVersionNeedsStaysAndCountsAsAbsent(t *testing.T) {
	h := newHome(t).write(project, `{"mode":"plan"}`)
	leave(t, h.work())
	before := namesIn(t, h.work())
	d, err := os.Open(h.work())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := syscall.Flock(int(d.Fd()), syscall.LOCK_SH); err != nil {
		t.Fatal(err)
	}
	if c := h.mustLoad(config.Options{Workspace: h.work()}); c.Mode != "plan" || len(c.Warnings) > 0 {
		t.Errorf("mode %q, warnings %q", c.Mode, c.Warnings)
	}
	if got := namesIn(t, h.work()); got != before {
		t.Errorf("now there is %s, want %s", got, before)
	}
}

// What only looks like it is somebody's.
func TestNothingOfOthersIsClearedAway(t *testing.T) {
	h := newHome(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	at := func(name string) string { return filepath.Join(h.work(), name) }
	must(syscall.Mknod(at(".envrc"), syscall.S_IFSOCK|0o644, 0)) // may be written to
	must(syscall.Mknod(at("own"), syscall.S_IFSOCK|0o444, 0))
	must(os.Mkdir(at(".idea"), 0o755))
	must(os.Mkdir(at(".cursor"), 0o755))
	must(os.WriteFile(at(".cursor/mcp.json"), []byte("{}"), 0o444))
	must(os.Chmod(at(".cursor"), 0o555))
	t.Cleanup(func() { os.Chmod(at(".cursor"), 0o755) })
	before := namesIn(t, h.work())
	h.mustLoad(config.Options{Workspace: h.work()})
	if got := namesIn(t, h.work()); got != before {
		t.Errorf("now there is %s, want %s", got, before)
	}
}

// Sandboxes of others mount the null device over what is not to be made: seen from inside, it is absent.
func TestTheNullDeviceIsNoConfiguration(t *testing.T) {
	h := newHome(t).write(project, `{"mode":"plan"}`)
	const null = 1<<8 | 3
	if err := syscall.Mknod(filepath.Join(h.work(), ".mcp.json"), syscall.S_IFCHR|0o666, null); err != nil {
		t.Skip("only root can make devices: ", err)
	}
	if c := h.mustLoad(config.Options{Workspace: h.work()}); c.Mode != "plan" || len(c.Warnings) > 0 {
		t.Errorf("mode %q, warnings %q", c.Mode, c.Warnings)
	}
	const zero = 1<<8 | 5
	other := newHome(t)
	if err := syscall.Mknod(filepath.Join(other.work(), ".mcp.json"), syscall.S_IFCHR|0o666, zero); err != nil {
		t.Fatal(err)
	}
	if _, err := other.load(config.Options{Workspace: other.work()}); err == nil {
		t.Error("a device that can be read without an end was passed over")
	}
}
