package refactor

import (
	"errors"
	"go/ast"
	"go/format"
	"go/parser"
	"go/types"
	"maps"
	"path"
	"strings"
	"testing"

	"helve/engine/code/internal/syntax"
)

func TestADefinitionOfGoMovesToAnotherPackageAndItsUsersFollow(t *testing.T) {
	for _, c := range []struct {
		name, of, to string
		files, want  map[string]string
	}{
		{"a type with its methods", "a/a.go#T", "b/t.go",
			map[string]string{"go.mod": "module x\n",
				"a/a.go":   "package a\n\nimport \"os\"\n\n// T is one.\ntype T struct{ Name string }\n\nvar one = T{Name: \"1\"}\n\n// Open opens.\nfunc (t *T) Open() (*os.File, error) { return os.Open(t.Name) }\n\ntype embeds struct{ T }\n\nvar e = embeds{T: one}.T\n",
				"use/u.go": "package use\n\nimport \"x/a\"\n\nfunc F(t *a.T) string { return t.Name }\n"},
			map[string]string{
				"a/a.go":   "package a\n\nimport \"x/b\"\n\nvar one = b.T{Name: \"1\"}\n\ntype embeds struct{ b.T }\n\nvar e = embeds{T: one}.T\n",
				"b/t.go":   "package b\n\nimport (\n\t\"os\"\n)\n\n// T is one.\ntype T struct{ Name string }\n\n// Open opens.\nfunc (t *T) Open() (*os.File, error) { return os.Open(t.Name) }\n",
				"use/u.go": "package use\n\nimport \"x/b\"\n\nfunc F(t *b.T) string { return t.Name }\n"}},
		{"a function that needs both packages", "a/a.go#Add", "b/b.go",
			map[string]string{"go.mod": "module x\n",
				"a/a.go": "package a\n\nimport \"x/c\"\n\nconst One = 1\n\nfunc Add(n int) int { return c.Twice(n) + One }\n",
				"b/b.go": "package b\n\nimport old \"x/a\"\n\nvar n = old.Add(old.One)\n",
				"c/c.go": "package c\n\nfunc Twice(n int) int { return n + n }\n",
				"d/d.go": "package d\n\nimport (\n\t\"x/a\"\n\tbb \"x/b\"\n)\n\nvar _ = bb.X\n\nvar n = a.Add(a.One)\n"},
			nil},
		{"a function to where something of its own is", "Sum", "b/b.go",
			map[string]string{"go.mod": "module x\n",
				"a/a.go": "package a\n\nimport \"x/b\"\n\nvar z = 1\n\nfunc Sum(l []int) int { return b.Add(l[0], l[1]) }\n",
				"b/b.go": "package b\n\nfunc Add(m, n int) int { return m + n }\n",
				"d/d.go": "package d\n\nimport (\n\t\"x/a\"\n\tbb \"x/b\"\n)\n\nvar n = a.Sum([]int{bb.Add(1, 2), 3})\n"},
			map[string]string{"a/a.go": "package a\n\nvar z = 1\n",
				"b/b.go": "package b\n\nfunc Add(m, n int) int { return m + n }\n\nfunc Sum(l []int) int { return Add(l[0], l[1]) }\n",
				"d/d.go": "package d\n\nimport (\n\tbb \"x/b\"\n)\n\nvar n = bb.Sum([]int{bb.Add(1, 2), 3})\n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _, err := moved(t, c.files, c.of, c.to)
			if c.want == nil {
				if _, ok := errors.AsType[*RefusedError](err); !ok {
					t.Errorf("%v: want a refusal", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for path, want := range c.want {
				if got[path] != want {
					t.Errorf("%s:\n%s\nwant\n%s", path, got[path], want)
				}
				if text, err := format.Source([]byte(got[path])); err != nil || string(text) != got[path] {
					t.Errorf("%s is not as gofmt writes it: %v\n%s", path, err, got[path])
				}
			}
			if len(got) != len(c.want) {
				t.Errorf("%d files are edited, want %d", len(got), len(c.want))
			}
		})
	}
}

func TestAMoveToAnotherPackageThatIsNotSureIsRefused(t *testing.T) {
	files := map[string]string{
		"go.mod": "module x\n", "other/go.mod": "module y\n", "other/o.go": "package other\n",
		"a/a.go": "package a\n\nimport \"x/c\"\n\nfunc small() {}\n\nvar v = small\n\nfunc Needs() { small() }\n\nfunc Both() { Uses() }\n\nfunc Uses() { Both() }\n\n" +
			"type Apart struct{}\n\ntype Hidden struct{ n int }\n\nvar hid = Hidden{}.n\n\ntype Bare struct{ A, b int }\n\nvar bare = Bare{1, 2}\n\n" +
			"func Reads(h Hidden) int { return h.n }\n\nfunc Taken() {}\n\nfunc Local(x int) { y := x; _ = y }\n\nfunc calls() { Used() }\n\nfunc Used() {}\n\n" +
			"func FromC() int { return c.C }\n\n//go:noinline\nfunc Told() {}\n\ntype W interface{ w() }\n\ntype I struct{}\n\nfunc (I) w() {}\n",
		"a/b.go":          "package a\n\nfunc (Apart) Method() {}\n",
		"a/a_test.go":     "package a\n\nfunc Helper() {}\n",
		"b/b.go":          "package b\n\nimport \"x/a\"\n\nfunc Taken() {}\n\nvar _ = a.Used\n",
		"c/c.go":          "package c\n\nimport \"x/d\"\n\nconst C = d.D\n",
		"d/d.go":          "package d\n\nconst D = 1\n",
		"e/internal/i.go": "package internal\n",
		"cmd/m.go":        "package main\n\nfunc Main() { Run() }\n\nfunc Run() {}\n",
		"use/use.go":      "package use\n\nimport \"x/a\"\n\nfunc f() { a.Told() }\n\nfunc g(n int) { a.Local(n) }\n",
		"dot/dot.go":      "package dot\n\nimport . \"x/ini\"\n\nvar _ = Dotted\n",
		"ini/ini.go":      "package ini\n\nfunc init() {}\n\nfunc Loads() {}\n\nfunc Dotted() {}\n",
		"ini/use/use.go":  "package use\n\nimport \"x/ini\"\n\nvar _ = ini.Loads\n",
		"two/two.go":      "package two\n", "two/three.go": "package three\n",
	}
	for _, c := range []struct{ name, to, why string }{
		{"a/a.go#small", "n/n.go", "it is not exported"},
		{"a/a.go#Needs", "n/n.go", "needs small, which is not exported"},
		{"a/a.go#Both", "n/n.go", "would make a cycle"},
		{"a/a.go#Apart", "n/n.go", "has methods in other files"},
		{"a/b.go#Apart.Method", "n/n.go", "is a method"},
		{"a/a.go#Hidden", "n/n.go", "members that are not exported"},
		{"a/a.go#Bare", "n/n.go", "may name members"},
		{"a/a.go#Reads", "n/n.go", "may need n, which is not exported"},
		{"a/a.go#Taken", "b/n.go", "has a name Taken already"},
		{"a/a.go#Used", "b/n.go", "would make a cycle"},
		{"a/a.go#FromC", "d/n.go", "would make a cycle"},
		{"a/a.go#Told", "n/n.go", "tells the compiler something"},
		{"a/a.go#I", "n/n.go", "members that are not exported"},
		{"a/a.go#Local", "n/n.go", "n is a local name"},
		{"a/a.go#Used", "e/internal/i.go", "it cannot import"},
		{"a/a.go#Used", "other/o.go", "different modules"},
		{"a/a.go#Used", "cmd/m.go", "is a program"},
		{"a/a.go#Used", "two/n.go", "several packages"},
		{"a/a.go#Used", "vendor/n/n.go", "is no folder of a package"},
		{"a/a.go#Used", "a-b/n.go", "is no name of a package"},
		{"a/a.go#Used", "n/n_test.go", "tests are not moved"},
		{"a/a_test.go#Helper", "n/n.go", "tests are not moved"},
		{"a/a.go#Used", "n/n_windows.go", "is not built where"},
		{"cmd/m.go#Main", "n/n.go", "of a program"},
		{"ini/ini.go#Loads", "n/n.go", "has a function init"},
		{"ini/ini.go#Dotted", "n/n.go", "was not understood"},
	} {
		_, changes, err := moved(t, files, c.name, c.to)
		if refusal, ok := errors.AsType[*RefusedError](err); !ok || !strings.Contains(refusal.Error(), c.why) {
			t.Errorf("move %s to %s: %v, %v, want %q in it", c.name, c.to, changes, err, c.why)
		}
	}
}

// Every move to another package leaves packages that type-check.
func TestAMoveToAnotherPackageLeavesWhatGoTypesAccepts(t *testing.T) {
	root := libraryRoot(t)
	from := newGoLibrary(t)
	done, asked := 0, 0
	for _, dir := range renamedPackages {
		p := checkedPackage(t, from, root, dir)
		s, _ := open1(t, p.files)
		for name := range p.files {
			for _, y := range s.Definitions(name) {
				if y.Kind != syntax.Function && !y.Kind.Type() {
					continue
				}
				asked++
				c, err := Move(t.Context(), s, y.ID, "y/qz.go")
				if _, ok := errors.AsType[*RefusedError](err); ok {
					continue
				}
				if err != nil {
					t.Errorf("%s/%s: %v", dir, y.ID, err)
					continue
				}
				done++
				files := maps.Clone(p.files)
				for i := range c.Files {
					files[c.Files[i].Path] = string(c.Files[i].After())
				}
				packages := &packagesOf{p, files, map[string]*types.Package{}}
				for _, name := range []string{"example.com/x", "example.com/y"} {
					if _, err := packages.Import(name); err != nil {
						t.Errorf("%s/%s to another package: %v", dir, y.ID, err)
					}
				}
			}
		}
	}
	t.Logf("%d of %d moves are done, the others refused", done, asked)
	if asked < 150 || done < 10 {
		t.Errorf("%d of %d moves are done: want at least 150 asked for and 10 done", done, asked)
	}
}

// packagesOf imports the packages of some files, and those of Go's library.
type packagesOf struct {
	*checked
	tree map[string]string
	done map[string]*types.Package
}

func (p *packagesOf) Import(name string) (*types.Package, error) {
	dir, ok := strings.CutPrefix(name, "example.com/")
	if !ok || p.done[name] != nil {
		if ok {
			return p.done[name], nil
		}
		return p.from.Import(name)
	}
	var parsed []*ast.File
	for file, src := range p.tree {
		if path.Dir(file) != dir || path.Ext(file) != ".go" {
			continue
		}
		f, err := parser.ParseFile(p.from.fset, file, src, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, f)
	}
	pkg, err := (&types.Config{Importer: p}).Check(name, p.from.fset, parsed, nil)
	p.done[name] = pkg
	return pkg, err
}
