package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"helve/internal/testing/ptytest"
)

// A desk is a workspace with a home of its own, and helve in it.
type desk struct {
	t         *testing.T
	dir, home string
}

func newDesk(t *testing.T) desk {
	t.Helper()
	root := t.TempDir()
	d := desk{t: t, dir: filepath.Join(root, "work"), home: filepath.Join(root, "home")}
	for _, dir := range []string{d.dir, d.home} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(root, "helve")); err != nil { // the test binary goes by its name
		t.Fatal(err)
	}
	d.write("a.txt", "one\ntwo\n")
	return d
}

func (d desk) write(name, text string) {
	d.t.Helper()
	if err := os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

func (d desk) read(name string) string {
	b, _ := os.ReadFile(filepath.Join(d.dir, name))
	return string(b)
}

func (d desk) command(args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(filepath.Dir(d.dir), "helve"), args...)
	cmd.Dir = d.dir
	cmd.Env = []string{"HOME=" + d.home, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8"}
	return cmd
}

// sit runs helve on a terminal.
func (d desk) sit(columns int, args ...string) *ptytest.Terminal {
	d.t.Helper()
	return ptytest.Start(d.t, d.command(args...), columns)
}

// approvals is what is remembered.
func (d desk) approvals() string {
	d.t.Helper()
	out, err := d.command("approvals", "list", "--json").CombinedOutput()
	if err != nil {
		d.t.Errorf("approvals: %v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // no text is none in JSON
	}
	return string(b)
}
