//go:build unix

package standin_test

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"helve/internal/standin"
)

func TestOnlyWhatStandsInForAProtectedPathIsKnown(t *testing.T) {
	dir := t.TempDir()
	folder := func(rel string, mode os.FileMode) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(dir, rel), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(filepath.Join(dir, rel), 0o755) })
		if err := os.Chmod(filepath.Join(dir, rel), mode); err != nil {
			t.Fatal(err)
		}
	}
	socket := func(rel string, mode os.FileMode) {
		t.Helper()
		t.Chdir(dir) // a socket's address is short
		l, err := net.Listen("unix", rel)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		if err := os.Chmod(filepath.Join(dir, rel), mode); err != nil {
			t.Fatal(err)
		}
	}
	folder(".git", 0o755)
	socket(".git/config", 0o444)
	folder(".git", 0o555)
	socket(".envrc", 0o444)
	socket(".mcp.json", 0o644)
	socket("own", 0o444)
	folder(".vscode", 0o555)
	folder(".idea", 0o755)
	folder("empty", 0o555)
	folder(".claude/rules", 0o555)
	for rel, want := range map[string]bool{
		".git": true, ".git/config": true, ".envrc": true, ".vscode": true,
		".mcp.json": false, "own": false, ".idea": false, "empty": false, ".claude": false, "missing": false,
	} {
		if got := standin.Is(dir, rel); got != want {
			t.Errorf("%s: %v, want %v", rel, got, want)
		}
	}
}
