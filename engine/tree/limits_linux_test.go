//go:build !portable

package tree

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// While nobody empties the kernel's queue, more happens than it holds: then the whole tree is looked at.
func TestAfterAFloodOfEventsNothingIsMissing(t *testing.T) {
	text, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	if err != nil {
		t.Skip(err)
	}
	limit, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || limit > 100_000 {
		t.Skip("the queue of events is too long to be filled")
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a/first"), "")
	tr := resident1(t, dir)
	snapshot(t, tr)
	tr.live.mu.Lock() // keeps the listener from reading
	for i := range limit/2 + 1000 {
		write(t, filepath.Join(dir, "a", fmt.Sprint(i%5000)), fmt.Sprint(i))
	}
	write(t, filepath.Join(dir, "b/c/last"), "")
	tr.live.mu.Unlock()
	if diff := cmp.Diff(table(t, dir), listed(snapshot(t, tr))); diff != "" {
		t.Fatalf("(-walk +resident)\n%s", diff)
	}
	write(t, filepath.Join(dir, "b/c/after"), "") // and the new directories are listened to
	if diff := cmp.Diff(table(t, dir), listed(snapshot(t, tr))); diff != "" {
		t.Fatalf("(-walk +resident)\n%s", diff)
	}
}

const inNamespace = "HELVE_TEST_IN_NAMESPACE"

// again runs this test once more in a user namespace of its own, where limits can be set, and reports whether this is
// that run.
func again(t *testing.T) bool {
	if os.Getenv(inNamespace) != "" {
		return true
	}
	cmd := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), inNamespace+"=1", "TMPDIR="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}}
	out, err := cmd.CombinedOutput()
	if err != nil && len(out) == 0 {
		t.Skipf("no user namespace: %v", err)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if strings.Contains(string(out), "--- SKIP") {
		t.Skip(string(out))
	}
	return false
}

// With more directories than may be watched, times are compared, and answers stay right.
func TestWithoutWatchesNothingIsMissing(t *testing.T) {
	if !again(t) {
		return
	}
	if err := os.WriteFile("/proc/sys/user/max_inotify_watches", []byte("10"), 0); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	for i := range 8 {
		write(t, filepath.Join(dir, fmt.Sprint(i), "f"), "")
	}
	tr := resident1(t, dir)
	if diff := cmp.Diff(table(t, dir), listed(snapshot(t, tr))); diff != "" {
		t.Fatal(diff)
	}
	if tr.live.notify == nil {
		t.Fatal("eight directories and the root are above a limit of ten")
	}
	for i := range 8 {
		write(t, filepath.Join(dir, "more", fmt.Sprint(i), "f"), "")
	}
	for i := range 3 {
		if diff := cmp.Diff(table(t, dir), listed(snapshot(t, tr))); diff != "" {
			t.Fatal(diff)
		}
		if tr.live.notify != nil {
			t.Fatal("seventeen directories are watched with a limit of ten")
		}
		write(t, filepath.Join(dir, "more/late", fmt.Sprint(i)), "")
		if err := os.Remove(filepath.Join(dir, fmt.Sprint(i), "f")); err != nil {
			t.Fatal(err)
		}
	}
}

// Where there are no events at all, the same.
func TestWithoutEventsNothingIsMissing(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a/f"), "one")
	r := &resident{t: &Tree{root: dir, at: dir}, done: make(chan struct{})}
	base, err := openRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer base.close()
	r.t.base = base
	for i := range 5 {
		write(t, filepath.Join(dir, "b", fmt.Sprint(i)), "two")
		s, err := r.snapshot(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(table(t, dir), listed(s)); diff != "" {
			t.Fatal(diff)
		}
	}
}
