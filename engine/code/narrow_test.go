package code

import (
	"fmt"
	"testing"

	"helve/engine/code/internal/meaning"
)

// TestAReceiversNameTellsItsType: where nothing says of which type a value is, what it is called does.
func TestAReceiversNameTellsItsType(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"js/module.js": "class Module { identify() {} }\nclass DeepModule extends Module { identify() {} }\n",
		"js/chunk.js":  "class Chunk { identify() {} }\nclass ChunkGroup { identify() {} }\n",
		"js/use.js": "function one(module) { module.identify() }\nfunction two(deepModule) { deepModule.identify() }\n" +
			"function three(rootModule) { rootModule.identify() }\nfunction four(mod) { mod.identify() }\nfunction five(a) { a.identify() }\n",
		"py/field.py": "class Field:\n    def check(self): pass\n    def same(self, other):\n        other.check()\n",
		"py/query.py": "class Query:\n    def check(self): pass\n    def same(self, other):\n        other.check()\n",
		"py/use.py":   "def one(ogr_field):\n    ogr_field.check()\ndef two(queries):\n    queries[0].check()\ndef three(x):\n    x.get_query().check()\n",
		"php/a.php":   "<?php class Node { function walk() {} }\n",
		"php/b.php":   "<?php class Lexer { function walk() {} }\nfunction one($node) { $node->walk(); }\nclass Reader { private $lexer; function two() { $this->lexer->walk(); } }\n",
		"cc/a.cc":     "struct RE2 { void Match2(); };\nvoid RE2::Match2() {}\n",
		"cc/b.cc":     "struct Prog { void Match2(); };\nvoid Prog::Match2() {}\nvoid one(Missing& re) { re.Match2(); }\nvoid f() { auto prog = Missing(); prog.Match2(); }\n",
	})
	wantUsers(t, s, "js/module.js#Module.identify", "js/module.js#DeepModule.identify overrides exact", "js/use.js#one call ambiguous(4)",
		"js/use.js#two call ambiguous(4)", "js/use.js#three call ambiguous(4)", "js/use.js#four call ambiguous(4)", "js/use.js#five call ambiguous(4)")
	wantUsers(t, s, "js/chunk.js#Chunk.identify", "js/use.js#five call ambiguous(4)")
	wantUsers(t, s, "py/field.py#Field.check", "py/field.py#Field.same call ambiguous(2)", "py/use.py#one call ambiguous(2)")
	wantUsers(t, s, "py/query.py#Query.check", "py/query.py#Query.same call ambiguous(2)", "py/use.py#two call ambiguous(2)", "py/use.py#three call ambiguous(2)")
	wantUsers(t, s, "Node.walk", "php/b.php#one call ambiguous(2)")
	wantUsers(t, s, "Lexer.walk", "php/b.php#Reader.two call ambiguous(2)")
	e, err := s.Dependents(t.Context(), "js/chunk.js#Chunk.identify", Page{})
	if err != nil || e.Unresolved != 4 {
		t.Errorf("%d calls that likely mean something else, %v: want 4", e.Unresolved, err)
	}
}

// many are classes of JavaScript in files of their own, with a method and a field of the same names.
func many(n int) map[string]string {
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf("%c.ts", 'a'+i)] = fmt.Sprintf("export class Kind%c { turn() {}\n  size2: number }\n", 'A'+i)
	}
	return files
}

// TestWhatMayBeAnythingIsCountedAndNotListed: of many unrelated methods, and of fields where they have types, no list is made.
func TestWhatMayBeAnythingIsCountedAndNotListed(t *testing.T) {
	files := many(meaning.MaxRoots)
	files["use.ts"] = "export function use(x) { x.turn() }\nexport function read(x) { return x.size2 }\n"
	s, m := open1(t, files)
	wantUsers(t, s, "KindA.turn", "use.ts#use call ambiguous(4)")
	wantUsers(t, s, "KindA.size2")
	m.write("z.ts", "export class KindZ { turn() {} }\n")
	s = snapshot(t, New(m, Options{}))
	for _, name := range []string{"KindA.turn", "KindA.size2"} {
		e, err := s.Dependents(t.Context(), name, Page{})
		if err != nil || len(e.Edges) > 0 || e.Unresolved != 1 {
			t.Errorf("%s: %v, %d unresolved, %v: want no edge, and one that is counted", name, arrows(e), e.Unresolved, err)
		}
	}
}

// TestAFileMeansTheTypesThatItNames: where the receiver's name says nothing, types that the file names are likelier.
func TestAFileMeansTheTypesThatItNames(t *testing.T) {
	files := many(meaning.MaxRoots + 1)
	files["use.ts"] = "import { KindB } from './b'\nexport function use(x, y: KindB) { x.turn() }\n"
	s, _ := open1(t, files)
	wantUsers(t, s, "KindB.turn", "use.ts#use call ambiguous(5)")
	wantUsers(t, s, "KindA.turn")
}

// TestWhatElseAReceiverIsAskedForTellsItsType: only types that have all of it remain.
func TestWhatElseAReceiverIsAskedForTellsItsType(t *testing.T) {
	files := many(meaning.MaxRoots + 1)
	files["b.ts"] = "export class KindB { turn() {}\n  lock() {} }\n"
	files["y.ts"] = "export class Other { lock() {} }\n"
	files["use.ts"] = "export function use(x1) { x1.turn(); x1.lock() }\n"
	s, _ := open1(t, files)
	wantUsers(t, s, "KindB.turn", "use.ts#use call ambiguous(5)")
	wantUsers(t, s, "KindA.turn")
}

// TestOverridersAreOneMeaning: however many there are, a call of one may run any.
func TestOverridersAreOneMeaning(t *testing.T) {
	files := map[string]string{"base.py": "class Base:\n    def handle(self): pass\n", "use.py": "def use(x):\n    x.handle()\n"}
	for i := range meaning.MaxRoots + 2 {
		files[fmt.Sprintf("c%d.py", i)] = fmt.Sprintf("from base import Base\nclass Command%d(Base):\n    def handle(self): pass\n", i)
	}
	s, _ := open1(t, files)
	wantUsers(t, s, "Command3.handle", "use.py#use call ambiguous(7)")
}

// TestAFieldOfABaseIsThatOfItsSubtypes: in languages without types, what several classes of a family assign is one field.
func TestAFieldOfABaseIsThatOfItsSubtypes(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"base.py": "class Base:\n    ptr = None\n",
		"geom.py": "from base import Base\nclass Geom(Base):\n    def __init__(self): self.ptr = 1\n",
		"band.py": "from base import Base\nclass Band(Base):\n    def __init__(self): self.ptr = 2\n",
		"tree.py": "class Tree:\n    def __init__(self): self.ptr = 2\n",
		"use.py":  "def use(geom):\n    return geom.ptr\n",
	})
	for name, want := range map[string]int{"Geom.ptr": 1, "Band.ptr": 1, "Base.ptr": 1, "Tree.ptr": 0} {
		e, err := s.Dependents(t.Context(), name, Page{})
		n := 0
		for _, x := range e.Edges {
			if x.ID == "use.py#use" {
				n++
			}
		}
		if err != nil || n != want {
			t.Errorf("%s: %v, %v: want %d of use", name, arrows(e), err, want)
		}
	}
}
