package helve_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"helve"
)

// What code must be to stay easy to read, in every package. The bounds are what six Go projects that are known for it reach
// (age, mvdan/sh, go-sdk, testscript, log/slog, io/fs). What is over one shows where a room is full: the mend is a better
// plan of the room. Tokens and comments of a line are printed and not asserted, since a line split in two or a comment for
// the count would meet them.
const (
	maxColumns     = 120 // of a line, a tab counts four
	maxWide        = 3   // in 1,000 lines of code are wider: texts for people, URLs; one is free
	maxFunction    = 80  // lines of one function
	maxPaths       = 20  // the cyclomatic number of a function
	unusualPaths   = 15  // above it is 1 in 100 of all functions
	explainedPaths = 10  // above it is 1 in 10 of a package's functions, and has a comment
	manyFunctions  = 10  // a package that is asked for that share has so many
	maxFile        = 400 // lines of one file
	maxMethods     = 60  // of one type
	maxGrammar     = 100 // of a type that reads a grammar
	maxFiles       = 60  // of one folder, beside tests
	manyFiles      = 10  // a package whose arrows are counted has so many
	maxBack        = 75  // arrows that run back up between 100 files
)

// grammars are the types that read one: a function for each thing of it that can be said.
var grammars = map[string]string{
	"engine/code/internal/syntax.reader":       "what thirteen languages share",
	"engine/code/internal/syntax.cReader":      "C and C++",
	"engine/code/internal/syntax.ecmaReader":   "JavaScript and TypeScript",
	"engine/code/internal/syntax.goReader":     "Go",
	"engine/code/internal/syntax.javaReader":   "Java",
	"engine/code/internal/syntax.pythonReader": "Python",
}

// A measure is what is counted of some code.
type measure struct {
	all, lines, comments, tokens, wide int
	files                              map[string]int             // lines of each
	methods                            map[string]map[string]bool // of each type, whichever the system
	functions                          []function
}

// A function is what is counted of one.
type function struct {
	place        string
	lines, paths int
	explained    bool
}

func (m *measure) add(n measure) {
	m.all += n.all
	m.lines += n.lines
	m.comments += n.comments
	m.tokens += n.tokens
	m.wide += n.wide
	m.functions = append(m.functions, n.functions...)
	if m.files == nil {
		m.files, m.methods = map[string]int{}, map[string]map[string]bool{}
	}
	maps.Copy(m.files, n.files)
	for name, methods := range n.methods {
		m.methods[name] = merged(m.methods[name], slices.Collect(maps.Keys(methods))...)
	}
}

func merged(names map[string]bool, more ...string) map[string]bool {
	if names == nil {
		names = map[string]bool{}
	}
	for _, name := range more {
		names[name] = true
	}
	return names
}

// above counts the functions with more paths.
func (m *measure) above(paths int) (n int) {
	for _, f := range m.functions {
		if f.paths > paths {
			n++
		}
	}
	return n
}

func (m *measure) String() string {
	n := float64(max(m.lines, 1))
	paths := 0
	for _, f := range m.functions {
		paths = max(paths, f.paths)
	}
	return fmt.Sprintf("%6d lines %6d of code %5.2f tokens %5.2f comments a line %5.2f %% wide %3d paths at most %3d files",
		m.all, m.lines, float64(m.tokens)/n, float64(m.comments)/n, 100*float64(m.wide)/n, paths, len(m.files))
}

// A figure is what was counted and what it may be.
type figure struct{ is, may int }

// figures are those of every package, by what is measured and where.
func figures(folders map[string]*measure, arrows map[string]int) map[string]figure {
	out := map[string]figure{}
	for dir, m := range folders {
		out["wide-lines "+dir] = figure{m.wide, max(1, maxWide*m.lines/1000)}
		out["files "+dir] = figure{len(m.files), maxFiles}
		if up, ok := arrows[dir]; ok {
			out["arrows-back "+dir] = figure{up, maxBack * len(m.files) / 100}
		}
		if len(m.functions) >= manyFunctions {
			out["many-paths "+dir] = figure{m.above(explainedPaths), len(m.functions) / 10}
		}
		for file, lines := range m.files {
			out["lines "+file] = figure{lines, maxFile}
		}
		for name, methods := range m.methods {
			may := maxMethods
			if grammars[dir+"."+name] != "" {
				may = maxGrammar
			}
			out["methods "+dir+"."+name] = figure{len(methods), may}
		}
		addFunctions(out, m)
	}
	return out
}

func addFunctions(out map[string]figure, m *measure) {
	for _, f := range m.functions {
		most(out, "paths "+f.place, figure{f.paths, maxPaths})
		most(out, "function-lines "+f.place, figure{f.lines, maxFunction})
		if !f.explained {
			most(out, "unexplained-paths "+f.place, figure{f.paths, explainedPaths})
		}
	}
}

// most keeps the larger of two figures of one place: a function may be written for each system.
func most(out map[string]figure, what string, f figure) {
	if f.is >= out[what].is {
		out[what] = f
	}
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
		all.add(m)
	}
	for _, dir := range slices.Sorted(maps.Keys(folders)) {
		t.Logf("%s  %s", folders[dir], dir)
	}
	t.Logf("%s  all", &all)
	arrows := arrowsBack(t)
	for _, dir := range slices.Sorted(maps.Keys(arrows)) {
		t.Logf("%3d arrows back, %.2f a file  %s", arrows[dir], float64(arrows[dir])/float64(len(folders[dir].files)), dir)
	}
	if n := all.above(unusualPaths); 100*n > len(all.functions) {
		t.Errorf("%d of %d functions have more than %d paths, want 1 in 100", n, len(all.functions), unusualPaths)
	}
	for _, wrong := range judge(figures(folders, arrows), full) {
		t.Error(wrong)
	}
}

// judge holds the figures to their bounds, and what is over its bound to what the list says of it.
func judge(figures map[string]figure, list []string) (wrong []string) {
	known := map[string]int{}
	for _, entry := range list {
		i := strings.LastIndexByte(entry, ' ')
		known[entry[:i]], _ = strconv.Atoi(entry[i+1:])
		if f := figures[entry[:i]]; f.is <= f.may {
			wrong = append(wrong, fmt.Sprintf("the list says %q: within its bound or gone now, so take the entry out", entry))
		}
	}
	for _, what := range slices.Sorted(maps.Keys(figures)) {
		f, was := figures[what], known[what]
		switch {
		case f.is <= f.may || f.is == was:
		case was == 0:
			wrong = append(wrong, fmt.Sprintf("%s %d, want at most %d", what, f.is, f.may))
		case f.is > was:
			wrong = append(wrong, fmt.Sprintf("%s %d, and it may only fall from %d to %d", what, f.is, was, f.may))
		default:
			wrong = append(wrong, fmt.Sprintf("%s %d: better than the %d of the list, so write it there", what, f.is, was))
		}
	}
	return wrong
}

func TestWhatIsOverItsBoundMayOnlyFall(t *testing.T) {
	for _, c := range []struct {
		is   int
		list []string
		want string
	}{
		{is: 5},
		{is: 5, list: []string{"files a 7"}, want: "take the entry out"},
		{is: 7, list: []string{"files a 7"}},
		{is: 7, want: "files a 7, want at most 5"},
		{is: 8, list: []string{"files a 7"}, want: "may only fall from 7 to 5"},
		{is: 6, list: []string{"files a 7"}, want: "files a 6: better than the 7 of the list"},
		{is: 5, list: []string{"files b 7"}, want: "take the entry out"},
	} {
		got := strings.Join(judge(map[string]figure{"files a": {c.is, 5}}, c.list), "\n")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%d beside %q: %q, want %q", c.is, c.list, got, c.want)
		}
	}
}

// plainText is a file as if the module's path were helve: wherever it is published, a line is as wide.
func plainText(src []byte) string {
	own := reflect.TypeFor[helve.Options]().PkgPath()
	return strings.ReplaceAll(string(src), own+"/", root+"/")
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
	m.all = bytes.Count(src, []byte("\n"))
	m.files = map[string]int{filepath.ToSlash(file): m.all}
	m.methods = map[string]map[string]bool{}
	for line := range strings.Lines(plainText(src)) {
		if utf8.RuneCountInString(strings.ReplaceAll(strings.TrimRight(line, "\n"), "\t", "    ")) > maxColumns {
			m.wide++
		}
	}
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			m.functions = append(m.functions, counted(files, parsed, f))
			if name := receiver(f); name != "" {
				m.methods[name] = merged(m.methods[name], f.Name.Name)
			}
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

// place is where a function stands, without a line: the list names it.
func place(file string, f *ast.FuncDecl) string {
	name := f.Name.Name
	if r := receiver(f); r != "" {
		name = r + "." + name
	}
	return path.Dir(filepath.ToSlash(file)) + "." + name
}

// receiver is the type that a method is one of.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return ""
	}
	t := f.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

func counted(files *token.FileSet, file *ast.File, f *ast.FuncDecl) function {
	at, end := files.Position(f.Pos()), files.Position(f.End())
	out := function{place: place(at.Filename, f), lines: end.Line - at.Line + 1, paths: 1, explained: f.Doc != nil}
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
