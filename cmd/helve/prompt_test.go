//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A terminal is a tmux session of its own, with helve in it.
type terminal struct {
	t      *testing.T
	socket string // the first part of its name
	starts int
	now    string // the socket of the running window
	dir    string
	home   string
}

func newTerminal(t *testing.T) *terminal {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("needs tmux, to be a person at a terminal")
	}
	root := t.TempDir()
	x := &terminal{t: t, socket: filepath.Join(root, "tmux"), dir: filepath.Join(root, "work"), home: filepath.Join(root, "home")}
	for _, d := range []string{x.dir, x.home, filepath.Join(root, "bin")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(root, "bin", "helve")); err != nil { // testscript.Main goes by the name
		t.Fatal(err)
	}
	return x
}

func (x *terminal) env(more ...string) []string {
	return append([]string{"HOME=" + x.home, "PATH=" + filepath.Join(filepath.Dir(x.home), "bin") + ":" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8", "SHELL=/bin/sh"}, more...)
}

func (x *terminal) tmux(args ...string) string {
	x.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-S", x.now, "-f", "/dev/null"}, args...)...)
	cmd.Env = x.env()
	out, err := cmd.CombinedOutput()
	if err != nil {
		x.t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// start runs a command line in a fresh window.
func (x *terminal) start(line string, env ...string) {
	x.t.Helper()
	socket := fmt.Sprintf("%s.%d", x.socket, x.starts)
	x.starts++
	x.now = socket
	x.t.Cleanup(func() { exec.Command("tmux", "-S", socket, "kill-server").Run() })
	x.tmux("new-session", "-d", "-x", "110", "-y", "50", "-c", x.dir, fmt.Sprintf("env %s sh -c '%s; echo ended with $?; sleep 600'", strings.Join(env, " "), line))
}

// see waits until the screen shows a text. escapes keeps colours.
func (x *terminal) see(text string, escapes ...string) string {
	x.t.Helper()
	screen := ""
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); {
		screen = x.tmux(append([]string{"capture-pane", "-p", "-t", "0"}, escapes...)...)
		if strings.Contains(screen, text) {
			return screen
		}
		time.Sleep(25 * time.Millisecond)
	}
	x.t.Fatalf("the terminal never shows %q, but\n%s", text, screen)
	return ""
}

func (x *terminal) press(keys ...string) {
	x.t.Helper()
	x.tmux(append([]string{"send-keys", "-t", "0"}, keys...)...)
}

func (x *terminal) file(want string) {
	x.t.Helper()
	b, err := os.ReadFile(filepath.Join(x.dir, "src", "a.txt"))
	if err != nil || string(b) != want {
		x.t.Errorf("the file is %q (%v), want %q", b, err, want)
	}
}

func (x *terminal) reset() {
	x.t.Helper()
	os.MkdirAll(filepath.Join(x.dir, "src"), 0o755)
	if err := os.WriteFile(filepath.Join(x.dir, "src", "a.txt"), []byte("one\ntwo\n"), 0o644); err != nil {
		x.t.Fatal(err)
	}
}

// silent runs helve without a terminal.
func (x *terminal) silent(args ...string) (string, int) {
	cmd := exec.Command(filepath.Join(filepath.Dir(x.home), "bin", "helve"), args...)
	cmd.Dir, cmd.Env = x.dir, x.env()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Run()
	return out.String(), cmd.ProcessState.ExitCode()
}

const editTwo = `helve call edit file_path=src/a.txt old_string=two new_string=2`

func TestAPersonAtATerminalIsShownTheDiffAndAsked(t *testing.T) {
	x := newTerminal(t)
	for _, c := range []struct {
		name  string
		keys  []string
		ended string
		file  string
	}{
		{"Enter alone is a no", []string{"Enter"}, "ended with 3", "one\ntwo\n"},
		{"Escape and interrupt are a no", []string{"C-c"}, "ended with 3", "one\ntwo\n"},
		{"once", []string{"Down", "Enter"}, "ended with 0", "one\n2\n"},
	} {
		x.reset()
		x.start(editTwo)
		screen := x.see("Yes, always in this workspace")
		for _, want := range []string{"edit src/a.txt", "-two", "+2", "asked because", "Allow this?", "No"} {
			if !strings.Contains(screen, want) {
				t.Errorf("%s: no %q in\n%s", c.name, want, screen)
			}
		}
		x.press(c.keys...)
		x.see(c.ended)
		x.file(c.file)
	}
	if out, code := x.silent("call", "edit", "file_path=src/a.txt", "old_string=one", "new_string=1"); code != 3 {
		t.Errorf("a yes for once was remembered: %d, %s", code, out)
	}
}

func TestAlwaysIsRememberedAsTheRuleThatWasShown(t *testing.T) {
	x := newTerminal(t)
	x.reset()
	x.start(editTwo)
	x.see("Yes, always in this workspace")
	x.press("Down", "Down", "Enter")
	screen := x.see("What is to be remembered?")
	if !strings.Contains(screen, "Rule: allow Edit:src/*") || !strings.Contains(screen, "Exactly this call") {
		t.Errorf("the rule is not shown:\n%s", screen)
	}
	x.press("Down", "Enter")
	x.see("ended with 0")
	x.file("one\n2\n")
	if out, code := x.silent("call", "edit", "file_path=src/a.txt", "old_string=one", "new_string=1"); code != 0 {
		t.Errorf("asked again: %d, %s", code, out)
	}
	if out, code := x.silent("call", "write", "file_path=src/a.txt", "contents=x"); code != 3 {
		t.Errorf("another tool is covered: %d, %s", code, out)
	}
	list, _ := x.silent("approvals", "list")
	if !strings.Contains(list, "Edit:src/*") {
		t.Errorf("approvals: %s", list)
	}
	if out, code := x.silent("approvals", "revoke", "--all"); code != 0 || !strings.Contains(out, "revoked: 1") {
		t.Errorf("%d, %s", code, out)
	}
	if out, code := x.silent("call", "edit", "file_path=src/a.txt", "old_string=2", "new_string=two"); code != 3 {
		t.Errorf("a revoked approval holds: %d, %s", code, out)
	}
}

func TestQuestionsCanBeAnsweredInLinesAndWithoutColours(t *testing.T) {
	x := newTerminal(t)
	x.reset()
	x.start(editTwo, "ACCESSIBLE=1")
	screen := x.see("Number (Enter means 1):")
	if !strings.Contains(screen, "1. No") || !strings.Contains(screen, "2. Yes, once") {
		t.Errorf("%s", screen)
	}
	x.press("2", "Enter")
	x.see("ended with 0")
	x.file("one\n2\n")

	x.reset()
	x.start(editTwo)
	if coloured := x.see("Yes, always", "-e"); !strings.Contains(coloured, "\x1b[32m+2") {
		t.Errorf("the diff has no colours: %q", coloured)
	}
	x.press("C-c")
	x.see("ended with 3")
	x.start(editTwo, "NO_COLOR=1")
	if plain := x.see("Yes, always", "-e"); strings.Contains(plain, "\x1b[3") {
		t.Errorf("NO_COLOR, and still: %q", plain)
	}
	x.press("C-c")
	x.see("ended with 3")
}

// config-026: what was typed before the question is no answer to it.
func TestWhatWasTypedAheadIsNoAnswer(t *testing.T) {
	x := newTerminal(t)
	x.reset()
	x.start("until [ -e typed ]; do sleep 0.05; done; "+editTwo, "ACCESSIBLE=1")
	x.press("2", "Enter", "2", "Enter")
	x.see("2\n2\n") // the terminal itself shows what is typed
	if err := os.WriteFile(filepath.Join(x.dir, "typed"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	x.see("Number (Enter means 1):")
	x.press("Enter")
	x.see("ended with 3")
	x.file("one\ntwo\n")
}

func TestTrustIsAskedAboutOnATerminal(t *testing.T) {
	x := newTerminal(t)
	os.MkdirAll(filepath.Join(x.dir, ".helve"), 0o755)
	if err := os.WriteFile(filepath.Join(x.dir, ".helve", "config.json"), []byte(`{"discovery":{"command":"touch pwned"}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	x.start("helve trust")
	screen := x.see("Trust this, as it stands?")
	if !strings.Contains(screen, "touch pwned") {
		t.Errorf("what is accepted is not shown:\n%s", screen)
	}
	x.press("Enter")
	x.see("ended with 3")
	x.start("helve trust")
	x.see("Trust this, as it stands?")
	x.press("Down", "Enter")
	x.see("ended with 0")
	if out, code := x.silent("trust", "--status"); code != 0 || !strings.Contains(out, "trusted since") {
		t.Errorf("%d, %s", code, out)
	}
}
