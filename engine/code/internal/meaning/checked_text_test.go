package meaning

import (
	"testing"

	"helve/engine/code/internal/store"
)

func TestPositionsCountUnitsOfUTF16(t *testing.T) {
	text := []byte("x\nä𝒳.name = name\nlast")
	want := []store.Position{{Line: 1, Column: 4}, {Line: 1, Column: 11}}
	got := namesOn(text, 2, 2, "name")
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Fatalf("places %v, want %v", got, want)
	}
	for _, p := range got {
		off, ok := offsetOf(text, p)
		if !ok || WordAt(text, off) != "name" {
			t.Errorf("%v is at %d: %q", p, off, text[off:])
		}
	}
	if _, ok := offsetOf(text, store.Position{Line: 1, Column: 3}); !ok {
		t.Error("the dot has no place")
	}
	for _, p := range []store.Position{{Line: 1, Column: 99}, {Line: 9, Column: 0}, {Line: -1, Column: 0}, {Line: 0, Column: -1}, {Line: 0, Column: 2}} {
		if off, ok := offsetOf(text, p); ok {
			t.Errorf("%v is at %d", p, off)
		}
	}
}
