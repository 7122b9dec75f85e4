package code_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// ofLanguages are the files that may name a language: one for each, or for each family, with prefixes.
var ofLanguages = regexp.MustCompile(`^internal/meaning/(golang|python|ecma|java|c|csharp|rust|ruby|php|swift|shell)(_\w+)?\.go$`)

// What a language means stands in its file of package meaning, and how it looks in its reader. All else asks the rules
// and the traits of a language, so that a new one is a file in each.
func TestLanguagesAreNamedInFilesOfTheirOwn(t *testing.T) {
	languages := languageConstants(t)
	seen := 0
	for _, folder := range []string{".", "internal/store", "internal/meaning"} {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no files in %s: %v", folder, err)
		}
		for _, file := range files {
			name := filepath.ToSlash(file)
			if strings.HasSuffix(name, "_test.go") || name == "kinds.go" { // that one has the names for programs
				continue
			}
			for _, place := range namedLanguages(t, file, languages) {
				if ofLanguages.MatchString(name) {
					seen++
				} else {
					t.Errorf("%s names a language: the file of that language says it, see meaning.Rules", place)
				}
			}
		}
	}
	if want := len(languages) - len(proseAndData); seen < want {
		t.Errorf("%d places in the files of languages name one: want at least %d, one for each", seen, want)
	}
}

// proseAndData are the languages whose files hold nothing that has a meaning.
var proseAndData = map[string]bool{"Markdown": true, "JSON": true, "YAML": true}

// languageConstants are the names of all languages.
func languageConstants(t *testing.T) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	parsed := parsedFile(t, token.NewFileSet(), filepath.Join("internal", "syntax", "language.go"))
	for _, d := range parsed.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs {
			for _, name := range spec.(*ast.ValueSpec).Names {
				if name.IsExported() && name.Name != "Unknown" {
					out[name.Name] = true
				}
			}
		}
	}
	if !out["Go"] || !out["Kotlin"] {
		t.Fatalf("the languages are %v", out)
	}
	return out
}

// namedLanguages are the places of a file that name a language.
func namedLanguages(t *testing.T, file string, languages map[string]bool) []string {
	t.Helper()
	files := token.NewFileSet()
	var out []string
	ast.Inspect(parsedFile(t, files, file), func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && languages[s.Sel.Name] {
			if pkg, ok := s.X.(*ast.Ident); ok && pkg.Name == "syntax" {
				out = append(out, files.Position(s.Pos()).String()+": "+s.Sel.Name)
			}
		}
		return true
	})
	return out
}

func parsedFile(t *testing.T, files *token.FileSet, file string) *ast.File {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := parser.ParseFile(files, file, src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}
