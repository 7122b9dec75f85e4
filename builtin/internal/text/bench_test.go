package text_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/builtin/internal/text"
)

// bigFile is 50 MB of lines of code.
func bigFile(b *testing.B) *os.File {
	b.Helper()
	path := filepath.Join(b.TempDir(), "big")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	for i, n := 0, 0; n < 50<<20; i++ {
		m, _ := fmt.Fprintf(w, "%08d\tstatic int func_%d(struct device *dev, unsigned long flags);\n", i, i)
		n += m
	}
	w.Flush()
	b.Cleanup(func() { f.Close() })
	return f
}

func look(b *testing.B, ix *text.Index, f *os.File, size int64) {
	w, err := ix.Window(context.Background(), f, size, text.Want{First: 90_000, Count: 100})
	if err != nil || len(w.Lines) != 100 {
		b.Fatal(len(w.Lines), err)
	}
}

// BenchmarkWindow reads 100 lines at line 90,000 of 50 MB: first with detection and index, then again; beside it what
// most tools do.
func BenchmarkWindow(b *testing.B) {
	f := bigFile(b)
	fi, err := f.Stat()
	if err != nil {
		b.Fatal(err)
	}
	b.Run("first", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sample, err := text.Sample(f, fi.Size())
			if err != nil {
				b.Fatal(err)
			}
			e, err := text.Detect(sample)
			if err != nil {
				b.Fatal(err)
			}
			look(b, text.NewIndex(e, sample), f, fi.Size())
		}
	})
	b.Run("again", func(b *testing.B) {
		ix := text.NewIndex(text.UTF8, nil)
		b.ReportAllocs()
		for b.Loop() {
			look(b, ix, f, fi.Size())
		}
	})
	b.Run("total", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := text.NewIndex(text.UTF8, nil).Total(context.Background(), f, fi.Size()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("whole_file_split", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			all, err := os.ReadFile(f.Name())
			if err != nil {
				b.Fatal(err)
			}
			_ = strings.Join(strings.Split(string(all), "\n")[90_000:90_100], "\n")
		}
	})
}

// BenchmarkRewrite takes 1 MB of Shift_JIS as an edit does: what it is, its text, and the bytes of that.
func BenchmarkRewrite(b *testing.B) {
	line := strings.Repeat("設定ファイルを読み込みます。", 3) + "return a + b\n"
	file, err := text.ShiftJIS.Encode([]byte(strings.Repeat(line, 1<<20/100)))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		e, err := text.Detect(file)
		if err != nil {
			b.Fatal(err)
		}
		s, err := e.Decode(file)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := e.Encode(s); err != nil {
			b.Fatal(err)
		}
	}
}
