package journal_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"helve/internal/journal"
)

func TestFollowPassesOnWhatIsKeptAndWhatComes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "audit.jsonl")
	w := &journal.File{Path: path, Max: 50} // turned over every few lines
	defer w.Close()
	add := func(from, to int) {
		for i := from; i < to; i++ {
			if err := w.Append(fmt.Appendf(nil, "line %02d", i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	var got, want []string
	for i := range 15 {
		want = append(want, fmt.Sprintf("line %02d", i))
	}
	kept := 0
	add(0, 8)
	err := (&journal.File{Path: path}).Follow(t.Context(), func(line []byte) bool {
		got = append(got, string(line))
		return len(got) < len(want)
	}, func() {
		kept = len(got)
		add(8, 15)
	})
	if err != nil || kept != 8 || !slices.Equal(got, want) {
		t.Errorf("%d kept, %q, %v; want 8, %q", kept, got, err, want)
	}
}

func TestFollowWaitsForTheFirstLineAndEndsWithItsContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	w := &journal.File{Path: path}
	defer w.Close()
	ctx, stop := context.WithCancel(t.Context())
	var got []string
	err := (&journal.File{Path: path}).Follow(ctx, func(line []byte) bool {
		got = append(got, string(line))
		stop()
		return true
	}, func() {
		if err := w.Append([]byte("first")); err != nil {
			t.Error(err)
		}
	})
	if err != nil || !slices.Equal(got, []string{"first"}) {
		t.Errorf("%q, %v", got, err)
	}
}
