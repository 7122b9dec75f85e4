package text_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/builtin/internal/text"
)

func window(t *testing.T, e text.Encoding, b []byte, w text.Want) *text.Window {
	t.Helper()
	got, err := text.NewIndex(e, b).Window(context.Background(), bytes.NewReader(b), int64(len(b)), w)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func texts(w *text.Window) string {
	var out []string
	for _, l := range w.Lines {
		out = append(out, l.Text)
	}
	return strings.Join(out, "|")
}

func TestWindowShowsTheLinesAsked(t *testing.T) {
	for _, c := range []struct {
		name, content string
		first         int64
		count         int
		want          string
		more          bool
	}{
		{"first", "a\nb\nc\n", 0, 2, "a|b", true},
		{"rest", "a\nb\nc\n", 1, 10, "b|c", false},
		{"no final newline", "a\nb", 1, 1, "b", false},
		{"behind the end", "a\nb\n", 2, 5, "", false},
		{"far behind", "a\n", 99, 5, "", false},
		{"empty file", "", 0, 5, "", false},
		{"blank lines", "\n\n\n", 0, 5, "||", false},
		{"CRLF", "a\r\nb\r\n", 0, 5, "a|b", false},
		{"old Mac", "a\rb\rc", 1, 5, "b|c", false},
		{"none asked", "a\nb\n", 0, 0, "", true},
	} {
		for _, e := range []text.Encoding{text.UTF8, text.UTF8Mark, text.UTF16LEMark, text.UTF16BE, text.UTF32BEMark} {
			b, err := e.Encode([]byte(c.content))
			if err != nil {
				t.Fatal(err)
			}
			ix := text.NewIndex(e, []byte(c.content))
			w, err := ix.Window(context.Background(), bytes.NewReader(b), int64(len(b)), text.Want{First: c.first, Count: c.count})
			if err != nil || texts(w) != c.want || w.More != c.more {
				t.Errorf("%s in %s: %q more %v, %v; want %q %v", c.name, e.Name(), texts(w), w.More, err, c.want, c.more)
			}
		}
	}
}

func TestEveryWindowEqualsSplittingTheWhole(t *testing.T) {
	var b bytes.Buffer
	for i := range 30_000 {
		fmt.Fprintf(&b, "line %d %s\n", i, strings.Repeat("x", i%37))
	}
	want := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	for _, e := range []text.Encoding{text.UTF8, text.UTF16LEMark} {
		enc, err := e.Encode(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		ix, r := text.NewIndex(e, nil), bytes.NewReader(enc)
		for _, first := range []int{29_990, 0, 1, 12_345, 29_999, 7, 20_000, 30_000} {
			w, err := ix.Window(context.Background(), r, int64(len(enc)), text.Want{First: int64(first), Count: 50})
			if err != nil {
				t.Fatal(err)
			}
			if got := texts(w); got != strings.Join(want[first:min(first+50, len(want))], "|") {
				t.Errorf("%s: window at %d is %.80q", e.Name(), first, got)
			}
		}
		if n, err := ix.Total(context.Background(), r, int64(len(enc))); err != nil || n != 30_000 {
			t.Errorf("%s: %d lines, %v", e.Name(), n, err)
		}
	}
}

func TestTotalIsKnownOnceTheFileWasPassed(t *testing.T) {
	b := []byte(strings.Repeat("line\n", 100_000) + "last")
	ix, r := text.NewIndex(text.UTF8, nil), bytes.NewReader(b)
	look := func(first int64) int64 {
		w, err := ix.Window(context.Background(), r, int64(len(b)), text.Want{First: first, Count: 1})
		if err != nil {
			t.Fatal(err)
		}
		return w.Total
	}
	if look(1) != -1 || look(100_001) != 100_001 || look(0) != 100_001 {
		t.Errorf("totals %d %d %d", look(1), look(100_001), look(0))
	}
}

func TestLongLinesAndManyLinesAreCut(t *testing.T) {
	w := window(t, text.UTF8, []byte("aaaé bbb\nc\n"), text.Want{Count: 5, LineBytes: 4})
	if w.Lines[0] != (text.Line{Text: "aaa", Cut: 6}) || texts(w) != "aaa|c" {
		t.Errorf("%+v", w)
	}
	w = window(t, text.UTF8, []byte(strings.Repeat("12345678\n", 100)), text.Want{Count: 100, Bytes: 80})
	if len(w.Lines) != 10 || !w.Full || !w.More {
		t.Errorf("%d lines, %+v", len(w.Lines), w)
	}
}

// letters is a file of one letter, as large as one likes.
type letters struct{ size int64 }

func (l letters) ReadAt(p []byte, off int64) (int, error) {
	if off >= l.size {
		return 0, io.EOF
	}
	n := int(min(int64(len(p)), l.size-off))
	for i := range p[:n] {
		p[i] = 'a'
	}
	return n, nil
}

func TestOneLineOf200MegabytesIsBounded(t *testing.T) { // file-input-007
	f := letters{200 << 20}
	w, err := text.NewIndex(text.UTF8, nil).Window(context.Background(), f, f.size, text.Want{Count: 10})
	if err != nil || len(w.Lines) != 1 || len(w.Lines[0].Text) != 8000 || w.Lines[0].Cut != 200<<20-8000 {
		t.Errorf("%v", err)
	}
}

func TestASparseFileOf10GigabytesIsToldFromItsSample(t *testing.T) { // file-input-006
	f, err := os.Create(filepath.Join(t.TempDir(), "big"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const size = 10 << 30
	if err := f.Truncate(size); err != nil {
		t.Skip("no sparse files here: ", err)
	}
	sample, err := text.Sample(f, size)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := text.Detect(sample); !errors.Is(err, text.ErrBinary) {
		t.Errorf("%v", err)
	}
}

func TestAWindowEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	f := letters{1 << 50}
	for _, first := range []int64{0, 5} {
		if _, err := text.NewIndex(text.UTF8, nil).Window(ctx, f, f.size, text.Want{First: first, Count: 1}); !errors.Is(err, context.Canceled) {
			t.Errorf("from line %d: %v", first, err)
		}
	}
}

func TestAFileThatShrinksOrGrowsIsReadAsItIs(t *testing.T) { // file-input-020
	ix, ctx := text.NewIndex(text.UTF8, nil), context.Background()
	long, short := []byte(strings.Repeat("a\n", 100_000)), []byte("b\nb\n")
	if w, err := ix.Window(ctx, bytes.NewReader(short), int64(len(long)), text.Want{Count: 9}); err != nil || texts(w) != "b|b" {
		t.Errorf("shorter than said: %v, %v", w, err)
	}
	ix = text.NewIndex(text.UTF8, nil)
	for _, b := range [][]byte{long, append(long, "c\nd\n"...), short} {
		n, err := ix.Total(ctx, bytes.NewReader(b), int64(len(b)))
		if want := int64(bytes.Count(b, []byte("\n"))); err != nil || n != want && len(b) >= len(long) {
			t.Errorf("%d lines, %v; want %d", n, err, want)
		}
	}
	if w, err := ix.Window(ctx, bytes.NewReader(short), int64(len(short)), text.Want{First: 1, Count: 9}); err != nil || texts(w) != "b" {
		t.Errorf("shrunk: %v, %v", w, err)
	}
}

// FuzzWindow: a window is what splitting the whole gives.
func FuzzWindow(f *testing.F) {
	f.Add([]byte("a\nb\r\n\nc"), int64(1), 2)
	f.Add([]byte("\r\r\n"), int64(0), 9)
	f.Fuzz(func(t *testing.T, b []byte, first int64, count int) {
		if first < 0 || count < 0 || bytes.IndexByte(b, '\n') < 0 && bytes.IndexByte(b, '\r') >= 0 {
			return
		}
		lines := strings.Split(string(b), "\n")
		if lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		}
		var want []string
		for i := first; i < int64(len(lines)) && len(want) < count; i++ {
			want = append(want, text.UTF8.Show([]byte(strings.TrimSuffix(lines[i], "\r"))))
		}
		got := window(t, text.UTF8, b, text.Want{First: first, Count: count})
		if texts(got) != strings.Join(want, "|") || len(got.Lines) != len(want) {
			t.Fatalf("%q lines %d +%d: %q, want %q", b, first, count, texts(got), want)
		}
	})
}
