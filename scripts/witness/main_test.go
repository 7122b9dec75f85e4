package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// program writes one that answers every call with a text.
func program(t *testing.T, name, answer string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script, which does not work here")
	}
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte("#!/bin/sh\ncat <<'END'\n"+answer+"\nEND\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestAnAnswerThatDiffersIsShownBesideTheOneBefore(t *testing.T) {
	file := filepath.Join(t.TempDir(), "questions.tsv")
	if err := os.WriteFile(file, []byte("p\tfind\t{\"name\":\"a\"}\t-\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	was, now := program(t, "was", `{"found":["one\ntwo"]}`), program(t, "now", `{"found":["one\nthree"]}`)
	asked := func(args ...string) (int, string) {
		var out bytes.Buffer
		args = append(args, "-questions", file, "-projects", t.TempDir(), "-home", t.TempDir())
		code := run(args, &out, &out)
		return code, out.String()
	}
	if code, out := asked("-helve", was, "-update"); code != 0 || !strings.Contains(out, "1 answers differ") {
		t.Fatalf("writing down: %d, %s", code, out)
	}
	if code, out := asked("-helve", was); code != 0 || !strings.Contains(out, "0 answers differ") {
		t.Errorf("the same program: %d, %s", code, out)
	}
	code, out := asked("-helve", now, "-before", was)
	if code != 1 {
		t.Errorf("another answer: %d, want 1", code)
	}
	for _, want := range []string{`p: find {"name":"a"}`, "-two", "+three", "1 answers differ"} {
		if !strings.Contains(out, want) {
			t.Errorf("another answer does not show %q:\n%s", want, out)
		}
	}
	if code, out := asked("-helve", filepath.Join(t.TempDir(), "none")); code != 1 || !strings.Contains(out, "p: find") {
		t.Errorf("no program: %d, %s", code, out)
	}
}

func TestEveryQuestionIsAskedOnce(t *testing.T) {
	questions, err := readQuestions("testdata/questions.tsv")
	if err != nil {
		t.Fatal(err)
	}
	seen, refactorings := map[string]bool{}, 0
	for i := range questions {
		q := &questions[i]
		if seen[q.String()] {
			t.Errorf("asked twice: %s", q)
		}
		seen[q.String()] = true
		if strings.Contains(q.arguments, `"dry_run":true`) {
			refactorings++
		}
	}
	if asks := len(questions) - refactorings; asks < 300 || refactorings < 60 {
		t.Errorf("%d questions and %d refactorings, want 300 and 60", asks, refactorings)
	}
}
