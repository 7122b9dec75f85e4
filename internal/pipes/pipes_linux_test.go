//go:build !portable

package pipes

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWhatNobodyHasReadIsCounted(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, step := range []struct {
		do   func() (int, error)
		want int
	}{
		{func() (int, error) { return 0, nil }, 0},
		{func() (int, error) { return w.WriteString("hello") }, 5},
		{func() (int, error) { return r.Read(make([]byte, 2)) }, 3},
		{func() (int, error) { return 0, w.Close() }, 3}, // its writer is gone, its words are not
		{func() (int, error) { return r.Read(make([]byte, 9)) }, 0},
		{func() (int, error) { return 0, r.Close() }, 0},
	} {
		if _, err := step.do(); err != nil {
			t.Fatal(err)
		}
		if got := Unread(r); got != step.want {
			t.Errorf("%d bytes are unread, want %d", got, step.want)
		}
	}
	d, err := os.Open(filepath.Dir(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if got := Unread(d); got != 0 {
		t.Errorf("a folder holds %d bytes", got)
	}
}
