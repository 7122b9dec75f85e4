package builtin_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"helve/builtin"
	"helve/tool"
	"helve/tooltest"
)

func needBash(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash on this machine")
	}
}

// R4.11: output, its order and its words.
func TestBashReportsWhatCameOut(t *testing.T) {
	needBash(t)
	h := open(t, builtin.Options{})
	for _, c := range []struct {
		args args
		want string
		code tool.Code
	}{
		{args{"command": "printf hello"}, "hello", ""},
		{args{"command": "true"}, "(no output)", ""},
		{args{"command": "echo out; echo err >&2"}, "out\n\n[stderr]\nerr", ""},
		{args{"command": "pwd"}, h.dir, ""},
		{args{"command": "echo $0 $- $BASH_ENV", "description": "shell"}, "bash", ""},
		{args{"command": "cat"}, "(no output)", ""},
		{args{"command": `printf ' M a.go\nM  b.go\n\n'`}, " M a.go\nM  b.go", ""},
		{args{"command": `printf '\n\tx'; printf '  y\n' >&2`}, "\n\tx\n\n[stderr]\n  y", ""},
		{args{"command": `printf ' \n\n'`}, "(no output)", ""},
		{args{"command": "sleep 300", "timeout": 100}, "Command timed out after 100ms: sleep 300", tool.TimedOut},
		{args{"command": "rm -rf /"}, "Error: Potentially dangerous command detected: rm -rf /", tool.Permission},
		{args{"command": "sh -c 'rm -r -f ~'"}, "Error: Potentially dangerous command detected:", tool.Permission},
		{args{"command": "echo 'rm -rf / is bad'"}, "rm -rf / is bad", ""},
		{args{"command": " "}, "Parameter validation failed: command:", tool.Validation},
		{args{"command": "pwd", "working_directory": "/"}, "", tool.Permission},
		{args{"command": "pwd", "working_directory": "gone"}, "Error: bash: Directory not found", tool.Execution},
		{args{"command": "pwd", "timeout": 700000}, "Parameter validation failed: timeout:", tool.Validation},
		{args{"command": "sleep 9 &", "run_in_background": true}, "Parameter validation failed: run_in_background:", tool.Validation},
	} {
		res := h.call("bash", c.args)
		if !strings.HasPrefix(res.Text(), c.want) || c.code == "" && res.Err != nil || c.code != "" && (res.Err == nil || res.Err.Code != c.code) {
			t.Errorf("%v: %q, %v; want %q, %s", c.args, res.Text(), res.Err, c.want, c.code)
		}
	}
}

func TestAFailedCommandTellsItsStatus(t *testing.T) {
	needBash(t)
	h := open(t, builtin.Options{})
	res := h.call("bash", args{"command": "echo so far; exit 3"})
	var meta struct {
		ExitCode int    `json:"exit_code"`
		Dir      string `json:"working_directory"`
		Sandbox  struct{ Level, Mechanism string }
	}
	if err := json.Unmarshal(res.Meta, &meta); err != nil {
		t.Fatal(err)
	}
	if res.Err == nil || !strings.HasPrefix(res.Text(), "Command failed with exit code 3:\nso far") || meta.ExitCode != 3 || meta.Dir != h.dir || meta.Sandbox.Mechanism == "" {
		t.Errorf("%q, %+v, %v", res.Text(), meta, res.Err)
	}
}

// A background child that keeps the output open holds nobody up, and does not live on.
func TestBashReturnsWhenTheCommandEnds(t *testing.T) {
	needBash(t)
	h := open(t, builtin.Options{})
	res := h.call("bash", args{"command": beats("one") + " & setsid sh -c '" + beats("other") + "' & until [ -e one ] && [ -e other ]; do sleep 0.05; done; echo started", "timeout": 120_000})
	if !strings.HasPrefix(res.Text(), "started") {
		t.Errorf("%q, %v", res.Text(), res.Err)
	}
	h.still(t, "one")
	h.still(t, "other")
}

// beats is a command that never ends, and makes a file again and again for as long as it lives.
func beats(file string) string { return "while :; do : >" + file + "; sleep 0.05; done" }

// still checks that nobody makes a file any more.
func (h *fixture) still(t *testing.T, file string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		if err := os.Remove(filepath.Join(h.dir, file)); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		time.Sleep(300 * time.Millisecond) // six beats
		if _, err := os.Stat(filepath.Join(h.dir, file)); err != nil {
			return
		}
	}
	t.Errorf("who makes %s lives on", file)
}

// What only reads runs where nothing can be changed, however it is meant.
// R2.14 holds below the policy, too.
func TestWhatIsAllowedUnaskedCannotWrite(t *testing.T) {
	needBash(t)
	h := open(t, builtin.Options{})
	res := h.call("bash", args{"command": "ls"})
	if !strings.Contains(string(res.Meta), `"level":"read-only"`) {
		if runtime.GOOS == "linux" {
			t.Errorf("ran at %s", res.Meta)
		}
		t.Skip("no sandbox on this machine")
	}
	if res = h.call("bash", args{"command": "touch made"}); res.Err != nil {
		t.Error(res.Text())
	}
	if _, err := os.Stat(filepath.Join(h.dir, "made")); err != nil {
		t.Error(err)
	}
	h.call("bash", args{"command": "touch ../outside"}) // lands in the sandbox's own /tmp, if anywhere
	if _, err := os.Stat(filepath.Join(h.dir, "..", "outside")); err == nil {
		t.Error("a command wrote outside the workspace")
	}
}

// R2.11: start, read output, kill.
func TestBackgroundCommandsAreReadAndEnded(t *testing.T) {
	needBash(t)
	h := open(t, builtin.Options{})
	s := session(t, nil)
	res := h.in(s, "bash", args{"command": "echo one; echo two; echo oops >&2; sleep 60", "run_in_background": true})
	var meta struct {
		TaskID string `json:"task_id"`
	}
	if err := json.Unmarshal(res.Meta, &meta); err != nil || meta.TaskID == "" {
		t.Fatalf("%s, %v", res.Text(), res.Err)
	}
	got := ""
	for range 600 {
		res = h.in(s, "bash_output", args{"task_id": meta.TaskID, "wait": 200, "filter": "t|oops"})
		got += res.Text()
		if strings.Contains(got, "two") && strings.Contains(got, "oops") {
			break
		}
	}
	if strings.Contains(got, "one") || !strings.Contains(got, "two") || !strings.Contains(got, "[stderr]\noops") || !strings.Contains(got, "is running") {
		t.Errorf("%q", got)
	}
	if res = h.in(s, "bash_output", args{"task_id": meta.TaskID}); !strings.Contains(res.Text(), "(no new output)") {
		t.Errorf("%q", res.Text())
	}
	res = h.in(s, "bash_kill", args{"task_id": meta.TaskID})
	if res.Err != nil || !strings.Contains(res.Text(), "ended") {
		t.Errorf("%q, %v", res.Text(), res.Err)
	}
	if res = h.in(s, "bash_output", args{"task_id": "task-99"}); res.Err == nil || !strings.Contains(res.Text(), "Known: "+meta.TaskID) {
		t.Errorf("%q", res.Text())
	}
	other := session(t, nil)
	if res = h.in(other, "bash_output", args{"task_id": meta.TaskID}); res.Err == nil {
		t.Error("another session reads this one's task")
	}
}

func TestASessionEndsItsBackgroundCommands(t *testing.T) {
	needBash(t)
	h := open(t, builtin.Options{})
	s := &tool.Session{}
	for range 3 {
		h.in(s, "bash", args{"command": beats("beat"), "run_in_background": true})
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	h.still(t, "beat")
}

// Build tools work in the sandbox: what one command caches the next one finds, and the person's own cache stays untouched.
func TestCommandsShareACacheOfTheirOwn(t *testing.T) {
	needBash(t)
	h := open(t, builtin.Options{Cache: filepath.Join(t.TempDir(), "cache")})
	if res := h.call("bash", args{"command": "echo cached > $XDG_CACHE_HOME/x && echo $GOCACHE"}); res.Err != nil || !strings.Contains(res.Text(), "cache/commands/") {
		t.Fatalf("%q, %v", res.Text(), res.Err)
	}
	if res := h.call("bash", args{"command": "cp $XDG_CACHE_HOME/x found"}); res.Err != nil || h.get("found") != "cached\n" {
		t.Errorf("%q, %v", res.Text(), res.Err)
	}
}

func TestLongOutputIsKeptForTheSession(t *testing.T) {
	needBash(t)
	h := open(t, builtin.Options{})
	s := session(t, nil)
	res := h.in(s, "bash", args{"command": "for i in $(seq 100000); do echo line $i; done"})
	text := res.Text()
	if len(text) > 40_000 || !strings.HasPrefix(text, "line 1\n") || !strings.HasSuffix(text, "line 100000") {
		t.Fatalf("%d bytes: %.60q … %.60q", len(text), text, text[len(text)-60:])
	}
	id := "spill:" + strings.SplitN(strings.SplitN(text, "spill:", 2)[1], `"`, 2)[0]
	if res = h.in(s, "grep", args{"pattern": "line 5432.$", "path": id, "head_limit": 3}); res.Err != nil || !strings.Contains(res.Text(), "line 54321") {
		t.Errorf("%q, %v", res.Text(), res.Err)
	}
	if res = h.in(session(t, nil), "grep", args{"pattern": "line", "path": id}); res.Err == nil {
		t.Error("another session reads what this one keeps")
	}
}

func TestBashToolsKeepTheirPromises(t *testing.T) {
	needBash(t)
	h := open(t, builtin.Options{})
	tooltest.Check(t, builtin.Bash(h.ws), &tool.Call{Args: json.RawMessage(`{"command":"echo hi; sleep 0.1"}`), Dir: h.dir})
	tooltest.Check(t, builtin.BashOutput(h.ws))
	tooltest.Check(t, builtin.BashKill(h.ws))
}

func TestSearchToolsKeepTheirPromises(t *testing.T) {
	h := open(t, builtin.Options{})
	h.put("a.go", "package a\n\nfunc Hello() {}\n")
	tooltest.Check(t, builtin.Grep(h.ws), &tool.Call{Args: json.RawMessage(`{"pattern":"Hello"}`), Dir: h.dir})
	tooltest.Check(t, builtin.Glob(h.ws), &tool.Call{Args: json.RawMessage(`{"pattern":"*.go"}`), Dir: h.dir})
}
