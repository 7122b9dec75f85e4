package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// alone runs helve where no further namespace can be made, so that Landlock is all there is.
func (d *base) alone(args ...string) string {
	d.t.Helper()
	line := `echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"`
	words := append([]string{"--user", "--map-root-user", "--fork", "bash", "-c", line, "bash", d.helve()}, args...)
	out, _ := d.command("unshare", words...).CombinedOutput()
	return string(out)
}

// Mode auto lets in for what is kept. With Landlock alone less is: it asks, and says what is not kept; a command that only
// looks is not tried by its words, and what was approved leaves nothing that runs later.
func TestModeAutoAsksWithLandlockAlone(t *testing.T) {
	d := newBase(t, 0)
	if err := exec.Command("unshare", "--user", "--map-root-user", "true").Run(); err != nil {
		t.Skip("a user namespace, in which there are none, does not work here: ", err)
	}
	if err := os.WriteFile(filepath.Join(d.work, "s"), []byte("echo made >made; mkdir -p sub/.vscode; echo evil >sub/.vscode/tasks.json"), 0o644); err != nil {
		t.Fatal(err)
	}
	bash := func(flags ...string) string {
		return d.alone(append(flags, "--mode", "auto", "call", "bash", "command=sh s")...)
	}
	out := bash()
	if strings.Contains(out, "no mechanism") || strings.Contains(out, "cannot be kept on this machine") {
		t.Skip("Landlock does not work here: ", out)
	}
	if !strings.Contains(out, "needs approval, and nobody can be asked") || !strings.Contains(out, "not held back until it was looked at: the mechanism landlock cannot") {
		t.Errorf("%s", out)
	}
	if _, err := os.Stat(filepath.Join(d.work, "made")); err == nil {
		t.Fatal("it ran unasked")
	}
	if out := d.alone("--mode", "ask", "call", "bash", "command=x=s; cat $x"); !strings.Contains(out, "needs approval") {
		t.Errorf("it was tried by its words: %s", out)
	}
	if out := d.alone("doctor"); !strings.Contains(out, "landlock") || !strings.Contains(out, "protected paths") {
		t.Errorf("doctor does not list what is not kept: %s", out)
	}
	out = d.alone("--mode", "auto", "call", "--yes", "bash", "command=sh s")
	if !strings.Contains(out, "sub/.vscode was put aside and is as before: ") || !strings.Contains(out, "for whom it waits (helve review show ") {
		t.Errorf("%s", out)
	}
	if text, err := os.ReadFile(filepath.Join(d.work, "made")); err != nil || string(text) != "made\n" {
		t.Errorf("%q, %v: %s", text, err, out)
	}
	if _, err := os.Stat(filepath.Join(d.work, "sub/.vscode")); err == nil {
		t.Errorf("what runs later is there: %s", out)
	}
}
