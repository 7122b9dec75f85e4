package app_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"helve/builtin"
	"helve/builtin/refactoring"
	"helve/codetool"
)

// codeFixture is the project of the code tools' transcripts.
var codeFixture = map[string]string{
	"go.mod":              "module example.com/shop\n",
	"main.go":             "package main\n\nimport \"example.com/shop/store\"\n\nfunc main() { run() }\n\nfunc run() {\n\tvar k store.Keeper = store.Open()\n\tk.Put(\"a\", \"b\")\n}\n",
	"store/store.go":      "// Package store keeps things.\npackage store\n\n// Keeper is what keeps.\ntype Keeper interface {\n\tPut(key, value string)\n}\n\n// Store keeps in memory.\ntype Store struct {\n\tm map[string]string\n}\n\nfunc Open() *Store { return &Store{m: map[string]string{}} }\n\n// Put keeps a value.\nfunc (s *Store) Put(key, value string) {\n\ts.m[key] = check(value)\n}\n\nfunc check(v string) string { return v }\n",
	"store/store_test.go": "package store\n\nimport \"testing\"\n\nfunc TestPut(t *testing.T) { Open().Put(\"a\", \"b\") }\n",
	"report.py":           "import json\nfrom shapes import Circle, Square\n\nclass Report:\n    def total(self, items):\n        return sum(Circle(i).area() for i in items)\n",
	"shapes.py":           "class Shape:\n    def area(self):\n        raise NotImplementedError\n\nclass Circle(Shape):\n    def __init__(self, r):\n        self.r = r\n\n    def area(self):\n        return 3.14 * self.r ** 2\n\nclass Square(Shape):\n    def area(self):\n        return 1\n",
}

// codeTranscripts are the calls shown.
var codeTranscripts = map[string][][]string{
	"explore":               {{"name=Store.Put"}},
	"find":                  {{"name=Store.Put"}, {"name=area"}, {"name=Sto*"}, {"name=Stor"}},
	"outline":               {{"file_path=store/store.go"}, {"file_path=store"}, {"file_path=example.com/shop/store"}},
	"source":                {{"name=Circle"}, {`{"name":"check","names":["area"]}`}},
	"uses":                  {{"name=run"}},
	"used_by":               {{"name=Store.Put"}, {"name=Keeper.Put"}, {`{"name":"Shape","names":["run","Stoer"]}`}},
	"impact":                {{"name=check"}, {"name=shapes.py"}},
	"path":                  {{"from_name=main.main", "to_name=check"}},
	"get_project_summary":   {{}},
	"list_files":            {{"pattern=**/*.go"}},
	"get_structure_summary": {{"file_path=store/store.go"}},
	"get_functions":         {{"file_path=shapes.py"}, {"max_results=2"}},
	"get_classes":           {{"file_path=shapes.py"}},
	"get_imports":           {{"file_path=report.py"}},
	"get_function_source":   {{"name=Store.Put"}, {`{"name":"area","max_lines":1}`}},
	"get_class_source":      {{"name=Circle"}},
	"find_symbol":           {{"name=Store.Put"}, {"name=area"}, {"name=Stor"}},
	"get_dependencies":      {{"name=run"}},
	"get_dependents":        {{"name=Store.Put"}, {`{"name":"check","names":["Shape","Stoer"]}`}},
	"get_change_impact":     {{"name=check"}, {"name=shapes.py"}},
	"get_call_chain":        {{"from_name=main.main", "to_name=check"}},
	"get_file_dependencies": {{"file_path=report.py"}},
	"get_file_dependents":   {{"file_path=store/store.go"}},
	"search_codebase":       {{`pattern=^class \w+\(`}},
	"reindex":               {{}},
	"get_usage_stats":       {{}},
	"rename_symbol":         {{"name=check", "new_name=checked", "--yes"}, {"name=Circle", "new_name=Square", "--yes"}},
	"change_signature":      {{`{"name":"store/store.go#Store.Put","parameters":[{"name":"value"}]}`, "--yes"}, {`{"name":"checked","parameters":[{"name":"v"},{"name":"strict","type":"bool","value":"true"}]}`, "--yes"}},
	"move_symbol":           {{"name=checked", "to=store/check.go", "--yes"}, {"name=checked", "to=main.go", "--yes"}},
	"safe_delete":           {{"name=checked", "--yes"}, {"name=Square", "--yes"}},
}

var lasting = regexp.MustCompile(`duration: \d+s`)

// describeCode adds the code-structure tools, at work in a project of their own.
func describeCode(t *testing.T, b *bytes.Buffer) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "ws")
	for name, text := range codeFixture {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		when := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC) // cursors depend on it
		if err := os.Chtimes(p, when, when); err != nil {
			t.Fatal(err)
		}
	}
	b.WriteString("\n# The code-structure tools\n\nThe default profile lists the first eight, explore to path; profile `codebase-index` lists the eighteen behind them in their\n" +
		"place. Each answers to its name in every profile. `docs/code.md` says how right the answers are.\n")
	x, err := codetool.Open(codetool.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	mask := strings.NewReplacer(dir, "/workspace")
	var calls bytes.Buffer
	ws, err := builtin.Open(builtin.Options{Dirs: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	for _, tl := range append(codetool.All(x), refactoring.Tools(ws, x.Snapshot)...) {
		describe(&calls, tl.Spec())
		for _, args := range codeTranscripts[tl.Spec().Name] {
			transcript(t, &calls, dir, mask, tl.Spec().Name, args)
		}
	}
	b.Write(lasting.ReplaceAll(calls.Bytes(), []byte("duration: 0s")))
}
