package refactor

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"
)

// Rules that all languages share ask behind the interface language, and never which one it is.
func TestALanguageIsNamedInItsOwnFiles(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, e.Name(), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		own, _, _ := strings.Cut(strings.TrimSuffix(e.Name(), ".go"), "_")
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok || !slices.Contains([]string{"Go", "Python", "JavaScript", "TypeScript"}, s.Sel.Name) {
				return true
			}
			if named++; !slices.Contains([]string{"language", "golang", "python", "ecma"}, own) {
				t.Errorf("%s names a language: ask behind the interface", files.Position(n.Pos()))
			}
			return true
		})
	}
	if named == 0 {
		t.Error("no file names a language")
	}
}
