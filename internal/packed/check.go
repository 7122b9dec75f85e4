package packed

import (
	"bytes"
	"os"

	"github.com/klauspost/compress/zstd"
)

// A Test is what Check needs of a *testing.T: the program links no testing.
type Test interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
}

// Check fails a test where the file name of its package does not hold raw. With update it writes the file instead:
// tests have a flag for it, `go test -update`.
func Check(t Test, name string, raw []byte, update bool) {
	t.Helper()
	if update {
		// The whole text is one window: what repeats is found wherever it stood before.
		w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(1<<20))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, w.EncodeAll(raw, nil), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(Bytes(b), raw) {
		t.Errorf("%s holds something else than it is made of: go test -update", name)
	}
}
