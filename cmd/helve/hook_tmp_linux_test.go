package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// emptyTmp runs a script with /tmp empty but for the folder of its first argument.
const emptyTmp = `set -e
mount --bind "$1" /mnt && mount -t tmpfs none /tmp && mkdir -p "$1" && mount --bind /mnt "$1"
cd "$2" && eval "$3"`

// withEmptyTmp runs a line where /tmp is nobody else's.
func (w *hookWorld) withEmptyTmp(line string) string {
	w.t.Helper()
	self, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	if os.Remove(w.bin); os.Link(self, w.bin) != nil { // where the link leads is covered as well
		w.t.Skip("the program cannot be linked to here")
	}
	cmd := exec.CommandContext(w.t.Context(), "unshare", "-rm", "bash", "-c", emptyTmp, "bash", w.base, w.work, line)
	cmd.Env = w.env
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out) + errorText(err))
}

// The commands of a conversation find in /tmp what others of it left there, and so do all else that the client starts;
// what stands there is never written.
func TestTheCommandsOfAConversationShareATmp(t *testing.T) {
	confinedHere(t)
	w := newHookWorld(t)
	if out := w.withEmptyTmp("ls -A /tmp"); !strings.HasPrefix(w.base, "/tmp/") || strings.Contains(out, "\n") || strings.Contains(out, " ") {
		t.Skip("no /tmp of one's own can be had here: ", out)
	}
	first := rewrittenIn(w.asked(claudeShell, "echo one > /tmp/new; echo mine > /tmp/theirs"))
	second := rewrittenIn(w.asked(claudeShell, "cat /tmp/new /tmp/theirs /tmp/script; echo more >> /tmp/new"))
	_, _, raw := w.event(filepath.Join("testdata/hooks", claudeShell))
	raw = strings.Replace(inEvent(raw, "echo hi; touch made1", "cat /tmp/theirs; ls /tmp"), `"session_id": "`, `"session_id": "other`, 1)
	answer, err := w.hook("claude-code", "PreToolUse", raw)
	other := rewrittenIn(answer)
	if first == "" || second == "" || other == "" || err != nil {
		t.Fatalf("%q, %q, %q: a command that is confined was not rewritten: %v, %s", first, second, other, err, answer)
	}
	got := w.withEmptyTmp(`echo theirs > /tmp/theirs; echo script > /tmp/script
` + first + "\ncat /tmp/new /tmp/theirs\n" + second + "\ncat /tmp/new\n" + other)
	got = strings.ReplaceAll(got, filepath.Base(filepath.Dir(w.base)), "")
	const note = "helve: commands of this conversation have files of their own in /tmp, and others see what stands there " +
		"already, or nothing where it is too much: /tmp/theirs\n"
	want := note + "one\ntheirs\n" + // what others see after the first
		"one\nmine\nscript\n" + // what the second sees
		"one\nmore\n" + // and others after it
		"theirs\n" // another conversation, and what it lists
	if rest, ok := strings.CutPrefix(got, want); !ok || strings.Contains(rest, "new") {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A line that writes there is nobody's to ask about where helve confines it, unless a rule says so.
func TestATmpOfItsOwnIsAskedAboutByRulesOnly(t *testing.T) {
	confinedHere(t)
	const line = "echo hi > /tmp/new"
	w := newHookWorld(t)
	for file, asked := range map[string]bool{claudeShell: false, codexShell: false, qwenShell: true} {
		w.codexSandbox("danger-full-access")
		if answer := w.asked(file, line); strings.Contains(answer, "outside the workspace") != asked {
			t.Errorf("%s: %s", file, answer)
		}
	}
	w.codexSandbox("workspace-write") // its own: there the line writes the machine's
	if answer := w.asked(codexShell, line); !strings.Contains(answer, "outside the workspace") {
		t.Errorf("in Codex' sandbox: %s", answer)
	}
	for _, more := range []string{"echo hi > /tmp/new; echo hi > /var/tmp/new", "echo hi > /tmp/../etc/new"} {
		if answer := w.asked(claudeShell, more); !strings.Contains(answer, "outside the workspace") {
			t.Errorf("%s: %s", more, answer)
		}
	}
	for word, want := range map[string]string{"ask": "helve asks", "deny": "helve refuses this"} {
		w := newHookWorld(t)
		w.write(w.home+"/.config/helve/config.json", `{"rules": [{"`+word+`": "write:/tmp/**"}]}`)
		if answer := w.asked(claudeShell, line); !strings.Contains(answer, want) {
			t.Errorf("with a rule that says %s: %s", word, answer)
		}
	}
	if _, err := os.Stat("/tmp/new"); err == nil {
		t.Error("a question wrote the file")
	}
}
