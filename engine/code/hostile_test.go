package code

import (
	"fmt"
	"strings"
	"testing"

	"helve/engine/code/internal/syntax"
)

// definitions are the IDs of what a tree defines, but for variables and fields.
func definitions(t *testing.T, s *Snapshot) map[string]bool {
	t.Helper()
	ids := map[string]bool{}
	for _, ask := range []func() (Items, error){
		func() (Items, error) { return s.Functions(t.Context(), "", Page{Limit: 1000}) },
		func() (Items, error) { return s.Classes(t.Context(), "", Page{Limit: 1000}) },
	} {
		list, err := ask()
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range list.Items {
			ids[it.ID] = true
		}
	}
	return ids
}

// hostile are trees that mislead readers, with what they define and what only seems to be defined in them: those
// whose names hold Fake.
var hostile = []struct {
	name string
	path string
	text string
	want string
}{
	{"does not parse", "a.go", "package a\nfunc Good() {}\nfunc (((( {\nfunc Also() {}\ntype T struct { x int\nfunc After() {}\n", "Good Also T After"},
	{"does not parse", "a.py", "def good():\n    return (1,\n\nclass C:\n  def m(self:\n    pass\ndef after():\n    pass\n", "good C after"},
	{"raw strings", "a.go", "package a\nvar s = `func Fake() {}\ntype Fake2 struct{}`\nfunc Good() {}\n", "Good"},
	{"raw strings", "a.rs", "const S: &str = r#\"fn fake_Fake() {} \"quoted\" \"#;\nfn good() {}\n", "good"},
	{"raw strings", "a.cc", "const char* s = R\"x(void Fake() {})x\";\nvoid good() {}\n", "good"},
	{"raw strings", "a.cs", "class Good { string s = @\"class Fake { \"\"x\"\" }\"; string r = \"\"\"class Fake2 {}\"\"\"; void M() {} }\n", "Good Good.M"},
	{"texts", "a.py", "X = '''\ndef Fake(): pass\n'''\nY = f\"{'def Fake2(): pass'}\"\ndef good(): pass\n", "good"},
	{"texts", "A.java", "class Good { String s = \"\"\"\n class Fake {}\n \"\"\"; void m() {} }\n", "Good Good.m"},
	{"texts", "a.kt", "class Good { val s = \"\"\"class Fake { ${x} }\"\"\"; fun m() {} }\n", "Good Good.m"},
	{"texts", "a.swift", "struct Good { let s = #\"class Fake {\"#; func m() {} }\n", "Good Good.m"},
	{"here-documents", "a.sh", "good() {\ncat <<EOF\nFake() { :; }\nEOF\n}\ncat <<-'X'\n\tFake2() { :; }\n\tX\nafter() { :; }\n", "good after"},
	{"here-documents", "a.rb", "def good\n  <<~A + <<-B\n    def Fake; end\n  A\n    class Fake2; end\n  B\nend\ndef after; end\n", "good after"},
	{"here-documents", "a.php", "<?php function good() { return <<<X\nfunction Fake() {}\nX; }\nfunction after() {} ?> class Fake2 {}\n", "good after"},
	{"templates", "a.ts", "const s = `class Fake { ${inner(`function Fake2() {}`)} }`;\nexport function good() {}\n", "good"},
	{"templates", "a.tsx", "export const Good = () => <p>class Fake {'{'} {list.map(x => <b>{x}</b>)}</p>;\nexport function after() {}\n", "Good after"},
	{"regular expressions", "a.js", "const r = /class Fake {/g, q = a / b / c;\nfunction good() {}\n", "good"},
	{"comments", "a.c", "/* void Fake(void) {} */ // void Fake2(void) {}\nint good(void) { return 0; }\n", "good"},
	{"comments", "a.swift", "/* /* nested */ func Fake() {} */ func good() {}\n", "good"},
	{"#if 0", "a.c", "#if 0\nvoid Fake(void) {\n#else\nvoid good(void) {\n#endif\n}\n#if A\nint b(int x) {\n#else\nint b(long x) {\n#endif\n return 1; }\nint after(void) { return 0; }\n", "good b after"},
	{"macros", "a.c", "#define EACH(x, \\\n y) for (;;) {\n#define OPEN {\nDEFINE_THING(foo, bar)\nstatic __init int good(void) { EACH(a, b) } return 0; }\nint after(void) { return 0; }\n", "good after EACH OPEN"},
	{"CRLF", "a.go", "package a\r\n\r\nfunc Good() {\r\n}\r\n\r\ntype T struct {\r\n\tx int\r\n}\r\n", "Good T"},
	{"CRLF", "a.py", "class C:\r\n    def m(self):\r\n        pass\r\n\r\ndef good():\r\n    pass\r\n", "C C.m good"},
	{"only CR in a text", "b.py", "def good():\n    return 'a\\\rb'\n", "good"},
	{"a byte order mark", "a.ts", "\uFEFFexport function good() {}\n", "good"},
	{"Latin-1", "a.py", "# caf\xe9\ndef good():\n    return '\xe9'\n", "good"},
	{"mixed encodings", "a.java", "class Good { /* \xff\xfe\x80 */ String s = \"\xc3\x28\"; void m() {} }\n", "Good Good.m"},
	{"CJK", "a.py", "class 変数:\n    def 取得(self):\n        return 変数()\n", "変数 変数.取得"},
	{"CJK", "a.go", "package a\n\ntype 値 struct{}\n\nfunc (v 値) 取得() {}\n", "値 値.取得"},
	{"names of the language's own", "a.js", "class constructor { constructor() {} __proto__() {} hasOwnProperty() {} toString() {} }\nfunction __proto__() {}\nfunction prototype() {}\n",
		"constructor constructor.constructor constructor.__proto__ constructor.hasOwnProperty constructor.toString __proto__ prototype"},
}

func TestNoTextIsTakenForCodeAndNoCodeForText(t *testing.T) {
	for _, h := range hostile {
		s, _ := open1(t, map[string]string{h.path: h.text})
		have := definitions(t, s)
		for want := range strings.FieldsSeq(h.want) {
			if !have[h.path+"#"+want] && !macro(t, s, h.path, want) {
				t.Errorf("%s, %s: %s is missing among %v", h.name, h.path, want, have)
			}
		}
		for id := range have {
			if strings.Contains(id, "Fake") {
				t.Errorf("%s, %s: %s is no definition", h.name, h.path, id)
			}
		}
	}
}

// macro reports whether a file defines a macro of this name, which lists of functions leave out.
func macro(t *testing.T, s *Snapshot, path, name string) bool {
	t.Helper()
	m, err := s.Find(t.Context(), path+"#"+name, Page{})
	return err == nil && len(m.Matches) > 0 && m.Matches[0].Kind == syntax.Macro
}

func TestNamesOfTheLanguagesOwnAreAnsweredLikeOthers(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"a.js": "export class constructor { __proto__() {} }\nexport function hasOwnProperty() { new constructor().__proto__() }\n",
		"b.py": "def __init__():\n    pass\ndef caller():\n    __init__()\n",
	})
	wantUsers(t, s, "constructor.__proto__", "a.js#hasOwnProperty call exact")
	wantUsers(t, s, "b.py#__init__", "b.py#caller call exact")
	for _, name := range []string{"toString", "valueOf", "prototype", "__class__", "..", "#", "a.js#", "", "*", "\x00", strings.Repeat("x", 100_000), strings.Repeat("a.", 10_000)} {
		if m, err := s.Find(t.Context(), name, Page{}); err == nil && len(m.Matches) > 0 {
			t.Errorf("%.20q: %v", name, m.Matches[0].ID)
		}
		if _, err := s.Dependents(t.Context(), name, Page{}); err == nil {
			t.Errorf("%.20q has dependents", name)
		}
	}
}

func TestAGeneratedLineOfMegabytesIsReadAndNamed(t *testing.T) {
	var b strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&b, "function f%d(a){return g%d(a)}", i, i+1)
	}
	s, _ := open1(t, map[string]string{"min.js": b.String(), "use.js": "function use() { own() }\nfunction own() {}\n"})
	wantUsers(t, s, "own", "use.js#use call exact")
	o, err := s.Outline(t.Context(), "min.js", Page{})
	if err != nil || o.Skipped == "" && len(o.Nodes) == 0 {
		t.Errorf("the outline of a minified file says neither what it holds nor why not: %+v, %v", o, err)
	}
}

func TestAHundredThousandFilesAreIndexedAndAsked(t *testing.T) {
	if testing.Short() {
		t.Skip("reads a hundred thousand files")
	}
	const count = 100_000
	m := tree(nil)
	for i := range count {
		m.write(fmt.Sprintf("d%03d/f%05d.py", i%500, i), fmt.Sprintf("def f%d():\n    return f%d()\n", i, (i+1)%count))
	}
	x := New(m, Options{})
	s := snapshot(t, x)
	sum, err := s.Summary(t.Context())
	if err != nil || sum.Functions != count {
		t.Fatalf("%d functions, %v", sum.Functions, err)
	}
	m.write("d000/f00000.py", "def f0():\n    pass\ndef fresh():\n    pass\n")
	read := x.Stats().FilesRead
	s = snapshot(t, x)
	if x.Stats().FilesRead != read+1 {
		t.Errorf("one change read %d files", x.Stats().FilesRead-read)
	}
	if f, err := s.Find(t.Context(), "fresh", Page{}); err != nil || len(f.Matches) != 1 {
		t.Errorf("the change is not seen: %v", err)
	}
}
