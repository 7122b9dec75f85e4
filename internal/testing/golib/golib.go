// Package golib finds the sources of Go's library, real code that is wherever helve is built.
package golib

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Dir is the folder of the library's packages. Go says where it is: a test that was built with -trimpath does not know
// by itself. A test skips where the sources are not installed.
func Dir(tb testing.TB) string {
	tb.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		tb.Skipf("go does not say where it is: %v", err)
	}
	dir := filepath.Join(strings.TrimSpace(string(out)), "src")
	if _, err := os.Stat(filepath.Join(dir, "net", "http")); err != nil {
		tb.Skip("the sources of Go's library are not installed")
	}
	return dir
}
