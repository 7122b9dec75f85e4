//go:build unix

package builtin_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"helve/builtin"
	"helve/tool"
	"helve/tooltest"
)

func TestTheListToolsKeepTheirPromises(t *testing.T) {
	h := open(t, builtin.Options{State: t.TempDir()})
	h.put("a/b/c.txt", "x")
	tooltest.Check(t, builtin.Ls(h.ws), &tool.Call{Args: json.RawMessage(`{}`)})
	tooltest.Check(t, builtin.TodoWrite(h.ws), &tool.Call{Args: json.RawMessage(`{"todos":[{"id":"1","content":"x","status":"pending","priority":"low"}]}`)})
	tooltest.Check(t, builtin.TodoRead(h.ws), &tool.Call{Args: json.RawMessage(`{}`)})
}

// R2.10
func TestLsShowsATreeWithSizesAndCounts(t *testing.T) {
	h := open(t, builtin.Options{})
	h.put(".git/HEAD", "ref: x\n")
	h.put(".gitignore", "*.log\n")
	h.put("noise.log", "x")
	h.put("src/a.go", strings.Repeat("x", 1234))
	h.put("src/deep/er/b.go", "12345")
	h.put("node_modules/x/y.js", "x")
	h.put("new\nline", "")
	if err := os.Symlink("src", filepath.Join(h.dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(h.dir, "pipe"), 0o644); err != nil {
		t.Skip(err)
	}
	r := h.call("ls", args{"depth": 2})
	want := `./ (4 files, 3 directories, 1.2 kB)
  src/ (2 files, 2 directories, 1.2 kB)
    deep/ (1 file, 1 directory, 5 B)
    a.go 1.2 kB
  .gitignore 6 B
  link (link)
  "new\nline" 0 B
  pipe (named pipe)
[2 levels shown; what is deeper is only counted]
[2 files hidden in directories that are always skipped]
[1 file hidden by .gitignore:1 (*.log)]`
	if r.Text() != want {
		t.Errorf("got\n%s\nwant\n%s", r.Text(), want)
	}
	r = h.call("ls", args{"path": "src/deep", "depth": 1})
	if want := "src/deep/ (1 file, 1 directory, 5 B)\n  er/ (1 file, 5 B)\n[1 level shown; what is deeper is only counted]"; r.Text() != want {
		t.Errorf("got\n%s\nwant\n%s", r.Text(), want)
	}
}

func TestLsStopsAtAThousandEntriesAndSaysSo(t *testing.T) {
	h := open(t, builtin.Options{})
	for i := range 1500 {
		h.put(fmt.Sprintf("many/f%04d", i), "")
	}
	h.put("z/last", "")
	r := h.call("ls", args{})
	if n := strings.Count(r.Text(), "\n    f"); n != 997 || !strings.Contains(r.Text(), "\n    f0996 0 B\n    … 503 more\n  z/ (1 file, 0 B)\n    last 0 B\n[1000 entries shown") {
		t.Errorf("%d files, …%s", n, r.Text()[len(r.Text())-200:])
	}
}

func TestLsRefusesWhatIsNoDirectory(t *testing.T) {
	h := open(t, builtin.Options{})
	h.put("f", "")
	for path, want := range map[string]tool.Code{"gone": tool.Execution, "f": tool.Validation, "..": tool.Permission} {
		if r := h.call("ls", args{"path": path}); code(r) != want {
			t.Errorf("%s: %s %q", path, code(r), r.Text())
		}
	}
}

// R2.13
func TestTodosAreKeptPerSessionAndForTheWorkspace(t *testing.T) {
	state := t.TempDir()
	h := open(t, builtin.Options{State: state})
	mine := tool.DirStore(t.TempDir())
	h.in(session(t, mine), "todo_write", args{"todos": []args{{"id": "a", "content": "mine", "status": "in_progress", "priority": "high"}, {"content": "more"}}})
	h.call("todo_write", args{"todos": []args{{"content": "ours"}}})
	if r := h.in(session(t, mine), "todo_read", args{}); r.Text() != "2 todos: 0 completed, 1 in progress, 1 pending.\na. [in_progress] mine (high)\n1. [pending] more (medium)" {
		t.Errorf("the session's: %q", r.Text())
	}
	again := open(t, builtin.Options{Dirs: []string{h.dir}, State: state})
	if r := again.call("todo_read", args{}); r.Text() != "1 todo: 0 completed, 0 in progress, 1 pending.\n1. [pending] ours (medium)" {
		t.Errorf("the workspace's: %q", r.Text())
	}
	if r := open(t, builtin.Options{State: state}).call("todo_read", args{}); r.Text() != "The todo list is empty." {
		t.Errorf("another workspace's: %q", r.Text())
	}
	alone := open(t, builtin.Options{})
	alone.call("todo_write", args{"todos": []args{{"content": "x"}}})
	if r := alone.call("todo_read", args{}); !strings.Contains(r.Text(), "1. [pending] x") {
		t.Errorf("without a state folder: %q", r.Text())
	}
}

func TestTodoWriteTellsItemsAndShowsAChecklist(t *testing.T) {
	h := open(t, builtin.Options{})
	r := h.call("todo_write", args{"todos": []args{{"id": "1", "content": "a", "status": "in_progress"}, {"id": "2", "content": "b", "status": "in_progress"}, {"id": "3", "content": "c", "status": "completed"}}})
	if !strings.Contains(r.Text(), "2 items are in progress; one at a time") || r.Show() != "[>] a\n[>] b\n[x] c" || !slices.Equal(r.Job.Effects, []tool.Effect{{Kind: tool.State, Target: "todos"}}) {
		t.Errorf("%q, %q, %v", r.Text(), r.Show(), r.Job.Effects)
	}
	for _, bad := range []args{{}, {"todos": []args{{"id": "1", "content": ""}}}, {"todos": []args{{"content": "x", "status": "stuck"}}}, {"todos": []args{{"id": "1", "content": "x"}, {"id": "1", "content": "y"}}}} {
		if r := h.call("todo_write", bad); code(r) != tool.Validation {
			t.Errorf("%v: %q", bad, r.Text())
		}
	}
}

// A name that JSON cannot carry is taken back in the form in which the tools show it.
func TestANameThatIsShownQuotedIsTakenBack(t *testing.T) {
	for name, shown := range map[string]string{"d/caf\xe9.txt": `"d/caf\xe9.txt"`, "d/two\nlines": `"d/two\nlines"`, `d/"q"`: `"d/\"q\""`} {
		h := open(t, builtin.Options{})
		if err := os.MkdirAll(filepath.Join(h.dir, "d"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(h.dir, name), []byte("needle\n"), 0o644); err != nil {
			t.Skip(err) // not every file system takes every byte
		}
		for tool, a := range map[string]args{"grep": {"pattern": "needle"}, "glob": {"pattern": "**"}} {
			if r := h.call(tool, a); !strings.HasPrefix(r.Text(), shown) {
				t.Errorf("%s shows %q, want %s", tool, r.Text(), shown)
			}
		}
		if r := h.call("ls", args{"path": "d"}); !strings.Contains(r.Text(), strings.Replace(shown, "d/", "", 1)) {
			t.Errorf("ls shows %q", r.Text())
		}
		if r := h.call("read", args{"file_path": shown}); r.Text() != "     1|needle" {
			t.Errorf("read: %q", r.Text())
		}
		if r := h.call("edit", args{"file_path": shown, "old_string": "needle", "new_string": "pin"}); r.Err != nil || h.get(name) != "pin\n" {
			t.Errorf("edit: %q, %q", r.Text(), h.get(name))
		}
		if r := h.call("grep", args{"pattern": "pin", "path": shown}); !strings.Contains(r.Text(), "pin") {
			t.Errorf("grep: %q", r.Text())
		}
		if r := h.call("write", args{"file_path": shown, "contents": "new"}); r.Err != nil || h.get(name) != "new\n" {
			t.Errorf("write: %q, %q", r.Text(), h.get(name))
		}
		if left, _ := os.ReadDir(filepath.Join(h.dir, "d")); len(left) != 1 {
			t.Errorf("%d files", len(left))
		}
	}
	h := open(t, builtin.Options{})
	if err := os.WriteFile(filepath.Join(h.dir, "caf\xe9.txt"), nil, 0o644); err != nil {
		t.Skip(err)
	}
	if r := h.call("read", args{"file_path": "caf\ufffd.txt"}); !strings.HasSuffix(r.Text(), `Did you mean "caf\xe9.txt"?`) {
		t.Errorf("%q", r.Text())
	}
}
