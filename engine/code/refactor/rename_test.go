package refactor

import (
	"errors"
	"strings"
	"testing"
)

// renamed renames in a tree and answers the files after it.
func renamed(t *testing.T, files map[string]string, name, to string) (map[string]string, *Changes, error) {
	t.Helper()
	s, _ := open1(t, files)
	c, err := Rename(t.Context(), s, name, to)
	if err != nil {
		return nil, nil, err
	}
	out := map[string]string{}
	for i := range c.Files {
		out[c.Files[i].Path] = string(c.Files[i].After())
	}
	return out, c, nil
}

func TestARenameFollowsImportsAndLeavesTheRest(t *testing.T) {
	for _, c := range []struct {
		name, of, to string
		files, want  map[string]string
	}{
		{"an embedded type is a field, too", "a.go#T", "U",
			map[string]string{"go.mod": "module x\n", "a.go": "package a\n\ntype T struct{ n int }\n\ntype S struct{ *T }\n\nfunc (t *T) m() int { return S{T: t}.T.n }\n"},
			map[string]string{"a.go": "package a\n\ntype U struct{ n int }\n\ntype S struct{ *U }\n\nfunc (t *U) m() int { return S{U: t}.U.n }\n"}},
		{"an interface's method with those that implement it", "a.go#I.Do", "Run",
			map[string]string{"go.mod": "module x\n", "a.go": "package a\n\ntype I interface{ Do() }\n\ntype T struct{}\n\nfunc (T) Do() {}\n\nfunc f(i I) { i.Do(); T{}.Do() }\n"},
			map[string]string{"a.go": "package a\n\ntype I interface{ Run() }\n\ntype T struct{}\n\nfunc (T) Run() {}\n\nfunc f(i I) { i.Run(); T{}.Run() }\n"}},
		{"local names, labels and strings stay", "a.go#get", "load",
			map[string]string{"go.mod": "module x\n", "a.go": "package a\n\n// get gets.\nfunc get() string {\n\treturn \"get\"\n}\n\nfunc f() {\nget:\n\tfor {\n\t\tget := get()\n\t\t_ = get\n\t\tbreak get\n\t}\n}\n"},
			map[string]string{"a.go": "package a\n\n// get gets.\nfunc load() string {\n\treturn \"get\"\n}\n\nfunc f() {\nget:\n\tfor {\n\t\tget := load()\n\t\t_ = get\n\t\tbreak get\n\t}\n}\n"}},
		{"a package that its path names otherwise", "zz/a.go#Shown", "Other",
			map[string]string{"go.mod": "module example.com/x\n", "zz/a.go": "package a\n\nfunc Shown() {}\n",
				"b/b.go": "package b\n\nimport \"example.com/x/zz\"\n\nfunc f() { a.Shown() }\n"},
			map[string]string{"zz/a.go": "package a\n\nfunc Other() {}\n", "b/b.go": "package b\n\nimport \"example.com/x/zz\"\n\nfunc f() { a.Other() }\n"}},
		{"imports of Python", "m.py#used", "taken",
			map[string]string{"m.py": "def used():\n    return 1\n", "n.py": "from m import used as u, used\nimport m\n\nprint(u(), used(), m.used(), other.used)\n"},
			map[string]string{"m.py": "def taken():\n    return 1\n", "n.py": "from m import taken as u, taken\nimport m\n\nprint(u(), taken(), m.taken(), other.used)\n"}},
		{"imports, re-exports and shorthands of TypeScript", "lib.ts#used", "taken",
			map[string]string{"lib.ts": "export function used() { return 1 }\n", "index.ts": "export { used } from './lib'\n",
				"main.ts": "import { used } from './index'\nimport * as lib from './lib'\nexport const o = { used, x: lib.used() }\n"},
			map[string]string{"lib.ts": "export function taken() { return 1 }\n", "index.ts": "export { taken } from './lib'\n",
				"main.ts": "import { taken } from './index'\nimport * as lib from './lib'\nexport const o = { used: taken, x: lib.taken() }\n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _, err := renamed(t, c.files, c.of, c.to)
			if err != nil {
				t.Fatal(err)
			}
			for path, want := range c.want {
				if got[path] != want {
					t.Errorf("%s:\n%s\nwant\n%s", path, got[path], want)
				}
			}
			if len(got) != len(c.want) {
				t.Errorf("%d files are edited, want %d", len(got), len(c.want))
			}
		})
	}
}

func TestARenameThatIsNotSureIsRefused(t *testing.T) {
	goFiles := map[string]string{
		"go.mod": "module x\n",
		"a.go": "package a\n\nimport \"fmt\"\n\ntype T struct{ Name string }\n\ntype U struct{ Name string }\n\nfunc (t T) String() string { return t.Name }\n\n" +
			"func f(list ...any) { for _, x := range list { fmt.Println(g(x).Name) } }\n\nfunc g(x any) (y T) { return }\n\nvar taken, other int\n\nfunc h() { taken := 1; _ = other + taken }\n" +
			"\ntype I interface{ Do() }\n\nfunc (U) Do() {}\n\nfunc pick[P any](p P) P { return p }\n\nfunc k() { _ = pick(T{}).Name }\n",
	}
	pyFiles := map[string]string{
		"m.py": "__all__ = [\"listed\"]\n\ndef listed():\n    pass\n\ndef shown():\n    return f\"{shown()}\"\n\nclass C:\n    def m(self):\n        pass\n\ndef f(x):\n    x.m()\n",
	}
	tsFiles := map[string]string{
		"a.ts":   "export interface P { size: number }\nexport function f(p: P) { const { size } = p; return size }\nexport const q = { size: 1 }\n",
		"b.js":   "function script() {}\n",
		"iso.ts": "export function day() { return 1 }\nexport function hour() { return 1 }\n",
		"n.ts":   "export interface I { a: number }\nexport class D implements I { a = 1; stop() {} }\nexport function g(i: I) { if (i instanceof D) i.stop() }\n",
		"c.ts":   "import * as iso from './iso'\nconst z = { iso: iso }\nexport const d = z.iso.day()\nconst y = { ...iso }\nexport const h = y.hour()\n",
	}
	jsFiles := map[string]string{
		"t.mjs": "/** @typedef {{wide: number}} Gate */\n/** @param {Gate} g */\nexport function f(g) { return g.wide }\n",
	}
	for _, c := range []struct {
		files         map[string]string
		name, to, why string
	}{
		{jsFiles, "t.mjs#Gate", "Door", "defined in a comment"},
		{jsFiles, "t.mjs#Gate.wide", "width", "defined in a comment"},
		{goFiles, "a.go#T.Name", "Title", "not sure to mean"},
		{goFiles, "a.go#T.String", "Text", "fmt.Stringer"},
		{goFiles, "a.go#other", "taken", "would clash"},
		{goFiles, "a.go#other", "f", "would clash"},
		{goFiles, "a.go#other", "fmt", "would clash"},
		{goFiles, "a.go#other", "range", "word of the language"},
		{goFiles, "a.go#other", "len", "name of Go's own"},
		{goFiles, "a.go#other", "two words", "is no name"},
		{goFiles, "a.go#other", "", "is no name"},
		{goFiles, "a.go#U.Do", "Run", "may implement an interface"},
		{goFiles, "Name", "Title", "means 2 definitions"},
		{pyFiles, "m.py#listed", "found", "string or comment that counts as code"},
		{pyFiles, "m.py#shown", "found", "string or comment that counts as code"},
		{pyFiles, "m.py#C.m", "n", "not sure to mean"},
		{tsFiles, "a.ts#P.size", "length", "not sure to mean"},
		{tsFiles, "n.ts#D.stop", "end", "nothing is known of the value"},
		{tsFiles, "b.js#script", "run", "is no module"},
		{tsFiles, "iso.ts#day", "date", "not sure to mean"},
		{tsFiles, "iso.ts#hour", "time", "not sure to mean"},
	} {
		_, changes, err := renamed(t, c.files, c.name, c.to)
		refusal, ok := errors.AsType[*RefusedError](err)
		if !ok {
			t.Errorf("rename %s to %q: %v, %v, want a refusal", c.name, c.to, changes, err)
			continue
		}
		if !strings.Contains(refusal.Error(), c.why) {
			t.Errorf("rename %s to %q: %v, want %q in it", c.name, c.to, refusal, c.why)
		}
	}
}

func TestARenameSeesThatAFileChangedMeanwhile(t *testing.T) {
	s, m := open1(t, map[string]string{"go.mod": "module x\n", "a.go": "package a\n\nfunc f() {}\n", "b.go": "package a\n\nfunc g() { f() }\n"})
	m.write("b.go", "package a\n\nfunc g() { f(); f() }\n")
	_, err := Rename(t.Context(), s, "f", "h")
	if err == nil || !strings.Contains(err.Error(), "b.go changed meanwhile") {
		t.Errorf("%v, want that b.go changed meanwhile", err)
	}
}

func TestANameInTwoProjectsOfOneTreeIsRenamedInOne(t *testing.T) {
	files := map[string]string{}
	for _, dir := range []string{"one", "two"} {
		files[dir+"/go.mod"] = "module example.com/app\n"
		files[dir+"/lib/lib.go"] = "package lib\n\nfunc Do() {}\n"
		files[dir+"/main.go"] = "package main\n\nimport \"example.com/app/lib\"\n\nfunc main() { lib.Do() }\n"
	}
	got, _, err := renamed(t, files, "one/lib/lib.go#Do", "Run")
	if err != nil {
		t.Fatal(err)
	}
	for path := range got {
		if !strings.HasPrefix(path, "one/") {
			t.Errorf("%s is edited, too", path)
		}
	}
	if len(got) != 2 {
		t.Errorf("%d files are edited, want 2", len(got))
	}
}

func TestANewNameHasToBeOneOfTheLanguage(t *testing.T) {
	files := map[string]string{
		"go.mod": "module x\n",
		"a.go":   "package a\n\nfunc Shown() {}\n",
		"b/b.go": "package b\n\nimport \"x\"\n\nfunc f() { a.Shown() }\n",
		"m.py":   "def shown(): pass\ndef taken(): pass\n",
		"s.ts":   "export function shown() {}\nexport class C { a = 1; taken() {} }\n",
	}
	for _, c := range []struct{ name, to, why string }{
		{"a.go#Shown", "type", "word of the language"},
		{"a.go#Shown", "1st", "is no name"},
		{"a.go#Shown", "x.Shown", "is no name"},
		{"a.go#Shown", "shown\nfunc init() {}", "is no name"},
		{"a.go#Shown", "shown", "another package uses it"},
		{"a.go#Shown", "Shown", "has that name already"},
		{"m.py#shown", "lambda", "word of the language"},
		{"m.py#shown", "None", "word of the language"},
		{"m.py#shown", "__shown", "changed by Python"},
		{"m.py#shown", "taken", "would clash"},
		{"s.ts#shown", "await", "word of the language"},
		{"s.ts#shown", "a-b", "is no name"},
		{"s.ts#shown", "C", "would clash"},
		{"s.ts#C.a", "taken", "would clash"},
	} {
		_, _, err := renamed(t, files, c.name, c.to)
		wantRefused(t, c.name+" to "+c.to, err, c.why)
	}
}

func TestWhatOthersMayImportIsSaid(t *testing.T) {
	files := map[string]string{
		"go.mod":           "module x\n",
		"a.go":             "package a\n\nfunc Shown() {}\n\nfunc hidden() {}\n",
		"internal/i.go":    "package i\n\nfunc Shown() {}\n",
		"lib/package.json": "{\"name\": \"lib\"}",
		"lib/src/s.ts":     "export function shown() {}\nfunction hidden() {}\nexport {}\n",
		"app/package.json": "{\"private\": true}",
		"app/s.ts":         "export function shown() {}\n",
		"py/setup.py":      "",
		"py/m.py":          "def shown(): pass\ndef _hidden(): pass\n",
		"alone.py":         "def shown(): pass\n",
	}
	for name, public := range map[string]bool{
		"a.go#Shown": true, "a.go#hidden": false, "internal/i.go#Shown": false,
		"lib/src/s.ts#shown": true, "lib/src/s.ts#hidden": false, "app/s.ts#shown": false,
		"py/m.py#shown": true, "py/m.py#_hidden": false, "alone.py#shown": false,
	} {
		to := "other"
		if strings.HasSuffix(name, "Shown") {
			to = "Other"
		}
		_, c, err := renamed(t, files, name, to)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if said := strings.Contains(strings.Join(c.Notes, "\n"), "it is exported"); said != public {
			t.Errorf("%s: notes %q, want that it is exported: %v", name, c.Notes, public)
		}
	}
}

// TestARenameIsRefusedWhereAFileIsTooLargeToRead: the name may stand in it.
func TestARenameIsRefusedWhereAFileIsTooLargeToRead(t *testing.T) {
	for path, want := range map[string]bool{"gen.go": true, "gen.ts": false} {
		g := &memory{
			files: map[string]string{"a.go": "package a\n\nfunc Old() {}\n", path: ""},
			large: map[string]int64{path: 50 << 20},
		}
		_, err := Rename(t.Context(), snapshot(t, g, nil), "Old", "New")
		if got := err != nil && strings.Contains(err.Error(), "gen.go:1: the file was not read: larger than 32 MB"); got != want {
			t.Errorf("%s: refused %v, want %v: %v", path, got, want, err)
		}
	}
}
