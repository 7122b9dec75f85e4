package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// damages are what may become of a file of helve's own: a disk that was full, a crash, a newer version, a person.
var damages = map[string]func([]byte) []byte{
	"empty":   func([]byte) []byte { return nil },
	"half":    func(b []byte) []byte { return b[:len(b)/2] },
	"garbage": func([]byte) []byte { return []byte("\x00\xff{[\"not what it was") },
	"newer":   func([]byte) []byte { return []byte(`{"version":99,"things":[{"new":true}]}`) },
}

// What is damaged among helve's own files stops nothing: every command starts, tools work, and a file that a command
// writes anew is kept as it was beside the new one.
func TestDamagedStateStopsNothing(t *testing.T) {
	needMounts(t)
	const dir = "testdata/older/2026-11-24"
	for _, name := range stateFiles(t, filepath.Join(dir, "state/helve")) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for how, damage := range damages {
				o := newOlder(t, dir)
				o.damage(name, damage)
				o.works(name + ", " + how)
			}
		})
	}
}

// stateFiles are those of a state folder that say something: locks do not.
func stateFiles(t *testing.T, top string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, "/locks/") || filepath.Base(path) == "lock" {
			return err
		}
		rel, err := filepath.Rel(top, path)
		files = append(files, rel)
		return err
	})
	if err != nil || len(files) < 8 {
		t.Fatalf("%q, %v", files, err)
	}
	return files
}

func (o *older) damage(name string, damage func([]byte) []byte) {
	o.t.Helper()
	file := filepath.Join(o.top, "older/state/helve", name)
	b, err := os.ReadFile(file)
	if err != nil {
		o.t.Fatal(err)
	}
	if err := os.WriteFile(file, damage(b), 0o600); err != nil {
		o.t.Fatal(err)
	}
}

// works wants that all works that a person would do next. What a damaged file was about may be gone, and said to be.
func (o *older) works(what string) {
	o.t.Helper()
	for _, line := range []string{
		"list", "mcp list", "approvals list", "doctor", "stats", "audit -n 3",
		"call read file_path=a.txt", "call write file_path=new.txt contents=whole --yes", "call read file_path=new.txt",
	} {
		if out := o.run(0, strings.Fields(line)); strings.Contains(out, "goroutine ") {
			o.t.Errorf("%s: helve %s:\n%s", what, line, out)
		}
		if o.t.Failed() {
			o.t.Fatalf("%s: helve %s", what, line)
		}
	}
	o.either([]string{"trust", "--status"})
	o.either([]string{"history"})
	o.either([]string{"audit", "verify"})
	o.either([]string{"undo", "--yes"})
	if b, err := os.ReadFile(filepath.Join(o.top, "older/ws/new.txt")); err == nil && !bytes.Equal(b, []byte("whole\n")) {
		o.t.Errorf("%s: new.txt is %q", what, b)
	}
}

// either runs helve, which may find that it cannot, or that nothing is trusted: it says so.
func (o *older) either(args []string) {
	o.t.Helper()
	out, status := o.try(args)
	if status != 0 && status != 1 && status != 3 || status != 0 && out == "" || strings.Contains(out, "goroutine ") {
		o.t.Errorf("helve %q: status %d\n%s", args, status, out)
	}
}

// A file that is written anew keeps beside it what could not be read.
func TestWhatCannotBeReadIsKept(t *testing.T) {
	needMounts(t)
	const garbage = "{ a person's own words"
	for name, change := range map[string]string{
		"stats.json": "call read file_path=a.txt",
		"trust.json": "trust --yes",
	} {
		o := newOlder(t, "testdata/older/2026-11-24")
		o.damage(name, func([]byte) []byte { return []byte(garbage) })
		o.run(0, strings.Fields(change))
		b, err := os.ReadFile(filepath.Join(o.top, "older/state/helve", name+".damaged"))
		if err != nil || string(b) != garbage {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
}
