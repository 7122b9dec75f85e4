package code

import (
	"fmt"
	"strings"
	"testing"

	"helve/engine/code/internal/store"
)

// namesakeTexts are files whose definitions share names: overloads, declarations with and without a body, types beside
// functions, types of one name twice, and methods that stand outside of their types.
var namesakeTexts = map[string]string{
	"a.cc": "void f(int);\nvoid f(int) {}\nvoid f(long);\nvoid f(char);\nstruct A { void f(); void f() const; int f; };\nvoid A::f() {}\n" +
		"namespace n { struct A { void f() {} void f(int) {} }; }\nstruct f { };\nint g();\nint g();\n",
	"A.java": "class A { void f() {} void f(int a) {} class B { void f() {} } }\nclass A { void f() {} int f; class B { void f() {} } }\n",
	"a.ts":   "export function f(a: number): void\nexport function f(a: string): void\nexport function f(a: any) {}\nclass f { f() {} f() {} }\ninterface f { f(): void; f(): void }\n",
	"a.py":   "def f(): pass\ndef f(): pass\nclass A:\n  def f(self): pass\n  def f(self):\n    def f(): pass\n    def f(): pass\n",
	"a.go":   "package a\nfunc f() {}\nfunc f() {}\ntype T struct{}\nfunc (T) f() {}\nfunc (*T) f() {}\ntype f int\n",
}

func TestOrdinalsOfAllDefinitionsAreThoseOfEach(t *testing.T) {
	s, _ := open1(t, namesakeTexts)
	for path := range namesakeTexts {
		n := s.tree.Number(path)
		defs, all := s.tree.DefsOf(n), s.tree.OrdinalsOf(n)
		later := 0
		for i := range defs {
			y := store.At(n, int32(i))
			if !store.Numberable(&defs[i]) {
				continue
			}
			if got, want := int(all[i]), s.tree.Compared(y, defs); got != want {
				t.Errorf("%s: %s in line %d: %d, want %d", path, s.tree.Qualified(y), defs[i].Line, got, want)
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
	for i := range store.MaxCompared {
		fmt.Fprintf(&b, "class A%d { void f() {} void f(int a) {} }\n", i)
	}
	s, _ := open1(t, map[string]string{"A.java": b.String()})
	for _, want := range []string{"A.java#A0.f~2", fmt.Sprintf("A.java#A%d.f~2", store.MaxCompared-1)} {
		m, err := s.Find(t.Context(), want, Page{})
		if err != nil || len(m.Matches) != 1 || m.Matches[0].ID != want {
			t.Errorf("%s: %v, %v", want, m.Matches, err)
		}
	}
}
