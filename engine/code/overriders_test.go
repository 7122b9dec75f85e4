package code

import (
	"slices"
	"testing"
)

// overriders are the same two types in languages that have overriding: what a caller of the first may run stands in the
// second.
var overriders = []struct {
	name, method string
	files        map[string]string
	want         string
}{
	{"Go", "Shape.Area", map[string]string{
		"go.mod": "module m\n",
		"s.go":   "package m\ntype Shape interface{ Area() int }\ntype Sq struct{}\nfunc (Sq) Area() int { return 1 }\n",
	}, "s.go#Sq.Area implements unique name"},
	{"Go, embedded", "Shape", map[string]string{
		"go.mod": "module m\n",
		"s.go":   "package m\ntype Shape interface{ Area() int }\ntype Sq struct{}\nfunc (*Sq) Area() int { return 1 }\ntype Big struct{ Sq }\n",
	}, "s.go#Big implements unique name"},
	{"Python", "Base.handle", map[string]string{
		"b.py":   "class Base:\n    def handle(self): raise NotImplementedError\n",
		"c/d.py": "from b import Base\nclass Mid(Base): pass\nclass Cmd(Mid):\n    def handle(self): return 1\n",
	}, "c/d.py#Cmd.handle overrides import-resolved"},
	{"Java", "Shape.area", map[string]string{
		"S.java": "package p; interface Shape { int area(); }",
		"Q.java": "package p; class Sq implements Shape { public int area() { return 1; } }",
	}, "Q.java#Sq.area implements same package"},
	{"C#", "Shape.Area", map[string]string{
		"s.cs": "namespace N { abstract class Shape { public abstract int Area(); } }",
		"q.cs": "namespace N { class Sq : Shape { public override int Area() { return 1; } } }",
	}, "q.cs#N.Sq.Area implements same package"},
	{"C++", "Shape.area", map[string]string{
		"s.h":  "class Shape { public: virtual int area() = 0; };\n",
		"q.cc": "#include \"s.h\"\nclass Sq : public Shape { int area() override { return 1; } };\n",
	}, "q.cc#Sq.area implements import-resolved"},
	{"TypeScript", "Shape.area", map[string]string{
		"s.ts": "export interface Shape { area(): number }\n",
		"q.ts": "import {Shape} from './s'\nclass Sq implements Shape { area() { return 1 } }\n",
	}, "q.ts#Sq.area implements import-resolved"},
	{"JavaScript", "Shape.area", map[string]string{
		"s.js": "export class Shape { area() { return 0 } }\n",
		"q.js": "import {Shape} from './s.js'\nclass Sq extends Shape { area() { return 1 } }\n",
	}, "q.js#Sq.area overrides import-resolved"},
	{"PHP", "Shape.area", map[string]string{
		"s.php": "<?php namespace N; interface Shape { function area(); }",
		"q.php": "<?php namespace N; class Sq implements Shape { function area() { return 1; } }",
	}, "q.php#Sq.area implements same package"},
	{"Kotlin", "Shape.area", map[string]string{
		"s.kt": "package p\nopen class Shape { open fun area(): Int { return 0 } }\nclass Sq : Shape() { override fun area(): Int { return 1 } }\n",
	}, "s.kt#Sq.area overrides exact"},
	{"Ruby", "Shape.area", map[string]string{
		"s.rb": "class Shape\n  def area; 0; end\nend\nclass Sq < Shape\n  def area; 1; end\nend\n",
	}, "s.rb#Sq.area overrides exact"},
	{"Swift", "Shape.area", map[string]string{
		"s.swift": "protocol Shape { func area() -> Int }\nclass Sq: Shape { func area() -> Int { return 1 } }\n",
	}, "s.swift#Sq.area implements exact"},
	{"Rust", "Shape.area", map[string]string{
		"s.rs": "trait Shape { fn area(&self) -> i32; }\nstruct Sq;\nimpl Shape for Sq { fn area(&self) -> i32 { 1 } }\n",
	}, "s.rs#Sq.area implements exact"},
}

func TestWhatOverridesDependsOnWhatItOverrides(t *testing.T) {
	for _, o := range overriders {
		t.Run(o.name, func(t *testing.T) {
			s, _ := open1(t, o.files)
			e, err := s.Dependents(t.Context(), o.method, Page{})
			if err != nil {
				t.Fatal(err)
			}
			var have []string
			for _, x := range e.Edges {
				have = append(have, x.ID+" "+x.Use.String()+" "+x.Sure.String())
			}
			if !slices.Contains(have, o.want) {
				t.Errorf("dependents of %s: %q, want %q among them", o.method, have, o.want)
			}
			im, err := s.ImpactOfName(t.Context(), o.method, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			have = nil
			for _, x := range im.Direct {
				have = append(have, x.ID+" "+x.Use.String()+" "+x.Sure.String())
			}
			if !slices.Contains(have, o.want) {
				t.Errorf("impact of %s: %q, want %q among it", o.method, have, o.want)
			}
		})
	}
}

func TestAnOverriderThatCallsWhatItOverridesIsBoth(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"p.py": "class Base:\n    def save(self): pass\n\nclass Sub(Base):\n    def save(self):\n        super().save()\n",
	})
	e, err := s.Dependents(t.Context(), "Base.save", Page{})
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, x := range e.Edges {
		have = append(have, x.ID+" "+x.Use.String())
	}
	slices.Sort(have)
	if want := []string{"p.py#Sub.save call", "p.py#Sub.save overrides"}; !slices.Equal(have, want) {
		t.Errorf("dependents of Base.save: %q, want %q", have, want)
	}
}
