package search

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const inNamespace = "HELVE_TEST_IN_NAMESPACE"

// again runs this test once more in namespaces of its own, where it may mount, and reports whether this is that run.
func again(t *testing.T) bool {
	if os.Getenv(inNamespace) != "" {
		return true
	}
	cmd := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), inNamespace+"=1", "TMPDIR="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}}
	out, err := cmd.CombinedOutput()
	switch {
	case err != nil && len(out) == 0:
		t.Skipf("no user namespace: %v", err)
	case err != nil:
		t.Errorf("%v\n%s", err, out)
	case strings.Contains(string(out), "--- SKIP"):
		t.Skip(string(out))
	}
	return false
}

// A disk that is full while the index is written costs the new index, nothing else.
func TestAFullDiskLeavesTheOldIndex(t *testing.T) {
	if !again(t) {
		return
	}
	dir, cache := t.TempDir(), t.TempDir()
	if err := syscall.Mount("none", cache, "tmpfs", 0, "size=256k"); err != nil {
		t.Skip(err)
	}
	defer syscall.Unmount(cache, syscall.MNT_DETACH)
	write(t, filepath.Join(dir, "first.txt"), "needle one\n")
	backdate()
	e := once(t, dir, cache)
	e.build(t)
	for i := range 3 {
		var b strings.Builder
		for k := range 300_000 { // text of many grams
			fmt.Fprintf(&b, "%x ", uint32(k*2654435761+i))
		}
		write(t, filepath.Join(dir, fmt.Sprint("more", i, ".txt")), b.String()+"\nneedle more\n")
	}
	backdate()
	e = once(t, dir, cache)
	if err := os.WriteFile(filepath.Join(cache, "ballast"), make([]byte, 128<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := e.BuildIndex(context.Background(), nil)
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("error %v, want that the disk is full", err)
	}
	if left, _ := filepath.Glob(filepath.Join(e.index.dir, tempPrefix+"*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	again := once(t, dir, cache)
	if st := again.IndexStatus(); st.Segments != 1 || st.Files != 1 {
		t.Errorf("%+v, want the old index", st)
	}
	want := []string{"first.txt:1:needle one", "more0.txt:2:needle more", "more1.txt:2:needle more", "more2.txt:2:needle more"}
	if diff := cmp.Diff(want, printed(t, again, Query{Patterns: []string{"needle"}})); diff != "" {
		t.Error(diff)
	}
}

// asNobody runs f without the rights that root has.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Getuid() == 0 {
		if err := syscall.Setresuid(-1, 65534, -1); err != nil {
			t.Skip(err)
		}
		defer func() {
			if err := syscall.Setresuid(-1, 0, -1); err != nil {
				t.Fatal(err)
			}
		}()
	}
	f()
}

func TestWhatMayNotBeReadIsCounted(t *testing.T) {
	dir := t.TempDir()
	for _, p := range []string{"denied/f", "open/f", "open/secret", ".gitignore"} {
		write(t, filepath.Join(dir, p), "needle\n")
	}
	for p, mode := range map[string]os.FileMode{"denied": 0, "open/secret": 0, ".gitignore": 0} {
		if err := os.Chmod(filepath.Join(dir, p), mode); err != nil {
			t.Fatal(err)
		}
	}
	defer os.Chmod(filepath.Join(dir, "denied"), 0o755)
	for _, d := range []string{filepath.Dir(dir), dir} {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	e := open(t, dir)
	asNobody(t, func() {
		for _, sort := range []Sort{Unsorted, Newest} {
			sum, found := grep(t, e, Query{Patterns: []string{"needle"}, Sort: sort})
			if len(found) != 1 || found[0].Path != "open/f" || sum.Failures != 2 || len(sum.Failed) != 2 {
				t.Errorf("%+v in %d files, want one file and two failures", sum, len(found))
			}
			for _, err := range sum.Failed {
				if !errors.Is(err, os.ErrPermission) || !strings.Contains(err.Error(), "denied") && !strings.Contains(err.Error(), "open/secret") {
					t.Errorf("failure %v, want a permission that names its file", err)
				}
			}
		}
	})
}

// Files come, go, grow and shrink while they are read. No search fails, and what it reports was once there.
func TestFilesThatChangeWhileTheyAreRead(t *testing.T) {
	dir := t.TempDir()
	line := "needle " + strings.Repeat("x", 90) + "\n"
	for i := range 20 {
		write(t, filepath.Join(dir, fmt.Sprint(i)), strings.Repeat(line, 5000))
	}
	backdate()
	engines := []*Engine{open(t, dir), resident(t, dir, t.TempDir()), once(t, dir, t.TempDir())}
	for _, e := range engines[1:] {
		e.build(t)
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			p := filepath.Join(dir, fmt.Sprint(i%20))
			switch i / 20 % 4 {
			case 0:
				_ = os.Truncate(p, int64(len(line)*(i%3000)))
			case 1:
				_ = os.Remove(p)
			case 2:
				_ = os.WriteFile(p, []byte(strings.Repeat(line, i%5000)), 0o644)
			case 3:
				if f, err := os.OpenFile(p, os.O_APPEND|os.O_WRONLY, 0); err == nil {
					_, _ = f.WriteString(strings.Repeat(line, 3000))
					f.Close()
				}
			}
		}
	})
	for i := range 30 {
		e := engines[i%len(engines)]
		sum, err := e.Grep(context.Background(), Query{Patterns: []string{"needle"}, Sort: Sort(i % 3), Before: i % 2}, func(f *File) error {
			for _, l := range f.Lines {
				if !strings.HasPrefix(line, string(l.Text)) {
					return fmt.Errorf("%s:%d is %q", f.Path, l.Number, l.Text)
				}
			}
			return nil
		})
		if err != nil || sum.Failures > 0 {
			t.Errorf("%+v %v", sum, err)
		}
	}
	close(stop)
	wg.Wait()
}

// peak returns how much memory, in bytes, the process took more than before while f ran.
func peak(t *testing.T, f func()) uint64 {
	t.Helper()
	taken := func() uint64 {
		s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}, {Name: "/memory/classes/heap/free:bytes"}}
		metrics.Read(s)
		return s[0].Value.Uint64() - s[1].Value.Uint64() - s[2].Value.Uint64()
	}
	debug.FreeOSMemory()
	before := taken()
	most, done := before, make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(2 * time.Millisecond):
				most = max(most, taken())
			}
		}
	})
	f()
	close(done)
	wg.Wait()
	return max(most, taken()) - before
}

// A log of 5 GB with HELVE_LONG set, else of 100 MB: memory is bounded by the window, not by the file.
func TestAHugeLogIsSearchedInLittleMemory(t *testing.T) {
	size := int64(100 << 20)
	if os.Getenv("HELVE_LONG") != "" {
		size = 5 << 30
	}
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	block := strings.Repeat("2026-01-01 00:00:00 nothing happened here\n", 25_000)
	w := bufio.NewWriter(f)
	written, blocks := int64(0), 0
	for ; written < size; blocks++ {
		n, err := fmt.Fprintf(w, "event %d\n%s", blocks, block)
		if written += int64(n); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	e := open(t, dir)
	for _, q := range []Query{{Patterns: []string{`^event \d+$`}}, {Patterns: []string{"happened"}, Invert: true, After: 1}, {Patterns: []string{"event"}, Sort: Newest}} {
		var sum Summary
		used := peak(t, func() { sum, _ = grep2(t, e, q) })
		if sum.Lines != blocks || used > 64<<20 {
			t.Errorf("%+v: %d lines, want %d, in %d MB, want at most 64", q.Patterns, sum.Lines, blocks, used>>20)
		}
	}
}

// grep2 is grep that keeps nothing.
func grep2(t *testing.T, e *Engine, q Query) (Summary, error) {
	t.Helper()
	sum, err := e.Grep(context.Background(), q, func(*File) error { return nil })
	if err != nil {
		t.Error(err)
	}
	return sum, err
}

// One line of 200 MB with HELVE_LONG set, else of 20 MB: it is found whole, shown cut, and its memory is given back.
func TestOneHugeLineIsSearched(t *testing.T) {
	size := 20 << 20
	if os.Getenv("HELVE_LONG") != "" {
		size = 200 << 20
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "line"), "start "+strings.Repeat("x", size)+" needle\nsecond\n")
	e := open(t, dir)
	var lines []Line
	used := peak(t, func() {
		_, found := grep(t, e, Query{Patterns: []string{`^start.*needle$|second`}, MaxText: 20})
		for _, f := range found {
			lines = append(lines, f.Lines...)
		}
	})
	if len(lines) != 2 || !lines[0].Cut || len(lines[0].Text) != 20 || lines[1].Number != 2 || string(lines[1].Text) != "second" {
		t.Errorf("%+v", lines)
	}
	if limit := uint64(4*size + 64<<20); used > limit {
		t.Errorf("%d MB, want at most %d", used>>20, limit>>20)
	}
	e.buffers.New = nil
	if b := e.buffer(); len(b) != window {
		t.Errorf("a buffer of %d bytes is kept for the next search, want %d", len(b), window)
	}
}
