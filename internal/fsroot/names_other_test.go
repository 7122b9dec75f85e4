//go:build !windows

package fsroot_test

import (
	"errors"
	"io/fs"
	"testing"

	"helve/internal/fsroot"
)

// names_windows_test.go has what these are there.
func TestWindowsNamesAreOrdinaryNamesElsewhere(t *testing.T) {
	s := open(t, fsroot.Options{}, workspace(t))
	for _, name := range []string{`..\..\secret`, `C:\Windows\win.ini`, "CON", "secret.txt::$DATA", "f.txt ", "new\nline", "\u212Aeys/cfg"} {
		p, err := s.Resolve("", name) // path-028 … path-032, path-036
		must(t, err)
		if p.Target() != name {
			t.Errorf("Resolve(%q) = %q", name, p.Target())
		}
		if _, _, err := s.Open(p); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Open(%q) = %v, want not found", name, err)
		}
	}
}
