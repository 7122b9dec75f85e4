//go:build unix

package setup

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A pipe would wait for somebody who writes, for ever.
func TestAPipeIsNotOpened(t *testing.T) {
	h := home(t, "linux")
	c, _ := Find("cursor")
	if err := os.MkdirAll(filepath.Dir(c.File(h)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(c.File(h), 0o600); err != nil {
		t.Skip(err)
	}
	if _, err := Plan(c, h, Line{}); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("got %v", err)
	}
}
