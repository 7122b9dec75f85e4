package helve_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// go doc shows an example of every package that a program can import, and go test runs it.
func TestEveryPublicPackageHasAnExampleThatRuns(t *testing.T) {
	examples := 0
	for _, dir := range publicPackages(t) {
		n := runningExamples(t, dir)
		if n == 0 {
			t.Errorf("%s has no Example with an Output comment", dir)
		}
		examples += n
		t.Logf("%2d examples  %s", n, dir)
	}
	if examples == 0 {
		t.Error("there are no examples at all: the search is wrong")
	}
}

// publicPackages are the folders of the packages that another module can import.
func publicPackages(t *testing.T) []string {
	t.Helper()
	var dirs []string
	for _, file := range sources(t) {
		dir := filepath.ToSlash(filepath.Dir(file))
		private := slices.ContainsFunc(strings.Split(dir, "/"), func(s string) bool {
			return s == "internal" || s == "cmd" || s == "scripts" || s == "docs" // docs/examples are programs
		})
		if !private && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// docs/stability.md says of each public package what is kept of it, once.
func TestEveryPublicPackageSaysWhatItPromises(t *testing.T) {
	module, _, _ := strings.Cut(strings.TrimPrefix(read(t, "go.mod"), "module "), "\n")
	promised := map[string]int{}
	for line := range strings.Lines(read(t, "docs/stability.md")) {
		if cells := strings.Split(line, "|"); len(cells) == 4 && strings.Contains(cells[1], "`") {
			for name := range strings.SplitSeq(cells[1], ",") {
				promised[strings.Trim(name, " `")]++
			}
		}
	}
	for _, dir := range publicPackages(t) {
		name := module + "/" + dir
		switch {
		case dir == ".":
			name = "helve"
		case strings.HasPrefix(dir, "engine/"):
			name = module + "/engine/…"
		}
		if promised[name] != 1 {
			t.Errorf("docs/stability.md has %d rows of %s, want 1", promised[name], name)
		}
		if !strings.HasSuffix(name, "…") {
			delete(promised, name)
		}
	}
	delete(promised, module+"/engine/…")
	for name := range promised {
		t.Errorf("docs/stability.md speaks of %s, which is no public package", name)
	}
}

func runningExamples(t *testing.T, dir string) int {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	fset := token.NewFileSet()
	for _, p := range paths {
		f, err := parser.ParseFile(fset, p, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	n := 0
	for _, e := range doc.Examples(files...) {
		if e.Output != "" || e.EmptyOutput {
			n++
		}
	}
	return n
}

// private is what only those can look up who wrote it: numbers of requirements and of the programs that came before.
var private = regexp.MustCompile(`\bR\d+\.\d+\b|⚑|\bseed \d`)

// Who reads go doc has the repository and nothing else.
func TestPublicPackagesCiteNothingPrivate(t *testing.T) {
	for _, dir := range publicPackages(t) {
		paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range paths {
			if !strings.HasSuffix(p, "_test.go") {
				checkComments(t, p)
			}
		}
	}
}

func checkComments(t *testing.T, path string) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range f.Comments {
		if found := private.FindString(c.Text()); found != "" {
			t.Errorf("%s: a comment cites %q", fset.Position(c.Pos()), found)
		}
	}
}
