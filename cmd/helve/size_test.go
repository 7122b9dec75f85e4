package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// What people are asked to download, in bytes: one static file, and the same in an archive. People install agents of
// 100 to 200 MB; this is what they get before that is felt.
const (
	maxBinary = 72_000_000
	maxPacked = 24_000_000
)

func TestTheStaticBinaryIsSmall(t *testing.T) {
	if testing.Short() {
		return // linking it takes seconds, and nothing about it races
	}
	f, err := os.Open(staticBinary(t))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var packed counted
	z := gzip.NewWriter(&packed)
	size, err := io.Copy(z, f)
	if err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%.1f MB, packed %.1f MB", float64(size)/1e6, float64(packed)/1e6)
	if size > maxBinary || packed > maxPacked {
		t.Errorf("%d bytes, packed %d; at most %d and %d", size, packed, maxBinary, maxPacked)
	}
}

// counted counts what is written to it.
type counted int64

func (c *counted) Write(p []byte) (int, error) { *c += counted(len(p)); return len(p), nil }

// A download is what people download, linked once for all tests.
type download struct {
	once sync.Once
	dir  string
	err  error
}

var static download

// staticBinary is that. Not with -trimpath, which would compile every package again for the same code and shorter names
// of files in it.
func staticBinary(t *testing.T) string {
	t.Helper()
	static.once.Do(static.link)
	if static.err != nil {
		t.Fatal(static.err)
	}
	return filepath.Join(static.dir, "helve")
}

func (d *download) link() {
	if d.dir, d.err = os.MkdirTemp("", "static-*"); d.err != nil {
		return
	}
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", filepath.Join(d.dir, "helve"), ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		d.err = fmt.Errorf("%w\n%s", err, out)
	}
}

// A suite removes what its tests shared when they are over.
type suite struct{ *testing.M }

func (s suite) Run() int {
	defer func() { os.RemoveAll(static.dir) }()
	return s.M.Run()
}
