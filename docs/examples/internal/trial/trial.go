// Package trial tries the examples: a workspace, a model that follows a script, and what must be true afterwards.
package trial

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve"
	"helve/docs/examples/terminal"
	"helve/internal/testing/wiretest"
	"helve/tool"
)

// Turns are what the model does: it reads, edits (the person says yes), would run a command (the person says no), tries
// to read what a rule denies, and is done.
var Turns = []wiretest.Turn{
	{Calls: []wiretest.Call{{ID: "1", Name: "read", Args: `{"file_path":"a.txt"}`}}},
	{Calls: []wiretest.Call{{ID: "2", Name: "edit", Args: `{"file_path":"a.txt","old_string":"one","new_string":"two"}`}}},
	{Calls: []wiretest.Call{{ID: "3", Name: "bash", Args: `{"command":"rm a.txt"}`}}},
	{Calls: []wiretest.Call{{ID: "4", Name: "read", Args: `{"file_path":"secrets/key"}`}}},
	{Text: "It says two now."},
}

// Open opens a workspace with a.txt and secrets/key, under a rule of its person.
func Open(t *testing.T, person tool.Asker) *helve.Workspace {
	t.Helper()
	home := t.TempDir()
	put(t, filepath.Join(home, "work", "a.txt"), "one\n")
	put(t, filepath.Join(home, "work", "secrets", "key"), "hidden\n")
	put(t, filepath.Join(home, ".config", "helve", "config.json"), `{"rules": [{"deny": "read:secrets/**"}]}`)
	ws, err := helve.Open(t.Context(), helve.Options{
		Dirs:    []string{filepath.Join(home, "work")},
		Environ: []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")},
		Places:  helve.Places{Managed: filepath.Join(home, "etc")},
		Ask:     person,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	return ws
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Agent has an example follow the script of srv, and looks at what it did and what the model was told.
func Agent(t *testing.T, srv *wiretest.Server, run func(context.Context, *helve.Workspace, string) (string, error)) {
	t.Helper()
	var asked strings.Builder
	ws := Open(t, terminal.Person(strings.NewReader("y\nn\n"), &asked))
	text, err := run(t.Context(), ws, "Say two instead of one.")
	if err != nil || text != "It says two now." {
		t.Fatalf("%q, %v", text, err)
	}
	for _, want := range []string{"edit a.txt? (changing files needs approval)", "+two", "rm a.txt"} {
		if !strings.Contains(asked.String(), want) {
			t.Errorf("the person was not told %q: %s", want, &asked)
		}
	}
	requests := srv.Requests()
	for i, want := range []string{`"edit"`, "1|one", "a.txt", "declined", "refused by policy"} {
		if i >= len(requests) || !strings.Contains(requests[i], want) {
			t.Fatalf("request %d does not bring %q", i, want)
		}
	}
	if got, err := os.ReadFile(filepath.Join(ws.Dir(), "a.txt")); err != nil || string(got) != "two\n" {
		t.Errorf("a.txt is %q, %v", got, err)
	}
	if strings.Contains(strings.Join(requests, ""), "hidden") {
		t.Error("the model was told what a rule keeps from it")
	}
}
