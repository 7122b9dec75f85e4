//go:build unix

package app_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/cmd/internal/app"
)

// Where a process cannot become another program, helve-full runs below helve: what goes in and out is the same.
func TestHelveFullRunsBelowHelve(t *testing.T) {
	bin, dir := t.TempDir(), t.TempDir()
	script := "#!/bin/sh\nread line\necho \"$PWD: $* $line\"\necho talk >&2\nexit 5\n"
	if err := os.WriteFile(filepath.Join(bin, "helve-full"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	var out, talk bytes.Buffer
	status := app.Main(t.Context(), []string{"run", "-", "--model", "openai/test"}, app.Environment{
		Stdin:  strings.NewReader("prompt\n"),
		Stdout: &out, Stderr: &talk,
		Environ: []string{"HOME=" + dir, "PATH=" + bin},
		Dir:     dir,
	})
	want := dir + ": run - --model openai/test prompt\n"
	if status != 5 || out.String() != want || talk.String() != "talk\n" {
		t.Errorf("status %d, %q, %q; want 5, %q", status, out.String(), talk.String(), want)
	}
}
