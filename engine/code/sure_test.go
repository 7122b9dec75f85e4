package code

import "testing"

// A name with backslashes is whole in PHP: a class that has the name of a namespace is not used by it, and what is in the
// namespace is found, also under the other name that an import gives to it.
func TestANamespaceOfPHPIsNoClassOfItsName(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"Expr.php":        "<?php namespace App\\Query; class Expr { function max($x) { return new Expr\\Func($x); } }\n",
		"Expr/Func.php":   "<?php namespace App\\Query\\Expr; class Func { function __construct($x) {} function run() {} const NO = 1; }\n",
		"Other/Func.php":  "<?php namespace App\\Other; class Func { function __construct($x) {} function run() {} const NO = 2; }\n",
		"whole.php":       "<?php namespace App; function whole() { (new \\App\\Query\\Expr\\Func(1))->run(); }\n",
		"imported.php":    "<?php namespace App; use App\\Query\\Expr; function imported() { return Expr\\Func::NO; }\n",
		"renamed.php":     "<?php namespace Else1; use App\\{Query as Q}; function renamed(Q\\Expr\\Func $f) { $f->run(); }\n",
		"heir.php":        "<?php namespace App; class Heir extends Query\\Expr\\Func { function go() { $this->run(); } }\n",
		"method.php":      "<?php namespace App; class Text { function join() {} function all() { return $this->join() . join(1); } }\n",
		"passed/used.php": "<?php namespace App\\Passed; use App\\Query\\Expr; class Used {}\n",
		"passed.php":      "<?php namespace App; function passed() { return Passed\\Expr::NO; }\n",
	})
	wantUsers(t, s, "Expr")
	wantUsers(t, s, "Expr/Func.php#Func", "Expr.php#Expr.max call import-resolved", "heir.php#Heir inherit import-resolved",
		"imported.php#imported use import-resolved", "renamed.php#renamed use import-resolved", "whole.php#whole call import-resolved")
	wantUsers(t, s, "Expr/Func.php#Func.run", "heir.php#Heir.go call exact", "renamed.php#renamed call import-resolved",
		"whole.php#whole call import-resolved")
	wantUsers(t, s, "Expr/Func.php#Func.NO", "imported.php#imported use import-resolved")
	wantUsers(t, s, "Other/Func.php#Func")
	wantUsers(t, s, "Text.join", "method.php#Text.all call exact")
}

// Types that stand in one file are several, too: of a receiver of which nothing is known, none of them is sure.
func TestMembersOfSeveralTypesInOneFileAreAmbiguous(t *testing.T) {
	for path, text := range map[string]string{
		"a.py":  "class A:\n    def shine(self): pass\nclass B:\n    def shine(self): pass\ndef bask(x):\n    x.shine()\n",
		"a.js":  "class A { shine() {} }\nclass B { shine() {} }\nfunction bask(x) { x.shine() }\n",
		"a.php": "<?php class A { function shine() {} }\nclass B { function shine() {} }\nfunction bask($x) { $x->shine(); }\n",
		"a.rb":  "class A\n  def shine; end\nend\nclass B\n  def shine; end\nend\ndef bask(x)\n  x.shine()\nend\n",
		"a.ts":  "class A { shine() {} }\ninterface B { shine(): void }\nfunction bask(x: any) { x.shine() }\n",
	} {
		s, _ := open1(t, map[string]string{path: text})
		wantUsers(t, s, "B.shine", path+"#bask call ambiguous(2)")
	}
}

// What is declared several times in one type is one.
func TestSeveralDeclarationsInOneTypeAreOne(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"a.ts": "class A { glow(a: string): void; glow(a: number): void; glow(a: any) {} }\nfunction use(x: any) { x.glow(1) }\n",
		"a.py": "class P:\n    if old:\n        def blink(self): pass\n    else:\n        def blink(self): return 1\ndef use(x):\n    x.blink()\n",
	})
	wantUsers(t, s, "A.glow", "a.ts#use call unique name")
	wantUsers(t, s, "P.blink", "a.py#use call unique name")
}

// What the value of a variable of a module uses, the variable uses: each of several, also over lines.
func TestTheValueOfAVariableOfAModuleUsesForTheVariable(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"make.py": "def made(name, kind): pass\ndef kind(): pass\n",
		"use.py": `from make import made, kind
first = made("first", kind)
second = made(
    "second",
    kind(),
)
third: made = second
a = b = made(1, 2)
first = made("again", 0)
made(3, kind).go()
if kind():
    fourth = [made(n) for n in x]
`,
	})
	wantUsers(t, s, "made", "use.py call import-resolved", "use.py#first call import-resolved", "use.py#second call import-resolved",
		"use.py#third use import-resolved", "use.py#a call import-resolved", "use.py#fourth call import-resolved")
	wantUsers(t, s, "kind", "use.py call import-resolved", "use.py#first use import-resolved", "use.py#second call import-resolved")
	wantUsers(t, s, "second", "use.py#third use exact")
}

// A name that takes what is left of several values is one that is assigned, not an import of its name.
func TestWhatAStarTakesIsAssigned(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"text.py": "def rest(): pass\n",
		"use.py":  "from text import rest as _\ndef split(x):\n    first, *_, last = x\n    return last\ndef say():\n    return _()\n",
	})
	wantUsers(t, s, "rest", "use.py#say call import-resolved")
}
