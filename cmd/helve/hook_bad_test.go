package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// failedHook tells that a call was stopped since nobody could judge it.
func failedHook(answer string) bool {
	return strings.Contains(answer, "helve hook failed: ") && strings.Contains(answer, "nobody judged it") &&
		(strings.Contains(answer, "deny") || strings.Contains(answer, `"cancel":true`) || strings.Contains(answer, "exit 126"))
}

func TestAnEventThatIsTooLongStopsTheCallAndIsReadToItsEnd(t *testing.T) {
	w := newHookWorld(t)
	_, _, raw := w.event("testdata/hooks/claude-code-2.1.330/07-PreToolUse-Write.json")
	raw = strings.Replace(raw, `"new\n"`, `"`+strings.Repeat("a", 50<<20)+`"`, 1)
	if len(raw) < 50<<20 {
		t.Fatal("the event has no content to be made longer")
	}
	cmd := w.command("", "hook", "claude-code", "PreToolUse")
	cmd.Stdin = nil
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd.Stdout = &out
	w.must(cmd.Start())
	_, broken := in.Write([]byte(raw)) // a client that cannot write may let the call run
	in.Close()
	if err := cmd.Wait(); err != nil || broken != nil || !failedHook(out.String()) || !strings.Contains(out.String(), "32 MiB") {
		t.Errorf("ended with %v, the pipe with %v, and said %.300s", err, broken, out.String())
	}
}

// Every beginning of an event is one that was cut: the call is stopped, whoever asks.
func TestAnEventThatWasCutStopsTheCall(t *testing.T) {
	w := newHookWorld(t)
	for _, c := range guardedClients {
		client, event, raw := w.event(filepath.Join("testdata/hooks", c.name, c.shell+".json"))
		raw = strings.TrimSpace(raw)
		for _, end := range []int{0, 1, len(raw) / 3, len(raw) / 2, len(raw) - 1} {
			if answer, err := w.hook(client, event, raw[:end]); err != nil || !failedHook(answer) {
				t.Errorf("%s, %d of %d bytes: %v, %s", client, end, len(raw), err, answer)
			}
		}
	}
}

// A client's event that comes under another's name is none that can be judged, or is the same in both forms.
func TestAnEventOfAnotherClientIsNeverLetThrough(t *testing.T) {
	w := newHookWorld(t)
	w.write(w.home+"/.config/helve/config.json", `{"rules": [{"deny": "bash:touch *"}]}`)
	for _, asked := range guardedClients {
		for _, sent := range guardedClients {
			client, event, _ := w.event(filepath.Join("testdata/hooks", asked.name, asked.shell+".json"))
			_, _, raw := w.event(filepath.Join("testdata/hooks", sent.name, sent.shell+".json"))
			answer, err := w.hook(client, event, raw)
			known := strings.Contains(answer, "helve refuses this") || failedHook(answer)
			otherName := toolOf(asked.name) != toolOf(sent.name) && answer == "" // a tool that this client does not have
			if err != nil || !known && !otherName {
				t.Errorf("%s was sent an event of %s: %v, %s", client, sent.name, err, answer)
			}
		}
	}
}

// toolOf is what a client calls its shell, by the name of its folder.
func toolOf(client string) string {
	for name, tool := range map[string]string{"claude": "Bash", "codex": "Bash", "gemini": "run_shell_command",
		"qwen": "run_shell_command", "copilot": "bash", "opencode": "bash", "cline": "run_commands"} {
		if strings.HasPrefix(client, name) {
			return tool
		}
	}
	return ""
}

func TestWhatAHookDoesNotKnowOfAnEventIsPassedOver(t *testing.T) {
	confinedHere(t)
	w := newHookWorld(t)
	for _, c := range guardedClients {
		client, event, raw := w.event(filepath.Join("testdata/hooks", c.name, c.shell+".json"))
		want, err := w.hook(client, event, raw)
		if err != nil {
			t.Fatal(err)
		}
		raw = strings.Replace(raw, "{", `{"from_the_future": {"x": [1]}, "version": 99, "hook_version": {"major": 7}, `, 1)
		if got, err := w.hook(client, event, raw); err != nil || got != want {
			t.Errorf("%s: %v, %s, want %s", client, err, got, want)
		}
	}
}

// The workspace is that of the conversation's first event: a folder elsewhere is outside, and one that is gone is none.
func TestAFolderOutsideOrGoneIsNeverTheWorkspace(t *testing.T) {
	confinedHere(t)
	w := newHookWorld(t)
	_, _, raw := w.event("testdata/hooks/" + claudeShell)
	if answer, err := w.hook("claude-code", "PreToolUse", raw); err != nil || rewrittenIn(answer) == "" {
		t.Fatal(answer, err)
	}
	other := filepath.Join(w.base, "other")
	w.must(os.Mkdir(other, 0o755))
	for dir, want := range map[string]string{
		other:                      "which is outside the workspace",
		filepath.Join(other, "no"): "which is outside the workspace",
	} {
		elsewhere := strings.Replace(raw, `"cwd": "`+w.work+`"`, `"cwd": "`+dir+`"`, 1)
		if answer, err := w.hook("claude-code", "PreToolUse", elsewhere); err != nil ||
			!strings.Contains(answer, `"ask"`) || !strings.Contains(answer, want) || rewrittenIn(answer) != "" {
			t.Errorf("%s: %v, %s", dir, err, answer)
		}
	}
	for _, cwd := range []string{`"cwd": "` + filepath.Join(other, "no") + `"`, `"nowhere": ""`, `"cwd": 7`} {
		first := strings.Replace(strings.Replace(raw, `"cwd": "`+w.work+`"`, cwd, 1), `"session_id": "`, `"session_id": "new`, 1)
		if answer, err := w.hook("claude-code", "PreToolUse", first); err != nil || !failedHook(answer) {
			t.Errorf("%s: %v, %s", cwd, err, answer)
		}
	}
}

// Two conversations edit one file at once: both are on record, and what stood there is brought back.
func TestTwoHooksAtOnceForOneFile(t *testing.T) {
	w := newHookWorld(t)
	file := filepath.Join(w.work, "b.txt")
	w.write(file, "alpha\n")
	_, _, raw := w.event("testdata/hooks/claude-code-2.1.330/07-PreToolUse-Write.json")
	both := func(event string) {
		var at sync.WaitGroup
		for _, name := range []string{"one", "two"} {
			at.Go(func() {
				mine := strings.Replace(raw, `"session_id": "`, `"session_id": "`+name, 1)
				if answer, err := w.hook("claude-code", event, mine); err != nil || answer != "" {
					t.Errorf("%s %s: %v, %s", event, name, err, answer)
				}
			})
		}
		at.Wait()
	}
	both("PreToolUse")
	w.write(file, "beta\n")
	both("PostToolUse")
	if got := w.records(); len(got) != 2 {
		t.Errorf("the record is %+v", got)
	}
	out, err := w.command("", "undo", "--yes").CombinedOutput()
	if got, _ := os.ReadFile(file); err != nil || string(got) != "alpha\n" {
		t.Errorf("after an undo the file has %q: %v, %s", got, err, out)
	}
}

// Another helve comes to the same path between a hook and what follows from it, and what is kept of the conversation is
// of a version that knows more: the workspace stays, the command runs, the edit is taken back.
func TestAnUpgradeInTheMiddleOfAConversation(t *testing.T) {
	confinedHere(t)
	w := newHookWorld(t)
	self, err := os.Executable()
	w.must(err)
	upgrade := func() {
		t.Helper()
		next := w.bin + "-next"
		if err := os.Link(self, next); err != nil { // another file than the link led to
			t.Skip("the program cannot be linked to here: ", err)
		}
		w.must(os.Rename(next, w.bin))
		kept, err := filepath.Glob(w.home + "/state/helve/*/claude-code/*.json")
		w.must(err)
		tickets, err := filepath.Glob(w.home + "/state/helve/tickets/*")
		w.must(err)
		for _, file := range append(kept, tickets...) {
			text, err := os.ReadFile(file)
			w.must(err)
			w.write(file, strings.Replace(string(text), "{", `{"from_the_future": {"x": [1]}, `, 1))
		}
		if len(kept) == 0 {
			t.Fatal("nothing is kept of the conversation")
		}
	}
	line := rewrittenIn(w.asked(claudeShell, "echo hi > sub/new; pwd"))
	upgrade()
	if got := w.shell(line); got != w.work+"\n\nexit status 0" {
		t.Errorf("the command printed %s", got)
	}
	_, _, raw := w.event("testdata/hooks/claude-code-2.1.330/07-PreToolUse-Write.json")
	w.write(filepath.Join(w.work, "b.txt"), "alpha\n")
	inSub := strings.Replace(raw, `"cwd": "`+w.work+`"`, `"cwd": "`+w.work+`/sub"`, 1)
	if answer, err := w.hook("claude-code", "PreToolUse", inSub); err != nil || answer != "" {
		t.Fatal(answer, err)
	}
	upgrade()
	w.write(filepath.Join(w.work, "b.txt"), "beta\n")
	if answer, err := w.hook("claude-code", "PostToolUse", inSub); err != nil || answer != "" {
		t.Fatal(answer, err)
	}
	for _, want := range []string{"b.txt", "sub/new"} {
		if out, err := w.command("", "undo", "--yes").CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("undo of %s: %v, %s", want, err, out)
		}
	}
	got, err := os.ReadFile(filepath.Join(w.work, "b.txt"))
	if _, there := os.Stat(filepath.Join(w.work, "sub/new")); err != nil || string(got) != "alpha\n" || there == nil {
		t.Errorf("after both undos: %q, %v, %v", got, err, there)
	}
}
