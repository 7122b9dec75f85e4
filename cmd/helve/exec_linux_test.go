package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestInAReadOnlyStateATicketLetsALineRunAsItIs: so it is in the sandbox of a client, which confines the line then.
func TestInAReadOnlyStateATicketLetsALineRunAsItIs(t *testing.T) {
	const within = `mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"`
	env := execEnviron(t)
	state := ""
	for _, e := range env {
		if rest, ok := strings.CutPrefix(e, "XDG_STATE_HOME="); ok {
			state = rest
		}
	}
	if err := os.MkdirAll(state, 0o700); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run := func(argv ...string) (string, int) {
		cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
		cmd.Dir, cmd.Env = dir, env
		out, _ := cmd.CombinedOutput()
		return string(out), shellStatus(cmd)
	}
	readOnly := func(argv ...string) (string, int) {
		return run(append([]string{"unshare", "-rm", "sh", "-c", within, "sh", state}, argv...)...)
	}
	if _, err := exec.LookPath("unshare"); err != nil {
		t.Skip("unshare is not installed")
	}
	if out, status := readOnly("true"); status != 0 {
		t.Skipf("no mounts can be had here: %s", out)
	}
	if out, status := run("helve", "exec", "--", "true"); status != 0 { // a hook has opened the workspace, too
		t.Fatal(out)
	}
	if out, status := readOnly("helve", "exec", "--client", "codex", "-c", "touch made"); status != 126 {
		t.Errorf("without a ticket: status %d: %s", status, out)
	}
	if out, status := run("ticket", "codex", "echo out; touch made; exit 3"); status != 0 {
		t.Fatal(out)
	}
	if out, status := readOnly("helve", "exec", "--client", "codex", "-c", "echo out; touch made; exit 3"); status != 3 || out != "out\n" {
		t.Errorf("status %d: %q", status, out)
	}
	if _, err := os.Stat(filepath.Join(dir, "made")); err != nil {
		t.Error(err)
	}
	out, _ := readOnly("helve", "exec", "--json", "--client", "codex", "-c", "echo out; touch made; exit 3")
	if !strings.Contains(out, "confined by codex") {
		t.Errorf("%s", out)
	}
}
