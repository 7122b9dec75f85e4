package builtin_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/engine/sandbox"
)

// forgetDisk has commands of a workspace believe that no layer can lie on the disk.
func forgetDisk(t *testing.T, h *fixture) {
	t.Helper()
	folders, err := filepath.Glob(filepath.Join(h.state, "changes", "*"))
	if err != nil || len(folders) != 1 {
		t.Fatal(folders, err)
	}
	if err := os.WriteFile(filepath.Join(folders[0], "no-layer-on-disk"), []byte("it is an overlay"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A layer in memory is bounded. What a command writes beyond that fails as on a full disk; what it wrote is kept, and the
// result says what was full, with what to do.
func TestALayerInMemoryIsBoundedAndSaysSo(t *testing.T) {
	o := writing()
	o.Sandbox.Limits = sandbox.Limits{Layer: 16 << 20}
	h := open(t, o)
	needLayer(t, h)
	forgetDisk(t, h)
	h.put("old", "old")
	res := h.call("bash", args{"command": "echo kept >a; head -c 50000000 /dev/zero >big; rm big; mkdir d; echo after >d/b; rm old"})
	if strings.Contains(string(res.Meta), "not held back") {
		t.Skipf("no layer in memory here: %s", res.Meta)
	}
	got := res.Text()
	if !strings.Contains(got, "No space left on device") || !strings.Contains(got, "held in memory here until it has ended, at most 16 MiB, and that was full") {
		t.Errorf("%s", got)
	}
	if h.get("a") != "kept\n" || h.get("d/b") != "after\n" {
		t.Errorf("what was written is lost: %s", got)
	}
	for _, gone := range []string{"big", "old"} {
		if _, err := os.Stat(filepath.Join(h.dir, gone)); err == nil {
			t.Errorf("%s is still there", gone)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(h.state, "changes", "*", "*", "upper-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// What all processes of a command use together is bounded, whoever approved it, in the foreground and in the background.
func TestACommandThatUsesTooMuchMemoryIsEndedAndSaysSo(t *testing.T) {
	needMounts(t)
	const hog = `for i in 1 2 3 4; do (x=$(head -c 40000000 /dev/zero | tr '\0' x); sleep 100) & done; wait`
	o := writing()
	o.Sandbox.Limits = sandbox.Limits{Total: 100 << 20}
	h := open(t, o)
	res := h.call("bash", args{"command": "touch x; " + hog})
	if got := res.Text(); res.Err == nil || !strings.Contains(got, "Command ended, because its processes used ") ||
		!strings.Contains(got, "more than the 100 MiB that they may") || !strings.Contains(got, "[do it in smaller parts") {
		t.Errorf("%s", got)
	}
	if _, err := os.Stat(filepath.Join(h.dir, "x")); err != nil {
		t.Error("what it had done is not made: ", err)
	}
	s := session(t, nil)
	res = h.in(s, "bash", args{"command": hog, "run_in_background": true})
	if res.Err != nil {
		t.Fatal(res.Text())
	}
	res = h.in(s, "bash_output", args{"task_id": "task-1", "wait": 60000})
	if got := res.Text(); !strings.Contains(got, "was ended, because its processes used ") {
		t.Errorf("%s", got)
	}
}
