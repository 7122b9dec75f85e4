package builtin_test

import (
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"helve/tool"
)

// A call is undone while a command runs, also where the command changes the same file. Nothing is lost by that, and what
// the command did can be undone and done again as it stands.
func TestUndoWhileACommandRuns(t *testing.T) {
	h, past := withPast(t, writing())
	needLayer(t, h)
	const before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
	h.put("a", before)
	h.must("edit", args{"file_path": "a", "old_string": "1", "new_string": "one"})
	h.must("write", args{"file_path": "b", "contents": "b\n"})

	started, ended := make(chan struct{}), make(chan *tool.Result, 1)
	start := sync.OnceFunc(func() { close(started) })
	go func() {
		defer start()
		line, _ := json.Marshal(args{"command": "echo started; sleep 1; sed -i s/9/nine/ a; echo c >c"})
		c := &tool.Call{Name: "bash", Args: line, Progress: func(tool.Progress) { start() }}
		res, err := h.kit.Call(context.Background(), c)
		if err != nil {
			t.Error(err)
		}
		ended <- res
	}()
	<-started
	past.must("undo", args{}) // of b
	past.must("undo", args{}) // of a, which the command is about to change
	if h.read("a") != before || h.read("b") != "" {
		t.Errorf("while the command runs: a %q, b %q", h.read("a"), h.read("b"))
	}
	res := <-ended
	if res == nil || res.Err != nil {
		t.Fatalf("the command: %v", res)
	}
	there := h.read("a")
	both := strings.Replace(before, "9", "nine", 1)
	refused := there == before && strings.Contains(res.Text(), "a")
	if there != both && !refused || h.read("c") != "c\n" || h.read("b") != "" {
		t.Errorf("after the command: a %q, b %q, c %q\n%s", there, h.read("b"), h.read("c"), res.Text())
	}
	past.must("undo", args{})
	if h.read("a") != before || h.read("c") != "" {
		t.Errorf("the command is undone: a %q, c %q", h.read("a"), h.read("c"))
	}
	past.must("redo", args{})
	if h.read("a") != there || h.read("c") != "c\n" {
		t.Errorf("and done again: a %q, want %q, c %q", h.read("a"), there, h.read("c"))
	}
}

// The disk that the history is on is full: calls go on and say that they cannot be undone, an undo does all or nothing,
// and what was remembered before stays.
func TestAFullDiskForTheHistory(t *testing.T) {
	const own = "^TestAFullDiskForTheHistory$"
	if dir := os.Getenv("HELVE_HISTORY_DISK"); dir != "" {
		fillTheHistory(t, dir)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run="+own, "-test.v")
	cmd.Env = append(os.Environ(), "HELVE_HISTORY_DISK="+t.TempDir(), "TMPDIR="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	switch {
	case err != nil && len(out) == 0:
		t.Skip("no user namespace here: ", err)
	case strings.Contains(string(out), "--- SKIP"):
		t.Skipf("%s", out)
	case err != nil:
		t.Errorf("%v\n%s", err, out)
	}
}

// fillTheHistory is the child, whose state is on a small disk of its own.
func fillTheHistory(t *testing.T, state string) {
	if err := unix.Mount("tmpfs", state, "tmpfs", 0, "size=512k"); err != nil {
		t.Skip("no file system can be mounted here: ", err)
	}
	o := writing()
	o.State = state
	h, past := withPast(t, o)
	h.must("write", args{"file_path": "early", "contents": "1\n"})
	h.must("edit", args{"file_path": "early", "old_string": "1", "new_string": "2"})

	// A content that does not fit: nothing compresses it.
	much := make([]byte, 400<<10)
	r := rand.NewChaCha8([32]byte{1})
	io.ReadFull(r, much) // never fails
	for i := range much {
		much[i] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+/"[much[i]%64]
	}
	text := string(much) + "\n"
	other := "x" + text
	h.must("write", args{"file_path": "first", "contents": text})
	cannot := h.must("write", args{"file_path": "second", "contents": other})
	if !strings.Contains(cannot, "this cannot be undone") || !strings.Contains(cannot, "no space left") || h.read("second") != other {
		t.Errorf("what does not fit: %.300s", cannot)
	}

	fill(t, filepath.Join(state, "filler"))
	small := h.call("edit", args{"file_path": "second", "old_string": other[:9], "new_string": "new"})
	switch {
	case small.Err == nil && !strings.Contains(small.Text(), "this cannot be undone"):
		t.Errorf("an edit on a full disk does not say that it cannot be undone: %.300s", small.Text())
	case small.Err != nil && (h.read("second") != other || !strings.Contains(small.Text(), "no space left")):
		t.Errorf("an edit on a full disk: %.300s", small.Text())
	}
	res := past.call("undo", args{})
	switch {
	case res.Err == nil && h.read("first") != "":
		t.Errorf("the undo said that it worked: %s", res.Text())
	case res.Err != nil && (h.read("first") != text || !strings.Contains(res.Text(), "no space left")):
		t.Errorf("the undo did not work: %s; the file has %d bytes", res.Text(), len(h.read("first")))
	}
	if err := os.Remove(filepath.Join(state, "filler")); err != nil {
		t.Fatal(err)
	}
	if res.Err != nil {
		past.must("undo", args{})
	}
	if h.read("first") != "" || h.read("early") != "2\n" {
		t.Errorf("there is room again: first has %d bytes, early %q", len(h.read("first")), h.read("early"))
	}
	past.must("undo", args{})
	past.must("undo", args{})
	if h.read("early") != "" {
		t.Errorf("what was remembered before: %q", h.read("early"))
	}
}

// fill leaves no byte of a disk.
func fill(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, n := range []int{4096, 1} { // whole pages, then what is left of one
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, n))
		}
	}
}
