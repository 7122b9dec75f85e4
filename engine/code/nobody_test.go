package code

import (
	"slices"
	"testing"
)

// scored are further definitions of which an answer said that nothing uses them: in etcd, Django and Doctrine.
var scored = []usedBy{
	{"a key of a map of a basic type", "a.go#Red", map[string]string{
		"a.go": "package a\nconst Red = 1\nvar names = map[int]string{Red: \"red\"}\n",
	}, []string{"a.go#names"}},
	{"a key of a map in a map", "a.go#Red", map[string]string{
		"a.go": "package a\nconst Red = 1\nvar names = map[string]map[int]bool{\"x\": {Red: true}}\n",
	}, []string{"a.go#names"}},
	{"an index of an array", "a.go#Red", map[string]string{
		"a.go": "package a\nconst Red = 1\nvar names = [...]string{Red: \"red\"}\n",
	}, []string{"a.go#names"}},
	{"a key of a map with a name", "b/b.go#Red", map[string]string{
		"go.mod": "module m\n",
		"a/a.go": "package a\ntype Set map[int]bool\n",
		"b/b.go": "package b\nimport \"m/a\"\nconst Red = 1\nvar set = a.Set{Red: true}\nvar sets = []a.Set{{Red: true}}\n",
	}, []string{"b/b.go#set", "b/b.go#sets"}},
	{"a field of an element of a list with a name", "T.X", map[string]string{
		"a.go": "package a\ntype T struct{ X int }\ntype List []T\nvar X = 1\nvar list = List{{X: 1}}\n",
	}, []string{"a.go#list"}},
	{"what a test exports for a test of another package", "a/export_test.go#Hidden", map[string]string{
		"go.mod":           "module m\n",
		"a/a.go":           "package a\nfunc hidden() {}\n",
		"a/export_test.go": "package a\nvar Hidden = hidden\n",
		"a/a_test.go":      "package a_test\nimport \"m/a\"\nfunc use() { a.Hidden() }\n",
	}, []string{"a/a_test.go#use"}},
	{"a static property", "A.hints", map[string]string{
		"a.php": "<?php class A { private static $hints = []; function go() { return self::$hints; } }\nfunction f() { return A::$hints; }\n",
	}, []string{"a.php#A.go", "a.php#f"}},
	{"a property called class", "A.class", map[string]string{
		"a.php": "<?php class A { public $class; function go() { return $this->class; } }\n",
	}, []string{"a.php#A.go"}},
	{"a method that a pair names", "A.made", map[string]string{
		"a.php": "<?php class A { function made() {} function go() { return array_map([$this, 'made'], []); } }\n" +
			"function f() { call_user_func(array(A::class, \"made\")); }\n",
	}, []string{"a.php#A.go", "a.php#f"}},
	{"a package whose name a module inside of it has", "setup", map[string]string{
		"web/__init__.py":          "def setup(): pass\n",
		"web/backends/web.py":      "",
		"web/backends/__init__.py": "",
		"web/run.py":               "import web\ndef run():\n    web.setup()\n",
	}, []string{"web/run.py#run"}},
	{"what is imported behind a raise", "client.py#Client", map[string]string{
		"client.py": "class Client: pass\n",
		"base.py":   "if old:\n    raise Error()\n\nfrom client import Client\nclass Base:\n    client_class = Client\n",
	}, []string{"base.py#Base"}},
	{"what a function imports under the name of what it stands in", "engine.py#Jinja", map[string]string{
		"engine.py": "class Jinja: pass\n",
		"render.py": "class Jinja:\n    def backend(self):\n        from engine import Jinja\n        return Jinja\n",
	}, []string{"render.py#Jinja.backend"}},
	{"what a function requires under the name of what it stands beside", "engine.js#load", map[string]string{
		"engine.js": "exports.load = function load() {}\n",
		"use.js":    "function load() {\n  const { load } = require('./engine')\n  return load()\n}\n",
	}, []string{"use.js#load"}},
	{"the second of two imports of one name", "compat.py#parse", map[string]string{
		"compat.py": "def parse(): pass\n",
		"use.py":    "from urllib.parse import parse\nif old:\n    from compat import parse\ndef use():\n    return parse()\n",
	}, []string{"use.py#use"}},
	{"both of two imports of one name", "slow.py#parse", map[string]string{
		"fast.py": "def parse(): pass\n",
		"slow.py": "def parse(): pass\n",
		"use.py":  "try:\n    from fast import parse\nexcept ImportError:\n    from slow import parse\ndef use():\n    return parse()\n",
	}, []string{"use.py#use"}},
	{"a class that super names", "a.py#A", map[string]string{
		"a.py": "class A:\n    def copy(self, other):\n        return super(A, other).copy()\n",
	}, []string{"a.py#A.copy"}},
	{"a variable that a function says is global", "a.py#counter", map[string]string{
		"a.py": "counter = 0\ndef count():\n    global counter\n    counter = 1\n    return str(counter)\n",
	}, []string{"a.py#count"}},
}

// TestACallThatMayRunAMemberIsCounted: through a base that is not in the tree, through a field that another stands in for, or on
// what a function of elsewhere gives back.
func TestACallThatMayRunAMemberIsCounted(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"a.php": "<?php namespace A; use Else\\Meta; class Info implements Meta { function wake() {} }\nfunction f(Meta $m) { $m->wake(); }\n",
		"b.py":  "import else_\nclass Info(else_.Meta):\n    def stir(self): pass\ndef f(m: else_.Meta):\n    m.stir()\n",
		"c.py":  "class Store:\n    place = 1\n    def go(self):\n        return self.place\nclass Static(Store):\n    place = 2\n",
		"d.py":  "import copy\nclass Vector:\n    heft = 1\ndef f(v):\n    w = copy.copy(v)\n    return w.heft\n",
		"e.php": "<?php class Yard { public $gate; function go() { return $this->gate; } }\nclass Farm extends Yard { public $gate; }\n",
		"f.ts":  "class Yard2 { latch = 1; go() { return this.latch } }\nclass Farm2 extends Yard2 { latch = 2 }\n",
		"h.py": "class Live:\n    @property\n    def hearth(self): return 1\n    def go(self): return self.hearth\n" +
			"class Sel(Live):\n    @property\n    def hearth(self): return super().hearth\n",
		"I.java": "package p; class Deck { int pick() { return 1; } int go(F f) { return f.of(this::pick); } }\n" +
			"class Cards extends Deck { int pick() { return super.pick(); } }",
		"g.py": "import else_\nclass Own:\n    def rouse(self): pass\ndef f(m: else_.Meta):\n    m.rouse()\n",
	})
	for name, want := range map[string]int{
		"Info.wake": 1, "Info.stir": 1, "Static.place": 1, "Vector.heft": 1, "Farm.gate": 1, "Farm2.latch": 1, "Own.rouse": 0,
		"Sel.hearth": 1, "Cards.pick": 1,
	} {
		e, err := s.Dependents(t.Context(), name, Page{})
		if err != nil || len(e.Edges) > 0 || e.Unresolved != want {
			t.Errorf("%s: users %v, %d unresolved, want none and %d, %v", name, arrows(e), e.Unresolved, want, err)
		}
	}
}

// TestAHeaderOfTheSystemIsNoCopyOfIt: what a tree brings along for other systems is not meant, unless the C library is the project.
func TestAHeaderOfTheSystemIsNoCopyOfIt(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"src/a.c":                    "#include <string.h>\n#include <own.h>\n#include \"time.h\"\n",
		"src/time.h":                 "",
		"include/own.h":              "",
		"deps/musl/include/string.h": "",
		"deps/musl/src/strlen.c":     "#include <string.h>\n",
	})
	for path, want := range map[string][]string{
		"src/a.c":                {"include/own.h", "src/time.h"},
		"deps/musl/src/strlen.c": {"deps/musl/include/string.h"},
	} {
		l, err := s.FileDependencies(t.Context(), path, Page{})
		var have []string
		for _, f := range l.Files {
			have = append(have, f.Path)
		}
		slices.Sort(have)
		if err != nil || !slices.Equal(have, want) {
			t.Errorf("%s uses %q, %v: want %q", path, have, err, want)
		}
	}
}
