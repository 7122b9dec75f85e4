package code

import (
	"fmt"
	"strings"
	"testing"
)

func TestTheMostUsedDefinitionOfANameComesFirst(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"a.py":         "def load(): pass\nload()\n",
		"b/deep.py":    "def load(): pass\n",
		"c/d/e.py":     "def load(): pass\n",
		"use.py":       "from c.d.e import load\ndef one(): load()\ndef two(): load()\n",
		"vendor/x.py":  "def load(): pass\n" + strings.Repeat("load()\n", 9),
		"ruby/load.rb": "def load; end\n",
	})
	m, err := s.Find(t.Context(), "load", Page{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range m.Matches {
		got = append(got, x.Path)
	}
	want := "c/d/e.py a.py b/deep.py ruby/load.rb vendor/x.py"
	if have := strings.Join(got, " "); have != want {
		t.Errorf("load: %s, want %s", have, want)
	}
	e, err := s.Dependents(t.Context(), "load", Page{})
	if err != nil || e.Of.Path != "c/d/e.py" || len(e.Edges) != 2 {
		t.Errorf("dependents are those of %s: %v, %v", e.Of.ID, arrows(e), err)
	}
}

// TestTheCommonestNamesAreRankedByUseToo: of a name that thousands of files mention, some of them say which definition is meant.
func TestTheCommonestNamesAreRankedByUseToo(t *testing.T) {
	files := map[string]string{
		"load.py":        "def load(): pass\n",
		"a/b/c/store.py": "def load(): pass\n",
	}
	for i := range 5000 {
		from := "a.b.c.store"
		if i%4 == 0 {
			from = "load"
		}
		files[fmt.Sprintf("use%d.py", i)] = "from " + from + " import load\nload()\n"
	}
	s, _ := open1(t, files)
	m, err := s.Find(t.Context(), "load", Page{})
	if err != nil || len(m.Matches) != 2 || m.Matches[0].Path != "a/b/c/store.py" {
		t.Errorf("%v, %+v", err, m.Matches)
	}
}

// TestEveryOverloadHasAnID: the text of each can be asked for, and no two answers have one ID.
func TestEveryOverloadHasAnID(t *testing.T) {
	body := "void f(int a) { one(); }\n void f(String b) { two(); }\n void f() { three(); }\n"
	for path, text := range map[string]string{
		"A.java":  "class A {\n " + body + "}\n",
		"A.cs":    "class A {\n " + body + "}\n",
		"a.cc":    "class A {\n " + body + "};\n",
		"a.kt":    "class A {\n fun f(a: Int) { one() }\n fun f(b: String) { two() }\n fun f() { three() }\n}\n",
		"a.py":    "class A:\n  def f(self, a): one()\n  def f(self): two()\n  def f(self, *b): three()\n",
		"a.swift": "class A {\n func f(a: Int) { one() }\n func f(b: String) { two() }\n func f() { three() }\n}\n",
	} {
		s, _ := open1(t, map[string]string{path: text})
		m, err := s.Find(t.Context(), "A.f", Page{})
		if err != nil || len(m.Matches) != 3 {
			t.Fatalf("%s: %d definitions of A.f, %v", path, len(m.Matches), err)
		}
		for i, called := range []string{"one()", "two()", "three()"} {
			id := path + "#A.f"
			if i > 0 {
				id = fmt.Sprintf("%s~%d", id, i+1)
			}
			if m.Matches[i].ID != id {
				t.Errorf("%s: number %d is %s, want %s", path, i+1, m.Matches[i].ID, id)
			}
			e, err := s.FunctionSource(t.Context(), id, "", 0)
			if err != nil || !strings.Contains(e.Text, called) {
				t.Errorf("%s: its text is %q, %v", id, e.Text, err)
			}
		}
		if e, err := s.FunctionSource(t.Context(), path+"#A.f~1", "", 0); err != nil || !strings.Contains(e.Text, "one()") {
			t.Errorf("%s: the first by number is %q, %v", path, e.Text, err)
		}
		if _, err := s.FunctionSource(t.Context(), path+"#A.f~4", "", 0); err == nil {
			t.Errorf("%s: there is a fourth", path)
		}
	}
}

// TestADeclarationAndItsBodyHaveOneID: a prototype is no overload.
func TestADeclarationAndItsBodyHaveOneID(t *testing.T) {
	for path, text := range map[string]string{
		"a.c":  "static int f(int x);\nint g(void) { return f(1); }\nstatic int f(int x) { return x; }\n",
		"a.ts": "function f(a: string): void;\nfunction f(a: any) { g(a) }\nfunction g(a: any) {}\n",
	} {
		s, _ := open1(t, map[string]string{path: text})
		m, err := s.Find(t.Context(), "f", Page{})
		if err != nil || len(m.Matches) == 0 {
			t.Fatal(m, err)
		}
		for _, x := range m.Matches {
			if x.ID != path+"#f" {
				t.Errorf("%s: %s", path, x.ID)
			}
		}
	}
}

func TestADestructorIsNoOverload(t *testing.T) {
	s, _ := open1(t, map[string]string{"a.cc": "class Box { public: ~Box() { done(); } };\nvoid done() {}\n"})
	wantUsers(t, s, "done", "a.cc#Box.~Box call exact")
	wantUses(t, s, "a.cc#Box.~Box", "a.cc#done call exact")
}
