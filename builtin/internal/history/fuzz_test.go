package history

import (
	"os"
	"path/filepath"
	"testing"
)

// Whatever stands in a journal, it is read to its end or refused, and what is written behind it counts.
func FuzzJournal(f *testing.F) {
	for _, l := range []line{
		{Version: version}, {Roots: []string{"/a", "/b"}}, {Call: &Call{ID: "x"}, Changes: []Change{{}}}, {Done: "x", Refused: []int{-1, 7}}, {Dropped: "x"},
	} {
		b, err := l.encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte("0123456789abcdef {}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "journal")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		before, err := readLog(path, []string{"/a"}, nil)
		if err != nil {
			return
		}
		if err := appendLines(path, line{Call: &Call{ID: "new"}}, line{Done: "new"}); err != nil {
			t.Fatal(err)
		}
		after, err := readLog(path, []string{"/a"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		after.mark()
		if n := len(after.calls); n != len(before.calls)+1 || after.calls[n-1].ID != "new" {
			t.Errorf("%d calls before, %d after", len(before.calls), n)
		}
	})
}
