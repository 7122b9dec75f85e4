package syntax

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// seeds are the sources of the fixtures in this language, and texts that have been hard for readers of source.
func seeds(f *testing.F, extension string) {
	for _, fixture := range fixtures(f) {
		if name, src := fixture.source(); filepath.Ext(name) == extension {
			f.Add(src)
		}
	}
	for _, src := range hard {
		f.Add([]byte(src))
	}
}

var hard = []string{
	"", "\n", "\r\n", "\xff\xfe", "\"", "'", "`", "/*", "//", "#", "{{{{", "}}}}", "((((", "))))", "{(}[)]",
	"func f(", "def f(:\n", "class {", "class X(", "x := func() {", "`${`${`", "<a b={<c>{`${x}`}</c>}>", "r#\"", "R\"x(", "\"\"\"", "$\"{\"",
	"#if 0\n#else\n#if\n{\n#endif\n}", "#define X(a,\\\n b) a##b", "<<EOF\n", "%w(", "a.b.c.d()[1].e{f: g}", "x?.y!!.z", "type T[P any] struct{ *T[P] }",
	"a = b = c\n", "lambda x: x\n", "impl<T> X for Y<T> where T: Z {", "case .x(let y):", "class A @(", "class A @b constructor", "namespace A.B;", "<?php", "?>", "use a\\{b, c as d};",
}

// check tells what no file may make of a reader.
func check(t *testing.T, path string, src []byte) {
	t.Helper()
	f := Extract(path, src)
	if f.Skipped != "" {
		return
	}
	if want := lineCount(src); f.Lines != want {
		t.Errorf("lines of %q: got %d, want %d", src, f.Lines, want)
	}
	for i, d := range f.Definitions {
		if d.Start < 0 || d.Start > d.Body || d.Body > d.End || d.End > len(src) {
			t.Fatalf("definition %d of %q: %d <= %d <= %d <= %d does not hold: %+v", i, src, d.Start, d.Body, d.End, len(src), d)
		}
		if d.Line < 1 || d.EndLine < d.Line || d.EndLine > max(f.Lines, 1)+1 {
			t.Fatalf("definition %d of %q: lines %d to %d of %d", i, src, d.Line, d.EndLine, f.Lines)
		}
		if d.Parent >= i || d.Parent < -1 {
			t.Fatalf("definition %d of %q: parent %d does not precede it", i, src, d.Parent)
		}
	}
	for _, u := range f.References {
		if u.From < -1 || u.From >= len(f.Definitions) || u.Name == "" || u.Line < 1 {
			t.Fatalf("reference of %q: %+v with %d definitions", src, u, len(f.Definitions))
		}
		if len(u.Qualifier) > maxExpr {
			t.Fatalf("reference of %q: qualifier of %d bytes", src, len(u.Qualifier))
		}
	}
}

func lineCount(src []byte) int {
	n := bytes.Count(src, []byte("\n"))
	if len(src) > 0 && src[len(src)-1] != '\n' {
		n++
	}
	return n
}

func fuzz(f *testing.F, extension string) {
	seeds(f, extension)
	f.Fuzz(func(t *testing.T, src []byte) { check(t, "a"+extension, src) })
}

func FuzzGo(f *testing.F)         { fuzz(f, ".go") }
func FuzzPython(f *testing.F)     { fuzz(f, ".py") }
func FuzzJavaScript(f *testing.F) { fuzz(f, ".jsx") }
func FuzzTypeScript(f *testing.F) { fuzz(f, ".ts") }
func FuzzTSX(f *testing.F)        { fuzz(f, ".tsx") }
func FuzzRust(f *testing.F)       { fuzz(f, ".rs") }
func FuzzJava(f *testing.F)       { fuzz(f, ".java") }
func FuzzC(f *testing.F)          { fuzz(f, ".c") }
func FuzzCPlusPlus(f *testing.F)  { fuzz(f, ".cpp") }
func FuzzCSharp(f *testing.F)     { fuzz(f, ".cs") }
func FuzzRuby(f *testing.F)       { fuzz(f, ".rb") }
func FuzzPHP(f *testing.F)        { fuzz(f, ".php") }
func FuzzKotlin(f *testing.F)     { fuzz(f, ".kt") }
func FuzzSwift(f *testing.F)      { fuzz(f, ".swift") }
func FuzzShell(f *testing.F)      { fuzz(f, ".sh") }
func FuzzMarkdown(f *testing.F)   { fuzz(f, ".md") }
func FuzzJSON(f *testing.F)       { fuzz(f, ".json") }
func FuzzYAML(f *testing.F)       { fuzz(f, ".yaml") }
func FuzzUnknown(f *testing.F)    { fuzz(f, ".lua") }

// extensions has one extension for each reader.
var extensions = strings.Fields(".go .py .jsx .ts .tsx .rs .java .c .h .cpp .cs .rb .php .kt .swift .sh .md .json .yaml .lua")

func TestNoTextMakesAReaderPanicOrRunAway(t *testing.T) {
	texts := append([]string{}, hard...)
	for _, s := range []string{"(", "[", "{", "f(", "x{", "a.b(", "<a>{", "`${", "if x {", "class A {", "func() {", "fn f() {", "if (x)", "!", "*", "- ", "lambda: ",
		"#if 1\n{\n", "def f():\n ", "begin ", "<", "namespace a {", "x = y = ", "a ? b : ", "[x for x in "} {
		texts = append(texts, strings.Repeat(s, 10_000))
	}
	texts = append(texts, strings.Repeat("x", 1<<20), strings.Repeat("x.", 1<<19), strings.Repeat("x(y), ", 1<<17), strings.Repeat("a\r\n", 1<<15),
		"constructor __proto__ 変数 = 関数()", strings.Repeat("/* ", 10_000), strings.Repeat("\"", 10_001))
	for _, extension := range extensions {
		for _, text := range texts {
			check(t, "a"+extension, []byte(text))
		}
	}
}
