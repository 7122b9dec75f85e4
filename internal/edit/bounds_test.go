package edit_test

import (
	"strings"
	"testing"

	"helve/internal/edit"
)

// A search that would compare more than fifty million lines is given up; one of less is finished.
func TestASearchIsGivenUpAtItsBoundAndNotBefore(t *testing.T) {
	for lines, want := range map[int]edit.Kind{10: edit.NotFound, 1000: edit.NotFound, 4000: edit.TooLarge} {
		content := "x\r\n" + strings.Repeat("same line\r\n", 30_000)
		old := strings.Repeat("same line\n", lines) + "other"
		if _, _, r := plan(content, edit.Edit{Old: old, New: "y"}); r == nil || r.Kind != want {
			t.Errorf("%d lines: %v, want kind %d", lines, r, want)
		}
	}
}

// A place that an edit empties is empty, blank lines of the file included.
func TestAnEmptiedPlaceLeavesNothing(t *testing.T) {
	const content = "a\n\tx(1, 2)\n  \n\ty(2, 3)\nb\n"
	for old, want := range map[string]string{
		"    x(1, 2)\n\n    y(2, 3)\n": "a\nb\n",
		"    x(1, 2)\n\n    y(2, 3)":   "a\n\nb\n",
	} {
		got, _, r := plan(content, edit.Edit{Old: old, New: ""})
		if r != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", old, got, r, want)
		}
	}
}
