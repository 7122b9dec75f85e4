//go:build unix

package state_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"helve/internal/state"
)

// What is the system's own is not replaced by a file, also where the superuser could.
func TestAPipeIsNotReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := state.Replace(path, []byte("x"), 0o600); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("err = %v", err)
	}
	if st, err := os.Lstat(path); err != nil || st.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("%v, %v", st, err)
	}
}
