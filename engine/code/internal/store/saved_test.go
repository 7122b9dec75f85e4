package store

import (
	"os"
	"path/filepath"
	"testing"
)

func TestEveryBitOfASavedIndexCounts(t *testing.T) {
	cache := t.TempDir()
	read(t, namesakeTexts, Options{Cache: cache, Key: "/work"})
	files, _ := filepath.Glob(filepath.Join(cache, "*"))
	if len(files) != 1 {
		t.Fatalf("the cache holds %v, want one file", files)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := decodeBase(data, "/work"); err != nil {
		t.Fatalf("the saved index itself: %v", err)
	}
	for i := range data {
		if _, err := decodeBase(data[:i], "/work"); err == nil {
			t.Fatalf("cut to %d of %d bytes, it is taken", i, len(data))
		}
		data[i] ^= 1 << (i % 8)
		if _, err := decodeBase(data, "/work"); err == nil {
			t.Fatalf("with a bit of byte %d of %d changed, it is taken", i, len(data))
		}
		data[i] ^= 1 << (i % 8)
	}
	if _, err := decodeBase(append(data, 0), "/work"); err == nil {
		t.Error("with a byte behind its end, it is taken")
	}
}
