package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestWhatThePersonMaskedIsNotOpenedByItsName(t *testing.T) {
	home := t.TempDir()
	tool, state := filepath.Join(home, "bin", "tool"), filepath.Join(home, "state", "x")
	for _, path := range []string{tool, state} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	o := Options{Home: home, Masked: []string{"~/state", ".env"}}
	got := o.Shows([]string{tool, state}, []string{tool, state}, []string{"/hidden"})
	if want := []string{tool}; !slices.Equal(got.Named, want) {
		t.Errorf("named %q, want %q", got.Named, want)
	}
	if !slices.Equal(got.Readable, []string{tool, state}) || !slices.Equal(got.Masked, []string{"~/state", ".env", "/hidden"}) || len(o.Masked) != 2 {
		t.Errorf("%+v", got)
	}
}
