package journal_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"helve/internal/journal"
)

func chainedAt(t *testing.T, path string, limit int64) *journal.File {
	t.Helper()
	j := &journal.File{Path: path, Max: limit, Chained: true}
	t.Cleanup(func() { j.Close() })
	return j
}

func write(t *testing.T, j *journal.File, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		if err := j.Append(fmt.Appendf(nil, `{"n":%d}`, i)); err != nil {
			t.Fatal(err)
		}
	}
}

func verify(t *testing.T, path string) *journal.Proof {
	t.Helper()
	p, err := (&journal.File{Path: path, Chained: true}).Verify()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestLinesOfManyWritersFormOneChainOverTurnedFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "audit.jsonl")
	var wg sync.WaitGroup
	for w := range 4 { // each with files and locks of its own, as processes have
		j := chainedAt(t, path, 40_000)
		wg.Go(func() {
			for i := range 300 {
				if err := j.Append(fmt.Appendf(nil, `{"w":%d,"i":%d}`, w, i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	p := verify(t, path)
	if p.Lines != 1200 || p.Unchained != 0 || len(p.Breaks) != 0 || len(p.Last) != 64 {
		t.Errorf("%+v", p)
	}
	files, _ := filepath.Glob(path + ".?")
	if len(files) < 2 {
		t.Errorf("turned over into %q only", files)
	}
	// and where the oldest files were let go
	j := chainedAt(t, path, 3000)
	write(t, j, 0, 300)
	if p := verify(t, path); len(p.Breaks) != 0 || p.Lines >= 300 {
		t.Errorf("%+v", p)
	}
}

func TestEveryChangeOfAChainedJournalIsFound(t *testing.T) {
	lines := func(b []byte) [][]byte { return bytes.SplitAfter(b, []byte("\n")) }
	join := func(l [][]byte) []byte { return bytes.Join(l, nil) }
	for _, c := range []struct {
		name   string
		change func(t *testing.T, path string, b []byte) []byte // of the file
		line   int                                              // of the first break, 0: the file
		reason string
	}{
		{"a word", func(_ *testing.T, _ string, b []byte) []byte {
			return bytes.Replace(b, []byte(`{"n":4,`), []byte(`{"n":5,`), 1)
		}, 6, "does not follow the line before it"},
		{"a line less", func(_ *testing.T, _ string, b []byte) []byte {
			return join(slices.Delete(lines(b), 4, 5))
		}, 5, "does not follow the line before it"},
		{"two lines in the other order", func(_ *testing.T, _ string, b []byte) []byte {
			l := lines(b)
			l[3], l[4] = l[4], l[3]
			return join(l)
		}, 4, "does not follow the line before it"},
		{"a line more", func(_ *testing.T, _ string, b []byte) []byte {
			return join(slices.Insert(lines(b), 4, []byte(`{"n":99}`+"\n")))
		}, 5, "does not name the line before it"},
		{"the first line", func(_ *testing.T, _ string, b []byte) []byte {
			return join(lines(b)[1:])
		}, 1, "follows a line that is gone"},
		{"the last line", func(_ *testing.T, _ string, b []byte) []byte {
			return join(lines(b)[:9])
		}, 0, "the line that was written last is not there"},
		{"the last line, changed", func(_ *testing.T, _ string, b []byte) []byte {
			return bytes.Replace(b, []byte(`{"n":9,`), []byte(`{"n":8,`), 1)
		}, 0, "the line that was written last is not there"},
		{"all lines", func(*testing.T, string, []byte) []byte { return nil }, 0, "no line is there"},
		{"the head", func(t *testing.T, path string, b []byte) []byte {
			if err := os.Remove(path + ".head"); err != nil {
				t.Fatal(err)
			}
			return b
		}, 0, "is gone or unreadable"},
	} {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		j := chainedAt(t, path, 0)
		write(t, j, 0, 10)
		j.Close()
		if p := verify(t, path); len(p.Breaks) != 0 || p.Lines != 10 {
			t.Fatalf("%s: before: %+v", c.name, p)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, c.change(t, path, b), 0o600); err != nil {
			t.Fatal(err)
		}
		p := verify(t, path)
		if len(p.Breaks) == 0 || p.Breaks[0].Line != c.line || !strings.Contains(p.Breaks[0].Reason, c.reason) {
			t.Errorf("%s: %+v, want line %d: %s", c.name, p.Breaks, c.line, c.reason)
		}
		// What is written afterwards does not hide it.
		write(t, chainedAt(t, path, 0), 10, 12)
		if p := verify(t, path); len(p.Breaks) == 0 {
			t.Errorf("%s: hidden by further lines: %+v", c.name, p)
		}
	}
}

func TestAChainGoesOnAfterWriters(t *testing.T) {
	for _, c := range []struct {
		name             string
		before           func(t *testing.T, path string)
		unchained, total int
	}{
		{"who chained nothing", func(t *testing.T, path string) {
			old := &journal.File{Path: path}
			write(t, old, 0, 3)
			old.Close()
		}, 3, 5},
		{"who were stopped before they came to the head", func(t *testing.T, path string) {
			j := chainedAt(t, path, 0)
			write(t, j, 0, 1)
			head, err := os.ReadFile(path + ".head")
			if err != nil {
				t.Fatal(err)
			}
			write(t, j, 1, 2)
			if err := os.WriteFile(path+".head", head, 0o600); err != nil {
				t.Fatal(err)
			}
		}, 0, 4},
		{"who were stopped while they turned files over", func(t *testing.T, path string) {
			write(t, chainedAt(t, path, 0), 0, 3)
			if err := os.Rename(path, path+".1"); err != nil {
				t.Fatal(err)
			}
		}, 0, 5},
	} {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		c.before(t, path)
		if p := verify(t, path); len(p.Breaks) != 0 {
			t.Errorf("%s: before: %+v", c.name, p)
		}
		write(t, chainedAt(t, path, 0), 10, 12)
		p := verify(t, path)
		if len(p.Breaks) != 0 || p.Unchained != c.unchained || p.Lines != c.total {
			t.Errorf("%s: %+v", c.name, p)
		}
	}
}

func TestALineThatWasCutShortIsOneAndTheNextStandsBehindIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	j := chainedAt(t, path, 0)
	write(t, j, 0, 2)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(`{"n":2,"prev":"00`) // as on a full disk
	f.Close()
	write(t, j, 3, 5)
	var got []string
	if err := j.Lines(func(l []byte) bool { got = append(got, string(l)); return true }); err != nil {
		t.Fatal(err)
	}
	p := verify(t, path)
	if len(got) != 5 || !strings.HasPrefix(got[3], `{"n":3,`) {
		t.Errorf("%q", got)
	}
	if len(p.Breaks) != 1 || p.Breaks[0].Line != 3 {
		t.Errorf("%+v: want the line that was cut, and no other", p.Breaks)
	}
}

func TestAChainedLineIsAnObject(t *testing.T) {
	j := chainedAt(t, filepath.Join(t.TempDir(), "a"), 0)
	for _, line := range []string{"", "word", "[1]", "}"} {
		if err := j.Append([]byte(line)); err == nil {
			t.Errorf("%q was taken", line)
		}
	}
	if err := j.Append([]byte("{}")); err != nil {
		t.Error(err)
	}
	if p := verify(t, j.Path); p.Lines != 1 || len(p.Breaks) != 0 {
		t.Errorf("%+v", p)
	}
}

func TestNewestReadsBackwardsAndStops(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	j := &journal.File{Path: path, Max: 300_000}
	defer j.Close()
	var want []string
	for i := range 400 {
		line := fmt.Sprintf("%d %s", i, strings.Repeat("x", i*37%5000))
		if i == 399 { // longer than a block
			line += strings.Repeat("y", 200_000)
		}
		want = append(want, line)
		if err := j.Append([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	slices.Reverse(want)
	read := func(n int) (got []string) {
		err := j.Newest(func(l []byte) bool { got = append(got, string(l)); return len(got) < n })
		if err != nil {
			t.Error(err)
		}
		return got
	}
	if files, _ := filepath.Glob(path + ".?"); len(files) < 2 || len(files) == journal.Kept {
		t.Fatalf("%q: want some, and none let go", files)
	}
	if got := read(1000); !slices.Equal(got, want) {
		t.Errorf("%d lines of %d, or in another order", len(got), len(want))
	}
	if got := read(7); !slices.Equal(got, want[:7]) {
		t.Errorf("%d lines of 7", len(got))
	}
}

func TestNewestOfNothingIsNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	none := func([]byte) bool { t.Error("a line"); return true }
	if err := (&journal.File{Path: path}).Newest(none); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (&journal.File{Path: path}).Newest(none); err != nil {
		t.Error(err)
	}
}

func BenchmarkAppend(b *testing.B) {
	line := []byte(`{"time":"` + strings.Repeat("x", 600) + `"}`)
	for _, chained := range []bool{false, true} {
		b.Run(fmt.Sprintf("chained=%v", chained), func(b *testing.B) {
			j := &journal.File{Path: filepath.Join(b.TempDir(), "a"), Chained: chained}
			defer j.Close()
			for b.Loop() {
				if err := j.Append(line); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
