package code

import (
	"slices"
	"testing"
)

// used are definitions of which an answer once said that nothing uses them, each with who does. Type checkers found them in
// real projects.
var used = []struct {
	name, asked string
	files       map[string]string
	want        []string
}{
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
	for _, u := range used {
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
