package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"helve/engine/sandbox"
	"helve/wrap"
)

// A recordedCall is what of a record of calls is looked at here.
type recordedCall struct {
	wrap.Record
	MS float64 `json:"ms"`
}

// records are the record of calls.
func (w *hookWorld) records() []recordedCall {
	w.t.Helper()
	out, err := w.command("", "audit", "--json").Output()
	if err != nil {
		w.t.Fatal(err)
	}
	var all []recordedCall
	for line := range strings.Lines(string(out)) {
		var r recordedCall
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			w.t.Fatalf("%s: %v", line, err)
		}
		all = append(all, r)
	}
	return all
}

// asked is the answer to a recorded shell event with another line.
func (w *hookWorld) asked(file, line string) string {
	w.t.Helper()
	client, event, raw := w.event(filepath.Join("testdata/hooks", file))
	answer, err := w.hook(client, event, inEvent(raw, "echo hi; touch made1", line))
	if err != nil {
		w.t.Fatal(err)
	}
	return answer
}

func confinedHere(t *testing.T) {
	t.Helper()
	if _, err := sandbox.Reach(t.Context(), sandbox.Options{Level: sandbox.WorkspaceWrite}); err != nil {
		t.Skip("commands are confined nowhere here: ", err)
	}
}

const (
	claudeShell = "claude-code-2.1.330/01-PreToolUse-Bash.json"
	codexShell  = "codex-0.169.0/01-PreToolUse-Bash.json"
	clineShell  = "cline-3.0.65/01-PreToolUse-run_commands.json"
	qwenShell   = "qwen-0.24.4/01-PreToolUse-run_shell_command.json"
)

func TestACommandOfAClientIsOnRecordOnce(t *testing.T) {
	confinedHere(t)
	for file, client := range map[string]string{claudeShell: "claude-code", codexShell: "codex", clineShell: "cline"} {
		w := newHookWorld(t)
		w.codexSandbox("danger-full-access")
		w.shell(rewrittenIn(w.asked(file, "echo hi > new; exit 3")))
		got := w.records()
		if len(got) != 1 || got[0].Principal != client || got[0].Session == "" || got[0].Outcome == "need" ||
			!strings.HasSuffix(got[0].Title, "echo hi > new; exit 3") || got[0].MS == 0 {
			t.Errorf("%s: the record is %+v, want one of %s with its conversation and how it ended", file, got, client)
		}
	}
}

// The client may confine a line or not: what Codex' events say of permissions is the same with a sandbox and without. One
// that is not confined there is on record by whoever runs it.
func TestACommandThatTheClientMayConfineIsOnRecordOnce(t *testing.T) {
	confinedHere(t)
	for _, sandbox := range []string{"read-only", "workspace-write", "another", ""} {
		w := newHookWorld(t)
		if sandbox != "" {
			w.codexSandbox("danger-full-access")
			w.codexSandbox(sandbox) // the turn at hand is the last
		}
		answer := w.asked(codexShell, "echo hi")
		if rewrittenIn(answer) == "" {
			t.Fatal(answer)
		}
		before := len(w.records())
		w.shell(rewrittenIn(answer))
		if got := w.records(); before != 0 || len(got) != 1 || got[0].Name != "bash" {
			t.Errorf("in %q the record is %+v", sandbox, got)
		}
	}
}

// codexSandbox adds a turn in a sandbox to what Codex keeps of the conversation.
func (w *hookWorld) codexSandbox(name string) {
	w.t.Helper()
	_, _, raw := w.event(filepath.Join("testdata/hooks", codexShell))
	var e struct {
		Transcript string `json:"transcript_path"`
	}
	w.must(json.Unmarshal([]byte(raw), &e))
	old, _ := os.ReadFile(e.Transcript)
	turn := `{"type":"turn_context","payload":{"approval_policy":"never","sandbox_policy":{"type":"` + name + `"}}}`
	const other = `{"type":"response_item","payload":{"text":"a turn_context"}}`
	w.write(e.Transcript, string(old)+turn+"\n"+other+"\n")
}

// What the person says no to, or the client ends before, is on record all the same, when its time is over.
func TestACommandThatWasNeverRunIsOnRecordOnce(t *testing.T) {
	confinedHere(t)
	w := newHookWorld(t)
	w.asked(claudeShell, "echo never")
	tickets, err := filepath.Glob(w.home + "/state/helve/tickets/*")
	if err != nil || len(tickets) != 1 {
		t.Fatal(tickets, err)
	}
	then := time.Now().Add(-time.Hour)
	w.must(os.Chtimes(tickets[0], then, then))
	for range 2 {
		w.shell(rewrittenIn(w.asked(claudeShell, "echo later")))
	}
	never := 0
	for _, r := range w.records() {
		if strings.HasSuffix(r.Title, "echo never") {
			never++
		}
	}
	if never != 1 || len(w.records()) != 3 {
		t.Errorf("the record is %+v", w.records())
	}
}

// A line that is known to need the network is asked about in mode auto, too; with a yes it has it.
func TestALineThatNeedsTheNetworkIsAskedAboutAndHasIt(t *testing.T) {
	confinedHere(t)
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("there is no curl: ", err)
	}
	site := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
		out.Write([]byte("reached"))
	}))
	t.Cleanup(site.Close)
	line := "curl -s --max-time 5 " + site.URL
	for _, mode := range []string{"", `{"client_hooks": {"mode": "auto"}}`, `{"client_hooks": {"mode": "ask"}}`} {
		w := newHookWorld(t)
		if mode != "" {
			w.write(w.home+"/.config/helve/config.json", mode)
		}
		answer := w.asked(claudeShell, line)
		if !strings.Contains(answer, `"permissionDecision":"ask","permissionDecisionReason":"helve asks: `) || !strings.Contains(answer, "network") {
			t.Errorf("%s: %s", mode, answer)
		}
		if got := w.shell(rewrittenIn(answer)); !strings.Contains(got, "reached") {
			t.Errorf("%s: with a yes it printed %s", mode, got)
		}
		if answer := w.asked(codexShell, line); !strings.Contains(answer, "nobody can be asked here: ") || !strings.Contains(answer, "network") {
			t.Errorf("%s: Codex, which asks nobody, was told %s", mode, answer)
		}
	}
	// the rule that a refusal names is a yes for a client that asks nobody
	w := newHookWorld(t)
	w.write(w.home+"/.config/helve/config.json", `{"rules": [{"allow": "bash:`+line+`"}]}`)
	if got := w.shell(rewrittenIn(w.asked(codexShell, line))); !strings.Contains(got, "reached") {
		t.Errorf("with a rule of helve's it printed %s", got)
	}
	w = newHookWorld(t)
	w.write(w.home+"/.config/helve/config.json", `{"rules": [{"allow": "bash:curl *"}]}`)
	if answer := w.asked(codexShell, line); !strings.Contains(answer, "nobody can be asked here") {
		t.Errorf("with a rule on lines that nobody has seen: %s", answer)
	}
	// and so is the client's own
	w = newHookWorld(t)
	w.write(w.home+"/.claude/settings.json", `{"permissions": {"allow": ["Bash(curl:*)"]}}`)
	answer := w.asked(claudeShell, line)
	if !strings.Contains(answer, `"permissionDecision":"allow"`) || !strings.Contains(w.shell(rewrittenIn(answer)), "reached") {
		t.Errorf("with a rule of the client's: %s", answer)
	}
	// a line that is not known to need it has none
	w = newHookWorld(t)
	const text = "sh get.sh && echo done"
	script := func(w *hookWorld) { w.write(w.work+"/get.sh", "curl -sS --max-time 5 "+site.URL+"\n") }
	script(w)
	answer = w.asked(claudeShell, text)
	got := w.shell(rewrittenIn(answer))
	if strings.Contains(got, "reached") {
		t.Errorf("without a word about the network it printed %s", got)
	}
	// what it printed names the setting that gives it the network, and that setting does
	_, setting, named := strings.Cut(got, "helve's configuration: ")
	setting, _, _ = strings.Cut(setting, "\n")
	if !named || !json.Valid([]byte(setting)) {
		t.Fatalf("it printed %s\nthe answer was %s", got, answer)
	}
	for _, with := range []string{text, line} { // the other is known to need it
		w = newHookWorld(t)
		script(w)
		w.write(w.home+"/.config/helve/config.json", strings.Replace(setting, text, with, 1))
		if got := w.shell(rewrittenIn(w.asked(codexShell, with))); !strings.Contains(got, "reached") || strings.Contains(got, "without network") {
			t.Errorf("%s: with %s it printed %s", with, setting, got)
		}
		if got := w.shell(rewrittenIn(w.asked(codexShell, text+" # more"))); strings.Contains(got, "reached") || !strings.Contains(got, "ran without network") {
			t.Errorf("another line printed %s", got)
		}
	}
}

// What helve exec could not run as the client does is never changed: it is left as it is, and the record says so.
func TestALineThatHelveCouldNotRunIsLeftAsItIs(t *testing.T) {
	confinedHere(t)
	w := newHookWorld(t)
	function := "ZGVwbG95ICgpIAp7IAogICAgZWNobyBkZXBsb3llZAp9Cg==" // deploy () { echo deployed }
	w.write(w.home+"/.claude/shell-snapshots/snapshot-bash-1.sh",
		"unalias -a\neval \"$(echo '"+function+"' | base64 -d)\"\nalias -- ll='ls -l'\nalias -- ls='ls --color'\nhi () { echo hi; }\n")
	long := "echo " + strings.Repeat("a", 20_000) + " > out"
	for line, want := range map[string]string{
		"ll":               "",
		"deploy":           "",
		"hi there | head":  "",
		"ll; python3 x.py": "helve asks: helve cannot confine it: only the shell of Claude Code knows ll",
		long:               "helve asks: helve cannot confine it: it has 20011 bytes",
		long + "; echo {} > .claude/settings.json": "helve refuses this: its words name .claude/settings.json",
		"ls -l > out":       "helve exec",
		"nosuch > out":      "helve exec",
		"echo \uFFFD > out": "helve exec",
	} {
		got := w.asked(claudeShell, line)
		if want == "" && got != "" || !strings.Contains(got, want) || want != "helve exec" && rewrittenIn(got) != "" {
			t.Errorf("%.40s: %.300s, want %q", line, got, want)
		}
	}
	if answer := w.asked(qwenShell, long); !strings.Contains(answer, "put the script into a file") {
		t.Errorf("Qwen Code was told %s", answer)
	}
	_, _, raw := w.event("testdata/hooks/" + claudeShell)
	for _, bytes := range []string{"\xff", `\ud800`} {
		got, err := w.hook("claude-code", "PreToolUse", strings.Replace(raw, "echo hi", "echo "+bytes, 1))
		if err != nil || !strings.Contains(got, "it is no text in UTF-8") || rewrittenIn(got) != "" {
			t.Errorf("%q: %s", bytes, got)
		}
	}
	told := 0
	for _, r := range w.records() {
		if strings.Contains(r.Verdict.Reason, "left as it is: only the shell of Claude Code knows") ||
			strings.Contains(r.Verdict.Reason, "helve cannot confine it") {
			told++
		}
	}
	if told != 8 {
		t.Errorf("%d of 8 lines that were left are told so on record", told)
	}
}
