package code

import (
	"slices"
	"testing"
)

// usedBy is a definition and some that use it.
type usedBy struct {
	name, asked string
	files       map[string]string
	want        []string
}

// used are definitions of which an answer once said that nothing uses them, each with who does. Type checkers found them in
// real projects.
var used = []usedBy{
	{"a method of an object has the name of what it calls", "a.ts#call", map[string]string{
		"a.ts": "export function call(x: number) { return x }\n",
		"b.ts": "import { call } from './a'\nexport function actions() { return { call: (x) => call(x), other() { return call(2) } } }\n",
	}, []string{"b.ts#actions.call", "b.ts#actions.other"}},
	{"a method of an exported object", "a.js#load~1", map[string]string{
		"a.js": "function load() {}\nmodule.exports = { load() { return load() } }\n",
	}, []string{"a.js#load~2"}},
	{"a field that is taken out by a pattern", "A._value", map[string]string{
		"a.ts": "class A { private _value = 1\n  get() { const { _value } = this; return _value } }\nfunction f({ _value: v }: A) { return v }\n",
	}, []string{"a.ts#A.get", "a.ts#f"}},
	{"a field that is only written", "A.done", map[string]string{
		"a.ts": "class A { done = false\n  end() { this.done = true } }\n",
	}, []string{"a.ts#A.end"}},
	{"the declaration of a method that is defined elsewhere", "a.h#n.A.go", map[string]string{
		"a.h":  "namespace n { class A { public: void go(); }; }\n",
		"a.cc": "#include \"a.h\"\nnamespace n { void A::go() {}\nvoid f(A* a) { a->go(); } }\n",
	}, []string{"a.cc#n.f"}},
	{"a member of an enumeration in a class", "Op.ALL", map[string]string{
		"a.cc": "class P { public: enum Op { ALL, NONE };\n  int own() { return ALL; } };\nint f() { return P::ALL; }\n",
	}, []string{"a.cc#P.own", "a.cc#f"}},
	{"what an element of a class with an index has", "Inst.init", map[string]string{
		"a.cc": "template <typename T> class Array { public: T& operator[](int i); };\n" +
			"struct Inst { void init(); };\nvoid Inst::init() {}\nclass P { Array<Inst> all; void go() { all[1].init(); } };\n",
	}, []string{"a.cc#P.go"}},
	{"what a macro that is called at the top takes", "BM_f", map[string]string{
		"a.cc": "static void BM_f(int n) {}\nBENCHMARK_RANGE(BM_f, 8, 16<<20)->ThreadRange(1, NumCPUs());\n",
	}, []string{"a.cc"}},
}

func TestWhatIsUsedIsNeverUsedByNobody(t *testing.T) {
	for _, u := range slices.Concat(used, scored, measured) {
		t.Run(u.name, func(t *testing.T) {
			s, _ := open1(t, u.files)
			e, err := s.Dependents(t.Context(), u.asked, Page{})
			if err != nil {
				t.Fatal(err)
			}
			var have []string
			for _, x := range e.Edges {
				have = append(have, x.ID)
			}
			for _, want := range u.want {
				if !slices.Contains(have, want) {
					t.Errorf("%s is used by %q, want %s among them", u.asked, have, want)
				}
			}
		})
	}
}

// TestAPointerIsIndexedToWhatItPointsTo: only a class with an index operator hides what its elements are.
func TestAPointerIsIndexedToWhatItPointsTo(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"a.cc": "struct A { void go(); };\nvoid A::go() {}\nstruct B { void go(); };\nvoid B::go() {}\nvoid f(A* a) { a[1].go(); }\n",
	})
	e, err := s.Dependents(t.Context(), "A.go", Page{})
	if err != nil || len(e.Edges) != 1 || e.Edges[0].ID != "a.cc#f" || e.Edges[0].Sure.Level == Ambiguous {
		t.Errorf("got %+v, %v: want f alone, and surely", e.Edges, err)
	}
}

func TestAModulesTypeIsImportedByTypeof(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"hash.js": "class Hash { update() {} }\nmodule.exports = Hash\n",
		"use.js":  "/** @typedef {typeof import(\"./hash\")} HashType */\n/** @param {HashType} H */\nfunction f(H) { return H }\n",
	})
	l, err := s.FileDependencies(t.Context(), "use.js", Page{})
	if err != nil || len(l.Files) != 1 || l.Files[0].Path != "hash.js" {
		t.Errorf("use.js uses %+v, %v: want hash.js", l.Files, err)
	}
}

// TestNobodyIsSaidWithACount: where nothing uses a definition, references of its name that nothing explains are counted, in
// every language that has any. What an import brings from elsewhere is explained.
func TestNobodyIsSaidWithACount(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"a.ts":   "class Vault { unseal() {} }\nfunction f(v: Missing) { v.unseal() }\n",
		"b.ts":   "import { T } from 'elsewhere'\nclass Chest { unlatch() {} }\nfunction f(v: T) { v.unlatch() }\n",
		"c.js":   "class Crate { unnail() {} }\n/** @param {Missing} c */\nfunction f(c) { c.unnail() }\n",
		"d.py":   "class Safe:\n    def uncrack(self): pass\ndef f(s: Missing):\n    s.uncrack()\n",
		"e.cc":   "struct Hatch { void unseat(); };\nvoid Hatch::unseat() {}\nvoid f(Missing* h) { h->unseat(); }\n",
		"F.java": "class Lid { void unscrew() {} }\nclass Use { void f(Missing l) { l.unscrew(); } }\n",
		"g.cs":   "class Cap { void Untwist() {} }\nclass Use2 { void F(Missing c) { c.Untwist(); } }\n",
		"h.php":  "<?php class Gate { function unbar() {} }\nfunction f(Missing $g) { $g->unbar(); }\n",
		"i.rs":   "struct Bolt;\nimpl Bolt { fn unturn(&self) {} }\nfn f(b: &Missing) { b.unturn(); }\n",
		"j.kt":   "class Plug { fun unplug() {} }\nfun f(p: Missing) { p.unplug() }\n",
		"k.go":   "package k\ntype Door struct{}\nfunc (Door) Unhinge() {}\nfunc f(d Missing) { d.Unhinge() }\n",
	})
	for name, want := range map[string]int{
		"Vault.unseal": 1, "Chest.unlatch": 0, "Crate.unnail": 1, "Safe.uncrack": 1, "Hatch.unseat": 1, "Lid.unscrew": 1,
		"Cap.Untwist": 1, "Gate.unbar": 1, "Bolt.unturn": 1, "Plug.unplug": 1, "Door.Unhinge": 1,
	} {
		e, err := s.Dependents(t.Context(), name, Page{})
		if err != nil || len(e.Edges) > 0 || e.Unresolved != want {
			t.Errorf("%s: users %v, %d unresolved, want none and %d, %v", name, arrows(e), e.Unresolved, want, err)
		}
		im, err := s.ImpactOfName(t.Context(), name, Limits{})
		if err != nil || im.Unresolved != want {
			t.Errorf("impact of %s: %d unresolved, want %d, %v", name, im.Unresolved, want, err)
		}
	}
}
