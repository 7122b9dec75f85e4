package main

import (
	"path/filepath"
	"strings"
	"testing"

	"helve/engine/sandbox"
)

// Events as the clients sent them, by client and version: each is understood, a command is run by helve where the client
// takes that from a hook, and the rest is left to the client.
func TestEventsOfTheRealClientsAreUnderstood(t *testing.T) {
	if _, err := sandbox.Reach(t.Context(), sandbox.Options{Level: sandbox.WorkspaceWrite}); err != nil {
		t.Skip("commands are confined nowhere here: ", err)
	}
	files, err := filepath.Glob("testdata/hooks/*/*.json")
	if err != nil || len(files) < 70 {
		t.Fatalf("%d events (%v)", len(files), err)
	}
	w := newHookWorld(t)
	for _, file := range files {
		client, event, raw := w.event(file)
		got, err := w.hook(client, event, raw)
		if err != nil || strings.Contains(got, "helve hook failed") {
			t.Errorf("%s: %v, %s", file, err, got)
			continue
		}
		if want := wantedOf(client, file, raw); want != answered(got) {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
}

// wantedOf is what is to come of an event: silence, run by helve, or a question of a page on the network.
func wantedOf(client, file, raw string) string {
	name := strings.ToLower(filepath.Base(file))
	before := !strings.Contains(name, "post") && !strings.Contains(name, "after")
	shell := strings.HasSuffix(name, "bash.json") || strings.Contains(name, "run_shell") || strings.Contains(name, "run_commands")
	switch {
	case !before:
		return "silence"
	case strings.HasSuffix(name, "webfetch.json"):
		return "question"
	case shell && client != "qwen" && !strings.Contains(raw, "Begin Patch"):
		return "run by helve"
	}
	return "silence"
}

// answered is what an answer says.
func answered(out string) string {
	switch {
	case out == "", out == `{"cancel":false}`:
		return "silence"
	case strings.Contains(out, "helve exec --client"):
		return "run by helve"
	case strings.Contains(out, `"ask"`):
		return "question"
	}
	return out
}
