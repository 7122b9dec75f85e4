package helve_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// What code must be to stay easy to read. Each bound is what six Go projects that are known for it reach (age, mvdan/sh, go-sdk,
// testscript, log/slog, io/fs), and each is a measure beside the others: length alone, capped, makes lines dense.
const (
	maxColumns     = 120   // of a line, a tab counts four
	maxWide        = 0.005 // the share of lines that may be wider: texts for people, URLs
	maxFunction    = 80    // lines of one function
	maxPaths       = 20    // the cyclomatic number of a function
	usualPaths     = 15    // and that of 99 of 100
	explainedPaths = 10    // above it a function has a comment
	minComments    = 0.15  // lines of comment for each line of code
	maxTokens      = 7.2   // tokens for each line of code
)

// open are the folders that the bounds do not hold yet, with what is below them; with /. behind it a folder is meant alone.
var open = []string{"engine/code"}

// A measure is what is counted of some code.
type measure struct {
	lines, comments, tokens, wide int
	functions                     []function
}

// A function is what is counted of one.
type function struct {
	place        string
	lines, paths int
	explained    bool
}

func (m *measure) add(n measure) {
	m.lines += n.lines
	m.comments += n.comments
	m.tokens += n.tokens
	m.wide += n.wide
	m.functions = append(m.functions, n.functions...)
}

func (m *measure) String() string {
	n := float64(max(m.lines, 1))
	most := 0
	for _, f := range m.functions {
		most = max(most, f.paths)
	}
	return fmt.Sprintf("%6d lines %5.2f tokens a line %5.2f comments a line %5.2f %% wide %3d paths at most",
		m.lines, float64(m.tokens)/n, float64(m.comments)/n, 100*float64(m.wide)/n, most)
}

// -run TestTheCodeIsEasyToRead -v prints the figures of every folder.
func TestTheCodeIsEasyToRead(t *testing.T) {
	folders := map[string]*measure{}
	var all measure
	for _, file := range sources(t) {
		dir := filepath.ToSlash(filepath.Dir(file))
		m := measured(t, file)
		if folders[dir] == nil {
			folders[dir] = &measure{}
		}
		folders[dir].add(m)
		if !isOpen(dir) {
			all.add(m)
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(folders)) {
		t.Logf("%s  %s", folders[dir], dir)
	}
	t.Logf("%s  all but what is open", &all)
	judge(t, &all)
}

func isOpen(dir string) bool {
	return within(dir, open) || slices.Contains(open, dir+"/.")
}

func judge(t *testing.T, m *measure) {
	t.Helper()
	n := float64(max(m.lines, 1))
	if got := float64(m.wide) / n; got > maxWide {
		t.Errorf("%.2f %% of the lines are wider than %d columns, want at most %.1f %%", 100*got, maxColumns, 100*maxWide)
	}
	if got := float64(m.comments) / n; got < minComments {
		t.Errorf("%.3f lines of comment for each line of code, want %.2f", got, minComments)
	}
	if got := float64(m.tokens) / n; got > maxTokens {
		t.Errorf("%.2f tokens a line, want at most %.1f", got, maxTokens)
	}
	usual := 0
	for _, f := range m.functions {
		if f.lines > maxFunction {
			t.Errorf("%s has %d lines, want at most %d", f.place, f.lines, maxFunction)
		}
		if f.paths > maxPaths {
			t.Errorf("%s has %d paths, want at most %d", f.place, f.paths, maxPaths)
		}
		if f.paths > explainedPaths && !f.explained {
			t.Errorf("%s has %d paths and no comment that says why", f.place, f.paths)
		}
		if f.paths <= usualPaths {
			usual++
		}
	}
	if 100*usual < 99*len(m.functions) {
		t.Errorf("%d of %d functions have at most %d paths, want 99 of 100", usual, len(m.functions), usualPaths)
	}
}

// sources are the Go files of the module that somebody writes by hand and ships: no tests, nothing generated.
func sources(t *testing.T) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(".", func(p string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && p != "." && (strings.HasPrefix(e.Name(), ".") || e.Name() == "testdata"):
			return filepath.SkipDir
		case e.IsDir() || !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go"):
			return nil
		}
		out = append(out, p)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// measured counts one file; a generated one counts nothing.
func measured(t *testing.T, file string) measure {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	if ast.IsGenerated(parsed) {
		return measure{}
	}
	m := scanned(src)
	for line := range strings.Lines(string(src)) {
		if utf8.RuneCountInString(strings.ReplaceAll(strings.TrimRight(line, "\n"), "\t", "    ")) > maxColumns {
			m.wide++
		}
	}
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			m.functions = append(m.functions, counted(files, parsed, f))
		}
	}
	return m
}

// scanned counts the lines with code, those with a comment, and the tokens. What the scanner adds at the end of a line is no token.
func scanned(src []byte) measure {
	var s scanner.Scanner
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(src))
	s.Init(file, src, nil, scanner.ScanComments)
	code, comments := map[int]bool{}, map[int]bool{}
	m := measure{}
	for {
		pos, tok, lit := s.Scan()
		at := file.Line(min(pos, token.Pos(file.Base()+file.Size())))
		switch {
		case tok == token.EOF:
			m.lines, m.comments = len(code), len(comments)
			return m
		case tok == token.SEMICOLON && lit == "\n":
		case tok == token.COMMENT:
			for i := range strings.Count(lit, "\n") + 1 {
				comments[at+i] = true
			}
		default:
			m.tokens++
			for i := range strings.Count(lit, "\n") + 1 {
				code[at+i] = true
			}
		}
	}
}

func counted(files *token.FileSet, file *ast.File, f *ast.FuncDecl) function {
	at, end := files.Position(f.Pos()), files.Position(f.End())
	out := function{place: fmt.Sprintf("%s:%d %s", at.Filename, at.Line, f.Name.Name), lines: end.Line - at.Line + 1, paths: 1,
		explained: f.Doc != nil}
	for _, c := range file.Comments {
		out.explained = out.explained || c.Pos() > f.Pos() && c.End() < f.End()
	}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			out.paths++
		case *ast.CaseClause:
			if n.List != nil {
				out.paths++
			}
		case *ast.CommClause:
			if n.Comm != nil {
				out.paths++
			}
		case *ast.BinaryExpr:
			if n.Op == token.LAND || n.Op == token.LOR {
				out.paths++
			}
		}
		return true
	})
	return out
}
