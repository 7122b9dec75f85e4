package code

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/internal/testing/golib"
)

// library is a part of Go's own library, in memory.
func library(b *testing.B) *memory {
	b.Helper()
	files := map[string]string{"go.mod": "module std\n"}
	root := golib.Dir(b)
	for _, dir := range []string{"net", "go", "encoding", "crypto", "io", "os", "bufio", "bytes", "strings", "fmt", "time"} {
		_ = filepath.WalkDir(filepath.Join(root, dir), func(p string, e fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(p, ".go") {
				if text, err := os.ReadFile(p); err == nil {
					rel, _ := filepath.Rel(root, p)
					files[filepath.ToSlash(rel)] = string(text)
				}
			}
			return nil
		})
	}
	return tree(files)
}

func BenchmarkBuild(b *testing.B) {
	m := library(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := New(m, Options{}).Snapshot(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkQuestionAfterAnEdit is one changed file and one question: the dirty tree of every day.
func BenchmarkQuestionAfterAnEdit(b *testing.B) {
	m := library(b)
	x := New(m, Options{})
	text := m.files["net/http/client.go"]
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		m.write("net/http/client.go", text+fmt.Sprintf("\nfunc edited%d() { Get(\"\") }\n", n))
		s, err := x.Snapshot(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		if e, err := s.Dependents(context.Background(), "http.Client.Do", Page{}); err != nil || len(e.Edges) == 0 {
			b.Fatal(e, err)
		}
	}
}

func BenchmarkQuestion(b *testing.B) {
	m := library(b)
	s, err := New(m, Options{}).Snapshot(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if e, err := s.Dependents(context.Background(), "io.Copy", Page{}); err != nil || len(e.Edges) == 0 {
			b.Fatal(e, err)
		}
	}
}

func BenchmarkImpact(b *testing.B) {
	benchmark(b, func(s *Snapshot) error {
		_, err := s.ImpactOfName(context.Background(), "io.Copy", Limits{})
		return err
	})
}

func BenchmarkFileDependents(b *testing.B) {
	benchmark(b, func(s *Snapshot) error {
		_, err := s.FileDependents(context.Background(), "io/io.go", Page{})
		return err
	})
}

// benchmark times one question to a part of Go's library.
func benchmark(b *testing.B, ask func(*Snapshot) error) {
	s, err := New(library(b), Options{}).Snapshot(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := ask(s); err != nil {
			b.Fatal(err)
		}
	}
}
