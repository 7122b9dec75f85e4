package codetool_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"helve/codetool"
)

// Each tool of the profile codebase-index has a title of its own, by which clients show it to people. The names of the
// questions are words already.
func TestEachToolHasATitle(t *testing.T) {
	h := open(t, project, codetool.Options{})
	titles := map[string]string{}
	for name, tl := range h.tools {
		if !strings.Contains(name, "_") || name == "used_by" {
			continue
		}
		title := tl.Spec().Title
		if other, twice := titles[title]; title == "" || twice {
			t.Errorf("%s has the title %q, and so has %q", name, title, other)
		}
		titles[title] = name
	}
}

// Clear takes the index out of the cache. The next question makes it anew.
func TestWhatIsClearedIsMadeAnew(t *testing.T) {
	h := open(t, project, codetool.Options{Cache: t.TempDir()})
	for range 2 {
		if r := h.call("find", `{"name":"Store"}`); r.Err != nil || !strings.Contains(r.Text(), "store/s.go#Store:") {
			t.Fatalf("%s", r.Text())
		}
		if err := h.index.Close(); err != nil { // which writes it
			t.Fatal(err)
		}
		if n, err := h.index.Cached(); n == 0 || err != nil {
			t.Fatalf("%d bytes are cached, %v", n, err)
		}
		if err := h.index.Clear(); err != nil {
			t.Fatal(err)
		}
		if n, err := h.index.Cached(); n != 0 || err != nil {
			t.Errorf("%d bytes are cached after all, %v", n, err)
		}
		h.index = reopened(t, h)
	}
	none := open(t, project, codetool.Options{})
	if err := none.index.Clear(); err != nil {
		t.Errorf("without a cache: %v", err)
	}
}

// reopened is a workspace's index of another process.
func reopened(t *testing.T, h *workspace) *codetool.Index {
	t.Helper()
	again := open(t, nil, codetool.Options{Dir: h.dir, Cache: filepath.Dir(h.index.Path())})
	h.kit, h.tools = again.kit, again.tools
	return again.index
}

// Definitions of one name share the first answer. A cursor belongs to one of them, and goes on with that one alone.
func TestACursorGoesOnWithOneOfSeveralDefinitions(t *testing.T) {
	var b strings.Builder
	b.WriteString("def one(): return 1\n")
	for i := range 300 {
		fmt.Fprintf(&b, "def caller_%d(): return one()\n", i)
	}
	h := open(t, map[string]string{"a.py": b.String(), "b.py": strings.ReplaceAll(b.String(), "caller", "other")}, codetool.Options{})
	first := h.call("used_by", `{"name":"one"}`).Text()
	if strings.Count(first, "callers: 300\n") != 2 || !strings.Contains(first, "a.py#caller_0:") || !strings.Contains(first, "b.py#other_0:") {
		t.Fatalf("%s", first)
	}
	_, rest, _ := strings.Cut(first, "; cursor ")
	cursor, _, _ := strings.Cut(rest, "]")
	cursor, _, _ = strings.Cut(cursor, " ")
	of := "a.py#one"
	if strings.Index(first, "b.py#one") < strings.Index(first, "a.py#one") {
		of = "b.py#one"
	}
	next := h.call("used_by", `{"name":"`+of+`","cursor":"`+cursor+`"}`).Text()
	if inA, inB := strings.Contains(next, "#caller_"), strings.Contains(next, "#other_"); inA == inB {
		t.Errorf("after a cursor of %s: %s", of, next)
	}
}

// An exploration that leaves uses out says so to programs.
func TestAnExplorationSaysThatThereAreMoreUses(t *testing.T) {
	var b strings.Builder
	b.WriteString("def used(): return 1\n")
	for i := range 200 {
		fmt.Fprintf(&b, "def caller_%d(): return used()\n", i)
	}
	h := open(t, map[string]string{"a.py": b.String()}, codetool.Options{})
	for name, complete := range map[string]bool{"used": false, "caller_7": true} {
		r := h.call("explore", `{"name":"`+name+`"}`)
		var d struct {
			Complete bool
			Why      string
		}
		if err := json.Unmarshal(r.Data, &d); err != nil {
			t.Fatal(err)
		}
		if d.Complete != complete || strings.Contains(d.Why, "more uses") == complete {
			t.Errorf("%s: complete %v: %q", name, d.Complete, d.Why)
		}
	}
}

// A text that is cut says from which line the file goes on.
func TestATextThatIsCutSaysWhereItGoesOn(t *testing.T) {
	body := strings.Repeat("    x = 1\n", 50)
	h := open(t, map[string]string{"a.py": "# above\n\ndef long():\n" + body}, codetool.Options{})
	got := h.call("get_function_source", `{"name":"long","max_lines":10}`).Text()
	if want := "[truncated: 41 more lines: read a.py from line 13]"; !strings.Contains(got, want) {
		t.Errorf("want %q in\n%s", want, got)
	}
}

// A folder within a folder is told with how many files it has.
func TestAnOutlineCountsTheFilesOfFolders(t *testing.T) {
	h := open(t, map[string]string{
		"in/a.py":      "def a():\n    pass\n",
		"in/deep/b.py": "def b():\n    pass\n",
		"in/deep/c.py": "def c():\n    pass\n",
		"elsewhere.py": "x = 1\n",
	}, codetool.Options{})
	got := h.call("outline", `{"file_path":"in"}`).Text()
	if want := "in/a.py 2 lines: a\nin/deep/ 2 files, 4 lines"; !strings.Contains(got, want) {
		t.Errorf("want %q in\n%s", want, got)
	}
}

// A file that is too large for a comparison by lines counts as changed throughout; a smaller one does not.
func TestAVeryLargeFileChangesThroughout(t *testing.T) {
	text := func(n int) string {
		return "def first():\n    pass\n\ndef second():\n    pass\n" + strings.Repeat("# a line of a long comment\n", n/27)
	}
	large, small := text(1<<20+1000), text(1<<10)
	h := open(t, map[string]string{"large.py": large, "small.py": small}, codetool.Options{})
	commit(t, h.dir)
	write(t, h.dir, map[string]string{
		"large.py": strings.Replace(large, "pass", "return 1", 1),
		"small.py": strings.Replace(small, "pass", "return 1", 1),
	})
	got := h.call("get_change_impact", `{}`).Text()
	for name, want := range map[string]bool{
		"large.py#first": true, "large.py#second": true, "small.py#first": true, "small.py#second": false,
	} {
		if strings.Contains(got, name) != want {
			t.Errorf("%s: want %v in\n%s", name, want, got)
		}
	}
}

// A cursor that is of no list is refused by those that list what they find.
func TestACursorOfNoListIsRefused(t *testing.T) {
	h := open(t, project, codetool.Options{})
	for _, c := range []struct{ name, args string }{
		{"find", `{"name":"Get","cursor":"x@y"}`},
		{"find_symbol", `{"name":"Get","cursor":"-1@y"}`},
		{"used_by", `{"name":"Get","cursor":"x@y"}`},
		{"search_codebase", `{"pattern":"class","cursor":"x@y"}`},
	} {
		if r := h.call(c.name, c.args); r.Err == nil || !strings.Contains(r.Text(), "cursor") {
			t.Errorf("%s %s: %s", c.name, c.args, r.Text())
		}
	}
}
