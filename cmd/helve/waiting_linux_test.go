package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// left has a command leave something for a person, and returns the ID under which it waits.
func (d *base) left(line string) string {
	d.t.Helper()
	said := d.bash(line)
	found := regexp.MustCompile(`helve review show ([a-z2-7]{10})`).FindStringSubmatch(said)
	if found == nil {
		d.t.Fatalf("%s left nothing: %s", line, said)
	}
	return found[1]
}

// reviews runs helve review with some words, and wants what it says, and its status.
func (d *base) reviews(status int, want string, words ...string) {
	d.t.Helper()
	cmd := d.command(d.helve(), append([]string{"review"}, words...)...)
	out, _ := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != status || !strings.Contains(string(out), want) {
		d.t.Errorf("review %q: status %d, want %d, and %q:\n%s", words, got, status, want, out)
	}
}

func (d *base) waitingStore() string {
	d.t.Helper()
	stores, err := filepath.Glob(filepath.Join(d.home, ".local", "state", "helve", "uncommitted", "*"))
	if err != nil || len(stores) != 1 {
		d.t.Fatal(stores, err)
	}
	return stores[0]
}

// What waits is decided once; what was decided says when.
func TestWhatWaitsIsDecidedOnce(t *testing.T) {
	t.Parallel()
	d := newBase(t, 0)
	d.needHeld()
	made := d.left("echo one >AGENTS.md")
	d.reviews(0, "made: AGENTS.md", "apply", made)
	d.reviews(1, "nothing waits of "+made+" any more: it was made 2", "apply", made)
	d.reviews(1, "nothing waits of "+made+" any more: it was made 2", "drop", made)
	dropped := d.left("echo two >CLAUDE.md")
	d.reviews(0, "dropped: CLAUDE.md", "drop", dropped)
	d.reviews(1, "nothing waits of "+dropped+" any more: it was dropped 2", "apply", dropped)
	d.reviews(1, "nothing waits", "apply")

	// A path that an ID begins with is not taken for one of both.
	id := d.left("echo two >CLAUDE.md")
	letter := id[:4] // no other begins so
	d.left("mkdir " + letter + " && echo x >" + letter + "/AGENTS.md")
	d.reviews(2, letter+" begins "+id+", and is the path ./"+letter, "drop", letter)
	d.reviews(0, "dropped: "+letter+"/AGENTS.md", "drop", "./"+letter)
	d.reviews(0, "dropped: CLAUDE.md", "drop", id)

	// What was done by hand meanwhile stands already; what was made otherwise stays, with both differences.
	same, other := d.left("echo three >GEMINI.md"), d.left("echo four >QWEN.md")
	for name, text := range map[string]string{"GEMINI.md": "three\n", "QWEN.md": "mine\n"} {
		if err := os.WriteFile(filepath.Join(d.work, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d.reviews(0, "stands already: GEMINI.md", "apply", same)
	d.reviews(1, "+four\nand was made since:\n", "apply", other)
	d.reviews(1, "+mine", "apply", other)
	d.reviews(1, "1 were changed since: they are as they were, and go on waiting", "apply", other)

	// The content is gone, as after a disk was cleaned by hand: nothing of it is made.
	lost := d.left("echo five >AGENTS.override.md; mkdir .newtool; echo six >.newtool/rc")
	kept, err := filepath.Glob(filepath.Join(d.waitingStore(), lost, "*.new"))
	if err != nil || len(kept) == 0 {
		t.Fatal(kept, err)
	}
	for _, path := range kept {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	d.reviews(1, "what was to stand there is not kept any more", "apply", lost)
	d.reviews(1, "hint: what was not made or dropped goes on waiting", "apply", lost)
	if _, err := os.Stat(filepath.Join(d.work, ".newtool")); err == nil {
		t.Error("something of it is there")
	}
	d.reviews(0, "dropped: .newtool/rc", "drop", lost)
}

// What cannot be kept for a person is held back all the same, and the result says why.
func TestWhatCannotBeKeptSaysWhy(t *testing.T) {
	t.Parallel()
	d := newBase(t, 0)
	d.needHeld()
	first := d.left("echo one >AGENTS.md")
	store := d.waitingStore()
	text, err := os.ReadFile(filepath.Join(store, first, "draft.json"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1000 { // as many as are kept
		digits := strings.NewReplacer("0", "a", "1", "b", "8", "c", "9", "d").Replace(fmt.Sprintf("%04d", i))
		id := "aaaaaa" + digits
		one := strings.Replace(string(text), first, id, 1)
		if err := os.Mkdir(filepath.Join(store, id), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(store, id, "draft.json"), []byte(one), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	said := d.bash("echo two >CLAUDE.md; echo three >plain")
	if !strings.Contains(said, "It does not wait for one: too much waits already: 1001 drafts") || strings.Contains(said, "review show") {
		t.Errorf("%s", said)
	}
	if _, err := os.Stat(filepath.Join(d.work, "CLAUDE.md")); err == nil {
		t.Error("what could not be kept was made")
	}
	if _, err := os.Stat(filepath.Join(d.work, "plain")); err != nil {
		t.Error("the rest was not made:", err)
	}
	d.reviews(0, "dropped: AGENTS.md", "drop", first)
}

// On a full disk what waits already waits on, and what cannot be kept or made says so.
func TestAFullDiskIsSaidOfWhatWaits(t *testing.T) {
	d := newBase(t, 0)
	d.needHeld()
	waits := d.left("echo one >AGENTS.md; mkdir .newtool; head -c 300000 /dev/zero >.newtool/blob")
	t.Run("the disk of the store", func(t *testing.T) {
		store := d.waitingStore()
		mounted(t, "none", store, "tmpfs", 0, "size=64k,mode=700")
		said := d.bash("head -c 300000 /dev/zero >.othertool; echo x >plain")
		if !strings.Contains(said, "It does not wait for one: ") || !strings.Contains(said, "no space left on device") {
			t.Errorf("%s", said)
		}
		if left, err := os.ReadDir(store); err != nil || len(left) > 0 {
			t.Errorf("left on the full disk: %v %v", left, err)
		}
	})
	t.Run("the disk of the workspace", func(t *testing.T) {
		mounted(t, "none", d.work, "tmpfs", 0, "size=128k")
		d.reviews(1, "no space left on device", "apply", waits)
		if left, err := os.ReadDir(d.work); err != nil || len(left) > 0 {
			t.Errorf("made on the full disk: %v %v", left, err)
		}
	})
	d.reviews(0, "made: .newtool/blob", "apply", waits)
}

// What was said before a command ran has not seen what it leaves: what git would run waits all the same, with a yes for
// every question and with a rule that allows all commands. A new name is made where a yes or a rule let the command run;
// in mode auto nobody is asked before it, and --yes answers nothing.
func TestWhatWasSaidBeforeACommandIsNoYesToWhatItLeaves(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"ask", "auto"} {
		for _, said := range []string{"flag", "rule"} {
			d := newBase(t, 0)
			d.needHeld()
			words := []string{"--mode", mode, "call"}
			if said == "flag" {
				words = append(words, "--yes")
			} else {
				d.write(filepath.Join(d.home, ".config", "helve", "config.json"), `{"rules": [{"allow": "bash"}]}`)
			}
			line := "command=sh s; touch plain"
			d.write(filepath.Join(d.work, "s"), "mkdir .husky; echo evil >.husky/pre-commit; echo x >.newtool; echo x >AGENTS.md")
			out, _ := d.command(d.helve(), append(words, "bash", line)...).CombinedOutput()
			let := mode == "ask" || said == "rule"
			for name, want := range map[string]bool{".husky": false, ".newtool": let, "AGENTS.md": let, "plain": true} {
				if _, err := os.Lstat(filepath.Join(d.work, name)); (err == nil) != want {
					t.Errorf("mode %s, %s: %s is there: %v, want %v\n%s", mode, said, name, err == nil, want, out)
				}
			}
		}
	}
}

// write writes a file, with its folder.
func (d *base) write(path, text string) {
	d.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		d.t.Fatal(err)
	}
}
