package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"helve/cmd/internal/app"
	"helve/cmd/internal/command"
	"helve/internal/testing/wiretest"
)

// A conversation goes on where it ended: the second run's request holds what was said in the first.
func TestASessionCanBeResumed(t *testing.T) {
	srv := wiretest.OpenAI(t, wiretest.Turn{Text: "I keep seven in mind."}, wiretest.Turn{Text: "Seven."})
	dir, state := t.TempDir(), t.TempDir()
	run := func(args ...string) (id string) {
		t.Helper()
		var out, talk bytes.Buffer
		env := command.Environment{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &talk, Dir: dir, Models: model,
			Environ: []string{"HOME=" + state, "XDG_STATE_HOME=" + state, "XDG_CONFIG_HOME=" + state, "XDG_CACHE_HOME=" + state}}
		args = append(args, "--model", "openai/test", "--base-url", srv.URL, "--output-format", "json")
		if status := app.Main(t.Context(), args, env); status != 0 {
			t.Fatalf("status %d\n%s", status, talk.String())
		}
		var end struct{ Conversation string }
		if err := json.Unmarshal(out.Bytes(), &end); err != nil {
			t.Fatalf("%s: %v", out.Bytes(), err)
		}
		return end.Conversation
	}
	id := run("run", "Keep 7 in mind.")
	if again := run("run", "Which number?", "--resume", id); again != id {
		t.Errorf("the session is %s, was %s", again, id)
	}
	last := srv.Requests()[1]
	for _, want := range []string{"Keep 7 in mind.", "I keep seven in mind.", "Which number?"} {
		if !strings.Contains(last, want) {
			t.Errorf("the second request lacks %q", want)
		}
	}
}
