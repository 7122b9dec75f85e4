//go:build unix

package exact

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestAnIndexThatIsNoFileIsNotOpened: a pipe would never be read to its end, and a link may lead anywhere.
func TestAnIndexThatIsNoFileIsNotOpened(t *testing.T) {
	outside := t.TempDir()
	write(t, outside, "index.scip", string(gateIndex(ofGate)))
	for name, make := range map[string]func(path string) error{
		"a pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a link":   func(path string) error { return os.Symlink(filepath.Join(outside, "index.scip"), path) },
		"a folder": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			dir, x, _ := writtenWorkspace(t, nil)
			if err := make(filepath.Join(dir, "index.scip")); err != nil {
				t.Fatal(err)
			}
			if got := users(t, x, "Gate.unlock"); got != bothGates {
				t.Errorf("users %s", got)
			}
		})
	}
}
