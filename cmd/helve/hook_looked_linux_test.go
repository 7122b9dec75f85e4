package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// newBoxedWorld is one with a temporary folder of its own, in which commands say how they ended.
func newBoxedWorld(t *testing.T) *hookWorld {
	t.Helper()
	w := newHookWorld(t)
	w.must(os.Mkdir(w.temp(), 0o700))
	w.env = append(w.env, "TMPDIR="+w.temp())
	return w
}

func (w *hookWorld) temp() string { return filepath.Join(w.base, "tmp") }

// boxed runs a line as a client does in a sandbox of its own, in which helve's state is read-only and no namespace can
// be had.
func (w *hookWorld) boxed(line string) (string, int) {
	w.t.Helper()
	const within = `mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && exec bash -c "$2"`
	if _, err := exec.LookPath("unshare"); err != nil {
		w.t.Skip("unshare is not installed")
	}
	run := func(line string) (string, int) {
		argv := []string{"-rm", "sh", "-c", within, "sh", w.home + "/state", line}
		cmd := exec.CommandContext(w.t.Context(), "unshare", argv...)
		cmd.Dir, cmd.Env = w.work, w.env
		out, _ := cmd.CombinedOutput()
		return string(out), shellStatus(cmd)
	}
	if out, status := run("true"); status != 0 {
		w.t.Skipf("no mounts can be had here: %s", out)
	}
	return run(line)
}

// after tells helve that the call of a recorded event has ended.
func (w *hookWorld) after(line string) {
	w.t.Helper()
	_, _, raw := w.event("testdata/hooks/codex-0.169.0/02-PostToolUse-Bash.json")
	if answer, err := w.hook("codex", "PostToolUse", inEvent(raw, "echo hi; touch made1", line)); err != nil || answer != "" {
		w.t.Fatal(answer, err)
	}
}

func (w *hookWorld) read(name string) string {
	b, err := os.ReadFile(filepath.Join(w.work, name))
	if err != nil {
		return "(none)"
	}
	return string(b)
}

// In a sandbox of the client's own helve exec can keep nothing: the hook looks before and after.
func TestACommandInCodexSandboxIsUndoneAndOnRecordWithItsStatus(t *testing.T) {
	confinedHere(t)
	w := newBoxedWorld(t)
	w.codexSandbox("workspace-write")
	w.write(w.work+"/a.txt", "one\n")
	const line = "echo two > a.txt; mkdir -p sub/new; echo x > sub/new/b; exit 3"
	before := rewrittenIn(w.asked(codexShell, line))
	if got := w.records(); len(got) != 0 {
		t.Errorf("before it ran %+v is on record", got)
	}
	if out, status := w.boxed(before); status != 3 {
		t.Fatalf("status %d: %s", status, out)
	}
	w.after(line)
	got := w.records()
	if len(got) != 1 || got[0].Outcome != "execution_error" || got[0].Error != "exit status 3" || got[0].Name != "Bash" ||
		got[0].Principal != "codex" || got[0].MS == 0 || got[0].Verdict.Reason == "" {
		t.Errorf("the record is %+v", got)
	}
	if left, _ := filepath.Glob(w.temp() + "/helve-end-*"); len(left) > 0 {
		t.Errorf("%q is left", left)
	}
	w.after(line) // an event that comes twice
	if again := w.records(); len(again) != len(got) {
		t.Errorf("it is on record %d times", len(again))
	}
	w.undo(t)
	if w.read("a.txt") != "one\n" || w.read("sub/new/b") != "(none)" {
		t.Errorf("undo left %q and %q", w.read("a.txt"), w.read("sub/new/b"))
	}
	if out, status := w.boxed(before); status != 126 {
		t.Errorf("a second time it ran: status %d: %s", status, out)
	}
}

// later writes a file at a time that is not that of what was written before: a file system's clock has ticks of some
// milliseconds, and what falls into the tick in which a command ends may be the command's.
func (w *hookWorld) later(path, text string) {
	w.t.Helper()
	var first time.Time
	for {
		w.write(path, text)
		st, err := os.Stat(path)
		if err != nil {
			w.t.Fatal(err)
		}
		if first.IsZero() {
			first = st.ModTime()
		}
		if st.ModTime().After(first) {
			return
		}
	}
}

func (w *hookWorld) undo(t *testing.T) {
	t.Helper()
	if out, err := w.command("", "undo", "--yes").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// The client may be killed before it tells of the end: what the command did until then is in the history, and the next
// event of the conversation has it on record.
func TestACommandWhoseEndNobodyTellsIsUndoneAndOnRecord(t *testing.T) {
	confinedHere(t)
	w := newBoxedWorld(t)
	w.codexSandbox("workspace-write")
	const line = "echo two > a.txt"
	if out, status := w.boxed(rewrittenIn(w.asked(codexShell, line))); status != 0 {
		t.Fatalf("status %d: %s", status, out)
	}
	w.later(w.work+"/mine.txt", "by hand\n") // after the command, before anybody looks
	w.undo(t)
	if w.read("a.txt") != "(none)" || w.read("mine.txt") != "by hand\n" {
		t.Errorf("undo left %q and %q", w.read("a.txt"), w.read("mine.txt"))
	}
	// the next turn
	client, event, raw := w.event(filepath.Join("testdata/hooks", codexShell))
	raw = strings.Replace(raw, `"turn_id": "`, `"turn_id": "next`, 1)
	raw = strings.Replace(raw, `"tool_use_id": "`, `"tool_use_id": "next`, 1)
	if _, err := w.hook(client, event, raw); err != nil {
		t.Fatal(err)
	}
	got := w.records()
	if len(got) != 2 || !strings.HasSuffix(got[1].Title, line) || got[1].Outcome != "ok" { // the command itself told how it ended
		t.Errorf("beside the undo the record is %+v", got)
	}
}

// Claude Code has a sandbox of its own, too, where its settings say so. Its next event says that the command is over.
func TestACommandInClaudesSandboxIsUndoneAndOnRecord(t *testing.T) {
	confinedHere(t)
	w := newBoxedWorld(t)
	w.write(w.home+"/.claude/settings.json", `{"sandbox": {"enabled": true}}`)
	const line = "echo two > a.txt; exit 5"
	if out, status := w.boxed(rewrittenIn(w.asked(claudeShell, line))); status != 5 {
		t.Fatalf("status %d: %s", status, out)
	}
	client, event, raw := w.event("testdata/hooks/claude-code-2.1.330/03-PreToolUse-Read.json")
	if _, err := w.hook(client, event, raw); err != nil {
		t.Fatal(err)
	}
	w.later(w.work+"/mine.txt", "by hand\n")
	var got []recordedCall
	for _, r := range w.records() {
		if r.Name == "Bash" {
			got = append(got, r)
		}
	}
	if len(got) != 1 || got[0].Error != "exit status 5" || got[0].Workspace != w.work {
		t.Errorf("the record is %+v", w.records())
	}
	w.undo(t)
	if w.read("a.txt") != "(none)" || w.read("mine.txt") != "by hand\n" {
		t.Errorf("undo left %q and %q", w.read("a.txt"), w.read("mine.txt"))
	}
}

// What a person changes after a command has ended is not the command's.
func TestWhatComesAfterACommandIsNotTheCommands(t *testing.T) {
	confinedHere(t)
	w := newBoxedWorld(t)
	w.codexSandbox("workspace-write")
	const line = "echo two > a.txt"
	if out, status := w.boxed(rewrittenIn(w.asked(codexShell, line))); status != 0 {
		t.Fatalf("status %d: %s", status, out)
	}
	w.after(line)
	w.write(w.work+"/mine.txt", "by hand\n")
	w.undo(t)
	if w.read("a.txt") != "(none)" || w.read("mine.txt") != "by hand\n" {
		t.Errorf("undo left %q and %q", w.read("a.txt"), w.read("mine.txt"))
	}
}

// A command that Codex runs outside of its sandbox after all is confined by helve, which looks after it itself.
func TestACommandThatIsNotBoxedAfterAllIsHelvesOwn(t *testing.T) {
	confinedHere(t)
	w := newBoxedWorld(t)
	w.codexSandbox("workspace-write")
	const line = "echo two > a.txt; exit 4"
	if got := w.shell(rewrittenIn(w.asked(codexShell, line))); !strings.Contains(got, "exit status 4") {
		t.Fatal(got)
	}
	w.after(line)
	got := w.records()
	if len(got) != 1 || got[0].Name != "bash" || got[0].Outcome != "execution_error" {
		t.Errorf("the record is %+v", got)
	}
	w.undo(t)
	if w.read("a.txt") != "(none)" {
		t.Errorf("undo left %q", w.read("a.txt"))
	}
}

// What the client refuses after its hook let it run changed nothing, whatever people do meanwhile.
func TestACommandThatNeverBeganChangedNothing(t *testing.T) {
	confinedHere(t)
	w := newBoxedWorld(t)
	w.codexSandbox("workspace-write")
	w.asked(codexShell, "echo two > a.txt")
	w.write(w.work+"/mine.txt", "by hand\n")
	if out, err := w.command("", "undo", "--yes").CombinedOutput(); err == nil {
		t.Errorf("undo took back %s", out)
	}
	if w.read("mine.txt") != "by hand\n" {
		t.Errorf("undo left %q", w.read("mine.txt"))
	}
}

// In a sandbox in which nothing can be changed nobody looks: only the record waits for the end.
func TestWhereNothingCanBeChangedNobodyLooks(t *testing.T) {
	confinedHere(t)
	for box, line := range map[string]string{"read-only": "make it", "workspace-write": "ls"} {
		w := newBoxedWorld(t)
		w.codexSandbox(box)
		w.asked(codexShell, line)
		scans, _ := filepath.Glob(w.home + "/state/helve/history/*/looks/*.scan")
		looks, _ := filepath.Glob(w.home + "/state/helve/history/*/looks/*.json")
		if len(scans) != 0 || len(looks) != 1 {
			t.Errorf("%s in %s: %q, %q", line, box, scans, looks)
		}
	}
}

// Where nothing is remembered the call is on record before it runs.
func TestWithoutAHistoryACommandInCodexSandboxIsOnRecordBefore(t *testing.T) {
	confinedHere(t)
	w := newBoxedWorld(t)
	w.codexSandbox("workspace-write")
	w.write(w.home+"/.config/helve/config.json", `{"history": false}`)
	w.asked(codexShell, "echo hi > new")
	if got := w.records(); len(got) != 1 || got[0].Name != "Bash" {
		t.Errorf("the record is %+v", got)
	}
}

// What takes too long to be looked at is not looked at for ever: the record says that it cannot be undone, later calls
// are judged, and the history can be read.
func TestACommandThatLeavesAHugeFileIsOnRecord(t *testing.T) {
	confinedHere(t)
	w := newBoxedWorld(t)
	w.codexSandbox("workspace-write")
	const line = "echo two > a.txt; truncate -s 1T image"
	if out, status := w.boxed(rewrittenIn(w.asked(codexShell, line))); status != 0 {
		t.Skipf("status %d: %s", status, out)
	}
	w.after(line)
	got := w.records()
	if len(got) != 1 || !strings.Contains(got[0].Error, "cannot be undone: it takes too long") {
		t.Errorf("%+v", got)
	}
	const next = "echo three > b.txt"
	if out, status := w.boxed(rewrittenIn(w.asked(codexShell, next))); status != 0 {
		t.Errorf("status %d: %s", status, out)
	}
	w.after(next)
	w.undo(t)
	if w.read("b.txt") != "(none)" || w.read("a.txt") != "two\n" {
		t.Errorf("undo left %q and %q", w.read("a.txt"), w.read("b.txt"))
	}
}
