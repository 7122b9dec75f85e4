package codetool_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"helve/codetool"
	"helve/tool"
)

// families are one program in every language: Base.run, which Child.run overrides or implements and start calls.
var families = []struct {
	language, base, child string
	files                 map[string]string
	want                  []string // of used_by for base, a pattern a line
}{
	{
		"Go", "Base.Run", "",
		map[string]string{
			"a.go":      "package a\n\ntype Base interface{ Run() int }\n\ntype Child struct{}\n\nfunc (c Child) Run() int { return 2 }\n\nfunc start(b Base) int { return b.Run() }\n",
			"a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestRun(t *testing.T) { Child{}.Run() }\n",
		},
		[]string{"callers: 1\n  a.go#start:", "implementers: 1\n  a.go#Child.Run:7-7 method, implements at 7, "},
	},
	{
		"Python", "Base.run", "Child",
		map[string]string{
			"a.py":      "class Base:\n    def run(self):\n        return 1\n\nclass Child(Base):\n    def run(self):\n        return 2\n\ndef start(b: Base):\n    return b.run()\n",
			"test_a.py": "from a import Base\n\ndef test_run():\n    assert Base().run() == 1\n",
		},
		[]string{"callers: 1\n  a.py#start:", "overriders: 1\n  a.py#Child.run:6-7 method, overrides at 6, exact", "tests: 1\n  test_a.py#test_run:"},
	},
	{
		"JavaScript", "Base.run", "Child",
		map[string]string{"a.js": "class Base {\n  run() { return 1 }\n}\nclass Child extends Base {\n  run() { return 2 }\n}\nfunction start() {\n  const b = new Base()\n  return b.run()\n}\n"},
		[]string{"callers: 1\n  a.js#start:", "overriders: 1\n  a.js#Child.run:"},
	},
	{
		"TypeScript", "Base.run", "Child",
		map[string]string{
			"a.ts":      "export class Base {\n  run(): number { return 1 }\n}\nexport class Child extends Base {\n  run(): number { return 2 }\n}\nexport function start(b: Base) {\n  return b.run()\n}\n",
			"a.test.ts": "import { Base } from './a'\n\nfunction testRun() {\n  return new Base().run()\n}\n",
		},
		[]string{"callers: 1\n  a.ts#start:", "overriders: 1\n  a.ts#Child.run:", "tests: 1\n  a.test.ts#testRun:"},
	},
	{
		"Java", "Base.run", "Child",
		map[string]string{
			"Base.java":  "class Base {\n  int run() { return 1; }\n}\n",
			"Child.java": "class Child extends Base {\n  int run() { return 2; }\n}\n",
			"Start.java": "class Start {\n  int start(Base b) { return b.run(); }\n}\n",
		},
		[]string{"callers: 1\n  Start.java#Start.start:", "overriders: 1\n  Child.java#Child.run:"},
	},
	{
		"C++", "Base.run", "Child",
		map[string]string{"a.cc": "class Base {\n public:\n  virtual int run() { return 1; }\n};\nclass Child : public Base {\n public:\n  int run() override { return 2; }\n};\nint start(Base& b) { return b.run(); }\n"},
		[]string{"callers: 1\n  a.cc#start:", "overriders: 1\n  a.cc#Child.run:"},
	},
	{
		"C#", "Base.Run", "Child",
		map[string]string{"A.cs": "class Base {\n  public virtual int Run() { return 1; }\n}\nclass Child : Base {\n  public override int Run() { return 2; }\n}\nclass S {\n  int Start(Base b) { return b.Run(); }\n}\n"},
		[]string{"callers: 1\n  A.cs#S.Start:", "overriders: 1\n  A.cs#Child.Run:"},
	},
	{
		"Ruby", "Base.run", "Child",
		map[string]string{"a.rb": "class Base\n  def run\n    1\n  end\nend\n\nclass Child < Base\n  def run\n    2\n  end\nend\n\ndef start\n  b = Base.new\n  b.run\nend\n"},
		[]string{"callers: 1\n  a.rb#start:", "overriders: 1\n  a.rb#Child.run:"},
	},
	{
		"PHP", "Base.run", "Child",
		map[string]string{"a.php": "<?php\nclass Base {\n  function run() { return 1; }\n}\nclass Child extends Base {\n  function run() { return 2; }\n}\nfunction start(Base $b) {\n  return $b->run();\n}\n"},
		[]string{"callers: 1\n  a.php#start:", "overriders: 1\n  a.php#Child.run:"},
	},
	{
		"Kotlin", "Base.run", "Child",
		map[string]string{"a.kt": "open class Base {\n  open fun run(): Int { return 1 }\n}\nclass Child : Base() {\n  override fun run(): Int { return 2 }\n}\nfun start(b: Base): Int {\n  return b.run()\n}\n"},
		[]string{"callers: 1\n  a.kt#start:", "overriders: 1\n  a.kt#Child.run:"},
	},
	{
		"Swift", "Base.run", "Child",
		map[string]string{"a.swift": "class Base {\n  func run() -> Int { return 1 }\n}\nclass Child: Base {\n  override func run() -> Int { return 2 }\n}\nfunc start(b: Base) -> Int {\n  return b.run()\n}\n"},
		[]string{"callers: 1\n  a.swift#start:", "overriders: 1\n  a.swift#Child.run:"},
	},
	{
		"Rust", "Base.run", "",
		map[string]string{"a.rs": "trait Base {\n    fn run(&self) -> i32;\n}\nstruct Child;\nimpl Base for Child {\n    fn run(&self) -> i32 { 2 }\n}\nfn start(b: &dyn Base) -> i32 {\n    b.run()\n}\n"},
		[]string{"callers: 1\n  a.rs#start:", "implementers: 1\n  a.rs#Child.run:"},
	},
	{
		"C", "run", "",
		map[string]string{"a.c": "int run(void) { return 1; }\nint start(void) { return run(); }\n"},
		[]string{"callers: 1\n  a.c#start:2-2 function, call at 2, exact"},
	},
	{
		"shell", "run", "",
		map[string]string{"a.sh": "run() {\n  echo 1\n}\nstart() {\n  run\n}\n"},
		[]string{"callers: 1\n  a.sh#start:4-6 function, call at 5, exact"},
	},
}

func TestUsedByNamesCallersAndWhatStandsInInEveryLanguage(t *testing.T) {
	for _, f := range families {
		t.Run(f.language, func(t *testing.T) {
			h := open(t, f.files, codetool.Options{})
			args := `{"name":"` + f.base + `"}`
			text := h.call("used_by", args).Text()
			for _, w := range f.want {
				if !strings.Contains(text, w) {
					t.Errorf("used_by %s: want %q in\n%s", f.base, w, text)
				}
			}
			if f.child == "" {
				return
			}
			base, _, _ := strings.Cut(f.base, ".")
			text = h.call("used_by", `{"name":"`+base+`"}`).Text()
			if want := regexp.MustCompile(`subtypes: 1\n  .*#` + f.child + `:.*, extends at \d+, `); !want.MatchString(text) {
				t.Errorf("used_by %s: want %s in\n%s", base, want, text)
			}
		})
	}
}

func TestExploreAnswersAllOfASymbolAtOnceInEveryLanguage(t *testing.T) {
	for _, f := range families {
		t.Run(f.language, func(t *testing.T) {
			h := open(t, f.files, codetool.Options{})
			last := f.base[strings.LastIndexByte(f.base, '.')+1:]
			text := h.call("explore", `{"name":"`+f.base+`"}`).Text()
			for _, w := range f.want {
				if strings.HasPrefix(w, "tests: 1") { // here with how sure that is, in place of the line
					w = strings.TrimSuffix(w, ":")
				}
				if !strings.Contains(text, w) {
					t.Errorf("want %q in\n%s", w, text)
				}
			}
			source := h.call("source", `{"name":"`+f.base+`"}`).Text()
			if !strings.HasPrefix(text, source) || !strings.Contains(source, last) {
				t.Errorf("the source is\n%s\nnot at the beginning of\n%s", source, text)
			}
			start := "start"
			if f.language == "C#" {
				start = "Start"
			}
			if calls := h.call("uses", `{"name":"`+start+`"}`).Text(); !strings.Contains(calls, "calls: ") || !strings.Contains(calls, last+":") {
				t.Errorf("uses %s:\n%s", start, calls)
			}
			if path := h.call("path", `{"from":"`+start+`","to":"`+f.base+`"}`).Text(); !strings.Contains(path, "→ ") {
				t.Errorf("path:\n%s", path)
			}
		})
	}
}

// Every use is on one page, and on one only; the first page has some of each group.
func TestPagesOfUsedByHoldEveryUseOnce(t *testing.T) {
	var b strings.Builder
	b.WriteString("class Base:\n    pass\n\n")
	for i := range 150 {
		fmt.Fprintf(&b, "def caller%d():\n    return Base()\n\nclass Child%d(Base):\n    pass\n\n", i, i)
	}
	h := open(t, map[string]string{"a.py": b.String(), "test_a.py": "from a import Base\n\ndef test_one():\n    Base()\n"}, codetool.Options{})
	first := h.call("used_by", `{"name":"Base"}`).Text()
	for _, w := range []string{"callers: 150\n  a.py#caller0:", "subtypes: 150\n  a.py#Child0:", "tests: 1\n  test_a.py#test_one:"} {
		if !strings.Contains(first, w) {
			t.Errorf("want %q in\n%s", w, first)
		}
	}
	row := regexp.MustCompile(`(?m)^  \S+#(\w+):`)
	cursor := regexp.MustCompile(`\[truncated: \d+ more; cursor (\S+)\]`)
	var seen []string
	for page, text := 0, first; ; page++ {
		for _, m := range row.FindAllStringSubmatch(text, -1) {
			seen = append(seen, m[1])
		}
		next := cursor.FindStringSubmatch(text)
		if next == nil {
			break
		}
		if page > 50 {
			t.Fatal("pages without an end")
		}
		text = h.call("used_by", `{"name":"Base","cursor":"`+next[1]+`"}`).Text()
	}
	slices.Sort(seen)
	if n := len(slices.Compact(slices.Clone(seen))); len(seen) != 301 || n != 301 {
		t.Errorf("%d uses, %d of them different, want 301", len(seen), n)
	}
}

// An ID is one word without a colon, whatever a path or a name is, and every tool understands it.
func TestIDsHoldNoBlankAndNoColon(t *testing.T) {
	h := open(t, map[string]string{
		"my folder/50% a.py": "def odd():\n    return 1\n\ndef caller():\n    return odd()\n",
		"t.cc":               "int helper() { return 1; }\nstruct T { operator bool() const { return helper(); } };\n",
	}, codetool.Options{})
	id := regexp.MustCompile(`(?m)^ *(\S+#\S+):\d+-\d+ `)
	for _, c := range []struct{ ask, want string }{
		{`{"name":"odd"}`, "my%20folder/50%25%20a.py#caller"},
		{`{"name":"helper"}`, "t.cc#T.operator%20bool"},
	} {
		text := h.call("used_by", c.ask).Text()
		ids := id.FindAllStringSubmatch(text, -1)
		if len(ids) != 2 || ids[1][1] != c.want {
			t.Fatalf("used_by %s: want %s in\n%s", c.ask, c.want, text)
		}
		for _, name := range []string{"source", "uses", "explore", "find", "impact", "find_symbol", "get_dependencies", "get_function_source"} {
			args, err := json.Marshal(map[string]string{"name": ids[1][1]})
			if err != nil {
				t.Fatal(err)
			}
			if r := h.call(name, string(args)); r.Err != nil {
				t.Errorf("%s %s: %s", name, args, r.Text())
			}
		}
	}
	old := h.call("get_dependents", `{"name":"odd"}`).Text()
	if !strings.Contains(old, "my folder/50% a.py#caller:4-5") {
		t.Errorf("the eighteen have IDs as before: %s", old)
	}
	if r := h.call("impact", `{"name":"my%20folder/50%25%20a.py"}`); r.Err != nil || !strings.Contains(r.Text(), "changed: 2") {
		t.Errorf("the ID of a file: %s", r.Text())
	}
}

func TestNoneCountsWhatIsNotKnown(t *testing.T) {
	h := open(t, map[string]string{
		"a.py": "class Store:\n    def append(self, x):\n        return x\n\ndef put(things):\n    things.append(1)\n\ndef fill(things):\n    things.append(2)\n",
		"b.go": "package b\n\nimport \"os\"\n\nfunc Exit() {}\n\nfunc f() { os.Exit(1) }\n\nfunc Loop() { Loop() }\n",
		"c.ts": "export function gone() {}\n",
		"d.ts": "export { gone } from './c'\n",
	}, codetool.Options{})
	for _, c := range []struct{ tool, args, want string }{
		{"used_by", `{"name":"Store.append"}`, "none\n[2 more uses of this name could not be resolved"},
		{"explore", `{"name":"Store.append"}`, "[2 more uses of this name could not be resolved"},
		{"impact", `{"name":"Store.append"}`, "[2 more uses of this name could not be resolved"},
		{"uses", `{"name":"put"}`, "none\n[1 more uses in it have a receiver of unknown type]"},
		{"path", `{"from_name":"put","to_name":"Store.append"}`, "no chain to a.py#Store.append"},
		{"path", `{"from_name":"put","to_name":"Store.append"}`, "[1 references on the way have a receiver of unknown type or many meanings: a way may lead through them]"},
		{"used_by", `{"name":"Loop"}`, "none\n[it uses itself at line 9]"},
		{"used_by", `{"name":"gone"}`, "none\n[imported and not used by d.ts: others may take it from there]"},
		{"explore", `{"name":"gone"}`, "[imported and not used by d.ts: others may take it from there]"},
		{"impact", `{"name":"gone"}`, "[imported and not used by d.ts: others may take it from there]"},
		{"get_dependents", `{"name":"gone"}`, "[imported and not used by d.ts: others may take it from there]"},
		{"used_by", `{"name":"Exit"}`, "none\n[1 references to this name mean something outside the project"},
	} {
		if text := h.call(c.tool, c.args).Text(); !strings.Contains(text, c.want) {
			t.Errorf("%s %s: want %q in\n%s", c.tool, c.args, c.want, text)
		}
	}
}

func TestOutlineTakesTheNamesOfModules(t *testing.T) {
	h := open(t, map[string]string{
		"go.mod":                        "module example.com/app\n",
		"store/s.go":                    "package store\n\nfunc Open() {}\n",
		"store/t.go":                    "package store\n\nfunc Close() {}\n",
		"py/shop/__init__.py":           "def sell():\n    pass\n",
		"py/shop/till.py":               "def count():\n    pass\n",
		"web/package.json":              `{"name": "@shop/web", "main": "index.js"}`,
		"web/index.js":                  "export function show() {}\n",
		"src/main/java/com/x/Till.java": "package com.x;\n\nclass Till {}\n",
	}, codetool.Options{})
	for module, want := range map[string]string{
		"example.com/app/store": "store/s.go 3 lines: Open\nstore/t.go 3 lines: Close",
		"store":                 "store/s.go 3 lines: Open",
		"shop":                  "py/shop/__init__.py: Python, 2 lines",
		"shop.till":             "py/shop/till.py: Python, 2 lines",
		"com.x":                 "Till.java: Java, 3 lines",
	} {
		args, err := json.Marshal(map[string]string{"module": module})
		if err != nil {
			t.Fatal(err)
		}
		if r := h.call("outline", string(args)); r.Err != nil || !strings.Contains(r.Text(), want) {
			t.Errorf("outline %s: want %q in\n%s", module, want, r.Text())
		}
	}
	r := h.call("outline", `{"file_path":"no/such/module"}`)
	if r.Err == nil || !strings.Contains(r.Text(), "no/such/module") {
		t.Errorf("%s", r.Text())
	}
}

// What is asked about a module is judged as a look at the whole folder, since nobody knows yet where it is.
func TestTheTargetOfAModuleIsTheFolder(t *testing.T) {
	h := open(t, project, codetool.Options{})
	for path, want := range map[string]string{"store/s.go": "store/s.go", "example.com/app/store": ""} {
		c := &tool.Call{Name: "outline", Args: json.RawMessage(`{"file_path":"` + path + `"}`), Dir: h.dir}
		job, err := h.tools["outline"].Prepare(t.Context(), c)
		if err != nil || len(job.Effects) != 1 || !strings.HasSuffix(job.Effects[0].Target, want) {
			t.Fatalf("%s: %+v, %v", path, job, err)
		}
		if want == "" && strings.Contains(job.Effects[0].Target, "example.com") {
			t.Errorf("%s: %s", path, job.Effects[0].Target)
		}
	}
}
