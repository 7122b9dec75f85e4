package code

import (
	"slices"
	"testing"
)

// TestAClassThatAFieldHoldsIsABase: X.Held = class Y is how much JavaScript nests classes.
func TestAClassThatAFieldHoldsIsABase(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"dep.js":   "class Dep {}\nDep.Held = class DepHeld { apply() {} }\nmodule.exports = Dep\n",
		"bare.js":  "const Dep = require('./dep')\nclass Bare {}\nBare.Held = class extends Dep.Held { apply() {} }\nmodule.exports = Bare\n",
		"round.js": "const Bare = require('./bare')\nclass Round {}\nRound.Held = class RoundHeld extends (\n\tBare.Held\n) { apply() {} }\nmodule.exports = Round\n",
		"keeps.js": "class Big {}\nclass Small {}\nBig.Small = Small\nclass Under extends Big.Small {}\n",
	})
	wantUsers(t, s, "DepHeld.apply",
		"bare.js#Bare.Held.apply overrides unique name", "round.js#RoundHeld.apply overrides unique name")
	wantUsers(t, s, "keeps.js#Small", "keeps.js use exact")
}

// TestAPropertyOfAnInterfaceIsImplementedByAMethod: next: (value: T) => void asks for a method as next(value: T): void does.
func TestAPropertyOfAnInterfaceIsImplementedByAMethod(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"a.ts": "export interface Sink { next: (n: number) => void }\n",
		"b.ts": "import { Sink } from './a'\nexport class Drain implements Sink { next(n: number) {} }\n",
	})
	wantUsers(t, s, "Sink.next", "b.ts#Drain.next implements import-resolved")
}

// TestABaseOfAnotherNameHasItsSubclasses: an import may rename a class.
func TestABaseOfAnotherNameHasItsSubclasses(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"a.py": "class Base:\n    def run(self): pass\n",
		"b.py": "from a import Base as Root\nclass Leaf(Root):\n    def run(self): pass\n",
		"c.ts": "export class Base { go() {} }\n",
		"d.ts": "import { Base as Root } from './c'\nclass Leaf extends Root { go() {} }\n",
	})
	wantUsers(t, s, "a.py#Base.run", "b.py#Leaf.run overrides import-resolved")
	wantUsers(t, s, "c.ts#Base.go", "d.ts#Leaf.go overrides import-resolved")
}

// nested are uses that need more than a look into the body of a type.
var nested = []struct {
	name, asked string
	files       map[string]string
	want        []string
}{
	{"a field that a subclass assigns", "Clock.ticks", map[string]string{
		"a.py": "class Clock:\n    def __init__(self): self.ticks = 0\n",
		"b.py": "from a import Clock\nclass Quick(Clock):\n    def go(self): self.ticks = 1\n    def see(self): return self.ticks\n",
	}, []string{"b.py#Quick.see"}},
	{"a field that a subclass assigns, in TypeScript", "Timer._due", map[string]string{
		"a.ts": "export class Timer { _due = 0 }\n",
		"b.ts": "import { Timer } from './a'\nclass Fast extends Timer { go() { this._due = 1 } see() { return this._due } }\n",
	}, []string{"b.ts#Fast.see"}},
	{"a member of an enumeration, named in a constructor of the class", "Op.ALL", map[string]string{
		"a.h":  "namespace n { class P { public: enum Op { ALL }; P(); P(int); }; }\n",
		"a.cc": "#include \"a.h\"\nnamespace n { P::P() { f(P::ALL); }\nP::P(int i) {}\nint g() { return P::ALL; } }\n",
	}, []string{"a.cc#P.P", "a.cc#n.g"}},
	{"a member of an enumeration in a namespace", "Code.kBad", map[string]string{
		"a.hpp": "namespace n { enum Code { kBad }; }\n",
		"b.cc":  "#include \"a.hpp\"\nnamespace n { int g() { return n::kBad; } }\n",
	}, []string{"b.cc#n.g"}},
	{"a field of a class that a using names", "Bench.ran", map[string]string{
		"a.hpp": "namespace testing { struct Bench { int ran; }; }\n",
		"b.cc":  "#include \"a.hpp\"\nusing testing::Bench;\nint f(Bench* b) { return b->ran; }\n",
	}, []string{"b.cc#f"}},
	{"a function of the class around a class", "Info.Alt", map[string]string{
		"a.cc": "namespace n { class P { class Info; };\nclass P::Info { public: static int Alt(); class Walker; };\nint P::Info::Alt() { return 1; }\n" +
			"class P::Info::Walker { int visit(); };\nint P::Info::Walker::visit() { return Alt(); } }\n",
	}, []string{"a.cc#P.Info.Walker.visit"}},
	{"the last element of a list", "Frame.sub", map[string]string{
		"a.cc": "struct Frame { int sub; };\nstruct Other { int sub; };\nint f() { std::vector<Frame> v; return v.back().sub; }\n",
	}, []string{"a.cc#f"}},
	{"the last element of a list of Java", "Frame.pop", map[string]string{
		"A.java": "class Frame { void pop() {} }\nclass Other { void pop() {} }\nclass Use { void f(java.util.List<Frame> l) { l.get(0).pop(); } }\n",
	}, []string{"A.java#Use.f"}},
	{"the last element of a list of TypeScript", "Frame.reset", map[string]string{
		"a.ts": "class Frame { reset() {} }\nclass Other { reset() {} }\nfunction f(l: Frame[]) { l.slice(1).pop()!.reset() }\n",
	}, []string{"a.ts#f"}},
	{"the last element of a list of Python", "Frame.rewind", map[string]string{
		"a.py": "class Frame:\n    def rewind(self): pass\nclass Other:\n    def rewind(self): pass\ndef f(l: list[Frame]):\n    l.pop().rewind()\n",
	}, []string{"a.py#f"}},
}

func TestWhatStandsElsewhereIsFound(t *testing.T) {
	for _, u := range nested {
		t.Run(u.name, func(t *testing.T) {
			s, _ := open1(t, u.files)
			e, err := s.Dependents(t.Context(), u.asked, Page{})
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range u.want {
				at := slices.IndexFunc(e.Edges, func(x Edge) bool { return x.ID == want })
				if at < 0 || e.Edges[at].Sure.Level == Ambiguous {
					t.Errorf("%s is used by %q, want %s among them, surely", u.asked, arrows(e), want)
				}
			}
		})
	}
}

// TestWhatStandsInAStringIsUsed: what an expression inside a string mentions is a use, in languages that evaluate them.
func TestWhatStandsInAStringIsUsed(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"a.py": "class Tap:\n    def drip(self): pass\n    def __init__(self, n): self.flow = n\n    def show(self, t: 'Tap'): return f'{{flow}} {self.flow!r:>{self.drip()}}' 'x' f\"{', '.join(w.n for w in [self])}\"\n" +
			"def plain(t): return '{flow}'\n",
		"B.cs":    "class Pump { int Flow; string Show(Pump p) { return $\"{{Flow}} {p.Flow:N2}\"; }\nstring Plain(Pump p) { return \"{Flow}\"; } }\n",
		"c.kt":    "class Well { val depth = 1\n fun show(w: Well): String { return \"at ${w.depth} and $depth\" }\n fun plain(): String { return \"depth\" } }\n",
		"d.swift": "class Lake { var area = 1\n func show(_ l: Lake) -> String { return \"is \\(l.area)\" }\n func plain() -> String { return \"area\" } }\n",
		"e.rb":    "class Pond\n  def size_of; 1; end\n  def show; \"is #{size_of}\"; end\n  def plain; 'is #{size_of}'; end\nend\n",
	})
	wantUsers(t, s, "Tap.flow", "a.py#Tap.show use exact")
	wantUsers(t, s, "Tap.drip", "a.py#Tap.show call exact")
	wantUsers(t, s, "Pump.Flow", "B.cs#Pump.Show use exact")
	wantUsers(t, s, "Well.depth", "c.kt#Well.show use exact")
	wantUsers(t, s, "Lake.area", "d.swift#Lake.show use exact")
	wantUsers(t, s, "Pond.size_of", "e.rb#Pond.show use exact")
}

// TestATypeInAStringIsUsed: annotations of Python may stand in quotes.
func TestATypeInAStringIsUsed(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"a.py": "class Kite: pass\ndef f(k: 'Kite'): pass\ndef g(k: type['Kite']): pass\ndef h() -> 'list[Kite] | None': pass\n",
	})
	wantUsers(t, s, "Kite", "a.py#f use exact", "a.py#g use exact", "a.py#h use exact")
}

// TestAFieldThatIsOnlyWrittenIsUsed: where its class declares it elsewhere, an assignment is a use.
func TestAFieldThatIsOnlyWrittenIsUsed(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"a.py": "class Oven:\n    heat: int\n    def on(self): self.heat = 1\n",
	})
	wantUsers(t, s, "Oven.heat", "a.py#Oven.on use exact")
}

// TestWhatIsTakenOutOfAModuleIsImported: const f = require("m").f is no definition of f.
func TestWhatIsTakenOutOfAModuleIsImported(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"a.js": "exports.sift = function () {}\n",
		"b.js": "var sift = require('./a').sift\nvar made = require('./a')('x')\nvar far = require('./a').sift.name\nfunction use() { sift(); made(); far() }\n",
	})
	wantUsers(t, s, "a.js#sift", "b.js#use call import-resolved")
	wantUsers(t, s, "made", "b.js#use call exact")
}

// TestWhatIsAddedToAnObjectUsesIt: app.go = function … stands in what app is.
func TestWhatIsAddedToAnObjectUsesIt(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"a.js": "var app = {}\napp.go = function () {}\napp.prototype.stop = function () {}\n",
	})
	wantUsers(t, s, "app", "a.js#app.go use exact", "a.js#app.stop use exact")
}

// TestATypeSaysThatAMethodAnswersItsObject: @returns {this}, and types that wrap another one.
func TestATypeSaysThatAMethodAnswersItsObject(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"a.js": "class Pipe {\n/** @returns {this} */\nfit() { return this }\nweld() {}\n}\nclass Joint { weld() {} }\nfunction f() { new Pipe().fit().weld() }\n",
		"b.ts": "class Beam { rivet() {} }\nclass Rod { rivet() {} }\nfunction f(b: Exclude<Beam | null, null>, r: NonNullable<Rod>) { b.rivet(); return () => { r.rivet() } }\n",
		"c.js": "class Nail { hit() {} }\nclass Peg { hit() {} }\n/** @param {Omit<Nail, 'x'>} n */\nfunction f(n) { n.hit() }\n",
	})
	wantUsers(t, s, "Pipe.weld", "a.js#f call exact")
	wantUsers(t, s, "Beam.rivet", "b.ts#f call exact")
	wantUsers(t, s, "Rod.rivet", "b.ts#f call exact")
	wantUsers(t, s, "Nail.hit", "c.js#f call exact")
}
