package workspace_test

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"helve/codetool"
	"helve/internal/testing/golib"
	"helve/internal/tokens"
	"helve/tool"

	. "helve/internal/workspace"
)

// resident is for programs that live long.
func resident(o *Options) { o.Resident, o.Tolerant = true, true }

// R3.14: counted, not timed.
func TestWithoutItsToolsTheIndexDoesNoWork(t *testing.T) {
	all := slices.Concat(questions, structure)
	w := newPlace(t).put("a.go", "package a\n\nfunc F() {}\n").open(resident, func(o *Options) { o.Layers.DisabledTools = all })
	for _, name := range all {
		switch r := ask(t, w, name, `{"name":"F","pattern":"F","file_path":"a.go","from_name":"F","to_name":"F"}`); {
		case name == "reindex" || name == "get_usage_stats":
		case r.Err == nil || r.Err.Code != tool.UnknownTool:
			t.Errorf("%s: %s", name, r.Text())
		}
	}
	if r := ask(t, w, "grep", `{"pattern":"func F"}`); r.Err != nil || !strings.Contains(r.Text(), "a.go") {
		t.Errorf("grep: %s", r.Text())
	}
	if got := codeNames(w.Kit().View().Specs()); len(got) > 0 {
		t.Errorf("listed: %q", got)
	}
	if v := w.Kit().View(); !v.Has("reindex") || !v.Has("get_usage_stats") || v.Has("find") {
		t.Error("only the protected ones stay")
	}
}

// The same with the protected ones left alone: nothing at all has happened.
func TestAWorkspaceWhoseCodeToolsNobodyCallsReadsNothingForThem(t *testing.T) {
	w := newPlace(t).put("a.go", "package a\n\nfunc F() {}\n").open(resident)
	w.Kit().View()
	ask(t, w, "read", `{"file_path":"a.go"}`)
	ask(t, w, "grep", `{"pattern":"func F"}`)
	ask(t, w, "get_usage_stats", `{}`)
	if st := Kept[*codetool.Index](w).Stats(); Kept[*codetool.Index](w).Working() || st.FilesRead+st.Updates+st.Loads != 0 {
		t.Errorf("the index worked: %+v", st)
	}
	if ask(t, w, "find_symbol", `{"name":"F"}`); Kept[*codetool.Index](w).Stats().FilesRead != 1 {
		t.Errorf("after a question: %+v", Kept[*codetool.Index](w).Stats())
	}
}

// watchers counts the open inotify instances of this process.
func watchers(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if runtime.GOOS != "linux" || err != nil {
		t.Skip("watches are counted on Linux only")
	}
	n := 0
	for _, e := range list {
		if to, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && strings.Contains(to, "inotify") {
			n++
		}
	}
	return n
}

func TestBuiltInAndCodeToolsWatchOneTreeOnce(t *testing.T) {
	w := newPlace(t).put("a.go", "package a\n\nfunc F() {}\n").open(resident)
	before := watchers(t)
	ask(t, w, "glob", `{"pattern":"*.go"}`)
	ask(t, w, "grep", `{"pattern":"func F"}`)
	between := watchers(t)
	ask(t, w, "find_symbol", `{"name":"F"}`)
	if after := watchers(t); between != before+1 || after != between {
		t.Errorf("%d watches, then %d, then %d: want one more and then none", before, between, after)
	}
}

// answerTokens bounds every answer with default arguments.
const answerTokens = 2000

func TestNoDefaultAnswerIsLong(t *testing.T) {
	dir := golib.Dir(t)
	if testing.Short() {
		t.Skip("reads all of them")
	}
	w := newPlace(t).open(func(o *Options) { o.Dirs = []string{dir} })
	for _, c := range [][2]string{
		{"get_project_summary", `{}`}, {"list_files", `{}`}, {"get_structure_summary", `{}`}, {"get_structure_summary", `{"file_path":"net/http/server.go"}`},
		{"get_functions", `{}`}, {"get_functions", `{"file_path":"net/http/h2_bundle.go"}`}, {"get_classes", `{}`}, {"get_imports", `{}`},
		{"get_function_source", `{"name":"http.Server.Serve"}`}, {"get_function_source", `{"name":"String"}`}, {"get_class_source", `{"name":"http.Server"}`},
		{"get_class_source", `{"name":"Server","names":["Conn","Request","Reader","Writer"]}`},
		{"find_symbol", `{"name":"String"}`}, {"find_symbol", `{"name":"Read","names":["Write","Close","New","init"]}`},
		{"get_dependencies", `{"name":"http.Server.Serve"}`}, {"get_dependents", `{"name":"fmt.Sprintf"}`}, {"get_change_impact", `{"name":"fmt.Sprintf"}`},
		{"get_change_impact", `{"name":"net/http/server.go"}`}, {"get_call_chain", `{"from_name":"http.ListenAndServe","to_name":"net.Listen"}`},
		{"get_file_dependencies", `{"file_path":"net/http/server.go"}`}, {"get_file_dependents", `{"file_path":"fmt/print.go"}`},
		{"explore", `{"name":"http.Server.Serve"}`}, {"explore", `{"name":"fmt.Sprintf"}`}, {"used_by", `{"name":"fmt.Sprintf"}`}, {"used_by", `{"name":"String"}`},
		{"uses", `{"name":"http.Server.Serve"}`}, {"outline", `{"file_path":"net/http"}`}, {"source", `{"name":"http.Server"}`}, {"impact", `{"name":"fmt.Sprintf"}`},
		{"path", `{"from_name":"http.ListenAndServe","to_name":"net.Listen"}`}, {"find", `{"name":"*Error"}`},
		{"search_codebase", `{"pattern":"return"}`}, {"reindex", `{}`}, {"get_usage_stats", `{}`},
	} {
		r := ask(t, w, c[0], c[1])
		for end := time.Now().Add(10 * time.Minute); r.Err != nil && r.Err.Code == tool.TimedOut && time.Now().Before(end); {
			r = ask(t, w, c[0], c[1]) // the index is built at the machine's pace
		}
		if n := tokens.Count(r.Text()); r.Err != nil || n > answerTokens {
			t.Errorf("%s %s: %d tokens, want at most %d; %v", c[0], c[1], n, answerTokens, r.Err)
		} else {
			t.Logf("%s %s: %d tokens, %d bytes", c[0], c[1], n, len(r.Text()))
		}
	}
}
