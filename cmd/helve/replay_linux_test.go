package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
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

// Commands that change files are made again in the copy, where the next call finds what they made: the workspace, its
// history and the record of calls stay as they are.
func TestWhatReplayedCommandsChangeIsNotKept(t *testing.T) {
	confinedHere(t)
	d := newRunDesk(t,
		wiretest.Turn{Calls: []wiretest.Call{bash("1", "mkdir -p sub && echo made > sub/new.txt && echo more >> a.txt && rm b.txt")}},
		wiretest.Turn{Calls: []wiretest.Call{bash("2", "cat sub/new.txt a.txt; ls")}},
		wiretest.Turn{Text: "Done."})
	d.env = append(d.env, "OPENAI_API_KEY=k")
	world := func() {
		t.Helper()
		if err := os.RemoveAll(filepath.Join(d.dir, "sub")); err != nil {
			t.Fatal(err)
		}
		d.write("a.txt", "one\n")
		d.write("b.txt", "two\n")
	}
	world()
	out, _ := d.helve(0, "run", "Go.", "--yes", "--model", "openai/test", "--base-url", d.srv.URL, "--output-format", "json")
	var end struct{ Conversation string }
	if err := json.Unmarshal([]byte(out), &end); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	d.holds("a.txt", "one\nmore\n")
	world()
	history, _ := d.helve(0, "history", "--json")
	audit, _ := d.helve(0, "audit", "--json")
	out, _ = d.helve(0, "replay", end.Conversation, "--json")
	var told struct {
		Made                 int
		Differences, Skipped []any
	}
	if err := json.Unmarshal([]byte(out), &told); err != nil || told.Made != 2 || len(told.Differences)+len(told.Skipped) > 0 {
		t.Errorf("replay: %s: %v", out, err)
	}
	d.holds("a.txt", "one\n")
	d.holds("b.txt", "two\n")
	if d.there("sub") {
		t.Error("what the command made is there")
	}
	if now, _ := d.helve(0, "audit", "--json"); now != audit {
		t.Errorf("the record is %s, was %s", now, audit)
	}
	if now, _ := d.helve(0, "history", "--json"); now != history {
		t.Errorf("the history is %s, was %s", now, history)
	}
}

// What a script reaches its command line does not say: in the copy it has no network and no folder outside, whatever the
// person's configuration gives commands, and their hooks do not run. The folder for temporary files may lie in the workspace.
func TestAReplayReachesNothingBeyondItsCopy(t *testing.T) {
	confinedHere(t)
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
	var asked atomic.Int32
	web := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer web.Close()
	d := newRunDesk(t,
		wiretest.Turn{Calls: []wiretest.Call{call("1", "bash", `{"command":"sh s.sh"}`), call("2", "read", `{"file_path":"a.txt"}`)}},
		wiretest.Turn{Text: "Done."})
	outside := t.TempDir()
	d.write("s.sh", "echo y >> "+outside+"/reached; curl -s -m 60 "+web.URL+"; true\n")
	d.configure(`{"sandbox":{"network":true,"writable":["` + outside + `"]},
		"hooks":[{"on":"after","command":"/usr/bin/tee -a ` + outside + `/hooked"}]}`)
	temp := filepath.Join(d.dir, "tmp")
	if err := os.Mkdir(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	d.env = append(d.env, "OPENAI_API_KEY=k", "TMPDIR="+temp)
	size := func(name string) int {
		b, err := os.ReadFile(filepath.Join(outside, name))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return len(b)
	}
	out, _ := d.helve(0, "run", "Go.", "--yes", "--model", "openai/test", "--base-url", d.srv.URL, "--output-format", "json")
	var end struct{ Conversation string }
	if err := json.Unmarshal([]byte(out), &end); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	hooked, reached := size("hooked"), size("reached")
	if asked.Load() != 1 || hooked == 0 || reached == 0 {
		t.Fatalf("the run itself: %d requests, hooks wrote %d, the script %d", asked.Load(), hooked, reached)
	}
	out, _ = d.helve(0, "replay", end.Conversation, "--json")
	var told struct{ Made int }
	if err := json.Unmarshal([]byte(out), &told); err != nil || told.Made != 2 {
		t.Errorf("replay: %s: %v", out, err)
	}
	if asked.Load() != 1 || size("hooked") != hooked || size("reached") != reached {
		t.Errorf("the replay reached out: %d requests, hooks wrote %d of %d, the script %d of %d",
			asked.Load(), size("hooked"), hooked, size("reached"), reached)
	}
	d.helve(2, "replay", end.Conversation, "--add-dir", outside)
}
