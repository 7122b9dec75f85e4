package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"helve/internal/testing/ptytest"
	"helve/tool"
)

var yesCommand = regexp.MustCompile(`helve approvals yes ([0-9a-f]+)`)

// sit runs helve at a terminal.
func (w *hookWorld) sit(args ...string) *ptytest.Terminal {
	w.t.Helper()
	cmd := w.command("", args...)
	cmd.Stdin = nil
	cmd.Env = append(cmd.Env, "TERM=xterm")
	return ptytest.Start(w.t, cmd, 100)
}

// A client that asks nobody has its call refused; a person lets it run once, at a terminal, and nobody else does.
func TestAPersonAnswersForAClientThatAsksNobody(t *testing.T) {
	confinedHere(t)
	w := newHookWorld(t)
	w.codexSandbox("danger-full-access")
	w.write(w.work+"/.env", "SECRET=1\n")
	ask := func() string { return w.asked(codexShell, "cat .env") }
	refused := ask()
	id := yesCommand.FindStringSubmatch(refused)
	if id == nil || !strings.Contains(refused, `"deny"`) {
		t.Fatal(refused)
	}
	out, err := w.command("", "approvals", "yes", id[1]).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "at a terminal") || !strings.Contains(ask(), `"deny"`) {
		t.Errorf("without a terminal: %v, %s", err, out)
	}
	for _, line := range []string{"helve approvals yes " + id[1], "helve approvals watch"} {
		if answer := w.asked(qwenShell, line); !strings.Contains(answer, "people alone") {
			t.Errorf("%s: %s", line, answer)
		}
	}
	x := w.sit("approvals", "yes", id[1])
	x.See("cat .env")
	x.See("may hold secrets")
	x.Press("y")
	if x.Ended() != 0 {
		t.Fatal(x.Raw())
	}
	if answer := w.asked(codexShell, "cat .env # another"); rewrittenIn(answer) != "" {
		t.Errorf("another call: %s", answer)
	}
	if got := w.shell(rewrittenIn(ask())); !strings.Contains(got, "SECRET=1") {
		t.Errorf("after a yes it printed %s", got)
	}
	if again := ask(); rewrittenIn(again) != "" {
		t.Errorf("a second time: %s", again)
	}
	people := 0
	for _, r := range w.records() {
		if r.Approver == (tool.Approver{Kind: tool.ByPerson, Via: "approvals"}) {
			people++
		}
	}
	if people != 1 {
		t.Errorf("%d calls of 1 are on record as a person's yes", people)
	}
	w.must(w.command("", "approvals", "no", id[1]).Run())
	if answer := ask(); !strings.Contains(answer, "a person said no") {
		t.Errorf("after a no: %s", answer)
	}
}

// Where a person watches the questions the call waits for them. Edits are theirs to allow, too.
func TestACallWaitsForAPersonWhoWatches(t *testing.T) {
	w := newHookWorld(t)
	client, event, raw := w.event(filepath.Join("testdata/hooks", "opencode-1.18.33/07-tool.execute.before-write.json"))
	raw = strings.ReplaceAll(raw, "b.txt", ".env")
	if !strings.Contains(raw, ".env") {
		t.Fatal("the event names another file: ", raw)
	}
	x := w.sit("approvals", "watch")
	x.See("questions of clients are asked here")
	said := make(chan string, 1)
	go func() {
		answer, err := w.hook(client, event, raw)
		said <- answer + errorText(err)
	}()
	x.See("may hold secrets")
	x.Press("y")
	switch answer := <-said; {
	case answer == "":
	case strings.Contains(answer, "has not answered yet"): // a slow machine: the answer counts when it is made again
		x.See("allowed once")
		if again, err := w.hook(client, event, raw); again != "" || err != nil {
			t.Errorf("after a yes: %v, %s", err, again)
		}
	default:
		t.Error(answer)
	}
	x.Press("\x03")
	if status := x.Ended(); status != 0 && status != 130 {
		t.Errorf("it ended with %d", status)
	}
}
