package code

import (
	"testing"
)

// TestTheNumberOfArgumentsTellsOverloadsApart asks for each overload alone.
func TestTheNumberOfArgumentsTellsOverloadsApart(t *testing.T) {
	type overloaded struct{ path, text, box string }
	for _, o := range []overloaded{
		{"A.java", "class Box {\n Box() {}\n Box(int a) {}\n void f() {}\n void f(int a) {}\n void f(String a) {}\n void g(int... a) {}\n" +
			" void none() { f(); g(1, 2); }\n void one(Map<K, V> m) { this.f(h(1, 2) // one, not two\n   ); this.f(\"a,b\"); new Box(m.<K, V>get(0)); }\n void h() { new Box(); }\n}\n", "Box"},
		{"A.cs", "class Box {\n public Box() {}\n public Box(int a) {}\n void f() {}\n void f(int a) {}\n void f(string a) {}\n" +
			" void none() { f(); }\n void one() { this.f(\"a,b\"); new Box(h<K, V>(1, 2)); }\n void h() { new Box(); }\n}\n", "Box"},
		{"a.cc", "class Box {\npublic:\n Box() {}\n Box(int a) {}\n void f() {}\n void f(int a) {}\n void f(char* a) {}\n" +
			" void none() { f(); }\n void one() { this->f(\"a,b\"); new Box(1); }\n void h() { new Box(); }\n};\n", "Box"},
	} {
		s, _ := open1(t, map[string]string{o.path: o.text})
		id := o.path + "#"
		wantUsers(t, s, id+"Box.f~1", id+"Box.none call exact")
		wantUsers(t, s, id+"Box.f~2", id+"Box.one call ambiguous(2)")
		wantUsers(t, s, id+"Box.f~3", id+"Box.one call ambiguous(2)")
		wantUsers(t, s, id+"Box.Box~1", id+"Box.h call exact")
		wantUsers(t, s, id+"Box.Box~2", id+"Box.one call exact")
	}
}

// TestAnOverloadThatOnlyItsSiblingCallsIsUsed: each is told apart from the other, also where one calls the other.
func TestAnOverloadThatOnlyItsSiblingCallsIsUsed(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"A.java": "class A {\n Object f(Class<?> c, String s) {\n return f(c, s, null); }\n Object f(Class<?> c, String s, Class<?>[] t) { return null; }\n}\n",
	})
	wantUsers(t, s, "A.java#A.f~1")
	wantUsers(t, s, "A.java#A.f~2", "A.java#A.f call exact")
	e, err := s.Dependents(t.Context(), "A.java#A.f~1", Page{})
	if err != nil || e.Alone.Itself != 0 {
		t.Errorf("f~1 uses itself at %d, %v: it calls the other", e.Alone.Itself, err)
	}
}

// TestWhatACommentCallsIsNoCall: neither in the head of an overload nor beside a call.
func TestWhatACommentCallsIsNoCall(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"A.java": "class A {\n int f() { return 0; }\n @Fast // f() twice\n int f(int a, int b) { return a; }\n int use() {\n return f(1, 2); /* not f() */ }\n}\n",
	})
	wantUsers(t, s, "A.java#A.f~1")
	wantUsers(t, s, "A.java#A.f~2", "A.java#A.use call exact")
}

// TestAFunctionIsUsedByWhoNamesItsPrototype: a type's name may declare one, which looks like a variable.
func TestAFunctionIsUsedByWhoNamesItsPrototype(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"a.cc": "typedef void Impl(int n);\nImpl Parse, Match;\nvoid run(Impl* f);\nvoid use() { run(Parse); }\nvoid Parse(int n) {}\nvoid Match(int n) {}\n",
	})
	for _, id := range []string{"a.cc#Parse~2", "a.cc#Parse~1", "a.cc#Parse"} {
		wantUsers(t, s, id, "a.cc#use use exact")
	}
}
