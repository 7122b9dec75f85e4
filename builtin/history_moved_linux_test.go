package builtin_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// at opens the workspace that is in a folder, with a state that others share, and writes or undoes there.
func at(t *testing.T, dir, state string) (h, past *fixture) {
	t.Helper()
	o := writing()
	o.Dirs, o.State = []string{dir}, state
	return withPast(t, o)
}

// needBirths skips where the file system does not say when a folder was made.
func needBirths(t *testing.T, dir string) {
	t.Helper()
	var st unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, dir, 0, unix.STATX_BTIME, &st); err != nil || st.Mask&unix.STATX_BTIME == 0 {
		t.Skip("the file system does not say when a folder was made")
	}
}

// A workspace that was moved takes its history along; a copy has none, and neither has another folder at its old place.
func TestAMovedWorkspaceKeepsItsHistoryAndACopyHasNone(t *testing.T) {
	base, state := t.TempDir(), t.TempDir()
	needBirths(t, base)
	old, moved, back := filepath.Join(base, "old"), filepath.Join(base, "moved"), filepath.Join(base, "back")
	if err := os.Mkdir(old, 0o755); err != nil {
		t.Fatal(err)
	}
	h, _ := at(t, old, state)
	h.must("write", args{"file_path": "a", "contents": "1\n"})
	h.must("write", args{"file_path": "a", "contents": "2\n"})

	if err := os.Rename(old, moved); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cp", "-a", moved, old).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	copied, past := at(t, old, state)
	res := past.call("undo", args{})
	if res.Err == nil || !strings.Contains(res.Text(), "nothing to take back") || !strings.Contains(res.Text(), "is a copy") {
		t.Errorf("in the copy: %s", res.Text())
	}
	copied.must("write", args{"file_path": "b", "contents": "copy\n"})
	past.must("undo", args{})
	if copied.read("a") != "2\n" || copied.read("b") != "" {
		t.Errorf("the copy has its own history: a %q, b %q", copied.read("a"), copied.read("b"))
	}

	there, past := at(t, moved, state)
	past.must("undo", args{})
	if there.read("a") != "1\n" {
		t.Errorf("in the moved one: a %q", there.read("a"))
	}
	if err := os.Rename(moved, back); err != nil {
		t.Fatal(err)
	}
	again, past := at(t, back, state)
	past.must("redo", args{})
	if again.read("a") != "2\n" {
		t.Errorf("moved again: a %q", again.read("a"))
	}
	past.must("undo", args{})
	past.must("undo", args{})
	if again.read("a") != "" {
		t.Errorf("every call is known: a %q", again.read("a"))
	}
}

// A workspace that was moved away and came back is as if it had never been away.
func TestAWorkspaceThatCameBackKnowsItsCalls(t *testing.T) {
	base, state := t.TempDir(), t.TempDir()
	needBirths(t, base)
	old, away := filepath.Join(base, "old"), filepath.Join(base, "away")
	if err := os.Mkdir(old, 0o755); err != nil {
		t.Fatal(err)
	}
	for i, step := range []struct{ from, to string }{{old, away}, {away, old}, {old, ""}} {
		h, _ := at(t, step.from, state)
		h.must("write", args{"file_path": string(rune('a' + i)), "contents": "x\n"})
		if step.to == "" {
			break
		}
		if err := os.Rename(step.from, step.to); err != nil {
			t.Fatal(err)
		}
	}
	h, past := at(t, old, state)
	for _, name := range []string{"c", "b", "a"} {
		past.must("undo", args{})
		if h.read(name) != "" {
			t.Errorf("%s is still there: %q", name, h.read(name))
		}
	}
}
