package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// maxBinary is what people are asked to download: one static file, in bytes. People install agents of 100 to 200 MB:
// what keeps a server's absence from costing time, and a named program seen, is worth 0.2 MB more than there were.
const maxBinary = 26_000_000

func TestTheStaticBinaryIsSmall(t *testing.T) {
	if testing.Short() {
		return // linking it takes seconds, and nothing about it races
	}
	st, err := os.Stat(staticBinary(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%.2f MB", float64(st.Size())/1e6)
	if st.Size() > maxBinary {
		t.Errorf("%d bytes, at most %d", st.Size(), maxBinary)
	}
}

// staticBinary builds what people download. Not with -trimpath, which would compile every package again for the same
// code and shorter names of files in it.
func staticBinary(t *testing.T) string {
	t.Helper()
	exe := filepath.Join(t.TempDir(), "helve")
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", exe, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return exe
}
