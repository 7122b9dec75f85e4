package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// maxBinary is what people are asked to download: one static file.
const maxBinary = 20_000_000

func TestTheStaticBinaryIsSmall(t *testing.T) {
	if testing.Short() {
		return // linking it takes seconds, and nothing about it races
	}
	exe := filepath.Join(t.TempDir(), "helve")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", exe, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	st, err := os.Stat(exe)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%.2f MB", float64(st.Size())/1e6)
	if st.Size() > maxBinary {
		t.Errorf("%d bytes, at most %d", st.Size(), maxBinary)
	}
}
