package builtin

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/tool"
)

// draftKit calls the tools of a draft.
type draftCalls struct {
	t *testing.T
	d *Draft
	b *Toolbox
}

func (c draftCalls) call(name string, args map[string]any) *tool.Result {
	c.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, one := range All(c.b) {
		if one.Spec().Name != name {
			continue
		}
		call := &tool.Call{Name: name, Args: raw, Progress: func(tool.Progress) {}}
		j, err := c.d.In(one).Prepare(c.t.Context(), call)
		if err != nil {
			c.t.Fatal(name, err)
		}
		res, err := j.Run(c.t.Context())
		if err != nil {
			c.t.Fatal(name, err)
		}
		return res
	}
	c.t.Fatal("no tool " + name)
	return nil
}

func TestToolsAndCommandsWorkInOneDraft(t *testing.T) {
	dir, state := t.TempDir(), t.TempDir()
	os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\ntwo\n"), 0o644)
	b, err := Open(Options{Dirs: []string{dir}, State: state, Sandbox: Sandbox{Level: 1}, History: History{On: true}})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	d, err := b.NewDraft(t.Context())
	if err != nil {
		t.Skip(err)
	}
	defer d.Drop()
	c := draftCalls{t, d, b}
	c.call("write", map[string]any{"file_path": "sub/b.txt", "contents": "alpha\n"})
	c.call("edit", map[string]any{"file_path": "a.txt", "old_string": "two", "new_string": "2"})
	if res := c.call("bash", map[string]any{"command": "cat a.txt sub/b.txt; echo beta >>sub/b.txt; rm a.txt; mkdir deep; echo x >deep/c.txt"}); !strings.Contains(res.Text(), "2\nalpha") {
		t.Errorf("bash: %s", res.Text())
	}
	if res := c.call("bash", map[string]any{"command": "cat sub/b.txt"}); !strings.Contains(res.Text(), "alpha\nbeta") {
		t.Errorf("bash that reads: %s", res.Text())
	}
	if res := c.call("grep", map[string]any{"pattern": "beta", "head_limit": 100}); !strings.Contains(res.Text(), "sub/b.txt:2:beta") {
		t.Errorf("grep: %s", res.Text())
	}
	if res := c.call("glob", map[string]any{"pattern": "*.txt", "limit": 100}); strings.Contains(res.Text(), "a.txt") || !strings.Contains(res.Text(), "deep/c.txt") {
		t.Errorf("glob: %s", res.Text())
	}
	if res := c.call("read", map[string]any{"file_path": "deep/c.txt"}); !strings.Contains(res.Text(), "x") {
		t.Errorf("read: %s", res.Text())
	}
	if _, err := os.Stat(filepath.Join(dir, "sub")); err == nil {
		t.Error("it is on the disk before it was made")
	}
	call := &tool.Call{Name: "run_script", Parent: "family"}
	out, err := d.Commit(t.Context(), call, "")
	if err != nil || out.Refused != nil {
		t.Fatal(out, err)
	}
	text, _ := os.ReadFile(filepath.Join(dir, "sub/b.txt"))
	if _, err := os.Stat(filepath.Join(dir, "a.txt")); err == nil || string(text) != "alpha\nbeta\n" {
		t.Errorf("on the disk: %q, %v", text, err)
	}
	if out.Undo.Undo == "" || len(out.Undo.Changes) != 3 {
		t.Errorf("undo %+v", out.Undo)
	}
}
