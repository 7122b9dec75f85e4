package refactor

import (
	"errors"
	"go/format"
	"strings"
	"testing"
)

// signed changes a signature in a tree and answers the files after it.
func signed(t *testing.T, files map[string]string, name string, to ...Parameter) (map[string]string, *Changes, error) {
	t.Helper()
	s, _ := open1(t, files)
	c, err := ChangeSignature(t.Context(), s, name, to)
	if err != nil {
		return nil, nil, err
	}
	out := map[string]string{}
	for i := range c.Files {
		out[c.Files[i].Path] = string(c.Files[i].After())
	}
	return out, c, nil
}

func TestANewSignatureChangesAllCalls(t *testing.T) {
	for _, c := range []struct {
		name, of    string
		to          []Parameter
		files, want map[string]string
	}{
		{"parameters in another order", "a.go#f", []Parameter{{Name: "c"}, {Name: "a"}, {Name: "b"}},
			map[string]string{"a.go": "package a\n\nfunc f(a, b int, c string) int {\n\treturn a - b + len(c)\n}\n\nfunc g(x int) int { return f(f(1, x, \"(,\"), 2, `,`) }\n"},
			map[string]string{"a.go": "package a\n\nfunc f(c string, a, b int) int {\n\treturn a - b + len(c)\n}\n\nfunc g(x int) int { return f(`,`, f(\"(,\", 1, x), 2) }\n"}},
		{"a parameter goes, and the imports that it needed", "a.go#f", []Parameter{{Name: "n"}},
			map[string]string{"go.mod": "module x\n", "a.go": "package a\n\nimport (\n\t\"context\"\n\t\"fmt\"\n)\n\nfunc f(_ context.Context, n int) { fmt.Println(n) }\n",
				"b.go": "package a\n\nimport \"io\"\n\nfunc g() { f(nil, 1); f(io.EOF, 2) }\n"},
			map[string]string{"a.go": "package a\n\nimport (\n\t\"fmt\"\n)\n\nfunc f(n int) { fmt.Println(n) }\n",
				"b.go": "package a\n\nfunc g() { f(1); f(2) }\n"}},
		{"a parameter without a name goes by its number", "a.go#f", []Parameter{{Name: "n"}},
			map[string]string{"a.go": "package a\n\nfunc f(_ bool, n int) int { return n }\n\nvar x = f(true, 1)\n"},
			map[string]string{"a.go": "package a\n\nfunc f(n int) int { return n }\n\nvar x = f(1)\n"}},
		{"a new parameter, and the imports that it needs", "a/a.go#F", []Parameter{{Name: "ctx", Type: "context.Context", Value: "context.TODO()"}, {Name: "n"}},
			map[string]string{"go.mod": "module x\n", "a/a.go": "package a\n\nimport \"fmt\"\n\nfunc F(n int) { fmt.Println(n) }\n",
				"b.go": "package b\n\nimport (\n\t\"os\"\n\n\t\"x/a\"\n)\n\nfunc g() {\n\ta.F(len(os.Args))\n\ta.F(\n\t\t1,\n\t)\n}\n"},
			map[string]string{"a/a.go": "package a\n\nimport \"context\"\nimport \"fmt\"\n\nfunc F(ctx context.Context, n int) { fmt.Println(n) }\n",
				"b.go": "package b\n\nimport (\n\t\"context\"\n\t\"os\"\n\n\t\"x/a\"\n)\n\nfunc g() {\n\ta.F(context.TODO(), len(os.Args))\n\ta.F(\n\t\tcontext.TODO(), 1,\n\t)\n}\n"}},
		{"a new parameter that the callers have", "a.go#f", []Parameter{{Name: "n", Type: "int", Value: "n"}},
			map[string]string{"a.go": "package a\n\nfunc f() {}\n\nfunc g(n int) { f() }\n"},
			map[string]string{"a.go": "package a\n\nfunc f(n int) {}\n\nfunc g(n int) { f(n) }\n"}},
		{"options that no call passes", "a.go#T.f", []Parameter{{Name: "1"}, {Name: "more", Type: "...string"}},
			map[string]string{"a.go": "package a\n\ntype T struct{}\n\nfunc (t T) f(int) {}\n\nfunc g() { T{}.f(1) }\n"},
			map[string]string{"a.go": "package a\n\ntype T struct{}\n\nfunc (t T) f(int, ...string) {}\n\nfunc g() { T{}.f(1) }\n"}},
		{"an interface's method with those that implement it", "a.go#I.Do", []Parameter{{Name: "2"}, {Name: "1"}},
			map[string]string{"a.go": "package a\n\ntype I interface{ Do(int, string) }\n\ntype T struct{}\n\nfunc (T) Do(n int, s string) {}\n\nfunc f(i I) {\n\ti.Do(1, \"\")\n\tT{}.Do(2, \"x\")\n}\n"},
			map[string]string{"a.go": "package a\n\ntype I interface{ Do(string, int) }\n\ntype T struct{}\n\nfunc (T) Do(s string, n int) {}\n\nfunc f(i I) {\n\ti.Do(\"\", 1)\n\tT{}.Do(\"x\", 2)\n}\n"}},
		{"arguments that are left stay the last", "a.go#f", []Parameter{{Name: "b"}, {Name: "a"}, {Name: "rest"}},
			map[string]string{"a.go": "package a\n\nfunc f(a int, b bool, rest ...int) {}\n\nfunc g(l []int) {\n\tf(1, true)\n\tf(1, true, 2, 3)\n\tf(1, true, l...)\n}\n"},
			map[string]string{"a.go": "package a\n\nfunc f(b bool, a int, rest ...int) {}\n\nfunc g(l []int) {\n\tf(true, 1)\n\tf(true, 1, 2, 3)\n\tf(true, 1, l...)\n}\n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _, err := signed(t, c.files, c.of, c.to...)
			if err != nil {
				t.Fatal(err)
			}
			for path, want := range c.want {
				if got[path] != want {
					t.Errorf("%s:\n%s\nwant\n%s", path, got[path], want)
				}
				if text, err := format.Source([]byte(got[path])); err != nil || string(text) != got[path] {
					t.Errorf("%s is not as gofmt writes it: %v\n%s", path, err, got[path])
				}
			}
			if len(got) != len(c.want) {
				t.Errorf("%d files are edited, want %d", len(got), len(c.want))
			}
		})
	}
}

func TestASignatureThatIsNotSureIsRefused(t *testing.T) {
	files := map[string]string{
		"go.mod": "module x\n",
		"a.go": "package a\n\nimport (\n\t\"fmt\"\n\t\"net/http\"\n)\n\nfunc f(a, b int) int { return a }\n\nfunc two() (int, int) { return 1, 2 }\n\nfunc spread(a, b int) {}\n\nfunc g() { spread(two()) }\n\n" +
			"func value(a int) {}\n\nvar v = value\n\nfunc lone(n int) {}\n\nfunc h() { x := 1; lone(x) }\n\nfunc fx() int { fmt.Println(); return 1 }\n\nfunc order(a, b int) {}\n\nfunc k() { order(fx(), fx()); called(fx()) }\n\nfunc called(_ int) {}\n\n" +
			"type T struct{}\n\nfunc (T) String() string { return \"\" }\n\ntype I interface{ Do(n int) }\n\nfunc (T) Do(n int) {}\n\ntype W struct{ http.ResponseWriter }\n\nfunc (W) WriteHeader(int) {}\n\nfunc (T) free(xs ...int) {}\n\nfunc l() { T.free(T{}, 1) }\n\n" +
			"func gen[P any](p P, n int) {}\n\nfunc rest(a int, more ...int) {}\n\nfunc m() { f(1, 2); ctx := 1; f(ctx, // one\n2) }\n\nfunc remarked(a, b int) {}\n\nfunc o() { remarked(1, // one\n2) }\n\nvar notFunc int\n",
		"m.rb": "def rb(a, b)\nend\n",
	}
	two := []Parameter{{Name: "b"}, {Name: "a"}}
	for _, c := range []struct {
		name string
		to   []Parameter
		why  string
	}{
		{"f", []Parameter{{Name: "b"}}, "uses a"},
		{"f", []Parameter{{Name: "a"}, {Name: "b"}}, "has these parameters already: a, b"},
		{"f", []Parameter{{Name: "a"}, {Name: "c"}}, `has no parameter "c"; it has: a, b`},
		{"f", []Parameter{{Name: "a"}, {Name: "a"}}, "two parameters would be called a"},
		{"f", []Parameter{{Name: "a", Type: "int"}}, "has a parameter a already"},
		{"f", []Parameter{{Name: "func", Type: "int", Value: "1"}}, "word of the language"},
		{"f", []Parameter{{Name: "a"}, {Name: "c", Value: "1"}}, "is no type for c"},
		{"f", []Parameter{{Name: "a"}, {Name: "c", Type: "int"}}, "is no value for c"},
		{"f", []Parameter{{Name: "a"}, {Name: "c", Type: "int", Value: "1), (2"}}, "is no value for c"},
		{"f", []Parameter{{Name: "a"}, {Name: "c", Type: "int", Value: "1 // one"}}, "is no value for c"},
		{"f", []Parameter{{Name: "a"}, {Name: "c", Type: "int", Value: "ctx"}}, "ctx is a local name here"},
		{"f", []Parameter{{Name: "a"}, {Name: "c", Type: "Gone", Value: "1"}}, "Gone means nothing here"},
		{"f", []Parameter{{Name: "a"}, {Name: "c", Type: "int", Value: "gone"}}, "gone means nothing here"},
		{"f", []Parameter{{Name: "c", Type: "...int"}, {Name: "a"}}, "has to be the last"},
		{"rest", []Parameter{{Name: "more"}, {Name: "a"}}, "has to stay the last"},
		{"spread", two, "one call gives all arguments"},
		{"value", nil, "used as a value"},
		{"lone", nil, "x may be used for nothing else"},
		{"order", two, "another order"},
		{"called", []Parameter{}, "something is called there"},
		{"remarked", two, "comments stand among these"},
		{"T.String", []Parameter{{Name: "n", Type: "int", Value: "1"}}, "fmt.Stringer"},
		{"T.Do", nil, "may implement an interface"},
		{"W.WriteHeader", []Parameter{{Name: "1"}, {Name: "n", Type: "int", Value: "1"}}, "embeds a type that is not known here"},
		{"T.free", []Parameter{{Name: "n", Type: "int", Value: "1"}, {Name: "xs"}}, "through its type"},
		{"gen", []Parameter{{Name: "p"}}, "type parameters"},
		{"notFunc", nil, "it has no parameters"},
		{"rb", two, "known for Go, Python"},
	} {
		_, changes, err := signed(t, files, c.name, c.to...)
		refusal, ok := errors.AsType[*RefusedError](err)
		if !ok {
			t.Errorf("change %s to %v: %v, %v, want a refusal", c.name, c.to, changes, err)
			continue
		}
		if !strings.Contains(refusal.Error(), c.why) {
			t.Errorf("change %s to %v: %v, want %q in it", c.name, c.to, refusal, c.why)
		}
	}
}
