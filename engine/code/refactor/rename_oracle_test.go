package refactor

import (
	"context"
	"errors"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"helve/engine/code"
)

// renamedPackages are those of Go's library whose definitions are renamed: small, and with types, interfaces,
// embedding, closures and tables.
var renamedPackages = []string{"text/tabwriter", "encoding/csv", "text/template/parse", "container/list", "bufio", "archive/tar", "go/scanner"}

// mostRefused is the share of renames that may be refused.
const mostRefused = 0.3

// Every rename that is done leaves a package that type-checks, and edits all places that go/types counts as uses of the
// definition, and no others.
func TestARenameEditsWhatGoTypesCountsAsUses(t *testing.T) {
	root := libraryRoot(t)
	from := newGoLibrary(t)
	done, asked := 0, 0
	for _, dir := range renamedPackages {
		p := checkedPackage(t, from, root, dir)
		s, _ := open1(t, p.files)
		for path := range p.files {
			for i, y := range s.Definitions(path) {
				if i%2 != 0 { // half of them are enough
					continue
				}
				asked++
				if p.rename(t, s, y) {
					done++
				}
			}
		}
	}
	t.Logf("%d of %d renames are done, the others refused", done, asked)
	if asked < 500 || float64(asked-done) > mostRefused*float64(asked) {
		t.Errorf("%d of %d renames are done: want at least 500 asked for and %.0f %% done", done, asked, 100*(1-mostRefused))
	}
}

// libraryRoot is the source of Go's library.
func libraryRoot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "src")
}

// checked is a package and what go/types knows of it.
type checked struct {
	dir   string
	files map[string]string
	from  *goLibrary
	uses  map[types.Object]int // how often each object is named, its declaration counted
	at    map[token.Position][]types.Object
}

func checkedPackage(t *testing.T, from *goLibrary, root, dir string) *checked {
	t.Helper()
	p := &checked{dir: dir, from: from, files: map[string]string{}}
	list, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range list {
		name := filepath.Base(path)
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if ok, err := build.Default.MatchFile(filepath.Dir(path), name); err != nil || !ok {
			continue
		}
		p.files["x/"+name] = string(src)
	}
	p.files["go.mod"] = "module example.com\n"
	if err := p.check(p.files, true); err != nil {
		t.Fatal(err)
	}
	return p
}

// goLibrary has what Go's compiler keeps of the packages that are imported.
type goLibrary struct {
	types.Importer
	fset *token.FileSet
}

func newGoLibrary(t *testing.T) *goLibrary {
	t.Helper()
	args := append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}, renamedPackages...)
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[name] = file
	}
	fset := token.NewFileSet()
	open := func(path string) (io.ReadCloser, error) { return os.Open(files[path]) }
	return &goLibrary{importer.ForCompiler(fset, "gc", open), fset}
}

// check type-checks files, and when keep is set remembers what each name in them means.
func (p *checked) check(files map[string]string, keep bool) error {
	fset := p.from.fset
	var parsed []*ast.File
	for path, src := range files {
		if !strings.HasSuffix(path, ".go") {
			continue
		}
		f, err := parser.ParseFile(fset, path, src, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		parsed = append(parsed, f)
	}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	_, err := (&types.Config{Importer: p.from}).Check("example.com/x", fset, parsed, info)
	if keep {
		p.uses, p.at = map[types.Object]int{}, map[token.Position][]types.Object{}
		for _, named := range []map[*ast.Ident]types.Object{info.Defs, info.Uses} {
			for id, o := range named {
				if o == nil {
					continue
				}
				at := fset.Position(id.Pos())
				o = origin(o)
				p.uses[o]++
				p.at[at] = append(p.at[at], o)
			}
		}
	}
	return err
}

// origin is the object that is declared, where a generic one was instantiated.
func origin(o types.Object) types.Object {
	switch o := o.(type) {
	case *types.Func:
		return o.Origin()
	case *types.Var:
		return o.Origin()
	}
	return o
}

// rename renames y and compares. It reports whether that was done.
func (p *checked) rename(t *testing.T, s *code.Snapshot, y code.Symbol) bool {
	to := y.Name + "Qz"
	c, err := Rename(context.Background(), s, y.ID, to)
	if err != nil {
		if _, ok := errors.AsType[*RefusedError](err); !ok {
			t.Errorf("%s/%s: %v", p.dir, y.ID, err)
		}
		return false
	}
	files := map[string]string{}
	for path, src := range p.files {
		files[path] = src
	}
	edited := map[types.Object]int{}
	for i := range c.Files {
		f := &c.Files[i]
		files[f.Path] = string(f.After())
		for _, e := range f.Edits {
			meant := p.meaning(f, e.Start)
			if len(meant) == 0 {
				t.Errorf("%s/%s: edits %s at %d, which is no name", p.dir, y.ID, f.Path, e.Start)
			}
			for _, o := range meant { // what is embedded is a type and a field
				edited[o]++
			}
		}
	}
	for o, n := range edited {
		if n != p.uses[o] {
			t.Errorf("%s/%s: edits %d of the %d uses of %v", p.dir, y.ID, n, p.uses[o], o)
		}
	}
	if err := p.check(files, false); err != nil {
		t.Errorf("%s/%s: after the rename: %v", p.dir, y.ID, err)
	}
	return true
}

// meaning is what stands at an offset of a file, by go/types.
func (p *checked) meaning(f *FileEdits, off int) []types.Object {
	line := 1 + strings.Count(string(f.Before[:off]), "\n")
	column := off - strings.LastIndexByte(string(f.Before[:off]), '\n')
	return p.at[token.Position{Filename: f.Path, Offset: off, Line: line, Column: column}]
}
