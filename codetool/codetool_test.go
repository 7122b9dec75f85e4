package codetool_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/codetool"
	"helve/engine/sandbox"
	"helve/tool"
	"helve/tooltest"
)

var project = map[string]string{
	"go.mod":          "module example.com/app\n",
	"main.go":         "package main\n\nimport \"example.com/app/store\"\n\nfunc main() { run() }\n\nfunc run() {\n\tstore.Open().Get(\"a\")\n}\n",
	"store/s.go":      "package store\n\n// Store keeps.\ntype Store struct{ m map[string]string }\n\nfunc Open() *Store { return &Store{} }\n\nfunc (s *Store) Get(k string) string { return s.m[k] }\n",
	"store/s_test.go": "package store\n\nimport \"testing\"\n\nfunc TestGet(t *testing.T) { Open().Get(\"x\") }\n",
	"a.py":            "class Base:\n    def go(self):\n        return 1\n\nclass Child(Base):\n    def go(self):\n        return 2\n",
}

func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestMain lets the sandbox launch this program.
func TestMain(m *testing.M) {
	sandbox.Init()
	os.Exit(m.Run())
}

type workspace struct {
	t     testing.TB
	dir   string
	index *codetool.Index
	kit   *tool.Kit
	tools map[string]tool.Tool
}

func open(t testing.TB, files map[string]string, o codetool.Options) *workspace {
	t.Helper()
	h := &workspace{t: t, dir: o.Dir, tools: map[string]tool.Tool{}}
	if h.dir == "" {
		h.dir = t.TempDir()
	}
	write(t, h.dir, files)
	o.Dir = h.dir
	if o.Environ == nil {
		o.Environ = []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}
	}
	var err error
	if h.index, err = codetool.Open(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.index.Close() })
	reg := &tool.Registry{}
	for _, tl := range codetool.All(h.index) {
		h.tools[tl.Spec().Name] = tl
		if err := reg.Add(tl); err != nil {
			t.Fatal(err)
		}
	}
	h.kit = reg.Kit(tool.KitOptions{})
	return h
}

func (h *workspace) call(name, args string) *tool.Result {
	h.t.Helper()
	r, err := h.kit.Call(h.t.Context(), &tool.Call{Name: name, Args: json.RawMessage(args), Dir: h.dir})
	if err != nil {
		h.t.Fatal(err)
	}
	return r
}

// answers are a call of every tool and what its answer has.
var answers = []struct{ name, args, want string }{
	{"explore", `{"name":"Store.Get"}`, "callers: 1\n  main.go#run:7-9 function, call at 8, "},
	{"find", `{"name":"Store.Get"}`, "store/s.go#Store.Get:8-8 method"},
	{"outline", `{"file_path":"store/s.go"}`, "store/s.go: Go, 8 lines"},
	{"source", `{"name":"Base"}`, "class Base:"},
	{"uses", `{"name":"run"}`, "calls: 2\n  store/s.go#Open:6-6 function, call at 8"},
	{"used_by", `{"name":"Base.go"}`, "overriders: 1\n  a.py#Child.go:6-7 method, overrides at 6, exact"},
	{"impact", `{"name":"Store.Get"}`, "run:\n  go test -run '^TestGet$' ./store"},
	{"path", `{"from_name":"main","to_name":"Store.Get"}`, "→ store/s.go#Store.Get"},
	{"get_project_summary", `{}`, "language Go: 3 files"},
	{"list_files", `{"pattern":"*.py"}`, "a.py"},
	{"get_structure_summary", `{"file_path":"store/s.go"}`, "store/s.go: Go, 8 lines"},
	{"get_structure_summary", `{}`, "root: "},
	{"get_structure_summary", `{"file_path":"store/"}`, "store/s.go 8 lines: Store, Open\nstore/s_test.go 5 lines: TestGet"},
	{"find_symbol", `{"name":"Te*"}`, "[no definition has just this name: those that match it, the most used first]\nstore/s_test.go#TestGet"},
	{"get_functions", `{"file_path":"store/s.go"}`, "store/s.go#Store.Get:8-8 method (k string)"},
	{"get_classes", `{}`, "a.py#Child:5-7 class of Base methods: go"},
	{"get_imports", `{"file_path":"main.go"}`, "main.go:3 example.com/app/store"},
	{"get_function_source", `{"name":"run"}`, "\tstore.Open().Get(\"a\")"},
	{"get_function_source", `{"name":"run","names":["Store.Get","nothere"]}`, "## nothere"},
	{"get_class_source", `{"name":"Base"}`, "class Base:"},
	{"find_symbol", `{"name":"Store.Get"}`, "store/s.go#Store.Get:8-8 method"},
	{"get_dependencies", `{"name":"run"}`, "store/s.go#Open"},
	{"get_dependents", `{"name":"Store.Get"}`, "main.go#run"},
	{"get_change_impact", `{"name":"Store.Get"}`, "tests: 1\n  store/s_test.go#TestGet"},
	{"get_call_chain", `{"from_name":"main","to_name":"Store.Get"}`, "→ store/s.go#Store.Get"},
	{"get_file_dependencies", `{"file_path":"main.go"}`, "store/s.go"},
	{"get_file_dependents", `{"file_path":"store/s.go"}`, "main.go"},
	{"search_codebase", `{"pattern":"class \\w+"}`, "a.py:1:class Base:\na.py:5:class Child(Base):"},
	{"reindex", `{}`, "Indexed"},
	{"get_usage_stats", `{}`, "calls: "},
}

// furtherAnswers have other parts of the data: cursors, several meanings, lines that are cut, nothing found.
var furtherAnswers = []struct{ name, args string }{
	{"explore", `{"name":"go"}`},
	{"explore", `{"name":"callee"}`},
	{"explore", `{"name":"tall"}`},
	{"find", `{"name":"many"}`},
	{"outline", `{}`},
	{"outline", `{"file_path":"store"}`},
	{"outline", `{"file_path":"example.com/app/store"}`},
	{"source", `{"name":"go","names":["wide","nothere"]}`},
	{"uses", `{"name":"many","names":["run"]}`},
	{"used_by", `{"name":"callee"}`},
	{"used_by", `{"name":"go"}`},
	{"used_by", `{"name":"odd"}`},
	{"impact", `{"name":"callee"}`},
	{"path", `{"from_name":"go","to_name":"main"}`},
	{"list_files", `{"pattern":"*.nothing"}`},
	{"list_files", `{"max_results":2}`},
	{"list_files", `{"max_results":2,"cursor":"2@elsewhere"}`},
	{"get_structure_summary", `{"file_path":"odd.md"}`},
	{"get_structure_summary", `{"file_path":"long.py"}`},
	{"get_structure_summary", `{"file_path":"store"}`},
	{"get_structure_summary", `{"file_path":"index.js"}`},
	{"find_symbol", `{"name":"f*"}`},
	{"find_symbol", `{"name":"TeGe"}`},
	{"get_functions", `{}`},
	{"get_imports", `{}`},
	{"get_class_source", `{"name":"Child","max_lines":1}`},
	{"get_function_source", `{"name":"go"}`},
	{"get_function_source", `{"name":"wide"}`},
	{"get_function_source", `{"name":"tall","names":["wide"]}`},
	{"find_symbol", `{"name":"many"}`},
	{"find_symbol", `{"name":"go","names":["nothere","Store"]}`},
	{"find_symbol", `{"name":"odd"}`},
	{"get_dependents", `{"name":"go"}`},
	{"get_dependents", `{"name":"callee"}`},
	{"get_dependents", `{"name":"callee","cursor":"10@x","max_results":50}`},
	{"get_dependencies", `{"name":"Child","names":["run","nothere"]}`},
	{"get_change_impact", `{"name":"go"}`},
	{"get_change_impact", `{"name":"callee","names":["store/s.go","nothere"]}`},
	{"get_change_impact", `{"name":"callee","max_direct":3}`},
	{"get_call_chain", `{"from_name":"go","to_name":"main"}`},
	{"search_codebase", `{"pattern":"x{400}"}`},
	{"search_codebase", `{"pattern":"nowhere at all"}`},
	{"search_codebase", `{"pattern":"e"}`},
	{"search_codebase", `{"pattern":"é|caf"}`},
}

// furtherFiles are what they are about.
func furtherFiles() map[string]string {
	files := maps.Clone(project)
	files["index.js"] = "export { a, b as c } from './a'\nexport * from './b'\n"
	files["odd.md"] = "# A\n\n## B \xff\n"
	files["odd.py"] = "def odd(a=\"caf\xe9\"):\n    return a\n"
	files["wide.py"] = "def wide(): return \"" + strings.Repeat("x", 20_000) + "\"\n"
	files["tall.py"] = "def tall():\n" + strings.Repeat("    print(1)\n", 3000)
	var b strings.Builder
	b.WriteString("def callee(): pass\n")
	for i := range 300 {
		fmt.Fprintf(&b, "def many():\n    callee()\ndef f%d():\n    callee()\n", i)
	}
	files["long.py"] = b.String()
	return files
}

// What tooltest checks of each call: the text is that of the data, the data satisfies its schema, and a program gets all.
func TestTextsAreMadeOfData(t *testing.T) {
	h := open(t, furtherFiles(), codetool.Options{})
	for _, a := range furtherAnswers {
		t.Run(a.name+" "+a.args, func(t *testing.T) {
			if _, ok := h.tools[a.name].(tool.Renderer); !ok {
				t.Fatalf("%s does not say how its text is made", a.name)
			}
			tooltest.Check(t, h.tools[a.name], &tool.Call{Name: a.name, Args: json.RawMessage(a.args), Dir: h.dir})
		})
	}
}

// The text for a model ends where its budget does; a program gets the rest, or an error.
func TestAProgramGetsWhatTheTextCuts(t *testing.T) {
	h := open(t, furtherFiles(), codetool.Options{})
	type row = map[string]any
	type data struct {
		Symbols, Matches []row
		Names            []struct {
			Found []struct {
				Edges, Direct, Matches []row
				Text                   string
			}
		}
		Complete bool
		Why      string
	}
	for _, c := range []struct {
		name, args string
		count      func(data) int
		want       int
	}{
		{"get_functions", `{"file_path":"long.py"}`, func(d data) int { return len(d.Symbols) }, 601},
		{"search_codebase", `{"pattern":"callee\\(\\)"}`, func(d data) int { return len(d.Matches) }, 601},
		{"find_symbol", `{"name":"many"}`, func(d data) int { return len(d.Names[0].Found[0].Matches) }, 300},
		{"get_dependents", `{"name":"callee"}`, func(d data) int { return len(d.Names[0].Found[0].Edges) }, 600},
		{"get_change_impact", `{"name":"callee"}`, func(d data) int { return len(d.Names[0].Found[0].Direct) }, 600},
		{"get_function_source", `{"name":"tall"}`, func(d data) int { return strings.Count(d.Names[0].Found[0].Text, "\n") }, 3000},
		{"get_function_source", `{"name":"wide"}`, func(d data) int { return strings.Count(d.Names[0].Found[0].Text, "x") }, 20_000},
	} {
		ask := func(whole int) (*tool.Result, data) {
			var d data
			res, err := h.kit.Call(t.Context(), &tool.Call{Name: c.name, Args: json.RawMessage(c.args), Dir: h.dir, Whole: whole})
			if err == nil && res.Err == nil {
				err = json.Unmarshal(res.Data, &d)
			}
			if err != nil {
				t.Fatal(err)
			}
			return res, d
		}
		_, page := ask(0)
		if n := c.count(page); page.Complete || page.Why == "" || n >= c.want {
			t.Errorf("%s %s: %d of a page, complete %v", c.name, c.args, n, page.Complete)
		}
		_, all := ask(tool.MaxWhole)
		if n := c.count(all); !all.Complete || n != c.want {
			t.Errorf("%s %s: %d of all, want %d; complete %v: %s", c.name, c.args, n, c.want, all.Complete, all.Why)
		}
		few, _ := ask(3000)
		if few.Err == nil || few.Data != nil || !strings.Contains(few.Text(), "3000 bytes that a program may have") {
			t.Errorf("%s %s: %.200q", c.name, c.args, few.Text())
		}
	}
}

// R3.2: with the parameters of the requirement.
func TestEveryToolAnswers(t *testing.T) {
	h := open(t, project, codetool.Options{Cache: t.TempDir()})
	for _, a := range answers {
		r := h.call(a.name, a.args)
		if r.Err != nil || !strings.Contains(r.Text(), a.want) {
			t.Errorf("%s %s: want %q in\n%s", a.name, a.args, a.want, r.Text())
		}
	}
}

func TestEveryToolKeepsThePromisesOfTools(t *testing.T) {
	h := open(t, project, codetool.Options{})
	if len(h.tools) != 8+18 {
		t.Errorf("%d tools, want 8 and 18", len(h.tools))
	}
	for _, a := range answers {
		t.Run(a.name, func(t *testing.T) {
			tooltest.Check(t, h.tools[a.name], &tool.Call{Name: a.name, Args: json.RawMessage(a.args), Dir: h.dir})
		})
	}
}

// R3.14: listing costs no index, and so do the two protected tools alone.
func TestNothingIsReadBeforeAToolIsCalled(t *testing.T) {
	h := open(t, project, codetool.Options{})
	h.kit.View()
	if r := h.call("get_usage_stats", `{}`); r.Err != nil {
		t.Fatal(r.Err)
	}
	if h.index.Working() || h.index.Stats().FilesRead != 0 {
		t.Errorf("the index is open: %+v", h.index.Stats())
	}
	if h.call("find_symbol", `{"name":"run"}`); !h.index.Working() || h.index.Stats().FilesRead == 0 {
		t.Error("a question read nothing")
	}
}

// Where a signature begins with the word for the kind, as in most languages, that word is said once.
func TestASymbolsKindIsSaidOnce(t *testing.T) {
	h := open(t, map[string]string{
		"a.js": "function run(a) {}\nfunction* gen() {}\nclass Box {}\nasync function wait() {}\nconst f = x => x\n",
		"b.rs": "struct S { a: i32 }\nfn functional() {}\n",
		"c.go": "package c\n\nfunc Go() {}\n",
		"d.py": "class functions:\n    pass\n",
	}, codetool.Options{})
	for name, want := range map[string]string{
		"run":        "a.js#run:1-1 function run(a)",
		"gen":        "a.js#gen:2-2 function* gen()",
		"Box":        "a.js#Box:3-3 class Box",
		"wait":       "a.js#wait:4-4 function async function wait()",
		"S":          "b.rs#S:1-1 struct S",
		"functional": "b.rs#functional:2-2 function fn functional()",
		"Go":         "c.go#Go:3-3 function func Go()",
		"functions":  "d.py#functions:1-2 class functions",
	} {
		line, _, _ := strings.Cut(h.call("find_symbol", `{"name":"`+name+`"}`).Text(), "\n")
		if line != want {
			t.Errorf("%s: %q, want %q", name, line, want)
		}
	}
}

// TestANameOfAStructOfCShowsItsFields asks as an agent does: what has this type?
func TestANameOfAStructOfCShowsItsFields(t *testing.T) {
	h := open(t, map[string]string{"a.h": "typedef struct node {\n  struct node *next;\n} Node;\n"}, codetool.Options{})
	for question, want := range map[string]string{
		"find":   "a.h#Node:3-3 type typedef struct node\ntypedef struct node {\n  struct node *next;\n} Node",
		"source": "a.h#Node:3-3 type\ntypedef struct node {\n  struct node *next;\n} Node",
	} {
		if got := h.call(question, `{"name":"Node"}`).Text(); !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %q, want %q", question, got, want)
		}
	}
}

func TestAnUnknownNameGetsSuggestions(t *testing.T) {
	h := open(t, project, codetool.Options{})
	for _, name := range []string{"find_symbol", "get_dependents", "get_class_source"} {
		if r := h.call(name, `{"name":"Stor"}`); r.Err == nil || !strings.Contains(r.Text(), "Store") {
			t.Errorf("%s Stor: %s", name, r.Text())
		}
	}
}

func TestAmbiguityIsShown(t *testing.T) {
	h := open(t, project, codetool.Options{})
	r := h.call("get_function_source", `{"name":"go"}`)
	if !strings.Contains(r.Text(), "[ambiguous: 1 others") || !strings.Contains(r.Text(), "a.py#Child.go") {
		t.Errorf("got %s", r.Text())
	}
}

// TestAFewDefinitionsOfANameShareTheAnswer: nobody has to know that a name has another meaning to be told its users.
func TestAFewDefinitionsOfANameShareTheAnswer(t *testing.T) {
	h := open(t, map[string]string{
		"a.py": "def load(): pass\ndef once(): load()\n",
		"b.py": "def load(): pass\n" + strings.Repeat("def many(): load()\n", 300),
	}, codetool.Options{})
	for _, name := range []string{"get_dependents", "get_change_impact"} {
		text := h.call(name, `{"name":"load"}`).Text()
		for _, want := range []string{"[2 definitions have this name", "a.py#load:1-1", "b.py#load:1-1", "a.py#once", "b.py#many"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", name, want, text)
			}
		}
		if len(text) > 8000 {
			t.Errorf("%s: %d bytes", name, len(text))
		}
	}
	text := h.call("get_dependents", `{"name":"load"}`).Text()
	_, cursor, _ := strings.Cut(text, "name b.py#load, cursor ")
	cursor, _, _ = strings.Cut(cursor, "]")
	if next := h.call("get_dependents", `{"name":"b.py#load","cursor":"`+cursor+`"}`); next.Err != nil || !strings.Contains(next.Text(), "b.py#many") {
		t.Errorf("after %s\nthe cursor %q leads to\n%s", text, cursor, next.Text())
	}
}

func TestALongListIsCutAndGoesOnAtItsCursor(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		b.WriteString("def function_" + strings.Repeat("x", i%7) + "(first, second):\n    pass\n")
	}
	h := open(t, map[string]string{"long.py": b.String()}, codetool.Options{})
	for name, args := range map[string]string{"get_functions": `{"max_results":0`, "search_codebase": `{"pattern":"def","max_results":1000`} {
		seen, cursor := 0, ""
		for range 100 {
			r := h.call(name, args+`,"cursor":"`+cursor+`"}`)
			if r.Err != nil || len(r.Text()) > 8000 {
				t.Fatalf("%s: %d bytes, %v", name, len(r.Text()), r.Err)
			}
			seen += strings.Count(r.Text(), "long.py")
			_, after, more := strings.Cut(r.Text(), "cursor ")
			if !more {
				break
			}
			cursor = strings.TrimSuffix(after, "]")
		}
		if seen != 1000 {
			t.Errorf("%s: %d of 1000 items on all pages", name, seen)
		}
	}
}

func TestWhatIsDeniedIsInNoAnswer(t *testing.T) {
	h := open(t, project, codetool.Options{Denied: func(p string) bool { return p == "store/s.go" }})
	for name, args := range map[string]string{"get_project_summary": `{}`, "get_functions": `{}`, "list_files": `{}`, "search_codebase": `{"pattern":"Store"}`} {
		if r := h.call(name, args); strings.Contains(r.Text(), "store/s.go") {
			t.Errorf("%s: %s", name, r.Text())
		}
	}
	if r := h.call("get_structure_summary", `{"file_path":"../x"}`); r.Err == nil || r.Err.Code != tool.Permission {
		t.Errorf("a path outside: %s", r.Text())
	}
}

func TestUsageIsMeasured(t *testing.T) {
	h := open(t, project, codetool.Options{})
	n := len(h.call("find_symbol", `{"name":"Child"}`).Text())
	want := "find_symbol: 1 calls, " + itoa(n) + " bytes returned, files of " + itoa(len(project["a.py"])) + " bytes"
	if r := h.call("get_usage_stats", `{}`); !strings.Contains(r.Text(), want) {
		t.Errorf("want %q in\n%s", want, r.Text())
	}
}

func itoa(n int) string { b, _ := json.Marshal(n); return string(b) }
