package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// An older place is what an older version left, where it stood then: each command has mounts of its own, in which it
// does.
type older struct {
	t   *testing.T
	top string // what is at /mnt
}

func newOlder(t *testing.T, dir string) *older {
	t.Helper()
	o := &older{t, t.TempDir()}
	for _, err := range []error{
		os.CopyFS(filepath.Join(o.top, "older"), os.DirFS(dir)),
		os.MkdirAll(filepath.Join(o.top, "older", "home"), 0o755),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(o.top, "helve")); err != nil {
		t.Fatal(err)
	}
	o.settle()
	return o
}

// settle has the history be of the folder that is the workspace now: it is a copy, and a copy has no history.
func (o *older) settle() {
	o.t.Helper()
	notes, err := filepath.Glob(filepath.Join(o.top, "older/state/helve/history/*/workspace"))
	if err != nil {
		o.t.Fatal(err)
	}
	var st unix.Statx_t
	err = unix.Statx(unix.AT_FDCWD, filepath.Join(o.top, "older/ws"), 0, unix.STATX_INO|unix.STATX_BTIME, &st)
	if err != nil {
		o.t.Fatal(err)
	}
	type id struct {
		Inode uint64 `json:"ino"`
		Born  int64  `json:"born"`
	}
	text, err := json.Marshal(map[string]any{"path": "/mnt/older/ws", "id": id{st.Ino, st.Btime.Sec*1e9 + int64(st.Btime.Nsec)}})
	if err != nil {
		o.t.Fatal(err)
	}
	for _, note := range notes {
		if err := os.WriteFile(note, text, 0o600); err != nil {
			o.t.Fatal(err)
		}
	}
}

// try runs helve there.
func (o *older) try(args []string) (out string, status int) {
	o.t.Helper()
	cmd := exec.Command("unshare", append([]string{"--user", "--map-root-user", "--mount", "sh", "-c",
		`mount --bind "$0" /mnt && cd /mnt/older/ws && exec "$@"`, o.top, "/mnt/helve"}, args...)...)
	top := "/mnt/older/"
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + top + "home", "XDG_CONFIG_HOME=" + top + "config",
		"XDG_STATE_HOME=" + top + "state", "XDG_CACHE_HOME=" + top + "cache", "NO_COLOR=1"}
	b, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		o.t.Fatal(err)
	}
	return string(b), cmd.ProcessState.ExitCode()
}

// run is try. What helve says is wanted to have each of the words, and its status to be that.
func (o *older) run(status int, args []string, words ...string) string {
	o.t.Helper()
	out, got := o.try(args)
	if got != status {
		o.t.Errorf("helve %q: status %d, want %d\n%s", args, got, status, out)
	}
	for _, w := range words {
		if !strings.Contains(out, w) {
			o.t.Errorf("helve %q: want %q in\n%s", args, w, out)
		}
	}
	return out
}

// needMounts skips where a command cannot have mounts of its own.
func needMounts(t *testing.T) {
	t.Helper()
	out, err := exec.Command("unshare", "--user", "--map-root-user", "--mount", "mount", "--bind", t.TempDir(), "/mnt").CombinedOutput()
	if err != nil {
		t.Skipf("mounts of one's own do not work here: %v %s", err, out)
	}
}

// testdata/older has what four earlier versions left, as testdata/older/make had them leave it. Everything in it is read:
// what cannot count any more is said.
func TestWhatOlderVersionsWroteIsRead(t *testing.T) {
	needMounts(t)
	dirs, err := filepath.Glob("testdata/older/20*")
	if err != nil || len(dirs) < 4 {
		t.Fatalf("%v, %v", dirs, err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			o := newOlder(t, dir)
			o.read()
			_, err := os.Stat(filepath.Join(dir, "state/helve/history"))
			o.taken(err == nil)
			o.goesOn()
		})
	}
}

// read looks at everything.
func (o *older) read() {
	o.t.Helper()
	o.run(0, []string{"trust", "--status"}, "trusted since 2026-")
	o.run(0, []string{"list"}, "probe", "mcp__s__note", "mcp server gone")
	o.run(0, []string{"audit", "verify"}, "calls are as they were written")
	o.run(0, []string{"audit"}, "edit a.txt", "echo d >d.txt")
	approvals := o.run(0, []string{"approvals", "list"}, "note (s MCP Server)", "bash touch e.txt")
	if strings.Contains(approvals, "no longer counts") {
		o.run(3, []string{"call", "bash", "command=touch e.txt"}, "needs approval")
	} else {
		o.run(0, []string{"call", "bash", "command=touch e.txt"})
	}
	o.run(0, []string{"call", "mcp__s__note", "mark=x"}, "noted")
	o.run(0, []string{"stats"}, "todo_write")
	o.run(0, []string{"call", "todo_read"}, "[pending] x")
	o.run(0, []string{"index", "status"}, "code:")
	o.run(0, []string{"call", "find", "Add"}, "p.go")
	o.run(0, []string{"discover"}, "probe")
	o.run(0, []string{"mcp", "list"}, "ready")
	o.run(0, []string{"doctor"}, "Servers")
}

// taken takes back what calls of the older version did, where that kept a history.
func (o *older) taken(kept bool) {
	o.t.Helper()
	if !kept {
		o.run(0, []string{"history"}, "No call has changed a file that is remembered.")
		o.run(1, []string{"undo", "--yes"}, "there is nothing to take back")
		return
	}
	var calls []struct{ ID, Tool, Title string }
	if err := json.Unmarshal([]byte(o.run(0, []string{"history", "--json"})), &calls); err != nil || len(calls) < 5 {
		o.t.Fatalf("%v: %+v", err, calls)
	}
	first := calls[len(calls)-1]
	if first.Tool != "write" {
		o.t.Errorf("the first call is %+v", first)
	}
	o.run(0, []string{"diff", first.ID}, "+two")
	o.run(0, []string{"undo", "--to", first.ID, "--yes"})
	for name, want := range map[string]string{"a.txt": "one\n", "b.txt": "two\n"} {
		if got, _ := os.ReadFile(filepath.Join(o.top, "older/ws", name)); string(got) != want {
			o.t.Errorf("after undo: %s: %q, want %q", name, got, want)
		}
	}
	o.run(0, []string{"redo", "--yes"})
	if got, _ := os.ReadFile(filepath.Join(o.top, "older/ws/a.txt")); string(got) != "three\n" {
		o.t.Errorf("after redo: a.txt: %q", got)
	}
}

// goesOn works on there, and takes that back.
func (o *older) goesOn() {
	o.t.Helper()
	o.run(0, []string{"call", "--yes", "write", "file_path=new.txt", "contents=new"})
	o.run(0, []string{"call", "--yes", "bash", "command=rm new.txt"})
	o.run(0, []string{"undo", "--yes"}, "new.txt")
	if _, err := os.Stat(filepath.Join(o.top, "older/ws/new.txt")); err != nil {
		o.t.Error(err)
	}
	o.run(0, []string{"audit", "verify"}, "calls are as they were written")
	o.run(0, []string{"index", "build"})
	o.run(0, []string{"trust", "--revoke"})
	o.run(0, []string{"list"}, "not trusted")
}
