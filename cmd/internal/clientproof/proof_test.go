package clientproof

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestKeysAreNotCarriedIntoATrial(t *testing.T) {
	c := clients()["gemini"]
	got, err := c.settings([]byte(`{
  // mine
  "env": {"TOKEN": "sk-own"}, "apiKeyHelper": "echo sk-own", "mcpServers": {"x": {"headers": {"A": "sk-own"}}},
  "security": {"auth": {"selectedType": "oauth", "key": "sk-own"}},
  "hooks": {"BeforeTool": []}, "disableAllHooks": true
}`))
	var all map[string]any
	if err != nil || json.Unmarshal(got, &all) != nil {
		t.Fatal(err, string(got))
	}
	if strings.Contains(string(got), "sk-own") || strings.Contains(string(got), "oauth") {
		t.Errorf("a key is carried: %s", got)
	}
	if all["disableAllHooks"] != true || all["hooks"] == nil || all["security"] == nil {
		t.Errorf("what says who is asked is not carried: %s", got)
	}
}

func TestSettingsThatAreNoObjectAreNotTried(t *testing.T) {
	c := clients()["claude-code"]
	if got, err := c.settings([]byte("[1]")); err == nil {
		t.Errorf("read as %s", got)
	}
}

func TestCallsHaveTheWordsInTheClientsForm(t *testing.T) {
	for name, c := range clients() {
		for _, made := range []call{callOf(c.shell, `sh "a b".sh`), callOf(c.write, "/w/made.txt", "made\n")} {
			if made.custom {
				if !strings.Contains(made.args, "*** Add File: made.txt\n+made\n*** End Patch") {
					t.Errorf("%s: %q", name, made.args)
				}
				continue
			}
			if !json.Valid([]byte(made.args)) || strings.Contains(made.args, "$") || made.name == "" {
				t.Errorf("%s: %s %s", name, made.name, made.args)
			}
		}
	}
}

// A client that does not come to its model is no proof of anything, and nothing of the trial is left.
func TestAClientThatMakesNoCallProvesNothing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	program := filepath.Join(dir, "client")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho out of order\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	trial := &Trial{Client: "claude-code", Program: program, Path: os.Getenv("PATH"), Helve: program}
	got := trial.Run(t.Context())
	for _, f := range []Finding{got.Denied, got.Rewritten, got.Undone} {
		if f.State != Unknown || !strings.HasSuffix(f.Words, "it said: out of order") {
			t.Errorf("got %v", f)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "helve-doctor-*")); err != nil || len(left) > 0 {
		t.Errorf("%v is left (%v)", left, err)
	}
}
