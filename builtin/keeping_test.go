//go:build unix

package builtin_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"helve/builtin"
	"helve/tool"
)

func TestAnEditKeepsLinksModesAndOwners(t *testing.T) {
	h := open(t, builtin.Options{})
	p := h.put("dir/target", "one\n")
	if err := os.Chmod(p, 0o751); err != nil {
		t.Fatal(err)
	}
	os.Chown(p, 12, 34) // works for root only; otherwise the owner is ours and stays so
	before, err := os.Stat(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("dir/target", filepath.Join(h.dir, "link")); err != nil {
		t.Fatal(err)
	}
	r := h.call("edit", args{"file_path": "link", "old_string": "one", "new_string": "two"})
	after, err := os.Stat(p)
	if r.Err != nil || err != nil || h.get("dir/target") != "two\n" || after.Mode() != before.Mode() {
		t.Errorf("%q, %v, mode %v", r.Text(), err, after.Mode())
	}
	if a, b := before.Sys().(*syscall.Stat_t), after.Sys().(*syscall.Stat_t); a.Uid != b.Uid || a.Gid != b.Gid {
		t.Errorf("owner %d:%d, was %d:%d", b.Uid, b.Gid, a.Uid, a.Gid)
	}
	if to, err := os.Readlink(filepath.Join(h.dir, "link")); err != nil || to != "dir/target" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	if r.Job.Effects[0].Target != "dir/target" {
		t.Errorf("judged as %q", r.Job.Effects[0].Target)
	}
}

func TestAWriteThatCannotKeepWhatIsThereIsRefused(t *testing.T) {
	h := open(t, builtin.Options{})
	h.put("hard", "one\n")
	if err := os.Link(filepath.Join(h.dir, "hard"), filepath.Join(h.dir, "twin")); err != nil {
		t.Fatal(err)
	}
	h.put("ro/f", "one\n")
	if err := os.Chmod(filepath.Join(h.dir, "ro"), 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(h.dir, "ro"), 0o755) })
	h.put("locked", "one\n")
	os.Chmod(filepath.Join(h.dir, "locked"), 0o444)
	if err := syscall.Mkfifo(filepath.Join(h.dir, "fifo"), 0o644); err != nil {
		t.Skip(err)
	}
	for path, says := range map[string]string{"hard": "hard link", "ro/f": "read-only", "locked": "read-only", "fifo": "named pipe"} {
		for name, a := range map[string]args{
			"edit":  {"file_path": path, "old_string": "one", "new_string": "two"},
			"write": {"file_path": path, "contents": "two"},
		} {
			r := h.call(name, a)
			if r.Err == nil || !strings.Contains(r.Text(), says) || code(r) == tool.Unknown {
				t.Errorf("%s %s: %s %q", name, path, code(r), r.Text())
			}
		}
		if path != "fifo" && h.get(path) != "one\n" {
			t.Errorf("%s was written", path)
		}
	}
}

func TestAThousandParallelEditsOfOneFileAllArrive(t *testing.T) {
	const callers, edits = 16, 1000
	h := open(t, builtin.Options{State: t.TempDir()})
	var b strings.Builder
	for i := range edits {
		fmt.Fprintf(&b, "line %d is old\r\n", i)
	}
	h.put("f", b.String())
	s := session(t, nil) // one session: what it wrote itself is not stale
	h.in(s, "read", args{"file_path": "f"})
	next := make(chan int)
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for i := range next {
				if r := h.in(s, "edit", args{"file_path": "f", "old_string": fmt.Sprintf("line %d is old", i), "new_string": fmt.Sprintf("line %d is new", i)}); r.Err != nil {
					t.Error(r.Text())
				}
			}
		})
	}
	for i := range edits {
		next <- i
	}
	close(next)
	wg.Wait()
	if h.get("f") != strings.ReplaceAll(b.String(), "old", "new") {
		t.Error("edits were lost")
	}
}

// Processes that edit and write are killed at random moments: the file is always one of its two states, and the next start leaves no
// temporary file. HELVE_WRITER makes this test binary such a process.
func TestAKilledWriterLeavesTheOldFileOrTheNew(t *testing.T) {
	if dir := os.Getenv("HELVE_WRITER"); dir != "" {
		writeForEver(t, dir, os.Getenv("HELVE_STATE"))
		return
	}
	moments := 40
	if os.Getenv("HELVE_LONG") != "" {
		moments = 200
	}
	dir, state, temp := t.TempDir(), t.TempDir(), t.TempDir()
	a, b := strings.Repeat("state a\n", 200_000), strings.Repeat("state b\n", 200_000)
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte(a), 0o644); err != nil {
		t.Fatal(err)
	}
	temps := 0
	for i := range moments {
		cmd := exec.Command(os.Args[0], "-test.run=^TestAKilledWriterLeavesTheOldFileOrTheNew$")
		cmd.Env = append(os.Environ(), "HELVE_WRITER="+dir, "HELVE_STATE="+state, "TMPDIR="+temp) // who is killed tidies nothing up
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(30+(i*37)%90) * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
		got, err := os.ReadFile(filepath.Join(dir, "f"))
		if err != nil || string(got) != a && string(got) != b {
			t.Fatalf("moment %d: %d bytes, %v", i, len(got), err)
		}
		left, _ := filepath.Glob(filepath.Join(dir, ".helve-*"))
		temps += len(left)
		ws, err := builtin.Open(builtin.Options{Dirs: []string{dir}, State: state})
		if err != nil {
			t.Fatal(err)
		}
		ws.Close()
		if left, _ := filepath.Glob(filepath.Join(dir, ".helve-*")); len(left) > 0 {
			t.Fatalf("moment %d: left: %q", i, left)
		}
	}
	t.Logf("%d temporary files were found and removed in %d moments", temps, moments)
}

func writeForEver(t *testing.T, dir, state string) {
	h := open(t, builtin.Options{Dirs: []string{dir}, State: state})
	for old, new := "state a", "state b"; ; old, new = new, old {
		h.call("edit", args{"file_path": "f", "old_string": old, "new_string": new, "replace_all": true})
		h.call("write", args{"file_path": "f", "contents": strings.Repeat(old+"\n", 200_000)})
	}
}

func TestADirectoryThatGoesUnderWayIsAnError(t *testing.T) {
	h := open(t, builtin.Options{})
	h.put("d/f", "one\n")
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			os.RemoveAll(filepath.Join(h.dir, "d"))
			os.MkdirAll(filepath.Join(h.dir, "d"), 0o755)
			os.WriteFile(filepath.Join(h.dir, "d", "f"), []byte("one\n"), 0o644)
		}
	}()
	for range 300 {
		for name, a := range map[string]args{
			"read": {"file_path": "d/f"}, "ls": {"path": "d"}, "write": {"file_path": "d/g", "contents": "x"},
			"edit": {"file_path": "d/f", "old_string": "one", "new_string": "two"},
		} {
			if r := h.call(name, a); code(r) == tool.Unknown {
				t.Fatalf("%s: %q", name, r.Text())
			}
		}
	}
	close(stop)
	<-done
}
