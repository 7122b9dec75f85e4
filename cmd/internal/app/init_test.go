package app_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/cmd/internal/app"
	"helve/cmd/internal/command"
)

// initialize runs helve init in a home folder, where PATH holds nothing.
func initialize(t *testing.T, home string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, talk bytes.Buffer
	env := command.Environment{
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &talk,
		Environ: []string{"HOME=" + home, "PATH=" + filepath.Join(home, "none")}, Dir: t.TempDir(),
	}
	status = app.Main(t.Context(), append([]string{"init"}, args...), env)
	return status, out.String(), talk.String()
}

func TestInitFindsTheClientsThatAreThere(t *testing.T) {
	home := t.TempDir()
	status, _, stderr := initialize(t, home)
	if status != 1 || !strings.Contains(stderr, "no MCP client was found here") || !strings.Contains(stderr, "hint: helve setup CLIENT") {
		t.Errorf("an empty home: %d\n%s", status, stderr)
	}
	for _, dir := range []string{".gemini", ".cursor"} {
		if err := os.Mkdir(filepath.Join(home, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	status, stdout, stderr := initialize(t, home)
	if status != 2 || !strings.Contains(stdout, `"gemini"`) || !strings.Contains(stdout, `"cursor"`) || strings.Contains(stdout, "codex") {
		t.Errorf("two that left a folder: %d\n%s%s", status, stdout, stderr)
	}
	bin := filepath.Join(home, "none")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "codex"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, stdout, _ = initialize(t, home, "--print"); !strings.Contains(stdout, "[mcp_servers.helve]") {
		t.Errorf("one that is a program only:\n%s", stdout)
	}
	if left, err := os.ReadDir(filepath.Join(home, ".gemini")); err != nil || len(left) != 0 {
		t.Errorf("something was written: %v %v", left, err)
	}
}
