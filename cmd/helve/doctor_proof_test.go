package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/cmd/internal/clientproof"
)

// proofOf is what doctor says of Claude Code with these further settings, and whether a text came to its home.
func proofOf(t *testing.T, settings string) clientproof.Proof {
	t.Helper()
	w := newHookWorld(t)
	w.write(filepath.Join(w.home, ".claude/settings.json"), settings)
	claude := filepath.Join(filepath.Dir(w.bin), "claude")
	w.write(claude, "#!/bin/sh\n"+`! grep -rq sk-own "$HOME" || exit 9`+"\n"+`exec fakeclaude "$@"`+"\n")
	w.must(os.Chmod(claude, 0o755))
	if out, err := w.command("", "init", "--client", "claude-code", "--hooks", "--yes").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := w.command("", "doctor", "--client", "claude-code", "--json").Output()
	var said struct {
		Hooks struct {
			Proof *clientproof.Proof `json:"proof"`
		} `json:"hooks"`
	}
	if err != nil || json.Unmarshal(out, &said) != nil || said.Hooks.Proof == nil {
		t.Fatalf("doctor: %v: %s", err, out)
	}
	return *said.Hooks.Proof
}

func TestDoctorProvesByTheClientItself(t *testing.T) {
	confinedHere(t)
	got := proofOf(t, `{"env": {"ANTHROPIC_AUTH_TOKEN": "sk-own"}, "apiKeyHelper": "echo sk-own"}`)
	for what, f := range map[string]clientproof.Finding{"denied": got.Denied, "rewritten": got.Rewritten, "undone": got.Undone} {
		if f.State != clientproof.Proven {
			t.Errorf("%s: %v, want proven", what, f)
		}
	}
}

// A client that does not ask, though its files say so, is found out by what it does.
func TestDoctorSeesAClientThatDoesNotAsk(t *testing.T) {
	confinedHere(t)
	got := proofOf(t, `{"disableAllHooks": true}`)
	if got.Denied.State != clientproof.Fails || !strings.Contains(got.Denied.Words, "ran") {
		t.Errorf("denied: %v", got.Denied)
	}
	if got.Rewritten.State != clientproof.Fails || !strings.Contains(got.Rewritten.Words, "unconfined") {
		t.Errorf("rewritten: %v", got.Rewritten)
	}
	if got.Undone.State != clientproof.Fails {
		t.Errorf("undone: %v", got.Undone)
	}
}

// What cannot be tried is said in words, and is no proof.
func TestDoctorSaysWhatItCannotProve(t *testing.T) {
	w := newHookWorld(t)
	w.env = append(w.env, "PATH="+filepath.Dir(w.bin)+":/usr/bin:/bin")
	if out, err := w.command("", "init", "--client", "qwen", "--hooks", "--yes").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := w.command("", "doctor", "--client", "qwen").CombinedOutput()
	if err != nil || strings.Count(string(out), "cannot be proven: PATH has no Qwen Code") != 3 {
		t.Errorf("%v: %s", err, out)
	}
}
