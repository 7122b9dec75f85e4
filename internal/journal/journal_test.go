package journal_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"helve/internal/journal"
)

func TestLinesOfManyWritersStayWholeAndFilesTurnOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "audit.jsonl")
	var wg sync.WaitGroup
	for w := range 4 {
		j := &journal.File{Path: path, Max: 20_000}
		wg.Go(func() {
			defer j.Close()
			for i := range 200 {
				if err := j.Append(fmt.Appendf(nil, "%d %d %s", w, i, strings.Repeat("x", 80))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	n := 0
	last := map[int]int{}
	err := (&journal.File{Path: path}).Lines(func(line []byte) bool {
		var w, i int
		if _, err := fmt.Sscanf(string(line), "%d %d", &w, &i); err != nil || !strings.HasSuffix(string(line), strings.Repeat("x", 80)) {
			t.Errorf("line %q", line)
		}
		if i < last[w] {
			t.Errorf("writer %d: %d after %d", w, i, last[w])
		}
		last[w] = i
		n++
		return true
	})
	if err != nil || n != 800 {
		t.Errorf("%d lines of 800, %v", n, err)
	}
	files, _ := filepath.Glob(path + ".?")
	files = append(files, path)
	private := os.FileMode(0o600)
	if runtime.GOOS == "windows" { // which knows no modes
		private = 0o666
	}
	for _, f := range files {
		if st, err := os.Stat(f); err != nil || st.Mode().Perm() != private || st.Size() > 25_000 {
			t.Errorf("%s: %v, %d bytes, %v", f, st.Mode(), st.Size(), err)
		}
	}
	if len(files) < 4 || len(files) > journal.Kept+1 {
		t.Errorf("files %q", files)
	}
}

func TestOldFilesGo(t *testing.T) {
	j := &journal.File{Path: filepath.Join(t.TempDir(), "a"), Max: 10}
	defer j.Close()
	for i := range 20 {
		if err := j.Append(fmt.Appendf(nil, "line %05d", i)); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	j.Lines(func(l []byte) bool { got = append(got, string(l)); return true })
	if len(got) != journal.Kept+1 || got[len(got)-1] != "line 00019" {
		t.Errorf("%q", got)
	}
}
