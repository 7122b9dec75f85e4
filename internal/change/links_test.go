//go:build unix

package change

import (
	"os"
	"path/filepath"
	"testing"
)

// The names of one file become names of one copy, whichever folders they are in; other files stay files of their own.
func TestNamesOfOneFileBecomeNamesOfOneCopy(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, d := range []string{"from", "from/a", "from/a/b"} {
		if err := os.Mkdir(at(d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"from/one": "shared", "from/other": "own", "from/two": "second"} {
		if err := os.WriteFile(at(name), []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	for name, of := range map[string]string{"from/a/one": "from/one", "from/a/b/one": "from/one", "from/a/two": "from/two"} {
		if err := os.Link(at(of), at(name)); err != nil {
			t.Fatal(err)
		}
	}
	d, err := openDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	if err := copyEntry(spot{d, "from"}, spot{d, "to"}, 0); err != nil {
		t.Fatal(err)
	}
	same := func(a, b string) bool {
		x, err := os.Stat(at(a))
		if err != nil {
			t.Fatal(err)
		}
		y, err := os.Stat(at(b))
		if err != nil {
			t.Fatal(err)
		}
		return os.SameFile(x, y)
	}
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"to/one", "to/a/one", true}, {"to/one", "to/a/b/one", true}, {"to/two", "to/a/two", true},
		{"to/one", "from/one", false}, {"to/one", "to/two", false}, {"to/one", "to/other", false},
	} {
		if got := same(c.a, c.b); got != c.want {
			t.Errorf("%s and %s are one file: %v, want %v", c.a, c.b, got, c.want)
		}
	}
	for name, want := range map[string]string{"to/one": "shared", "to/a/one": "shared", "to/a/b/one": "shared", "to/a/two": "second", "to/other": "own"} {
		if text, err := os.ReadFile(at(name)); err != nil || string(text) != want {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}
