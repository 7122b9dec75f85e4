package edit_test

import (
	"strings"
	"testing"

	"helve/builtin/internal/edit"
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

// A line of a refusal is short enough to read, however long it is in the file, and what stands there is found all the
// same far behind the beginning.
func TestALongLineIsCutAndALongFileIsSearched(t *testing.T) {
	line := "value = [" + strings.Repeat("0, ", 2000) + "]"
	_, _, r := plan(line+"\n"+line+"\n", edit.Edit{Old: "value = ", New: "x"})
	if r == nil || r.Kind != edit.Multiple {
		t.Fatal(r)
	}
	for _, p := range r.Places {
		if n := len(p.Text); n < 100 || n > 210 {
			t.Errorf("line %d is shown in %d bytes: %q", p.Line, n, p.Text)
		}
	}
	long := strings.Repeat("a line of text that is like nothing\n", 200_000) + "func DeleteUserV1(id int) {\n"
	_, _, r = plan(long, edit.Edit{Old: "func DeleteUserV2(id int) {", New: "x"})
	if r == nil || len(r.Places) == 0 || r.Places[0].Line != 200_001 {
		t.Errorf("the place behind %d bytes is not named: %v", len(long), r)
	}
}

// A file that ends in the middle of a line ending is edited up to its last byte.
func TestAFileMayEndAfterAnyByte(t *testing.T) {
	for _, end := range []string{"", "x", "\r", "\n", "\r\n", " ", "x\n", "x\r"} {
		for _, old := range []string{"a\nb", "a\r\nb", "a\nb\nc"} {
			content := "a\r\nb" + end
			got, _, r := plan(content, edit.Edit{Old: old, New: "new"})
			switch {
			case old == "a\nb\nc":
				if r == nil {
					t.Errorf("%q in %q: %q", old, content, got)
				}
			case r != nil || got != "new"+end:
				t.Errorf("%q in %q: %q, %v", old, content, got, r)
			}
		}
	}
}
