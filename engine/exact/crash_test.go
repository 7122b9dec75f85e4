//go:build unix

package exact

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"helve/engine/sandbox"
)

// TestEveryServerThatEndsAtOnceIsLeftAlone starts each of them as a program in the sandbox that does nothing: no answer
// changes, and after three starts it is named.
func TestEveryServerThatEndsAtOnceIsLeftAlone(t *testing.T) {
	files := maps.Clone(lanterns)
	for _, more := range []map[string]string{gates, wicks, {
		"door.ts": "export class Door { unlatch() {} }\n",
		"hall.ts": "export class Hall { unlatch() {} }\n",
		"walk.ts": "export function walk(a: any) { a.unlatch() }\n",
		"lamp.h":  "struct lamp { void (*snuff)(void); };\nstruct fire { void (*snuff)(void); };\n#define LAMP(p) (((struct lamp *)(p)))\n",
		"use.c":   "#include \"lamp.h\"\nvoid one(void *p) { LAMP(p)->snuff(); }\n",
	}} {
		maps.Copy(files, more)
	}
	names := []string{"Lamp.Kindle", "Gate.unlock", "Lamp.kindle", "Door.unlatch", "lamp.snuff"}
	bin, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range servers() {
		if err := os.WriteFile(filepath.Join(bin, s.program), []byte("#!/bin/sh\nexit 3\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	_, _, plain := workspace(t, Options{list: []server{}}, files)
	told := &notices{}
	_, _, x := workspace(t, Options{
		Environ: append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH")),
		Sandbox: sandbox.Options{Readable: []string{bin}},
		Notice:  told.add,
	}, files)
	for end := time.Now().Add(patience); strings.Count(told.text(), "\n")+1 < len(names) && time.Now().Before(end); {
		for _, name := range names {
			if got, want := users(t, x, name), users(t, plain, name); got != want || want == "" {
				t.Fatalf("users of %s: %s, want %s", name, got, want)
			}
		}
	}
	for _, s := range servers() {
		if got := slices.Collect(strings.Lines(told.text())); !slices.ContainsFunc(got, func(l string) bool { return strings.HasPrefix(l, s.program+": ") }) {
			t.Errorf("%s is not named: %q", s.program, got)
		}
	}
}
