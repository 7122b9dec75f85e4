package refactor

import (
	"errors"
	"go/format"
	"maps"
	"strings"
	"testing"

	"helve/engine/code"
	"helve/engine/code/internal/syntax"
)

// moved moves a definition in a tree and answers the files after it.
func moved(t *testing.T, files map[string]string, name, to string) (map[string]string, *Changes, error) {
	t.Helper()
	s, _ := open1(t, files)
	c, err := Move(t.Context(), s, name, to)
	if err != nil {
		return nil, nil, err
	}
	out := map[string]string{}
	for i := range c.Files {
		out[c.Files[i].Path] = string(c.Files[i].After())
	}
	return out, c, nil
}

func TestADefinitionMovesWithItsCommentMethodsAndImports(t *testing.T) {
	origin := "package a\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\n// T is one.\ntype T struct{ f *os.File }\n\nfunc other() { fmt.Println(T{}) }\n\n// name names.\nfunc (t T) name() string { return t.f.Name() }\n\nfunc last() {}\n"
	left := "package a\n\nimport (\n\t\"fmt\"\n)\n\nfunc other() { fmt.Println(T{}) }\n\nfunc last() {}\n"
	moved1 := "// T is one.\ntype T struct{ f *os.File }\n\n// name names.\nfunc (t T) name() string { return t.f.Name() }\n"
	for _, c := range []struct {
		name, of, to string
		files, want  map[string]string
	}{
		{"a type into a new file", "T", "a/t.go",
			map[string]string{"go.mod": "module x\n", "a/a.go": origin},
			map[string]string{"a/a.go": left, "a/t.go": "package a\n\nimport (\n\t\"os\"\n)\n\n" + moved1}},
		{"a type into one that has imports", "T", "a/b.go",
			map[string]string{"go.mod": "module x\n", "a/a.go": origin, "a/b.go": "package a\n\nimport \"io\"\n\nvar r io.Reader\n"},
			map[string]string{"a/a.go": left, "a/b.go": "package a\n\nimport \"io\"\nimport \"os\"\n\nvar r io.Reader\n\n" + moved1}},
		{"a function and a method alone", "T.name", "a/b.go",
			map[string]string{"go.mod": "module x\n", "a/a.go": origin, "a/b.go": "package a\n"},
			map[string]string{"a/a.go": strings.Replace(origin, "// name names.\nfunc (t T) name() string { return t.f.Name() }\n\n", "", 1),
				"a/b.go": "package a\n\n// name names.\nfunc (t T) name() string { return t.f.Name() }\n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _, err := moved(t, c.files, c.of, c.to)
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

func TestAMoveThatIsNotSureIsRefused(t *testing.T) {
	files := map[string]string{
		"go.mod":      "module x\n",
		"a.go":        "package a\n\nimport \"os\"\n\nfunc f() { _ = os.Args }\n\nfunc h() { gone.Do() }\n\ntype (\n\tT struct{}\n\tU struct{}\n)\n\nfunc (T) m() {}\n\nconst c = 1\n\ntype I interface{ Do() }\n\nfunc one() {}; func two() {}\n",
		"g.go":        "package a\n\nimport \"os\"\n\nvar _ = os.Args\n\nfunc g() { os := T{}; os.m() }\n",
		"a_test.go":   "package a\n",
		"a_linux.go":  "package a\n",
		"tagged.go":   "//go:build linux\n\npackage a\n",
		"other.go":    "package other\n",
		"alias.go":    "package a\n\nimport sys \"os\"\n\nvar _ = sys.Args\n",
		"taken.go":    "package a\n\nimport os \"io\"\n\nvar _ os.Reader\n",
		"sub/a.go":    "package sub\n",
		"m.py":        "def py():\n    pass\n",
		"dot/dot.go":  "package dot\n\nimport . \"os\"\n\nfunc f() { Exit(1) }\n",
		"main/a.go":   "package main\n\nfunc main() {}\n",
		"notes.go/md": "",
	}
	for _, c := range []struct{ name, to, why string }{
		{"a.go#f", "a.go", "is in a.go already"},
		{"a.go#f", "a.txt", "is no Go file"},
		{"a.go#f", "../a.go", "is no Go file"},
		{"a.go#f", "/tmp/a.go", "is no Go file"},
		{"a.go#f", "other.go", "is of another package"},
		{"a.go#f", "a_test.go", "is not built where"},
		{"a.go#f", "new_windows.go", "is not built where"},
		{"a.go#f", "a_linux.go", "is not built where"},
		{"a.go#f", "tagged.go", "is not built where"},
		{"a.go#f", "alias.go", "imported under another name"},
		{"a.go#f", "taken.go", "os is another package here"},
		{"g.go#g", "b.go", "a package and a local name"},
		{"a.go#h", "b.go", "what gone means"},
		{"a.go#T", "b.go", "declared together with others"},
		{"a.go#c", "b.go", "declared together with others"},
		{"a.go#I.Do", "b.go", "stands in a type"},
		{"a.go#one", "b.go", "shares its line"},
		{"m.py#py", "b.go", "no Python file of the same folder"},
		{"dot/dot.go#f", "dot/b.go", "in a way that is not followed"},
		{"main/a.go#main", "main/b.go", "has its meaning from Go"},
		{"nothing", "b.go", "nothing is called"},
	} {
		_, changes, err := moved(t, files, c.name, c.to)
		if err == nil {
			t.Errorf("move %s to %s: %v, want a refusal", c.name, c.to, changes)
			continue
		}
		if _, ok := errors.AsType[*RefusedError](err); !ok && c.name != "nothing" || !strings.Contains(err.Error(), c.why) {
			t.Errorf("move %s to %s: %v, want %q in it", c.name, c.to, err, c.why)
		}
	}
}

func TestAMoveSeesThatAFileChangedMeanwhile(t *testing.T) {
	s, m := open1(t, map[string]string{"go.mod": "module x\n", "a.go": "package a\n\nfunc f() {}\n", "b.go": "package a\n"})
	m.write("b.go", "package a\n\nfunc g() {}\n")
	_, err := Move(t.Context(), s, "f", "b.go")
	if err == nil || !strings.Contains(err.Error(), "b.go changed meanwhile") {
		t.Errorf("%v, want that b.go changed meanwhile", err)
	}
}

// Every move to another file leaves a package that type-checks, with the imports that its files need and no others.
func TestAMoveLeavesWhatGoTypesAccepts(t *testing.T) {
	root := libraryRoot(t)
	from := newGoLibrary(t)
	done, asked := 0, 0
	for _, dir := range renamedPackages {
		p := checkedPackage(t, from, root, dir)
		s, _ := open1(t, p.files)
		for path := range p.files {
			for _, y := range s.Definitions(path) {
				if y.Kind != syntax.Function && y.Kind != syntax.Method && !y.Kind.Type() {
					continue
				}
				asked++
				if p.move(t, s, y, p.another(path, asked)) {
					done++
				}
			}
		}
	}
	t.Logf("%d of %d moves are done, the others refused", done, asked)
	if asked < 300 || float64(done) < 0.8*float64(asked) {
		t.Errorf("%d of %d moves are done: want at least 300 asked for and 80 %% done", done, asked)
	}
}

// another is a file beside the one at path: every other time one that there is, if there is one.
func (p *checked) another(path string, n int) string {
	for to := range p.files {
		if n%2 == 0 && to != path && strings.HasSuffix(to, ".go") {
			return to
		}
	}
	return "x/qz.go"
}

// move moves a definition and type-checks. It reports whether that was done.
func (p *checked) move(t *testing.T, s *code.Snapshot, y code.Symbol, to string) bool {
	c, err := Move(t.Context(), s, y.ID, to)
	if err != nil {
		if _, ok := errors.AsType[*RefusedError](err); !ok {
			t.Errorf("%s/%s: %v", p.dir, y.ID, err)
		}
		return false
	}
	files := maps.Clone(p.files)
	for i := range c.Files {
		files[c.Files[i].Path] = string(c.Files[i].After())
	}
	if err := p.check(files, false); err != nil {
		t.Errorf("%s/%s to %s: %v", p.dir, y.ID, to, err)
	}
	return true
}
