package store

import (
	"fmt"
	"strings"
	"testing"
)

// namesakeTexts are files whose definitions share names: overloads, declarations with and without a body, types beside
// functions, types of one name twice, and methods that stand outside of their types.
var namesakeTexts = texts{
	"a.cc": "void f(int);\nvoid f(int) {}\nvoid f(long);\nvoid f(char);\nstruct A { void f(); void f() const; int f; };\nvoid A::f() {}\n" +
		"namespace n { struct A { void f() {} void f(int) {} }; }\nstruct f { };\nint g();\nint g();\n",
	"A.java": "class A { void f() {} void f(int a) {} class B { void f() {} } }\nclass A { void f() {} int f; class B { void f() {} } }\n",
	"a.ts":   "export function f(a: number): void\nexport function f(a: string): void\nexport function f(a: any) {}\nclass f { f() {} f() {} }\ninterface f { f(): void; f(): void }\n",
	"a.py":   "def f(): pass\ndef f(): pass\nclass A:\n  def f(self): pass\n  def f(self):\n    def f(): pass\n    def f(): pass\n",
	"a.go":   "package a\nfunc f() {}\nfunc f() {}\ntype T struct{}\nfunc (T) f() {}\nfunc (*T) f() {}\ntype f int\n",
}

func TestOrdinalsOfAllDefinitionsAreThoseOfEach(t *testing.T) {
	s := read(t, namesakeTexts, Options{})
	for path := range namesakeTexts {
		n := s.Number(path)
		defs, all := s.DefsOf(n), s.ordinalsOf(n)
		later := 0
		for i := range defs {
			y := DefID{n, int32(i)}
			if !numberable(&defs[i]) {
				continue
			}
			if got, want := int(all[i]), s.compared(y, defs); got != want {
				t.Errorf("%s: %s in line %d: %d, want %d", path, s.Qualified(y), defs[i].Line, got, want)
			}
			if all[i] > 1 {
				later++
			}
		}
		if later == 0 {
			t.Errorf("%s: no definition shares its name with an earlier one", path)
		}
	}
}

// TestAnOverloadOfALargeFileIsFoundByItsNumber: it is one of more definitions than are compared with each other.
func TestAnOverloadOfALargeFileIsFoundByItsNumber(t *testing.T) {
	var b strings.Builder
	for i := range maxCompared {
		fmt.Fprintf(&b, "class A%d { void f() {} void f(int a) {} }\n", i)
	}
	s := read(t, texts{"A.java": b.String()}, Options{})
	for _, want := range []string{"A.java#A0.f~2", fmt.Sprintf("A.java#A%d.f~2", maxCompared-1)} {
		list := s.Candidates(want)
		if len(list) != 1 || s.Symbol(list[0].DefID).ID != want {
			t.Errorf("%s: %v", want, list)
		}
	}
}
