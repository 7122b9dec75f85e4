package bash

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"helve/engine/sandbox"
)

// Each report holds the last lines, so that one that nobody heard is no loss.
func TestProgressTellsTheLastLines(t *testing.T) {
	var r recent
	for i, c := range []struct {
		piece  string
		stderr bool
		want   string
	}{
		{"one\ntw", false, "one\ntw"},
		{"o\n", false, "one\ntwo\n"},
		{"three", false, "one\ntwo\nthree"},
		{"bad\n", true, "one\ntwo\nthree\nbad\n"},
		{"é"[:1], false, "one\ntwo\nthree\nbad\n\ufffd"},
		{"é"[1:], false, "one\ntwo\nthree\nbad\né"},
	} {
		if got := r.add(sandbox.Chunk{Data: []byte(c.piece), Stderr: c.stderr}); got != c.want {
			t.Errorf("%d: got %q, want %q", i, got, c.want)
		}
	}
}

func TestProgressIsBounded(t *testing.T) {
	var r recent
	for i := range 1000 {
		got := r.add(sandbox.Chunk{Data: fmt.Appendf(nil, "line %d\n%s\n", i, strings.Repeat("日", i))})
		if len(got) > 2*progressBytes || strings.Count(got, "\n") > progressLines || !utf8.ValidString(got) {
			t.Fatalf("%d bytes, %d lines: %q", len(got), strings.Count(got, "\n"), got)
		}
	}
	if got := r.add(sandbox.Chunk{Data: []byte("end\n")}); !strings.HasSuffix(got, "\nend\n") {
		t.Errorf("got %q", got)
	}
}
