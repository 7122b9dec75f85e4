package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"helve/engine/sandbox"
)

// Events as the clients sent them, by client and version: each is understood, a command is run by helve where the client
// takes that from a hook, and the rest is left to the client.
func TestEventsOfTheRealClientsAreUnderstood(t *testing.T) {
	if _, err := sandbox.Reach(t.Context(), sandbox.Options{Level: sandbox.WorkspaceWrite}); err != nil {
		t.Skip("commands are confined nowhere here: ", err)
	}
	files, err := filepath.Glob("testdata/hooks/*/*.json")
	if err != nil || len(files) < 70 {
		t.Fatalf("%d events (%v)", len(files), err)
	}
	base := t.TempDir()
	work, home := filepath.Join(base, "work"), filepath.Join(base, "home")
	for _, dir := range []string{work, home, filepath.Join(work, "sub")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(base, "helve") // by this name the test is helve
	if err := os.Symlink(self, bin); err != nil {
		t.Skip("there are no links here: ", err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		raw = bytes.ReplaceAll(bytes.ReplaceAll(raw, []byte("@W@"), []byte(work)), []byte("@H@"), []byte(home))
		client := filepath.Base(filepath.Dir(file))
		client = client[:strings.LastIndex(client, "-")]
		event := strings.SplitN(filepath.Base(file), "-", 3)[1]
		cmd := exec.Command(bin, "hook", client, event)
		cmd.Dir, cmd.Stdin = work, bytes.NewReader(raw)
		cmd.Env = []string{"HOME=" + home, "PATH=" + base + ":" + os.Getenv("PATH"), "XDG_STATE_HOME=" + home + "/state"}
		out, err := cmd.Output()
		got := strings.TrimSpace(string(out))
		if err != nil || strings.Contains(got, "helve hook failed") {
			t.Errorf("%s: %v, %s", file, err, got)
			continue
		}
		if want := wantedOf(client, file, string(raw)); want != answered(got) {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
}

// wantedOf is what is to come of an event: silence, run by helve, or a question of a page on the network.
func wantedOf(client, file, raw string) string {
	name := strings.ToLower(filepath.Base(file))
	before := !strings.Contains(name, "post") && !strings.Contains(name, "after")
	shell := strings.HasSuffix(name, "bash.json") || strings.Contains(name, "run_shell") || strings.Contains(name, "run_commands")
	switch {
	case !before:
		return "silence"
	case strings.HasSuffix(name, "webfetch.json"):
		return "question"
	case shell && client != "qwen" && !strings.Contains(raw, "Begin Patch"):
		return "run by helve"
	}
	return "silence"
}

// answered is what an answer says.
func answered(out string) string {
	switch {
	case out == "", out == `{"cancel":false}`:
		return "silence"
	case strings.Contains(out, "helve exec --client"):
		return "run by helve"
	case strings.Contains(out, `"ask"`):
		return "question"
	}
	return out
}
