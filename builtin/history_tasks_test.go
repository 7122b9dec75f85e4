package builtin_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"helve/tool"
)

// start starts a background command in a session and returns its task.
func (h *fixture) start(s *tool.Session, command string) string {
	h.t.Helper()
	var meta struct {
		TaskID string `json:"task_id"`
	}
	res := h.in(s, "bash", args{"command": command, "run_in_background": true})
	if err := json.Unmarshal(res.Meta, &meta); err != nil || meta.TaskID == "" {
		h.t.Fatalf("%s: %s, %v", command, res.Text(), err)
	}
	return meta.TaskID
}

// await waits until a file of the workspace is there: a command in the background has come so far.
func (h *fixture) await(name string) {
	h.t.Helper()
	for range 6000 { // a minute
		if _, err := os.Lstat(filepath.Join(h.dir, name)); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	h.t.Fatalf("%s never came", name)
}

// What a command in the background changed is in the history, whether somebody asked for its output meanwhile or not,
// and is one undo.
func TestWhatABackgroundCommandChangedIsUndone(t *testing.T) {
	needBash(t)
	for _, asked := range []bool{true, false} {
		h, past := withPast(t, writing())
		h.put("a", "before\n")
		h.put("gone/b", "also\n")
		s := session(t, nil)
		task := h.start(s, `echo one >a; rm -r gone; echo x >ready; while [ ! -e go ]; do sleep 0.02; done; echo two >a; echo y >later`)
		h.await("ready")
		if asked {
			var meta struct {
				Undo    string
				Changes []struct{ Path, Change string }
			}
			res := h.in(s, "bash_output", args{"task_id": task})
			if err := json.Unmarshal(res.Meta, &meta); err != nil || meta.Undo == "" || len(meta.Changes) != 3 {
				t.Errorf("while it runs: %s, %v", res.Meta, err)
			}
			if want := "[1 changed, 1 new, 1 deleted: a, +ready, -gone/b]"; !strings.Contains(res.Text(), want) {
				t.Errorf("while it runs: %q, want %q", res.Text(), want)
			}
		}
		h.put("go", "")
		h.await("later")
		res := h.in(s, "bash_output", args{"task_id": task, "wait": 20_000})
		for strings.Contains(res.Text(), "is running") {
			res = h.in(s, "bash_output", args{"task_id": task, "wait": 20_000})
		}
		if !strings.Contains(string(res.Meta), `"path":"later"`) {
			t.Errorf("when it has ended: %s", res.Meta)
		}
		list := past.must("history", args{})
		if !strings.Contains(list, "! it ran in the background") {
			t.Errorf("the history does not say what it cannot know:\n%s", list)
		}
		past.must("undo", args{})
		for name, want := range map[string]string{"a": "before\n", "gone/b": "also\n", "ready": "", "later": ""} {
			if got := h.read(name); got != want {
				t.Errorf("asked %v: after the undo %s is %q, want %q", asked, name, got, want)
			}
		}
	}
}

// An edit of a file that a background command changed meanwhile does not take over the command's change: each is undone
// for itself.
func TestAnEditKnowsWhatABackgroundCommandDidBefore(t *testing.T) {
	needBash(t)
	h, past := withPast(t, writing())
	h.put("a", "one\ntwo\nthree\n")
	s := session(t, nil)
	h.start(s, `sed -i s/one/1/ a; touch ready; sleep 600`)
	h.await("ready")
	h.must("edit", args{"file_path": "a", "old_string": "three", "new_string": "3"})
	past.must("undo", args{})
	if got := h.read("a"); got != "1\ntwo\nthree\n" {
		t.Errorf("the edit was undone: %q", got)
	}
	past.must("undo", args{})
	if got := h.read("a"); got != "one\ntwo\nthree\n" {
		t.Errorf("the command was undone: %q", got)
	}
}

// A session that ends has its background commands end, and what they changed is in the history by then.
func TestAClosedSessionLeavesItsChangesInTheHistory(t *testing.T) {
	needBash(t)
	h, past := withPast(t, writing())
	h.put("a", "before\n")
	s := session(t, nil)
	h.start(s, `echo after >a; touch ready; sleep 600`)
	h.await("ready")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	past.must("undo", args{})
	if got := h.read("a"); got != "before\n" {
		t.Errorf("got %q", got)
	}
}
