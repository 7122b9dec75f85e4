package code

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helve/engine/code/internal/syntax"
)

// memory is a tree of files in memory that counts how often it is read.
type memory struct {
	mu      sync.Mutex
	files   map[string]string
	times   map[string]int64
	clock   int64
	opened  int
	listed  int
	version uint64
}

func tree(files map[string]string) *memory {
	m := &memory{files: map[string]string{}, times: map[string]int64{}}
	for p, text := range files {
		m.write(p, text)
	}
	return m
}

func (m *memory) write(path, text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.clock++
	m.version++
	m.files[path], m.times[path] = text, m.clock
}

func (m *memory) remove(path string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.version++
	delete(m.files, path)
}

func (m *memory) Files(context.Context) (Listing, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.listed++
	l := Listing{Version: m.version}
	for p, text := range m.files {
		l.Files = append(l.Files, Entry{Path: p, Size: int64(len(text)), ModTime: m.times[p]})
	}
	slices.SortFunc(l.Files, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	return l, nil
}

func (m *memory) Open(path string) (io.ReadCloser, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.opened++
	text, ok := m.files[path]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return io.NopCloser(bytes.NewReader([]byte(text))), nil
}

func open1(t *testing.T, files map[string]string) (*Snapshot, *memory) {
	t.Helper()
	m := tree(files)
	return snapshot(t, New(m, Options{})), m
}

func snapshot(t *testing.T, x *Index) *Snapshot {
	t.Helper()
	s, err := x.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// arrows describes edges as "id use confidence".
func arrows(e Edges) []string {
	var list []string
	for _, x := range e.Edges {
		list = append(list, fmt.Sprintf("%s %s %s", x.ID, x.Use, x.Sure))
	}
	return list
}

func wantUses(t *testing.T, s *Snapshot, name string, want ...string) {
	t.Helper()
	e, err := s.Dependencies(t.Context(), name, Page{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, arrows(e)); diff != "" {
		t.Errorf("dependencies of %s (-want +got):\n%s", name, diff)
	}
}

func wantUsers(t *testing.T, s *Snapshot, name string, want ...string) {
	t.Helper()
	e, err := s.Dependents(t.Context(), name, Page{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, arrows(e)); diff != "" {
		t.Errorf("dependents of %s (-want +got):\n%s", name, diff)
	}
}

var goTree = map[string]string{
	"go.mod":            "module example.com/app\n",
	"main.go":           "package main\nimport \"example.com/app/store\"\nfunc main() { s := store.Open(); s.Put(1); helper() }\n",
	"util_linux.go":     "package main\nfunc helper() {}\n",
	"util_windows.go":   "package main\nfunc helper() {}\n",
	"store/store.go":    "package store\nimport \"io\"\ntype Base struct{ n int }\nfunc (b *Base) Flush() {}\ntype Store struct{ *Base; w io.Writer; next *Store }\nfunc Open() *Store { return &Store{} }\n",
	"store/put.go":      "package store\nfunc (s *Store) Put(n int) error { s.Flush(); s.w.Write(nil); s.next.next.Put(n); for _, q := range []*Store{s} { q.Get() }; return nil }\nfunc (s *Store) Get() int { return s.n }\n",
	"store/a_test.go":   "package store\nimport \"testing\"\nfunc TestPut(t *testing.T) { Open().Put(1) }\n",
	"other/store.go":    "package other\ntype Store struct{}\nfunc (Store) Put() {}\n",
	"vendor/x/store.go": "package x\ntype Store struct{}\n",
}

func TestGoReferencesAreResolvedByTypesAndImports(t *testing.T) {
	s, _ := open1(t, goTree)
	wantUses(t, s, "main.main", "store/put.go#Store.Put call import-resolved", "store/store.go#Open call import-resolved",
		"util_linux.go#helper call ambiguous(2)", "util_windows.go#helper call ambiguous(2)")
	wantUses(t, s, "store.Store.Put", "store/put.go#Store.Get call same package", "store/store.go#Base.Flush call same package",
		"store/store.go#Store use same package", "store/store.go#Store.w use same package", "store/store.go#Store.next use same package")
	wantUsers(t, s, "store/put.go#Store.Put", "main.go#main call import-resolved", "store/a_test.go#TestPut call same package")
	wantUsers(t, s, "Base.n", "store/put.go#Store.Get use same package")
}

func TestNamesAreAcceptedInAllForms(t *testing.T) {
	s, _ := open1(t, goTree)
	for name, want := range map[string][]string{
		"Store":                  {"store/store.go#Store", "other/store.go#Store", "vendor/x/store.go#Store"},
		"store.Store":            {"store/store.go#Store", "other/store.go#Store", "vendor/x/store.go#Store"},
		"other.Store":            {"other/store.go#Store"},
		"Store.Put":              {"store/put.go#Store.Put", "other/store.go#Store.Put"},
		"other.Store.Put":        {"other/store.go#Store.Put"},
		"store/put.go#Store.Put": {"store/put.go#Store.Put"},
		"Store::Put()":           {"store/put.go#Store.Put", "other/store.go#Store.Put"},
		"nobody.Store":           nil,
	} {
		m, err := s.Find(t.Context(), name, Page{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, x := range m.Matches {
			got = append(got, x.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("find %s (-want +got):\n%s", name, diff)
		}
	}
}

func TestAnUnknownNameGetsSuggestionsAndNoOtherSymbol(t *testing.T) {
	s, _ := open1(t, goTree)
	m, err := s.Find(t.Context(), "Stroe", Page{})
	if err != nil || len(m.Matches) != 0 || !slices.Contains(m.Suggestions, "Store") {
		t.Errorf("find Stroe: %+v, %v", m, err)
	}
	var unknown *UnknownError
	if _, err := s.Dependents(t.Context(), "constructor", Page{}); !errors.As(err, &unknown) {
		t.Errorf("dependents of constructor: got %v, want an UnknownError", err)
	}
	if _, err := s.FunctionSource(t.Context(), "Store", "", 0); !errors.As(err, &unknown) {
		t.Errorf("function source of a type: got %v, want an UnknownError", err)
	}
}

func TestPythonReferencesAreResolvedByClassesAndImports(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"app/__init__.py":     "from .core import Base as Root\n",
		"app/core.py":         "class Base:\n    def run(self): self.step()\n    def step(self): pass\n",
		"app/child.py":        "from app import Root\nimport app.tools as tools\nclass Child(Root):\n    def __init__(self): self.t = tools.Tool()\n    def step(self):\n        super().step()\n        self.run()\n        self.t.cut()\n        print(unknown.append(1))\n",
		"app/tools.py":        "class Tool:\n    def cut(self): return self\n    def append(self, x): pass\ndef make() -> 'Tool': return Tool()\n",
		"tests/test_child.py": "from app.child import Child\nfrom app.tools import *\ndef test_step():\n    Child().step()\n    make().cut()\n",
	})
	wantUses(t, s, "Child.step", "app/child.py#Child.t use exact", "app/core.py#Base.run call exact", "app/core.py#Base.step call exact", "app/tools.py#Tool.cut call exact")
	wantUses(t, s, "test_step", "app/child.py#Child call import-resolved", "app/child.py#Child.step call import-resolved",
		"app/tools.py#Tool.cut call import-resolved", "app/tools.py#make call import-resolved")
	wantUsers(t, s, "Base", "app/child.py#Child inherit import-resolved")
}

func TestScriptReferencesFollowReexports(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"src/index.ts": "export { Store as Shop } from './store';\nexport * from './util';\n",
		"src/store.ts": "export class Store { items: Item[] = []; add(i: Item) { i.mark(); this.items[0].mark(); } }\nexport interface Item { mark(): void }\n",
		"src/util.ts":  "export const make = (): Shop2 => new Shop2();\nclass Shop2 { go() {} }\n",
		"app.ts":       "import { Shop, make } from './src';\nexport function main() { const s = new Shop(); s.add(null); make().go(); }\n",
	})
	wantUses(t, s, "main", "src/store.ts#Store call import-resolved", "src/store.ts#Store.add call import-resolved",
		"src/util.ts#make call import-resolved", "src/util.ts#Shop2.go call import-resolved")
	wantUsers(t, s, "Item.mark", "src/store.ts#Store.add call exact")
	wantUsers(t, s, "Store", "app.ts#main call import-resolved")
}

func TestJavaReferencesSeeOverridesAndPackages(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"src/a/Base.java":  "package a; public class Base { public void run() { step(); } void step() {} }",
		"src/a/Child.java": "package a; public class Child extends Base { private Tool tool; @Override void step() { super.step(); tool.cut().cut(); b.Other.help(); } }",
		"src/a/Tool.java":  "package a; class Tool { Tool cut() { return this; } }",
		"src/b/Other.java": "package b; import a.*; public class Other { static void help() { new Child().run(); } }",
	})
	wantUses(t, s, "Child.step", "src/a/Base.java#Base.step call exact", "src/a/Child.java#Child.tool use exact", "src/a/Tool.java#Tool.cut call exact")
	wantUses(t, s, "Other.help", "src/a/Base.java#Base.run call import-resolved", "src/a/Child.java#Child call import-resolved")
}

func TestCReferencesAreRankedByNearness(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"arch/x86/io.c":  "int port(void) { return 1; }\nint init(void) { return port() + shared() + LIMIT; }\n",
		"arch/arm/io.c":  "int port2(void) { return 1; }\nint setup(void) { return 2; }\n",
		"arch/mips/io.c": "int setup(void) { return 3; }\n",
		"lib/shared.c":   "#include \"limits.h\"\nint shared(void) { return setup(); }\n",
		"lib/limits.h":   "#define LIMIT 3\nint shared(void);\n",
	})
	wantUses(t, s, "init", "arch/x86/io.c#port call exact", "lib/limits.h#LIMIT use unique name", "lib/shared.c#shared call unique name")
	wantUses(t, s, "shared", "arch/arm/io.c#setup call ambiguous(2)", "arch/mips/io.c#setup call ambiguous(2)")
}

func TestImpactPutsTestsFirstByLikelihood(t *testing.T) {
	s, _ := open1(t, goTree)
	im, err := s.ImpactOfName(t.Context(), "Base.Flush", Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if len(im.Tests) != 1 || im.Tests[0].ID != "store/a_test.go#TestPut" || im.Tests[0].Depth != 2 {
		t.Errorf("tests: %+v", im.Tests)
	}
	if len(im.Direct) != 1 || im.Direct[0].ID != "store/put.go#Store.Put" {
		t.Errorf("direct: %+v", im.Direct)
	}
	if len(im.Transitive) != 1 || im.Transitive[0].ID != "main.go#main" {
		t.Errorf("transitive: %+v", im.Transitive)
	}
	ranges, err := s.ImpactOfRanges(t.Context(), []Range{{Path: "store/store.go", From: 4, To: 4}}, Limits{})
	if err != nil || len(ranges.Changed) != 1 || ranges.Changed[0].ID != "store/store.go#Base.Flush" {
		t.Errorf("changed: %+v, %v", ranges.Changed, err)
	}
}

func TestAChainIsTheShortestWay(t *testing.T) {
	s, _ := open1(t, goTree)
	c, err := s.Chain(t.Context(), "main.main", "Base.Flush")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, st := range c.Steps {
		got = append(got, st.ID)
	}
	if diff := cmp.Diff([]string{"store/put.go#Store.Put", "store/store.go#Base.Flush"}, got); diff != "" {
		t.Errorf("chain (-want +got):\n%s", diff)
	}
	if c, err := s.Chain(t.Context(), "Base.Flush", "main.main"); err != nil || len(c.Steps) != 0 || c.Stopped {
		t.Errorf("a chain against the calls: %+v, %v", c, err)
	}
}

func TestListsArePagedToTheEnd(t *testing.T) {
	s, _ := open1(t, goTree)
	var got []string
	for p := (Page{Limit: 2}); ; {
		f, err := s.Functions(t.Context(), "", p)
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range f.Items {
			got = append(got, it.ID)
		}
		if f.Next == "" {
			if f.Total != len(got) || f.Left != 0 {
				t.Errorf("total %d, left %d after %d items", f.Total, f.Left, len(got))
			}
			break
		}
		p.Cursor = f.Next
	}
	want := []string{"main.go#main", "other/store.go#Store.Put", "store/a_test.go#TestPut", "store/put.go#Store.Put", "store/put.go#Store.Get",
		"store/store.go#Base.Flush", "store/store.go#Open", "util_linux.go#helper", "util_windows.go#helper"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("functions (-want +got):\n%s", diff)
	}
	if _, err := s.Functions(t.Context(), "", Page{Cursor: "x"}); err == nil {
		t.Error("a cursor that is none was accepted")
	}
}

func TestFilesAndSummaryCountTheTree(t *testing.T) {
	s, _ := open1(t, goTree)
	p, err := s.Files(t.Context(), "util_*.go", Page{})
	if diff := cmp.Diff([]string{"util_linux.go", "util_windows.go"}, p.Paths); err != nil || diff != "" {
		t.Errorf("files (-want +got):\n%s%v", diff, err)
	}
	if _, err := s.Files(t.Context(), "[", Page{}); err == nil {
		t.Error("a pattern that is none was accepted")
	}
	sum, err := s.Summary(t.Context())
	if err != nil || sum.Files != 9 || sum.Functions != 9 || sum.Classes != 4 || sum.Languages[0].Language != syntax.Go {
		t.Errorf("summary: %+v, %v", sum, err)
	}
	d, err := s.FileDependencies(t.Context(), "main.go", Page{})
	if err != nil || len(d.Files) == 0 || !slices.ContainsFunc(d.Files, func(l FileLink) bool { return l.Path == "store/store.go" }) {
		t.Errorf("file dependencies: %+v, %v", d, err)
	}
	u, err := s.FileDependents(t.Context(), "store/put.go", Page{})
	if err != nil || len(u.Files) != 2 || u.Files[0].Path != "main.go" {
		t.Errorf("file dependents: %+v, %v", u, err)
	}
}
