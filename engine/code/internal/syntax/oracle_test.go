package syntax

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/internal/testing/golib"
)

// goSources are real files: those of a few packages of Go's own library.
func goSources(t testing.TB) map[string][]byte {
	t.Helper()
	lib, files := golib.Dir(t), map[string][]byte{}
	for _, dir := range []string{"net/http", "go/types", "runtime", "encoding/json", "slices", "sync/atomic"} {
		names, _ := filepath.Glob(filepath.Join(lib, filepath.FromSlash(dir), "*.go"))
		for _, name := range names {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files[dir+"/"+filepath.Base(name)] = src
		}
	}
	return files
}

func TestGoDefinitionsAreThoseOfGoParser(t *testing.T) {
	for path, src := range goSources(t) {
		fset := gotoken.NewFileSet()
		tree, err := parser.ParseFile(fset, path, src, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		f := Extract(path, src)
		have := map[string]int{}
		for i, d := range f.Definitions {
			have[d.Kind.String()+" "+qualify(&f, i)] = d.Line
		}
		for _, d := range tree.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			name, kind := fn.Name.Name, "function"
			if fn.Recv != nil {
				name, kind = receiverName(fn.Recv.List[0].Type)+"."+name, "method"
			}
			if _, ok := have[kind+" "+name]; !ok {
				t.Errorf("%s: no %s %s among the definitions", path, kind, name)
			}
		}
		if got, want := f.Package, tree.Name.Name; got != want {
			t.Errorf("%s: package %q, want %q", path, got, want)
		}
		if got, want := len(f.Imports), len(tree.Imports); got != want {
			t.Errorf("%s: %d imports, want %d", path, got, want)
		}
	}
}

// qualify names a definition with what it stands in.
func qualify(f *File, i int) string {
	d := &f.Definitions[i]
	switch {
	case d.Owner != "":
		return d.Owner + "." + d.Name
	case d.Parent >= 0:
		return qualify(f, d.Parent) + "." + d.Name
	}
	return d.Name
}

func receiverName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiverName(e.X)
	case *ast.ParenExpr:
		return receiverName(e.X)
	case *ast.IndexExpr:
		return receiverName(e.X)
	case *ast.IndexListExpr:
		return receiverName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

func TestASpanOfAGoFunctionIsItsText(t *testing.T) {
	for path, src := range goSources(t) {
		fset := gotoken.NewFileSet()
		tree, err := parser.ParseFile(fset, path, src, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		spans := map[int]int{}
		f := Extract(path, src)
		for _, d := range f.Definitions {
			spans[d.Start] = d.End
		}
		for _, d := range tree.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				start, end := fset.Position(fn.Pos()).Offset, fset.Position(fn.End()).Offset
				if spans[start] != end {
					t.Errorf("%s: %s ends at %d, want %d", path, fn.Name.Name, spans[start], end)
				}
			}
		}
	}
}

// BenchmarkGo compares the reader of Go with go/parser, which builds a tree and understands no name.
func BenchmarkGo(b *testing.B) {
	files := goSources(b)
	var size int64
	for _, src := range files {
		size += int64(len(src))
	}
	b.Run("reader", func(b *testing.B) {
		b.SetBytes(size)
		b.ReportAllocs()
		x := NewExtractor()
		for b.Loop() {
			for path, src := range files {
				x.Rows(path, src)
			}
		}
	})
	b.Run("parser", func(b *testing.B) {
		b.SetBytes(size)
		b.ReportAllocs()
		for b.Loop() {
			for path, src := range files {
				_, _ = parser.ParseFile(gotoken.NewFileSet(), path, src, parser.SkipObjectResolution)
			}
		}
	})
}

func TestAnExtractorForgetsOneFileBeforeTheNext(t *testing.T) {
	x := NewExtractor()
	first := x.Rows("a.go", []byte("package a\nfunc F(x int) { g(x) }\n")).file(x.Names)
	x.Rows("b.py", []byte("class "+strings.Repeat("B", 100)+":\n  def m(self): self.x = 1"))
	again := x.Rows("a.go", []byte("package a\nfunc F(x int) { g(x) }\n")).file(x.Names)
	if got, want := again.Definitions[0], first.Definitions[0]; got != want || len(again.References) != len(first.References) {
		t.Errorf("the second reading of a file differs: %+v, want %+v", got, want)
	}
}
