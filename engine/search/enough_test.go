package search

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A batch of files ends once the first of them hold enough: what is handed out is still the beginning of the whole
// answer, for every limit and offset, and whether there is more is still told.
func TestALimitedAnswerBeginsTheWholeOne(t *testing.T) {
	dir := t.TempDir()
	for i := range 150 {
		text := strings.Repeat("no\n", i%7) + strings.Repeat("yes\n", i%4)
		write(t, filepath.Join(dir, fmt.Sprintf("%03d.txt", i)), text)
	}
	e := open(t, dir)
	for _, mode := range []Mode{Lines, Files, Count} {
		whole, _ := ordered(t, e, Query{Patterns: []string{"yes"}, Sort: ByPath, Mode: mode})
		for limit := 1; limit <= len(whole)+1; limit += 1 + limit/8 {
			for _, offset := range []int{0, 1, 9, 60} {
				q := Query{Patterns: []string{"yes"}, Sort: ByPath, Mode: mode, Limit: limit, Offset: offset}
				got, sum := ordered(t, e, q)
				from := min(offset, len(whole))
				want := whole[from:min(from+limit, len(whole))]
				if d := cmp.Diff(append([]string{}, want...), append([]string{}, got...)); d != "" {
					t.Fatalf("mode %d, limit %d, offset %d: %s", mode, limit, offset, d)
				}
				if more := from+limit < len(whole); sum.Capped != more {
					t.Fatalf("mode %d, limit %d, offset %d: capped is %v, want %v", mode, limit, offset, sum.Capped, more)
				}
			}
		}
	}
}

// ordered is what Grep hands out, in its order: a line each, or a file.
func ordered(t *testing.T, e *Engine, q Query) ([]string, Summary) {
	t.Helper()
	var out []string
	sum, err := e.Grep(t.Context(), q, func(f *File) error {
		if q.Mode != Lines {
			out = append(out, f.Path)
		}
		for _, l := range f.Lines {
			out = append(out, fmt.Sprintf("%s:%d", f.Path, l.Number))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out, sum
}
