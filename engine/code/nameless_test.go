package code

import (
	"slices"
	"testing"
)

// stands are methods of classes without a name, and of objects that are declared to be of a type: what a caller of the asked method
// may run.
var stands = []struct {
	name, method string
	files        map[string]string
	want         []string
}{
	{"Java, of an interface", "Shape.area", map[string]string{
		"S.java": "package p; interface Shape { int area(); }",
		"Q.java": "package p; class Q { static final Shape ONE = new Shape() { @Override public int area() { return 1; } };\n" +
			" Shape two() { return new Shape() { public int area() { return 2; } }; } }",
	}, []string{"Q.java#Q.ONE.area implements same package", "Q.java#Q.two.area implements same package"}},
	{"Java, of a base of the base", "Shape.area", map[string]string{
		"S.java": "package p; class Shape { int area() { return 0; } } class Box<T> extends Shape { Box(T t) {} }",
		"Q.java": "package p; class Q { void f() { g(new Box<String>(\"\") { int area() { return 1; } }); } }",
	}, []string{"Q.java#Q.f.area overrides same package"}},
	{"Java, of a type in the class around", "Q.Shape.area", map[string]string{
		"Q.java": "class Q { interface Shape { int area(); }\n Q.Shape a = new Q.Shape() { public int area() { return 1; } };\n" +
			" Shape b = new Shape() { public int area() { return 1; } }; }",
	}, []string{"Q.java#Q.a.area implements exact", "Q.java#Q.b.area implements exact"}},
	{"Java, of an enumeration", "State.next", map[string]string{
		"S.java": "enum State { ON { State next() { return OFF; } }, OFF { State next() { return ON; } }; abstract State next(); }",
	}, []string{"S.java#State.ON.next implements exact", "S.java#State.OFF.next implements exact"}},
	{"Kotlin", "Shape.area", map[string]string{
		"s.kt": "package p\ninterface Shape { fun area(): Int }\nopen class Base(n: Int)\n" +
			"fun make(): Shape { return object : Base(1), Shape { override fun area(): Int { return 1 } } }\n" +
			"val one = object : Shape { override fun area() = 1 }\n",
	}, []string{"s.kt#make.area implements exact", "s.kt#one.area implements exact"}},
	{"Kotlin, of an enumeration", "State.next", map[string]string{
		"s.kt": "enum class State {\n  ON { override fun next() = OFF },\n  OFF { override fun next() = ON };\n  abstract fun next(): State\n}\n",
	}, []string{"s.kt#State.ON.next implements exact", "s.kt#State.OFF.next implements exact"}},
	{"PHP", "Shape.area", map[string]string{
		"s.php": "<?php namespace N; interface Shape { function area(); } class Base {}",
		"q.php": "<?php namespace N; class Q { function make() { return new class(1) extends Base implements Shape { function area() { return 1; } }; } }",
		"r.php": "<?php namespace N; return new class implements Shape { public function area() { return 2; } };",
	}, []string{"q.php#Q.make.area implements same package", "r.php#area implements same package"}},
	{"JavaScript", "Shape.area", map[string]string{
		"s.js": "export class Shape { area() { return 0 } }\n",
		"q.js": "import {Shape} from './s.js'\nexport function mix() { return class extends Shape { area() { return 1 } } }\n",
	}, []string{"q.js#mix.area overrides import-resolved"}},
	{"TypeScript, an object", "Shape.area", map[string]string{
		"s.ts": "export interface Shape { area(): number; size: () => number }\n",
		"q.ts": "import {Shape} from './s'\nexport const one: Shape = { area() { return 1 }, size: () => { return inner({ area() { return 0 } }) } }\n" +
			"class Q { two: Shape = { area: () => 2, size() { return 2 } } }\n" +
			"function make(): Shape { return { area() { return 3 }, size() { return 3 } } }\n" +
			"const arrow = (): Shape => ({ area() { return 4 }, size() { return 4 } })\n",
	}, []string{"q.ts#one.area implements import-resolved", "q.ts#Q.two.area implements import-resolved",
		"q.ts#make.area implements import-resolved", "q.ts#arrow.area implements import-resolved"}},
	{"TypeScript, a property of an interface", "Shape.size", map[string]string{
		"s.ts": "export interface Shape { area(): number; size: () => number }\nexport const one: Shape = { area() { return 1 }, size: () => 1 }\n",
	}, []string{"s.ts#one.size implements exact"}},
}

func TestWhatHasNoNameStandsInForItsBases(t *testing.T) {
	for _, o := range stands {
		t.Run(o.name, func(t *testing.T) {
			s, _ := open1(t, o.files)
			e, err := s.Dependents(t.Context(), o.method, Page{})
			if err != nil {
				t.Fatal(err)
			}
			var have []string
			for _, x := range e.Edges {
				if x.Use.String() == "implements" || x.Use.String() == "overrides" {
					have = append(have, x.ID+" "+x.Use.String()+" "+x.Sure.String())
				}
			}
			slices.Sort(have)
			slices.Sort(o.want)
			if !slices.Equal(have, o.want) {
				t.Errorf("what stands in for %s: %q, want %q", o.method, have, o.want)
			}
		})
	}
}

// TestACallOfABaseMayRunWhatHasNoName: who asks for the method of a class without a name is told who calls what it stands in for.
func TestACallOfABaseMayRunWhatHasNoName(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"S.java": "package p; interface Shape { int area(); }",
		"Q.java": "package p; class Q { Shape one = new Shape() { public int area() { return own(); } int own() { return 1; } };\n" +
			" int sum(Shape s) { return s.area(); } }",
		"R.java": "package p; class R { Runnable r = new Runnable() { public void fire() {} };\n void go(Runnable r) { r.fire(); } }",
		"B.java": "package p; class B { int width() { return 1; } }\nclass U { int width() { return 2; }\n" +
			" Object f() { return new B() { int twice() { return width(); } int more() { return super.width(); } }; } }",
	})
	wantUsers(t, s, "Q.one.area", "Q.java#Q.sum call unique name")
	wantUsers(t, s, "Q.one.own", "Q.java#Q.one.area call exact")
	wantUsers(t, s, "B.width", "B.java#U.f.twice call exact", "B.java#U.f.more call ambiguous(2)")
	e, err := s.Dependents(t.Context(), "R.r.fire", Page{})
	if err != nil || len(e.Edges) > 0 || e.Unresolved != 1 {
		t.Errorf("fire: %v, %d unresolved, %v: want none and 1, since a base is not in the tree", arrows(e), e.Unresolved, err)
	}
}

// TestAnOutlineNamesWhatHasNoNameByWhatIsAroundIt: as everything else does.
func TestAnOutlineNamesWhatHasNoNameByWhatIsAroundIt(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"Q.java": "class Shape { int own() { return 0; } }\nclass Q { Shape one = new Shape() { int area() { return 1; } }; }",
	})
	o, err := s.Outline(t.Context(), "Q.java", Page{})
	if err != nil || !slices.ContainsFunc(o.Nodes, func(n Node) bool { return n.Qualified == "Q.one.area" }) {
		t.Errorf("%+v, %v: want Q.one.area among them", o.Nodes, err)
	}
}
