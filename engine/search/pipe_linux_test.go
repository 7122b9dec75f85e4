package search

import (
	"path/filepath"
	"syscall"
	"testing"
)

func TestPipesDoNotBlock(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "f"), "needle\n")
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	if sum, _ := grep(t, open(t, dir), Query{Patterns: []string{"needle"}}); sum.Files != 1 || sum.Failures != 0 {
		t.Errorf("%+v, want one file", sum)
	}
	e := open(t, dir)
	if _, err := e.Grep(t.Context(), Query{Patterns: []string{"x"}, Paths: []string{"pipe"}}, func(*File) error { return nil }); err == nil {
		t.Error("a pipe that is asked for by name must be refused")
	}
}
