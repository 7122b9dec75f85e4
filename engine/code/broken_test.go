package code

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"helve/engine/code/internal/store"
)

// brokenBy changes a file of a tree and answers what that broke.
func brokenBy(t *testing.T, files map[string]string, path, text string) []string {
	t.Helper()
	m := tree(files)
	x := New(m, Options{})
	t.Cleanup(func() { x.Close() })
	before := snapshot(t, x).Checkpoint(t.Context(), path)
	m.write(path, text)
	var out []string
	found, err := before.Broken(t.Context(), snapshot(t, x))
	if err != nil {
		out = append(out, "not checked: "+err.Error())
	}
	for _, p := range found {
		out = append(out, p.String())
	}
	return out
}

var brokenTree = map[string]string{
	"go.mod":    "module example.com\n",
	"a/a.go":    "package a\n\nfunc Used(n int) int { return helper(n) }\n\nfunc helper(n int) int { return n }\n\ntype T struct{ F int }\n\nfunc (t T) M() {}\n",
	"b/b.go":    "package b\n\nimport \"example.com/a\"\n\nfunc B() { a.Used(1); a.T{}.M() }\n",
	"m.py":      "def used(a, b=1):\n    return a\n\nclass C:\n    def m(self, x):\n        return x\n",
	"n.py":      "from m import used, C\n\ndef f():\n    used(1)\n    C().m(1)\n",
	"lib.ts":    "export function used(a: string, b?: number) { return a }\nexport const left = 1\n",
	"main.ts":   "import { used, left } from './lib'\nexport function go() { return used('x') + left }\n",
	"plain.js":  "export function used(a) { return a }\n",
	"plain2.js": "import { used } from './plain'\nused(1)\n",
}

func TestAnEditIsToldWhatItBroke(t *testing.T) {
	for _, c := range []struct {
		name, path, text string
		want             []string
	}{
		{"a function that another package calls is gone", "a/a.go", "package a\n\ntype T struct{ F int }\n\nfunc (t T) M() {}\n",
			[]string{"b/b.go:5: Used is not defined any more"}},
		{"a helper of the same file is gone", "a/a.go", "package a\n\nfunc Used(n int) int { return helper(n) }\n\ntype T struct{ F int }\n\nfunc (t T) M() {}\n",
			[]string{"a/a.go:3: helper is not defined or imported any more"}},
		{"a method is gone", "a/a.go", "package a\n\nfunc Used(n int) int { return helper(n) }\n\nfunc helper(n int) int { return n }\n\ntype T struct{ F int }\n",
			[]string{"b/b.go:5: M is not defined any more"}},
		{"a parameter more", "a/a.go", "package a\n\nfunc Used(n, m int) int { return helper(n) }\n\nfunc helper(n int) int { return n }\n\ntype T struct{ F int }\n\nfunc (t T) M() {}\n",
			[]string{"b/b.go:5: Used is called with 1 arguments and takes 2"}},
		{"a new name that nothing has", "b/b.go", "package b\n\nimport \"example.com/a\"\n\nfunc B() { a.Used(1); a.T{}.M(); missing() }\n",
			[]string{"b/b.go:5: missing is not defined"}},
		{"an import of nothing", "b/b.go", "package b\n\nimport (\n\t\"example.com/a\"\n\t\"example.com/nothing\"\n)\n\nfunc B() { a.Used(nothing.N); a.T{}.M() }\n",
			[]string{"b/b.go:5: nothing is at the import example.com/nothing"}},
		{"an import is gone", "b/b.go", "package b\n\nfunc B() { a.Used(1); a.T{}.M() }\n",
			[]string{"b/b.go:3: a is not defined or imported any more"}},
		{"a bracket is not closed", "b/b.go", "package b\n\nimport \"example.com/a\"\n\nfunc B() { a.Used(1; a.T{}.M() }\n",
			[]string{"b/b.go:5: ( has no partner"}},
		{"a function of Python is gone", "m.py", "class C:\n    def m(self, x):\n        return x\n",
			[]string{"n.py:4: used is not defined any more"}},
		{"a method of Python takes more", "m.py", "def used(a, b=1):\n    return a\n\nclass C:\n    def m(self, x, y):\n        return x\n",
			[]string{"n.py:5: m is called with 1 arguments and takes 2"}},
		{"a relative import of nothing", "n.py", "from m import used, C\nfrom .nothing import x\n\ndef f():\n    used(1)\n    C().m(1)\n",
			[]string{"n.py:2: nothing is at the import .nothing"}},
		{"a function of TypeScript is gone", "lib.ts", "export const left = 1\n",
			[]string{"main.ts:2: used is not defined any more"}},
		{"a parameter that may not be left out", "lib.ts", "export function used(a: string, b: number) { return a }\nexport const left = 1\n",
			[]string{"main.ts:2: used is called with 1 arguments and takes 2"}},
		{"an import of TypeScript is gone", "main.ts", "import { left } from './lib'\nexport function go() { return used('x') + left }\n",
			[]string{"main.ts:2: used is not defined or imported any more"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := brokenBy(t, brokenTree, c.path, c.text); !slices.Equal(got, c.want) {
				t.Errorf("%s becomes\n%s\nbroken:\n%q\nwant\n%q", c.path, c.text, got, c.want)
			}
		})
	}
}

func TestAnEditThatBreaksNothingIsToldNothing(t *testing.T) {
	for _, c := range []struct{ name, path, text string }{
		{"a function moves within its package", "a/a.go", "package a\n\nfunc helper(m int) int { return m }\n\nfunc Used(n int) int { return helper(n) }\n\ntype T struct{ F int }\n\nfunc (t T) M() {}\n"},
		{"a parameter that may be left out", "m.py", "def used(a, b=1, c=2):\n    return a\n\nclass C:\n    def m(self, x, *more):\n        return x\n"},
		{"any number of arguments", "a/a.go", "package a\n\nfunc Used(n int, more ...int) int { return helper(n) }\n\nfunc helper(n int) int { return n }\n\ntype T struct{ F int }\n\nfunc (t T) M() {}\n"},
		{"a builtin, a local name and a label", "b/b.go", "package b\n\nimport \"example.com/a\"\n\nfunc B() {\n\ta.Used(1)\n\ta.T{}.M()\nloop:\n\tfor i := range 3 {\n\t\tprintln(i, len(\"x\"))\n\t\tbreak loop\n\t}\n}\n"},
		{"a definition becomes a re-export", "lib.ts", "export { used } from './plain'\nexport const left = 1\n"},
		{"a function of JavaScript takes more", "plain.js", "export function used(a, b) { return a }\n"},
		{"a call over several lines", "a/a.go", "package a\n\nfunc Used(n int, _ ...string) int { return helper(\n\tn,\n) }\n\nfunc helper(m int) int { return m }\n\ntype T struct{ F int }\n\nfunc (t T) M() {}\n"},
		{"an import of a style sheet", "main.ts", "import './main.css'\nimport { used, left } from './lib'\nexport function go() { return used('x') + left }\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{"c.go": "package c\n\nfunc C() { ((  }\n"}
			for path, text := range brokenTree {
				files[path] = text
			}
			if got := brokenBy(t, files, c.path, c.text); len(got) > 0 {
				t.Errorf("%s becomes\n%s\nbroken: %q", c.path, c.text, got)
			}
		})
	}
}

func TestWhatWasNotLookedAtIsSaid(t *testing.T) {
	var names strings.Builder
	for i := range maxChecked + 1 {
		fmt.Fprintf(&names, "func d%d() { d%d() }\n", i, i)
	}
	long := "package d\n" + names.String()
	for _, c := range []struct{ name, path, text, want string }{
		{"a file was broken before", "c.go", "package c\n\nfunc C() { ( }\n", "brackets did not close before"},
		{"more names than are looked at", "d.go", long, "the first 5000 were looked at"},
		{"a file that is too large", "d.go", "package d\n" + strings.Repeat("// more\n", 5<<20), "the file is not in the index"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{"c.go": "package c\n\nfunc C() { ((  }\n", "d.go": "package d\n"}
			got := brokenBy(t, files, c.path, c.text)
			if len(got) != 1 || !strings.HasPrefix(got[0], "not checked: ") || !strings.Contains(got[0], c.want) {
				t.Errorf("the answer is %q, want not checked: %s", got, c.want)
			}
		})
	}
}

// The work that a check may do is counted, whatever the time is; half of a look says nothing.
func TestACheckThatWouldTakeTooMuchWorkSaysSo(t *testing.T) {
	m := tree(brokenTree)
	x := New(m, Options{})
	t.Cleanup(func() { x.Close() })
	before := snapshot(t, x).Checkpoint(t.Context(), "lib.ts")
	m.write("lib.ts", "export const left = 1\n")
	b := before.look(t.Context(), snapshot(t, x))
	b.now.Clock.Most = 1
	b.now.Clock.Over(store.LookEvery)
	if found, err := b.all(t.Context()); err == nil || len(found) > 0 {
		t.Errorf("with no work left: %v, %v; want nothing, and why", found, err)
	}
}

func TestOnlySoManyFilesAreReadForWhoWaits(t *testing.T) {
	m := tree(brokenTree)
	x := New(m, Options{})
	t.Cleanup(func() { x.Close() })
	if _, err := x.SnapshotWithin(t.Context(), 1); !errors.Is(err, ErrBuilding) {
		t.Errorf("of an index that nobody asked yet: %v, want %v", err, ErrBuilding)
	}
	snapshot(t, x)
	m.write("lib.ts", "export const left = 1\n")
	if _, err := x.SnapshotWithin(t.Context(), 1); err != nil {
		t.Errorf("one file changed: %v", err)
	}
	m.write("lib.ts", "export const left = 2\n")
	m.write("m.py", "x = 1\n")
	if _, err := x.SnapshotWithin(t.Context(), 1); !errors.Is(err, ErrBuilding) {
		t.Errorf("two files changed: %v, want %v", err, ErrBuilding)
	}
}
