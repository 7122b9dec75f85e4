package code

import (
	"strings"
	"testing"
)

// TestAConstructorHidesNoUser asks who uses what a class with an explicit constructor, or a class below it, uses of
// itself: by this, by super, by a field and a parameter of its own type, and standing alone.
func TestAConstructorHidesNoUser(t *testing.T) {
	java := `package p;
class A {
	A next;
	A() {}
	A(int x) { this.f(); }
	void f() {}
	void byThis() { this.f(); }
	void byField() { next.f(); }
	void byParameter(A a) { a.f(); }
	void alone() { f(); }
	static A make() { return new A(1); }
}
class B extends A {
	B() { super(); }
	void f() {}
	void bySuper() { super.f(); }
	void byBase(A a) { a.f(); }
}
`
	csharp := `namespace N {
class A {
	A next;
	public A() {}
	public A(int x) { this.f(); }
	public void f() {}
	void byThis() { this.f(); }
	void byField() { next.f(); }
	void byParameter(A a) { a.f(); }
	void alone() { f(); }
	static A make() { return new A(1); }
}
class B : A {
	public B() {}
	void bySuper() { base.f(); }
	void byBase(A a) { a.f(); }
}
}
`
	cpp := `class Box {
public:
	Box* next;
	Box() {}
	Box(int x) { this->f(); }
	void f() {}
	void byThis() { this->f(); }
	void byField() { next->f(); }
	void byParameter(Box* a) { a->f(); }
	void alone() { f(); }
	void outside(Box& other);
	static Box* make() { return new Box(1); }
};
void Box::outside(Box& other) { this->f(); other.f(); }
class Top : public Box {
public:
	Top() {}
	void bySuper() { Box::f(); }
	void byBase(Box a) { a.f(); }
};
`
	for path, text := range map[string]string{"A.java": java, "A.cs": csharp, "A.cc": cpp} {
		at := path + "#"
		if path == "A.cs" {
			at += "N."
		}
		s, _ := open1(t, map[string]string{path: text})
		base, below := "A", "B"
		if path == "A.cc" { // a name in capitals is a macro's there
			base, below = "Box", "Top"
		}
		want := []string{"A.A~2", "A.byThis", "A.byField", "A.byParameter", "A.alone"}
		switch path {
		case "A.java":
			want = append(want, "B.f overrides")
		case "A.cc":
			want = append(want, "A.outside")
		}
		want = append(want, "B.bySuper", "B.byBase")
		for i, w := range want {
			if !strings.Contains(w, " ") {
				w += " call"
			}
			w = strings.NewReplacer("A.A", base+"."+base, "A.", base+".", "B.", below+".").Replace(w)
			want[i] = at + w + " exact"
		}
		wantUsers(t, s, base+".f", want...)
	}
}

// TestWhoCallsATypeCallsItsConstructor: a mention of the type alone is none of them.
func TestWhoCallsATypeCallsItsConstructor(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"A.java": "package p;\nclass A {\n A next;\n A(int x) {}\n static A make() { return new A(1); }\n}\n",
		"B.java": "package p;\nclass B {\n B(int x) {}\n B() {}\n}\nclass C {\n Object o(B b) { return new B(); }\n void n(B b) {}\n}\n",
		"p.py":   "class P:\n    def __init__(self, x): pass\ndef make(): return P(1)\ndef kind(x): return x is P\n",
		"j.js":   "class J { constructor(x) {} }\nfunction make() { return new J(1) }\nfunction kind(x) { return x instanceof J }\n",
		"h.php":  "<?php class H { function __construct($x) {} }\nfunction make() { return new H(1); }\n",
		"c.cc":   "class D { public: D(int x); };\nD::D(int x) {}\nD* make() { return new D(1); }\nint size(D* d) { return 1; }\n",
		"k.kt":   "package k\nclass K { constructor(x: Int) {} }\nfun make(): K { return K(1) }\n",
	})
	wantUsers(t, s, "A.java#A.A", "A.java#A.make call exact")
	wantUsers(t, s, "B.java#B.B", "B.java#C.o call ambiguous(2)")
	wantUsers(t, s, "P.__init__", "p.py#make call exact")
	wantUsers(t, s, "J.constructor", "j.js#make call exact")
	wantUsers(t, s, "H.__construct", "h.php#make call exact")
	wantUsers(t, s, "c.cc#D.D", "c.cc#make call exact")
	wantUsers(t, s, "K.constructor", "k.kt#make call exact")
}
