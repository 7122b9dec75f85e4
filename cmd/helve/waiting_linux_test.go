package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
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
	t.Run("the disk of the store, full of what waits", func(t *testing.T) {
		store := d.waitingStore()
		copied := filepath.Join(t.TempDir(), "copy")
		if out, err := d.outside("cp -a " + store + " " + copied); err != nil {
			t.Fatal(out, err)
		}
		mounted(t, "none", store, "tmpfs", 0, "size=512k,mode=700")
		if out, err := d.outside("cp -a " + copied + "/. " + store + "; cat /dev/zero >" + store + "/rest"); err == nil {
			t.Fatal("it is not full: ", out)
		}
		d.reviews(0, waits, "--json")
		d.reviews(1, "no space left on device", "apply", waits)
		if made, _ := filepath.Glob(filepath.Join(d.work, ".newtool*")); len(made) > 0 {
			t.Errorf("made on the full disk: %v", made)
		}
		d.reviews(0, "dropped: .newtool/blob", "drop", waits)
		d.reviews(1, "nothing waits of "+waits+" any more: it was dropped", "apply", waits)
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

// Of two that make one set at the same time one does; the other says that it was made.
func TestTwoAtOnceMakeWhatWaitsOnce(t *testing.T) {
	t.Parallel()
	d := newBase(t, 0)
	d.needHeld()
	id := d.left("for i in $(seq 200); do echo $i >.new$i; done")
	var said [2]string
	var both sync.WaitGroup
	for i := range said {
		both.Go(func() {
			out, _ := d.command(d.helve(), "review", "apply", id).CombinedOutput()
			said[i] = string(out)
		})
	}
	both.Wait()
	if strings.Contains(said[1], "made: ") {
		said[0], said[1] = said[1], said[0]
	}
	late := "nothing waits of " + id + " any more: it was made 2"
	if strings.Count(said[0], "made: .new") != 200 || !strings.Contains(said[1], late) {
		t.Errorf("one says %s\nthe other %s", said[0], said[1])
	}
	if calls := d.run("history"); strings.Count(calls, "review ") != 1 {
		t.Errorf("%s", calls)
	}
}

// A helve that is killed while it keeps, makes or drops what waits leaves all of it as before or all as after, and what
// waits can be decided about.
func TestAKilledReviewLeavesAllAsBeforeOrAsAfter(t *testing.T) {
	t.Parallel()
	d := newBase(t, 0)
	d.needHeld()
	const line = "for i in $(seq 20); do echo $i >.new$i; done"
	window := map[string]time.Duration{}
	outcomes := map[string]int{}
	stand := func() int {
		found, _ := filepath.Glob(filepath.Join(d.work, ".new*"))
		return len(found)
	}
	kill := func(after time.Duration, words ...string) {
		c := d.command(d.helve(), words...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(after, func() { c.Process.Kill() })
		defer timer.Stop()
		c.Wait()
	}
	for range max(*kills/8, 2) {
		for _, do := range []string{"keep", "apply", "drop"} {
			words := []string{"--mode", "auto", "call", "bash", "command=" + line}
			if do != "keep" {
				words = []string{"review", do, d.left(line)}
			}
			after := time.Minute
			if window[do] > 0 {
				after = time.Duration(rand.Int64N(int64(window[do])))
			}
			start := time.Now()
			kill(after, words...)
			window[do] = max(window[do], time.Since(start))
			waits, made := strings.Count(d.run("review", "--json"), `"path"`), stand()
			switch fmt.Sprint(do, " ", waits, " ", made) {
			case "keep 0 0", "apply 20 0", "drop 20 0":
				outcomes[do+" before"]++
			case "keep 20 0", "apply 0 20", "drop 0 0":
				outcomes[do+" after"]++
			default:
				t.Fatalf("%s: %d wait, %d are there", do, waits, made)
			}
			if waits > 0 {
				d.reviews(0, "made: .new20", "apply")
			}
			d.outside("rm -f .new*")
		}
	}
	t.Log(outcomes)
}

// An ID of another workspace means nothing here, nor does what is none, though the same waits in both.
func TestWhatWaitsElsewhereIsNotFound(t *testing.T) {
	t.Parallel()
	d := newBase(t, 0)
	d.needHeld()
	other := *d
	other.work = filepath.Join(d.home, "other")
	if err := os.Mkdir(other.work, 0o755); err != nil {
		t.Fatal(err)
	}
	here, there := d.left("echo one >AGENTS.md"), other.left("echo one >AGENTS.md")
	store := filepath.Base(filepath.Dir(d.waiting(here)))
	for _, word := range []string{
		there, there[:6], "", ".", "..", "../" + store + "/" + there, d.waiting(there), "../other/AGENTS.md", "\x1b[2J",
	} {
		d.reviews(1, "nothing waits", "apply", word)
	}
	d.reviews(1, "nothing waits", "drop", there, "..")
	d.reviews(1, "nothing waits", "show", "..")
	d.reviews(0, "made: AGENTS.md", "apply", here[:6])
	if _, err := os.Stat(filepath.Join(other.work, "AGENTS.md")); err == nil {
		t.Error("it was made in the other one, too")
	}
	other.reviews(0, "dropped: AGENTS.md", "drop", there)
}

// waiting is the folder of a set of any workspace.
func (d *base) waiting(id string) string {
	d.t.Helper()
	found, err := filepath.Glob(filepath.Join(d.home, ".local", "state", "helve", "uncommitted", "*", id))
	if err != nil || len(found) != 1 {
		d.t.Fatal(found, err)
	}
	return found[0]
}

// What a command called its files, wrote into them, and was called itself adds no line to what a person reads, and says
// nothing to the terminal.
func TestWhatWaitsForgesNoLine(t *testing.T) {
	t.Parallel()
	d := newBase(t, 0)
	d.needHeld()
	id := d.left(`name=$'.a\n.gitignore: created, waits\n  it is harmless \e[1A'; echo x >"$name"
forged: created, waits
printf '\r\e[2J\u202ey\n' >.b; ln -s $'x\nforged link\e[1A' .c; echo z >$'.\xff\xfe'`)
	if err := os.WriteFile(filepath.Join(d.work, ".b"), []byte("mine\r\x1b[2J\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{"review", "review show", "review --json", "review apply " + id, "review drop " + id} {
		out, _ := d.command(d.helve(), strings.Fields(words)...).CombinedOutput()
		for _, line := range strings.Split(string(out), "\n") {
			first := strings.TrimSpace(line)
			for _, forged := range []string{".gitignore", "it is harmless", "forged"} {
				if strings.HasPrefix(first, forged) {
					t.Errorf("%q: a forged line in\n%s", words, out)
				}
			}
		}
		if strings.ContainsAny(string(out), "\x1b\r\u202e") {
			t.Errorf("%q: the terminal is told something: %q", words, out)
		}
	}
}

// What is put in the place of what waits, on disk, is said and passed over; what others could have put there is not
// believed.
func TestForgedSetsAreNotBelieved(t *testing.T) {
	t.Parallel()
	d := newBase(t, 0)
	d.needHeld()
	good, forged := d.left("echo 1 >AGENTS.md"), d.left("echo 2 >CLAUDE.md")
	pipe, old := d.left("echo 3 >GEMINI.md"), d.left("echo 4 >QWEN.md")
	relist := func(id, from, to string) {
		path := filepath.Join(d.waiting(id), "draft.json")
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), from) {
			t.Fatalf("%s: %v", text, err)
		}
		if err := os.WriteFile(path, []byte(strings.Replace(string(text), from, to, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	relist(forged, `"path":"CLAUDE.md"`, `"root":7,"path":"../../evil"`)
	list := filepath.Join(d.waiting(pipe), "draft.json")
	if err := errors.Join(os.Remove(list), syscall.Mkfifo(list, 0o600)); err != nil {
		t.Fatal(err)
	}
	relist(old, `"made":"20`, `"made":"19`)
	d.reviews(0, "2 entries cannot be read, and were left out")
	d.reviews(0, good, "--all")
	for _, do := range []string{"show", "apply", "drop"} {
		d.reviews(1, "draft "+forged+": it cannot be read", do, forged)
		d.reviews(1, "draft "+pipe+": it cannot be read", do, pipe)
		d.reviews(1, "nothing waits that is called "+old, do, old)
	}
	store := d.waitingStore()
	if err := os.Chmod(store, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, do := range []string{"show", "apply", "drop"} {
		d.reviews(1, "what waits is not believed: "+store+": others may write to it", do, good)
	}
	d.reviews(1, "others may write to it")
	if err := os.Chmod(store, 0o700); err != nil {
		t.Fatal(err)
	}
	d.reviews(0, "made: AGENTS.md", "apply", good)
}
