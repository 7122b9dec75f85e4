package app_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"helve/cmd/internal/app"
	"helve/cmd/internal/command"
)

// nextStep is how an answer names what to do: a hint, the nearest word, what was wanted, a command.
var nextStep = regexp.MustCompile(`hint: |Use |[Dd]id you mean |want |must be |helve |there are |skipped|write |` +
	`search for |stay below |again|replace_all|backslash|check `)

// word is one of a line that is typed, which single quotes may hold together.
var word = regexp.MustCompile(`'([^']*)'|(\S+)`)

// noise is what tells of our own making and not of the mistake.
var noise = regexp.MustCompile(`panic|goroutine|\.go:\d|<nil>|%!|invalid character|looking for beginning`)

// Whoever is new and mistypes is told what to do next, and no mistake looks like success. A line of the table is a
// status, a command line and the next step in its answer.
func TestEachMistakeIsAnsweredWithTheNextStep(t *testing.T) {
	text, err := os.ReadFile("testdata/mistakes.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		n++
		var status, typed, next string
		if f := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(f) == 3 {
			status, typed, next = f[0], f[1], f[2]
		}
		if !nextStep.MatchString(next) {
			t.Errorf("%q names no next step", line)
			continue
		}
		var args []string
		for _, m := range word.FindAllStringSubmatch(strings.TrimPrefix(typed, "helve"), -1) {
			args = append(args, m[1]+m[2])
		}
		got, said := mistaken(t, args)
		if got != status || !strings.Contains(said, next) || noise.MatchString(said) {
			t.Errorf("%s: status %s, want %s, and %q in\n%s", typed, got, status, next, said)
		}
	}
	if n < 150 {
		t.Errorf("%d mistakes, want 150", n)
	}
}

// mistaken types a command line in a small workspace of its own: the status, and all that is said.
func mistaken(t *testing.T, args []string) (status, said string) {
	t.Helper()
	home := t.TempDir()
	dir := filepath.Join(home, "work")
	if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"a.txt": "one\ntwo\n", "broken.json": `{"mcpServers"`, "lines": "x\ny\n", "empty": "", "m.py": "def f(): pass\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out, errs bytes.Buffer
	code := app.Main(context.Background(), args, command.Environment{
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Dir: dir,
		Environ: []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")},
	})
	return fmt.Sprint(code), out.String() + errs.String()
}
