package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// counted is a launcher that notes each of its starts.
type counted struct {
	t          *testing.T
	path, made string
}

func newCounted(t *testing.T) *counted {
	dir := t.TempDir()
	c := &counted{t, filepath.Join(dir, "launcher"), filepath.Join(dir, "made")}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c.becomes(fmt.Sprintf("exec '%s'", self))
	return c
}

// becomes replaces the last line of the launcher. Another process writes it: what this one has open for writing while it
// starts a process cannot be run.
func (c *counted) becomes(line string) {
	c.t.Helper()
	script := fmt.Sprintf("#!/bin/sh\necho x >>'%s'\n%s\n", c.made, line)
	write := exec.Command("/bin/sh", "-c", `printf %s "$1" >"$2" && chmod 755 "$2"`, "sh", script, c.path)
	if out, err := write.CombinedOutput(); err != nil {
		c.t.Fatalf("%v: %s", err, out)
	}
}

func (c *counted) starts() int {
	text, _ := os.ReadFile(c.made)
	return bytes.Count(text, []byte("\n"))
}

// options are those of a process that has tried nothing yet.
func (c *counted) options(remember string) Options {
	trials.Range(func(key, _ any) bool {
		if key.(trialKey).launcher == c.path {
			trials.Delete(key)
		}
		return true
	})
	return Options{Launcher: c.path, Mechanism: Namespaces, Remember: remember, Roots: []string{c.t.TempDir()}}
}

// TestWhatCouldBeMadeIsNotTriedAgain by the next process, but where the machine or the program is another one, and where
// nobody said where to note it.
func TestWhatCouldBeMadeIsNotTriedAgain(t *testing.T) {
	c, notes := newCounted(t), t.TempDir()
	reach := func(remember string, want int) {
		t.Helper()
		if _, err := Reach(t.Context(), c.options(remember)); err != nil || c.starts() != want {
			t.Errorf("%v; %d launchers were started, want %d", err, c.starts(), want)
		}
	}
	if _, err := Reach(t.Context(), c.options("")); err != nil {
		t.Skip("no namespaces here: ", err)
	}
	reach(notes, 2)
	reach(notes, 2)
	reach("", 3)
	file := filepath.Join(notes, knownFile)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{"0" + string(text), "", "\n" + string(text[64:])} {
		if err := os.WriteFile(file, []byte(other), 0o600); err != nil {
			t.Fatal(err)
		}
		reach(notes, c.starts()+1)
	}
}

// TestANoteOfASandboxGrantsNothing: where it is not true, the command does not run, and the next one is tried for.
func TestANoteOfASandboxGrantsNothing(t *testing.T) {
	c, notes := newCounted(t), t.TempDir()
	o := c.options(notes)
	if _, err := Reach(t.Context(), o); err != nil {
		t.Skip("no namespaces here: ", err)
	}
	c.becomes("exit 1")
	o = c.options(notes)
	if _, err := Reach(t.Context(), o); err != nil {
		t.Fatal("the note does not hold: ", err)
	}
	made := filepath.Join(o.Roots[0], "made")
	p, _, err := Start(t.Context(), o, Spec{Argv: []string{"/bin/sh", "-c", "touch " + made}, Dir: o.Roots[0]})
	if err == nil {
		p.Close()
		t.Error("a command was started without a sandbox")
	}
	if exists(made) {
		t.Error("the command ran")
	}
	if _, err := Reach(t.Context(), o); !errors.Is(err, ErrLevel) {
		t.Errorf("%v, want %v: the mechanism was not tried anew", err, ErrLevel)
	}
}

// TestOneCommandStartsOneLauncher, and a row of them has one waiting from the second on.
func TestOneCommandStartsOneLauncher(t *testing.T) {
	c := newCounted(t)
	o := c.options("")
	if _, err := Reach(t.Context(), o); err != nil {
		t.Skip("no namespaces here: ", err)
	}
	t.Cleanup(Rest)
	key := trialKey{launcher: c.path, mechanism: Namespaces}
	if alone := (trialKey{launcher: c.path + "-"}); inRow(alone) || !inRow(alone) {
		t.Error("the first command is one of a row, or the second is none")
	}
	for range 2 {
		p, _, err := Start(t.Context(), o, Spec{Argv: []string{"/bin/sh", "-c", ":"}, Dir: o.Roots[0]})
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Wait(t.Context())
		p.Close()
		if err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(ample); ; time.Sleep(time.Millisecond) {
		warm.Lock()
		waits := warm.ready[key] != nil
		warm.Unlock()
		if waits {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("no launcher waits for the third command")
		}
	}
}
