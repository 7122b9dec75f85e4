package builtin_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// noLayer has commands of a workspace change it while they run, as on a machine that has no overlay.
func noLayer(t *testing.T, h *fixture) {
	t.Helper()
	folders, err := filepath.Glob(filepath.Join(h.state, "changes", "*"))
	if err != nil || len(folders) > 1 {
		t.Fatal(folders, err)
	}
	if len(folders) == 0 {
		return // there is none
	}
	if err := os.WriteFile(filepath.Join(folders[0], "no-layer"), []byte("the kernel is old"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// asideMeta is where a result says what was put aside.
type asideMeta struct {
	TaskID string `json:"task_id"`
	Held   []struct {
		Path, Why, Kept string
	} `json:"held_back"`
}

func TestWhatRunsLaterIsPutAsideWhereNothingHoldsItBack(t *testing.T) {
	h := open(t, writing())
	if r := h.call("bash", args{"command": "echo first >first"}); r.Err != nil {
		t.Skip("a sandbox does not work here: ", r.Text())
	}
	noLayer(t, h)
	h.put(".husky/pre-commit", "mine\n")
	r := h.call("bash", args{"command": "ls -A; echo evil >.envrc; mkdir .vscode; echo evil >.vscode/tasks.json; echo x >plain; " +
		"echo evil >.husky/pre-commit; echo evil >.husky/post-merge; git init -q; git config core.fsmonitor evil; true"})
	if strings.Contains(r.Text(), ".claude") || strings.Contains(r.Text(), ".mcp.json") {
		t.Errorf("something stands in for what is absent: %s", r.Text())
	}
	var meta asideMeta
	if err := json.Unmarshal(r.Meta, &meta); err != nil {
		t.Fatal(err)
	}
	aside := map[string]string{}
	for _, x := range meta.Held {
		aside[x.Path] = x.Kept
	}
	for _, name := range []string{".envrc", ".vscode"} {
		if _, err := os.Lstat(filepath.Join(h.dir, name)); err == nil {
			t.Errorf("%s is there: %s", name, r.Text())
		}
		if !strings.Contains(r.Text(), "["+name+" was put aside and is as before: ") {
			t.Errorf("nothing is said of %s: %s", name, r.Text())
		}
		if _, err := os.Lstat(aside[name]); err != nil {
			t.Error(name, err)
		}
	}
	waits, _, err := h.ws.Review().List(false)
	if err != nil || len(waits) != 1 || !strings.Contains(r.Text(), "for whom it waits (helve review show "+waits[0].ID) {
		t.Fatalf("%+v, %v: %s", waits, err, r.Text())
	}
	made, err := h.ws.Review().Apply(t.Context(), []string{".envrc", ".vscode"})
	if err != nil || len(made.Made) != 3 || h.get(".envrc") != "evil\n" || h.get(".vscode/tasks.json") != "evil\n" {
		t.Errorf("what the person says yes to: %+v, %v", made, err)
	}
	if h.get("plain") != "x\n" || h.get(".husky/pre-commit") != "mine\n" {
		t.Errorf("plain %q, .husky/pre-commit %q", h.get("plain"), h.get(".husky/pre-commit"))
	}
	if _, err := os.Lstat(filepath.Join(h.dir, ".husky/post-merge")); err == nil {
		t.Errorf("a hook is there: %s", r.Text())
	}
	config, err := os.ReadFile(filepath.Join(h.dir, ".git", "config"))
	if err == nil && strings.Contains(string(config), "evil") {
		t.Errorf("git would run it: %s", config)
	}
}

// A command in the background is looked at whenever somebody asks for its output, and at its end.
func TestWhatRunsLaterIsPutAsideWhileATaskRuns(t *testing.T) {
	h := open(t, writing())
	s := session(t, nil)
	h.put(".zed/tasks.json", "mine\n")
	const line = "mkdir .git; echo evil >.zed/tasks.json; echo evil >.envrc; echo ready; " +
		"while [ ! -e go-on ]; do sleep 0.05; done; echo evil >.mcp.json; echo plain >plain"
	r := h.in(s, "bash", args{"command": line, "run_in_background": true})
	var meta asideMeta
	if err := json.Unmarshal(r.Meta, &meta); err != nil || meta.TaskID == "" {
		t.Skip("a sandbox does not work here: ", r.Text())
	}
	output := func(want string) {
		t.Helper()
		said := ""
		for end := time.Now().Add(time.Minute); time.Now().Before(end); {
			r := h.in(s, "bash_output", args{"task_id": meta.TaskID, "wait": 100})
			said += r.Text() + "\n"
			if strings.Contains(said, want) {
				return
			}
		}
		t.Fatalf("%q does not say %q", said, want)
	}
	output("[.envrc was put aside and is as before: direnv runs it")
	if r := h.in(s, "write", args{"file_path": "go-on", "content": "x\n"}); r.Err != nil {
		t.Fatal(r.Text())
	}
	output("[.mcp.json was put aside and is as before: ")
	output("ended with exit code 0")
	for _, name := range []string{".envrc", ".mcp.json"} {
		if _, err := os.Lstat(filepath.Join(h.dir, name)); err == nil {
			t.Errorf("%s is there", name)
		}
	}
	if h.get("plain") != "plain\n" || h.get(".zed/tasks.json") != "mine\n" {
		t.Errorf("plain %q, .zed/tasks.json %q", h.get("plain"), h.get(".zed/tasks.json"))
	}
}

// What a task writes after the last look goes with the session.
func TestTheEndOfASessionLooksForWhatRunsLater(t *testing.T) {
	h := open(t, writing())
	s := session(t, nil)
	r := h.in(s, "bash", args{"command": "echo evil >.envrc; touch ready; sleep 600", "run_in_background": true})
	if r.Err != nil {
		t.Skip("a sandbox does not work here: ", r.Text())
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if _, err := os.Lstat(filepath.Join(h.dir, "ready")); err == nil {
			break
		}
	}
	s.Close()
	if _, err := os.Lstat(filepath.Join(h.dir, ".envrc")); err == nil || h.get("ready") != "" {
		t.Errorf(".envrc is there after the session")
	}
}
