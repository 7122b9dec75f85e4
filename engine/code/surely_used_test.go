package code

import (
	"strings"
	"testing"
)

// measured are further definitions of which an answer said that nothing uses them: in viem, rxjs, webpack, commons-lang, re2 and gyp,
// and the same constructs in other languages.
var measured = []usedBy{
	{"the default of a type parameter", "a.ts#Options", map[string]string{
		"a.ts": "type Options = {}\nconst abi = []\nexport type Args<config = Options> = config\n" +
			"export function f<t extends unknown = typeof abi>(x: t) { return x }\n",
	}, []string{"a.ts#Args"}},
	{"a value of which the default of a type parameter has the type", "a.ts#abi", map[string]string{
		"a.ts": "const abi = []\nexport function f<t extends unknown = typeof abi>(x: t) { return x }\n",
	}, []string{"a.ts#f"}},
	{"a type in type parameters as long as a program", "a.ts#Last", map[string]string{
		"a.ts": "interface Last {}\nexport type Kind<t, u =" + strings.Repeat(" | (t extends { a: `${string}` } ? 'a' : never)", 20) +
			" | (t extends Last ? 'b' : never)> = u\n",
	}, []string{"a.ts#Kind"}},
	{"a type in the type parameters of a function type", "a.ts#Given", map[string]string{
		"a.ts": "interface Given {}\nexport type Ask<t> = <u extends Given | undefined = undefined>(x: u) => t\n",
	}, []string{"a.ts#Ask"}},
	{"what stands for nothing in a pattern", "a.ts#point", map[string]string{
		"a.ts": "const point = 1\nexport function f(p) { const { at: { x = { y: point } } } = p; return x }\n",
	}, []string{"a.ts#f"}},
	{"a method that stands for nothing in a pattern", "A.own", map[string]string{
		"a.js": "class A { own() {}\n  go({ all = this.own(), two } = {}) { return all } }\n",
	}, []string{"a.js#A.go"}},
	{"what is taken out of a module by import", "ccip.ts#look", map[string]string{
		"ccip.ts": "export function look() {}\nexport function other() {}\n",
		"call.ts": "export async function call() {\n  const { look, other: o } = await import('./ccip.js')\n  return look()\n}\n",
	}, []string{"call.ts#call"}},
	{"a class in the function that makes one", "Warn", map[string]string{
		"a.js": "function f(c) {\n  class Warn { apply(c) {} }\n  new Warn().apply(c)\n}\n",
	}, []string{"a.js#f"}},
	{"an element that is taken apart", "T.x", map[string]string{
		"a.ts": "interface T { x: number }\nfunction f(list: T[]) { for (const { x } of list) { g(x) } }\n",
	}, []string{"a.ts#f"}},
	{"a type before a type in it that is made", "Visitors", map[string]string{
		"V.java": "class Visitors { static class Lock<T> { Lock(T t) {} } }\nclass U { Object f() { return new Visitors.Lock<>(1); } }\n",
	}, []string{"V.java#U.f"}},
	{"a type before a type of C# in it", "Visitors", map[string]string{
		"v.cs": "class Visitors { public class Lock {} }\nclass U { object F() { return new Visitors.Lock(); }\n  Visitors.Lock own; }\n",
	}, []string{"v.cs#U.F", "v.cs#U"}},
	{"a type before a base in it", "Visitors", map[string]string{
		"V.java": "class Visitors { static class Lock {} }\nclass U extends Visitors.Lock {}\n",
	}, []string{"V.java#U"}},
	{"a type before a base of Kotlin in it", "Visitors", map[string]string{
		"v.kt": "class Visitors { open class Lock }\nclass U : Visitors.Lock() { var own: Visitors.Lock? = null }\n",
	}, []string{"v.kt#U"}},
	{"a type in a type argument with a dot", "Visitors.Lock", map[string]string{
		"V.java": "class Visitors { static class Lock {} }\nclass U { java.util.List<Visitors.Lock> all; }\n",
	}, []string{"V.java#U"}},
	{"the type of a template's parameter", "a.hpp#A.Can", map[string]string{
		"a.hpp": "class A { template <typename T> using Can = int;\n  template <typename T, Can<T> = 0> A(T* p); };\n",
	}, []string{"a.hpp#A"}},
	{"the default of a template's parameter", "a.h#Less", map[string]string{
		"a.h": "struct Less {};\ntemplate <typename T, typename L = Less> class Heap {};\n",
	}, []string{"a.h"}},
	{"a template in an alias", "in.Parse3", map[string]string{
		"a.h": "namespace in { template <typename T> struct Parse3 {}; }\n" +
			"class A { template <typename T> using Can = typename std::enable_if<in::Parse3<T>::value, int>::type; };\n",
	}, []string{"a.h#A.Can"}},
	{"what a macro in a class takes", "a.h#Arg.parse_char", map[string]string{
		"a.h":  "class Arg { public: Arg();\n  MAKE_PARSER(char, parse_char);\n static bool parse_char(const char* s); };\n",
		"a.cc": "#include \"a.h\"\nbool Arg::parse_char(const char* s) { return true; }\n",
	}, []string{"a.h#Arg"}},
	{"a constant of a class by its definition", "a.cc#A.kMax", map[string]string{
		"a.h":  "namespace n { class A { public: static const int kMax = 8; }; }\n",
		"a.cc": "#include \"a.h\"\nnamespace n { const int A::kMax;\nint f() { return A::kMax; } }\n",
	}, []string{"a.cc#n.f"}},
	{"a constant of a class by its declaration", "a.h#n.A.kMax", map[string]string{
		"a.h":  "namespace n { class A { public: static const int kMax = 8; }; }\n",
		"a.cc": "#include \"a.h\"\nnamespace n { const int A::kMax;\nint f() { return A::kMax; } }\n",
	}, []string{"a.cc#n.f"}},
	{"a variable that a function only assigns to", "a.py#paths", map[string]string{
		"a.py": "paths = None\ndef fill():\n    global paths\n    paths = []\n",
	}, []string{"a.py#fill"}},
}

// TestWhatIsTakenOutOfSomethingUnknownIsCounted: a pattern may take a field out of a value of which nothing is known. That is no
// edge, since most such values hold options, but nobody is told that nothing uses the field.
func TestWhatIsTakenOutOfSomethingUnknownIsCounted(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"a.ts": "interface Config { cookie: string }\nfunction f(init: Config) { const c = { a: 1, ...init }; const { cookie: k } = c; return k }\n",
		"b.js": "class Crate { constructor() { this.lid = 1 } }\nfunction g(c) { const { lid } = [c][0]; return lid }\n",
	})
	for _, name := range []string{"Config.cookie", "Crate.lid"} {
		e, err := s.Dependents(t.Context(), name, Page{})
		if err != nil || len(e.Edges) > 0 || e.Unresolved != 1 {
			t.Errorf("%s: users %v, %d unresolved, %v: want none and 1", name, arrows(e), e.Unresolved, err)
		}
	}
}
