package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/cmd/internal/app"
	"helve/cmd/internal/command"
	"helve/internal/testing/wiretest"
)

// The calls of a conversation are made again in a copy: what the world answers otherwise is told, and nothing stays.
func TestAConversationIsReplayedInACopy(t *testing.T) {
	srv := wiretest.OpenAI(t,
		wiretest.Turn{Calls: []wiretest.Call{call("1", "read", `{"file_path":"a.txt"}`), call("2", "read", `{"file_path":"b.txt"}`)}},
		wiretest.Turn{Calls: []wiretest.Call{call("3", "edit", `{"file_path":"b.txt","old_string":"two","new_string":"2"}`)}},
		wiretest.Turn{Calls: []wiretest.Call{call("4", "read", `{"file_path":"b.txt"}`), call("5", "nothing", `{}`)}},
		wiretest.Turn{Calls: []wiretest.Call{call("6", "fetch", `{"url":"http://127.0.0.1:1/"}`)}},
		wiretest.Turn{Text: "Done."})
	dir, state, temp := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	helve := func(into any, args ...string) {
		t.Helper()
		var out, talk bytes.Buffer
		env := command.Environment{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &talk, Dir: dir, Models: model,
			Environ: []string{"HOME=" + state, "XDG_STATE_HOME=" + state, "XDG_CONFIG_HOME=" + state, "XDG_CACHE_HOME=" + state}}
		if status := app.Main(t.Context(), args, env); status != 0 {
			t.Fatalf("%q: status %d\n%s", args, status, talk.String())
		}
		if err := json.Unmarshal(out.Bytes(), into); err != nil {
			t.Fatalf("%q: %s: %v", args, out.Bytes(), err)
		}
	}
	write("a.txt", "one\n")
	write("b.txt", "two\n")
	var end struct{ Conversation string }
	helve(&end, "run", "Go.", "--yes", "--model", "openai/test", "--base-url", srv.URL, "--output-format", "json")

	type told struct {
		Conversation string
		Turns, Made  int
		Skipped      []struct{ Call, Why string }
		Differences  []struct {
			Turn                  int
			Call, Tool, Then, Now string
		}
	}
	var same told
	write("b.txt", "two\n")
	helve(&same, "replay", end.Conversation, "--json")
	if same.Turns != 1 || same.Made != 5 || len(same.Differences) != 0 || len(same.Skipped) != 1 || same.Skipped[0].Call != "6" {
		t.Errorf("in the same world: %+v", same)
	}

	write("a.txt", "1\n")
	write("b.txt", "four\n")
	var other told
	helve(&other, "replay", end.Conversation[:6], "--json")
	var calls []string
	for _, d := range other.Differences {
		calls = append(calls, d.Call)
	}
	if strings.Join(calls, " ") != "1 2 3 4" || !strings.Contains(other.Differences[0].Now, "1") ||
		!strings.Contains(other.Differences[0].Then, "one") || other.Differences[2].Tool != "edit" {
		t.Errorf("in another world: %+v", other)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "b.txt")); err != nil || string(b) != "four\n" {
		t.Errorf("b.txt is %q, %v", b, err)
	}
	if left, err := filepath.Glob(filepath.Join(temp, "helve-replay-*")); err != nil || len(left) > 0 {
		t.Errorf("there stays %q, %v", left, err)
	}
}
