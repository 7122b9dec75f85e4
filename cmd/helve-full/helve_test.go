package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"helve/cmd/internal/app"
	"helve/internal/testing/wiretest"
)

// helve is the main of cmd/helve.
func helve() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	env := app.System()
	switch {
	case os.Getenv(relocatedVariable) != "":
		env.Options = relocate
	case os.Getenv(alternatingVariable) != "":
		env.Options = alternate
	}
	os.Exit(app.Main(ctx, os.Args[1:], env))
}

// What helve says where helve-full is missing is typed as it says it, in a checkout: after that the same command line
// is answered.
func TestTheHintForAMissingHelveFullWorks(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("links two programs, and wants a POSIX shell to type into")
	}
	root, home := filepath.Join("..", ".."), t.TempDir()
	exe := filepath.Join(t.TempDir(), "it's here", "helve")
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", exe, "../helve")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	srv := wiretest.OpenAI(t, wiretest.Turn{Text: "Seven."})
	run := func() (out, talk string, status int) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		cmd := exec.Command(exe, "run", "Which number?", "--model", "openai/test", "--base-url", srv.URL)
		cmd.Dir, cmd.Env = home, []string{"HOME=" + home, "PATH=" + home}
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		_ = cmd.Run() // its status says how it went
		return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
	}
	_, talk, status := run()
	_, command, found := strings.Cut(talk, "hint: in the checkout that helve was built from: ")
	if status != 2 || !found {
		t.Fatalf("exit status %d\n%s", status, talk)
	}
	hint := exec.Command("sh", "-c", command)
	hint.Dir, hint.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := hint.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	if out, talk, status := run(); status != 0 || out != "Seven.\n" {
		t.Errorf("exit status %d, %q\n%s", status, out, talk)
	}
}
