package builtin_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"helve/builtin/internal/edit"
	"helve/builtin/internal/text"
	"helve/internal/fsroot"
)

// change is what an edit of a file is made of: lock, read, decode, plan, encode, replace.
func change(s *fsroot.Set, path string, edits ...edit.Edit) error {
	p, err := s.Resolve("", path)
	if err != nil {
		return err
	}
	l, err := s.Lock(context.Background(), p)
	if err != nil {
		return err
	}
	defer l.Unlock()
	b, _, err := l.ReadFile(1 << 30)
	if err != nil {
		return err
	}
	e, err := text.Detect(b)
	if err != nil {
		return err
	}
	content, err := e.Decode(b)
	if err != nil {
		return err
	}
	plan, err := edit.Make(content, edits...)
	if err != nil {
		return err
	}
	size := plan.Size()
	write := func(w io.Writer) error { _, err := plan.WriteTo(w); return err }
	if !e.Plain() {
		out, err := e.Encode(plan.After())
		if err != nil {
			return err
		}
		size = int64(len(out))
		write = func(w io.Writer) error { _, err := w.Write(out); return err }
	}
	_, err = l.Replace(size, write)
	return err
}

func roots(t testing.TB, content []byte) (*fsroot.Set, string) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := fsroot.Open(fsroot.Options{LockDir: t.TempDir()}, dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, path
}

func TestParallelEditsOfOneFileAllArrive(t *testing.T) {
	const callers, edits = 16, 1000
	var b strings.Builder
	for i := range edits {
		fmt.Fprintf(&b, "line %d is old\r\n", i)
	}
	s, path := roots(t, []byte(b.String()))
	next := make(chan int)
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for i := range next {
				if err := change(s, "f", edit.Edit{Old: fmt.Sprintf("line %d is old", i), New: fmt.Sprintf("line %d is new", i)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range edits {
		next <- i
	}
	close(next)
	wg.Wait()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != strings.ReplaceAll(b.String(), "old", "new") {
		t.Errorf("lines were lost, %v", err)
	}
}

func TestEditsKeepTheFilesEncoding(t *testing.T) {
	for _, e := range []text.Encoding{text.GB18030, text.UTF8Mark, text.UTF16LEMark, text.UTF16BE} {
		const before, after = "// 返回结果\r\nname = 一\r\n", "// 返回结果\r\nname = 二\r\nmore\r\n"
		b, err := e.Encode([]byte(before))
		if err != nil {
			t.Fatal(err)
		}
		s, path := roots(t, b)
		if err := change(s, "f", edit.Edit{Old: "name = 一\n", New: "name = 二\nmore\n"}); err != nil {
			t.Errorf("%s: %v", e.Name(), err)
			continue
		}
		got, err := os.ReadFile(path)
		want, _ := e.Encode([]byte(after))
		if err != nil || string(got) != string(want) {
			t.Errorf("%s: %q, want %q", e.Name(), got, want)
		}
	}
}

// numbered is n lines of code, all different.
func numbered(n int) []byte {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "\tstatic int func_%d(struct device *dev, unsigned long flags);\n", i)
	}
	return []byte(b.String())
}

// BenchmarkFile edits a file: lock, read, decode, plan, replace.
func BenchmarkFile(b *testing.B) {
	for name, size := range map[string]int{"20KB": 20 << 10, "50MB": 50 << 20} {
		b.Run(name, func(b *testing.B) {
			s, _ := roots(b, numbered(size/65))
			old, new := "func_200(", "func_two_hundred("
			b.ReportAllocs()
			for b.Loop() {
				if err := change(s, "f", edit.Edit{Old: old, New: new}); err != nil {
					b.Fatal(err)
				}
				old, new = new, old
			}
		})
	}
}
