package codetool_test

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"helve/codetool"
)

// runsOf are the commands that an impact proposes.
func runsOf(t *testing.T, h *workspace, name string) []string {
	t.Helper()
	text := h.call("get_change_impact", `{"name":"`+name+`"}`).Text()
	_, text, found := strings.Cut(text, "\nrun:\n")
	if !found {
		return nil
	}
	text, _, _ = strings.Cut(text, "\ndirect:")
	var out []string
	for line := range strings.Lines(text) {
		out = append(out, strings.TrimSpace(line))
	}
	return out
}

// Commands run the tests that a change may break, each as the runner of its language takes them.
func TestAnImpactSaysHowItsTestsAreRun(t *testing.T) {
	for _, c := range []struct {
		what  string
		files map[string]string
		name  string
		want  []string
	}{
		{"go", map[string]string{
			"go.mod":          "module m\n",
			"a/a.go":          "package a\n\nfunc F() {}\n",
			"a/a_test.go":     "package a\n\nfunc TestOne(t *T) { F() }\nfunc TestTwo(t *T) { help() }\nfunc help() { F() }\nfunc TestNot(t *T) {}\n",
			"sub/go.mod":      "module s\n",
			"sub/b_test.go":   "package s\n\nimport \"m/a\"\n\nfunc ExampleF() { a.F() }\n",
			"a/in/in_test.go": "package in\n\nimport \"m/a\"\n\nfunc (s *Suite) TestX() { a.F() }\n",
		}, "F", []string{
			"go test -run '^(TestOne|TestTwo)$' ./a",
			"go test ./a/in",
			"cd sub && go test -run '^ExampleF$' .",
		}},
		{"pytest", map[string]string{
			"lib.py":              "def f(): pass\n",
			"tests/test_lib.py":   "from lib import f\n\ndef test_one(): f()\n\nclass TestLib:\n    def test_two(self): f()\n",
			"tests/conftest.py":   "from lib import f\n\ndef fixture(): f()\n",
			"tests/test_other.py": "from lib import f\nf()\n",
		}, "lib.py#f", []string{
			"pytest tests/test_lib.py::test_one tests/test_lib.py::TestLib::test_two",
			"pytest tests",
			"pytest tests/test_other.py",
		}},
		{"vitest and jest", map[string]string{
			"package.json":          `{"devDependencies":{"vitest":"1"}}`,
			"a.js":                  "export function f() {}\n",
			"a.test.js":             "import { f } from './a'\ntest('x', () => f())\n",
			"pkg/package.json":      `{"scripts":{"test":"jest --ci"}}`,
			"pkg/b test.spec.js":    "import { f } from '../a'\nit('y', () => { f() })\n",
			"plain/package.json":    `{}`,
			"plain/tests/c.test.js": "import { f } from '../../a'\nf()\n",
		}, "a.js#f", []string{
			"npx vitest run a.test.js",
			"cd pkg && npx jest 'b test.spec.js'",
			"cd plain && node --test tests/c.test.js",
		}},
		{"gtest", map[string]string{
			"f.h":         "int f();\n",
			"f.cc":        "#include \"f.h\"\nint f() { return 1; }\n",
			"f_test.cc":   "#include \"f.h\"\nclass Fix { public: int g() { return 2; } };\nTEST(Suite, One) {\n  EXPECT_EQ(f(), 1);\n}\n\nTEST_F(Fix, Two) {\n  f();\n  g();\n}\n",
			"f_unused.cc": "int h() { return 0; }\n",
		}, "f.cc#f", []string{"TEST_PROGRAM --gtest_filter=Suite.One:Fix.Two"}},
		{"maven", map[string]string{
			"pom.xml":                      "<project/>",
			"src/main/java/A.java":         "class A { static void f() {} }\n",
			"src/test/java/ATest.java":     "class ATest { void testF() { A.f(); } void testG() { A.f(); } }\n",
			"src/test/java/OtherTest.java": "class OtherTest { @Test void works() { A.f(); } }\n",
		}, "A.f", []string{"mvn test -Dtest='ATest#testF+testG'", "mvn test -Dtest=OtherTest"}},
		{"others", map[string]string{
			"a.php":            "<?php class A { static function f() {} }\n",
			"tests/ATest.php":  "<?php class ATest extends TestCase { function testF() { A::f(); } }\n",
			"b.rb":             "class B\n  def self.run_it; end\nend\n",
			"test/b_test.rb":   "class BTest\n  def test_b; B.run_it; end\nend\n",
			"c.cs":             "class C { public static void Go() {} }\n",
			"tests/CTests.cs":  "class CTests { [Fact] public void Goes() { C.Go(); } }\n",
			"Cargo.toml":       "[package]\nname = \"r\"\n",
			"tests/rusting.rs": "fn rusty() {}\n#[test]\nfn test_rust() { rusty(); }\n",
		}, "", []string{
			"vendor/bin/phpunit --filter '/::(testF)( |$)/' tests/ATest.php",
			"ruby -Ilib -Itest test/b_test.rb -n '/^test_b$/'",
			"dotnet test --filter 'FullyQualifiedName~CTests'",
			"cargo test --test rusting -- test_rust",
		}},
	} {
		h := open(t, c.files, codetool.Options{})
		names := []string{c.name}
		if c.name == "" {
			names = []string{"A.f", "B.run_it", "C.Go", "rusty"}
		}
		var got []string
		for _, name := range names {
			got = append(got, runsOf(t, h, name)...)
		}
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %s\ngot  %s\nwant %s", c.what, h.call("get_change_impact", `{"name":"`+names[0]+`"}`).Text(), strings.Join(got, "\n     "), strings.Join(c.want, "\n     "))
		}
	}
}

// The command for Go runs the tests that it names, and no other.
func TestTheCommandForGoRunsTheTestsThatItNames(t *testing.T) {
	h := open(t, map[string]string{
		"go.mod":      "module m\n\ngo 1.21\n",
		"a/a.go":      "package a\n\nfunc F() int { return 1 }\n",
		"a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) { F() }\n\nfunc TestOneMore(t *testing.T) {}\n\nfunc TestTwo(t *testing.T) { F() }\n",
	}, codetool.Options{})
	runs := runsOf(t, h, "F")
	if len(runs) != 1 {
		t.Fatalf("%q", runs)
	}
	cmd := exec.Command("sh", "-c", strings.Replace(runs[0], "go test", "go test -v", 1))
	cmd.Dir = h.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", runs[0], err, out)
	}
	for name, want := range map[string]bool{"TestOne": true, "TestTwo": true, "TestOneMore": false} {
		if strings.Contains(string(out), "--- PASS: "+name+" ") != want {
			t.Errorf("%s: %s ran: %v\n%s", runs[0], name, !want, out)
		}
	}
}

// A command that would be too long names no tests; commands that do not fit are counted.
func TestManyTestsAreRunByTheirFolder(t *testing.T) {
	files := map[string]string{"go.mod": "module m\n", "a.go": "package m\n\nfunc F() {}\n"}
	var b strings.Builder
	b.WriteString("package m\n")
	for i := range 150 {
		fmt.Fprintf(&b, "func TestNumber%d(t *T) { F() }\n", i)
		files[fmt.Sprintf("p%03d/x_test.go", i)] = "package p\n\nimport \"m\"\n\nfunc TestX(t *T) { m.F() }\n"
	}
	files["a_test.go"] = b.String()
	h := open(t, files, codetool.Options{})
	runs := runsOf(t, h, "F")
	if len(runs) < 3 || !slices.Contains(runs, "go test .") || !strings.Contains(runs[len(runs)-1], "more tests: run the whole suite]") {
		t.Errorf("%d commands: %s", len(runs), strings.Join(runs, "\n"))
	}
}
