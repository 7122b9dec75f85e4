package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"helve/engine/sandbox"
	"helve/tool"
)

// draftCalls calls the tools of a draft.
type draftCalls struct {
	t *testing.T
	d *Draft
	b *Toolbox

	shown bool // a person sees what calls change before it is made
}

func (c draftCalls) call(name string, args map[string]any) *tool.Result {
	c.t.Helper()
	res, err := c.try(name, args)
	if err != nil {
		c.t.Fatal(name, err)
	}
	return res
}

func (c draftCalls) try(name string, args map[string]any) (*tool.Result, error) {
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
			return nil, err
		}
		if c.shown {
			j.Review()
		}
		return j.Run(c.t.Context())
	}
	c.t.Fatal("no tool " + name)
	return nil, nil
}

// draftsIn are the tools of a folder with some files, and of further folders in it.
func draftsIn(t *testing.T, files map[string]string, roots ...string) (b *Toolbox, dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	dirs := []string{dir}
	for _, root := range roots {
		dirs = append(dirs, filepath.Join(dir, root))
	}
	b, err := Open(Options{
		Dirs:    dirs,
		State:   t.TempDir(),
		Sandbox: Sandbox{Level: sandbox.WorkspaceWrite, Network: true},
		History: History{On: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b, dir
}

// draftingIn opens a draft of a folder with some files.
func draftingIn(t *testing.T, files map[string]string) (c draftCalls, dir string) {
	t.Helper()
	b, dir := draftsIn(t, files)
	d, err := b.NewDraft(t.Context())
	if errors.Is(err, sandbox.ErrNoLayer) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Drop() })
	return draftCalls{t: t, d: d, b: b}, dir
}

// commit commits the draft, which asks nobody.
func (c draftCalls) commit() *CommittedDraft {
	c.t.Helper()
	out, err := c.d.Commit(c.t.Context(), &tool.Call{Name: "run_script", Parent: "family"}, "")
	if err != nil {
		c.t.Fatal(err)
	}
	return out
}

// Somebody's edit meanwhile wins: what touches other lines is made as well, what touches the same ones is not made, and
// with it nothing else of the draft.
func TestAnEditOnTheDiskWhileADraftIsOpenIsKept(t *testing.T) {
	text := "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
	for _, one := range []struct{ theirs, want, said string }{
		{"one\n2\n3\n4\n5\n6\n7\n8\n9\n", "one\n2\n3\n4\n5\n6\n7\n8\nnine\n", "merged: a.txt"},
		{"1\n2\n3\n4\n5\n6\n7\n8\nIX\n", "1\n2\n3\n4\n5\n6\n7\n8\nIX\n", "a.txt"},
	} {
		c, dir := draftingIn(t, map[string]string{"a.txt": text, "b.txt": "b\n"})
		c.call("edit", map[string]any{"file_path": "a.txt", "old_string": "9", "new_string": "nine"})
		c.call("edit", map[string]any{"file_path": "b.txt", "old_string": "b", "new_string": "B"})
		later(t, dir)
		if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte(one.theirs), 0o644); err != nil {
			t.Fatal(err)
		}
		out := c.commit()
		said := strings.Join(out.Notes, "\n")
		if out.Refused != nil {
			said += out.Refused.Text()
		}
		a, _ := os.ReadFile(filepath.Join(dir, "a.txt"))
		b, _ := os.ReadFile(filepath.Join(dir, "b.txt"))
		if string(a) != one.want || !strings.Contains(said, one.said) || (out.Refused == nil) != (string(b) == "B\n") {
			t.Errorf("%q: a is %q, b is %q, said %q", one.theirs, a, b, said)
		}
	}
}

// What somebody saves in a folder that goes as a whole is not lost with it, also when the question stood already.
func TestAnEditInAFolderThatGoesIsKept(t *testing.T) {
	c, dir := draftingIn(t, map[string]string{"old/a.txt": "a\n", "b.txt": "b\n"})
	c.shown = true
	c.call("bash", map[string]any{"command": "rm -r old; echo B >b.txt"})
	call := &tool.Call{Name: "run_script", Ask: func(context.Context, tool.Late) (tool.Answer, error) {
		later(t, dir)
		if err := os.WriteFile(filepath.Join(dir, "old", "a.txt"), []byte("saved\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return tool.Answer{Yes: true}, nil
	}}
	out, err := c.d.Commit(t.Context(), call, "")
	if err != nil || out.Refused == nil || !strings.Contains(out.Refused.Text(), "old") {
		t.Errorf("it became %+v: %v", out, err)
	}
	a, _ := os.ReadFile(filepath.Join(dir, "old", "a.txt"))
	b, _ := os.ReadFile(filepath.Join(dir, "b.txt"))
	if string(a) != "saved\n" || string(b) != "b\n" {
		t.Errorf("a is %q, b is %q", a, b)
	}
}

// A folder that somebody put in another one's place brings files that are older than the draft: they are not taken for
// those that the draft changed.
func TestAFolderThatTookAnothersPlaceIsNotOverwritten(t *testing.T) {
	c, dir := draftingIn(t, map[string]string{"src/a.txt": "a\n", "src.new/a.txt": "newer\n"})
	c.call("edit", map[string]any{"file_path": "src/a.txt", "old_string": "a", "new_string": "A"})
	for _, move := range [][2]string{{"src", "src.old"}, {"src.new", "src"}} {
		if err := os.Rename(filepath.Join(dir, move[0]), filepath.Join(dir, move[1])); err != nil {
			t.Fatal(err)
		}
	}
	out := c.commit()
	if text, _ := os.ReadFile(filepath.Join(dir, "src/a.txt")); string(text) != "newer\n" || out.Refused == nil {
		t.Errorf("it is %q, and became %+v", text, out)
	}
}

// Where a draft changes several repositories, a change of somebody else in one of them keeps it out of the others too.
func TestADraftInTwoRepositoriesIsMadeWholeOrNotAtAll(t *testing.T) {
	c, dir := draftingIn(t, map[string]string{"one/a.txt": "a\n", "two/b.txt": "b\n"})
	for _, r := range []string{"one", "two"} {
		if out, err := exec.Command("git", "init", "-q", filepath.Join(dir, r)).CombinedOutput(); err != nil {
			t.Skipf("git: %v: %s", err, out)
		}
	}
	const commit = "git -c user.name=a -c user.email=a@example.com -C %s add -A && " +
		"git -c user.name=a -c user.email=a@example.com -C %s commit -qm x"
	for _, r := range []string{"one", "two"} {
		c.call("bash", map[string]any{"command": strings.ReplaceAll(commit, "%s", r)})
	}
	later(t, dir)
	if err := os.WriteFile(filepath.Join(dir, "two/.git/index"), []byte("theirs"), 0o644); err != nil {
		t.Fatal(err)
	}
	out := c.commit()
	if out.Refused == nil {
		t.Errorf("it became %+v", out)
	}
	for _, r := range []string{"one", "two"} {
		if list, _ := filepath.Glob(filepath.Join(dir, r, ".git/refs/heads/*")); len(list) > 0 {
			t.Errorf("%s was committed in", r)
		}
	}
}

// In a draft that holds too much no further command runs; it can be looked at and dropped.
func TestADraftHasABound(t *testing.T) {
	c, dir := draftingIn(t, map[string]string{"a.txt": "a\n"})
	c.call("bash", map[string]any{"command": "truncate -s 3G big"})
	if res := c.call("read", map[string]any{"file_path": "a.txt"}); res.Err != nil {
		t.Errorf("read: %s", res.Text())
	}
	_, err := c.try("bash", map[string]any{"command": "touch more"})
	if err == nil || !strings.Contains(err.Error(), "the draft holds 3072 MB") {
		t.Errorf("the next command: %v", err)
	}
	if err := c.d.Drop(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "big")); err == nil {
		t.Error("it is on disk")
	}
}

func TestToolsAndCommandsWorkInOneDraft(t *testing.T) {
	c, dir := draftingIn(t, map[string]string{"a.txt": "one\ntwo\n"})
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
	out := c.commit()
	if out.Refused != nil {
		t.Fatal(out.Refused)
	}
	text, _ := os.ReadFile(filepath.Join(dir, "sub/b.txt"))
	if _, err := os.Stat(filepath.Join(dir, "a.txt")); err == nil || string(text) != "alpha\nbeta\n" {
		t.Errorf("on the disk: %q, %v", text, err)
	}
	if out.Undo.Undo == "" || len(out.Undo.Changes) != 3 {
		t.Errorf("undo %+v", out.Undo)
	}
}

// A command that runs before a person sees what it changed gets what one gets that nobody approved, whatever approved
// ones have.
func TestACommandBeforeTheYesReadsNoSecretsAndSendsNothing(t *testing.T) {
	c, dir := draftingIn(t, map[string]string{".env": "KEY=secret\n"})
	c.shown = true
	const line = "touch made; cat .env; cat /proc/net/dev"
	res := c.call("bash", map[string]any{"command": line})
	if strings.Contains(res.Text(), "KEY=") || !strings.Contains(res.Text(), "lo") || strings.Contains(res.Text(), "eth") {
		t.Errorf("it sees %s", res.Text())
	}
	var shown string
	call := &tool.Call{Name: "run_script", Ask: func(_ context.Context, l tool.Late) (tool.Answer, error) {
		shown = l.Preview.(tool.Diff).Unified
		return tool.Answer{}, nil
	}}
	out, err := c.d.Commit(t.Context(), call, "write(…)\nbash(…)")
	if err != nil || out.Refused == nil || !strings.Contains(shown, "# bash(…)\n") || !strings.Contains(shown, "made") {
		t.Errorf("shown %q, became %+v: %v", shown, out, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "made")); err == nil {
		t.Error("it was made after a no")
	}
}

// A call beside a command that changes the layer waits for it, and sees what it did.
func TestACallBesideACommandWaitsForIt(t *testing.T) {
	c, _ := draftingIn(t, nil)
	began := make(chan bool)
	go func() {
		close(began)
		c.call("bash", map[string]any{"command": "sleep 0.5; echo late >late.txt"})
	}()
	<-began
	for range 50 { // it may come before the command has the layer
		if res := c.call("glob", map[string]any{"pattern": "*.txt", "limit": 10}); strings.Contains(res.Text(), "late.txt") {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Error("what the command did is never seen")
}

// later waits until the clock that stamps files has gone on.
func later(t *testing.T, dir string) {
	t.Helper()
	stamp := func() time.Time {
		path := filepath.Join(dir, "..", "stamp")
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		st, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return st.ModTime()
	}
	for first := stamp(); !stamp().After(first); {
		time.Sleep(time.Millisecond)
	}
}
