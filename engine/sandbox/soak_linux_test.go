package sandbox

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"
)

var soak = flag.Int("soak", 60, "commands of the soak test")

// left counts what a command could leave behind.
type left struct{ descriptors, mounts, goroutines, children, files int }

// more tells whether anything was left behind, or is gone that was there.
func (s left) more(before left) bool {
	return s.descriptors > before.descriptors || s.mounts != before.mounts || s.goroutines > before.goroutines || s.children > before.children || s.files != before.files
}

func count(t *testing.T, f fixture) left {
	t.Helper()
	time.Sleep(time.Millisecond)
	Rest()
	names, _ := os.ReadDir("/proc/self/fd")
	mounts, _ := os.ReadFile("/proc/self/mountinfo")
	s := left{descriptors: len(names), mounts: bytes.Count(mounts, []byte("\n")), goroutines: runtime.NumGoroutine()}
	tasks, _ := filepath.Glob("/proc/self/task/*/children")
	for _, c := range tasks {
		text, _ := os.ReadFile(c)
		s.children += len(bytes.Fields(text))
	}
	filepath.WalkDir(f.root, func(string, os.DirEntry, error) error { s.files++; return nil })
	temp, _ := filepath.Glob(filepath.Join(os.TempDir(), tempPrefix+"*"))
	s.files += len(temp)
	return s
}

func TestManyCommandsLeaveNothingBehind(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()) // that of everybody holds what other tests make
	f := newFixture(t)
	var options []Options
	for _, m := range ladder {
		if _, err := Reach(t.Context(), Options{Mechanism: m}); err != nil {
			continue
		}
		for _, level := range []Level{ReadOnly, WorkspaceWrite} {
			o := f.options(level)
			o.Mechanism = m
			options = append(options, o)
		}
	}
	options = append(options, Options{Level: Off})
	run(t, options[0], f, "true")
	before := count(t, f)
	for i := range *soak {
		o := options[i%len(options)]
		p, _, err := Start(t.Context(), o, Spec{Argv: []string{"bash", "-c", "setsid sleep 30 & cat a.go; (sleep 20 &); exit " + strconv.Itoa(i%7)}, Dir: f.root, Env: f.env()})
		if err != nil {
			t.Fatal(err)
		}
		e, err := p.Wait(t.Context())
		if err != nil || e.Code != i%7 || p.Stdout.Size() != int64(len("package a\n")) {
			t.Errorf("command %d: %+v %v, %d bytes", i, e, err, p.Stdout.Size())
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	after := count(t, f)
	for end := time.Now().Add(ample); after.more(before) && time.Now().Before(end); after = count(t, f) {
		time.Sleep(20 * time.Millisecond)
	}
	if after.more(before) {
		t.Errorf("left behind after %d commands: %+v, before %+v", *soak, after, before)
	}
}
