package app

import (
	"encoding/json"
	"go/build"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"helve/internal/tokens"
	"helve/tool"
)

// ask calls a tool of the house.
func (h *house) ask(t *testing.T, name, args string) *tool.Result {
	t.Helper()
	r, err := h.kit.Call(t.Context(), &tool.Call{Name: name, Args: json.RawMessage(args), Dir: h.dir})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func put(t *testing.T, dir, path, text string) {
	t.Helper()
	p := filepath.Join(dir, path)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// R3.14: counted, not timed.
func TestWithoutItsToolsTheIndexDoesNoWork(t *testing.T) {
	h := codeHouse(t, func(a *app) {
		a.flags.disabled.Set(strings.Join(structure, ","))
		a.tolerant = true
	})
	put(t, h.dir, "a.go", "package a\n\nfunc F() {}\n")
	for _, name := range structure {
		switch r := h.ask(t, name, `{"name":"F","pattern":"F","file_path":"a.go","from_name":"F","to_name":"F"}`); {
		case name == "reindex" || name == "get_usage_stats":
		case r.Err == nil || r.Err.Code != tool.UnknownTool:
			t.Errorf("%s: %s", name, r.Text())
		}
	}
	if r := h.ask(t, "grep", `{"pattern":"func F"}`); r.Err != nil || !strings.Contains(r.Text(), "a.go") {
		t.Errorf("grep: %s", r.Text())
	}
	if got := codeNames(h.kit.View().Specs()); !slices.Equal(got, []string{"get_usage_stats", "reindex"}) {
		t.Errorf("listed: %q: only the protected ones stay", got)
	}
}

// The same with the protected ones left alone: nothing at all has happened.
func TestAHouseWhoseCodeToolsNobodyCallsReadsNothingForThem(t *testing.T) {
	h := codeHouse(t, func(a *app) { a.tolerant = true })
	put(t, h.dir, "a.go", "package a\n\nfunc F() {}\n")
	h.kit.View()
	h.ask(t, "read", `{"file_path":"a.go"}`)
	h.ask(t, "grep", `{"pattern":"func F"}`)
	h.ask(t, "get_usage_stats", `{}`)
	if st := h.code.Stats(); h.code.Working() || st.FilesRead+st.Updates+st.Loads != 0 {
		t.Errorf("the index worked: %+v", st)
	}
	if h.ask(t, "find_symbol", `{"name":"F"}`); h.code.Stats().FilesRead != 1 {
		t.Errorf("after a question: %+v", h.code.Stats())
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
	h := codeHouse(t, func(a *app) { a.tolerant = true })
	put(t, h.dir, "a.go", "package a\n\nfunc F() {}\n")
	before := watchers(t)
	h.ask(t, "glob", `{"pattern":"*.go"}`)
	h.ask(t, "grep", `{"pattern":"func F"}`)
	between := watchers(t)
	h.ask(t, "find_symbol", `{"name":"F"}`)
	if after := watchers(t); between != before+1 || after != between {
		t.Errorf("%d watches, then %d, then %d: want one more and then none", before, between, after)
	}
}

// answerTokens bounds every answer with default arguments.
const answerTokens = 2000

func TestNoDefaultAnswerIsLong(t *testing.T) {
	dir := filepath.Join(build.Default.GOROOT, "src")
	if _, err := os.Stat(filepath.Join(dir, "net", "http")); err != nil {
		t.Skip("the sources of Go's library are not installed")
	}
	if testing.Short() {
		t.Skip("reads all of them")
	}
	a := &app{env: Environment{Stdout: os.Stdout, Stderr: os.Stderr, Dir: dir, Environ: []string{"HOME=" + t.TempDir()}, Managed: t.TempDir()}}
	h, err := a.open(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	for _, c := range [][2]string{
		{"get_project_summary", `{}`}, {"list_files", `{}`}, {"get_structure_summary", `{}`}, {"get_structure_summary", `{"file_path":"net/http/server.go"}`},
		{"get_functions", `{}`}, {"get_functions", `{"file_path":"net/http/h2_bundle.go"}`}, {"get_classes", `{}`}, {"get_imports", `{}`},
		{"get_function_source", `{"name":"http.Server.Serve"}`}, {"get_function_source", `{"name":"String"}`}, {"get_class_source", `{"name":"http.Server"}`},
		{"get_class_source", `{"name":"Server","names":["Conn","Request","Reader","Writer"]}`},
		{"find_symbol", `{"name":"String"}`}, {"find_symbol", `{"name":"Read","names":["Write","Close","New","init"]}`},
		{"get_dependencies", `{"name":"http.Server.Serve"}`}, {"get_dependents", `{"name":"fmt.Sprintf"}`}, {"get_change_impact", `{"name":"fmt.Sprintf"}`},
		{"get_change_impact", `{"name":"net/http/server.go"}`}, {"get_call_chain", `{"from_name":"http.ListenAndServe","to_name":"net.Listen"}`},
		{"get_file_dependencies", `{"file_path":"net/http/server.go"}`}, {"get_file_dependents", `{"file_path":"fmt/print.go"}`},
		{"search_codebase", `{"pattern":"return"}`}, {"reindex", `{}`}, {"get_usage_stats", `{}`},
	} {
		r := h.ask(t, c[0], c[1])
		for end := time.Now().Add(10 * time.Minute); r.Err != nil && r.Err.Code == tool.TimedOut && time.Now().Before(end); {
			r = h.ask(t, c[0], c[1]) // the index is built at the machine's pace
		}
		if n := tokens.Count(r.Text()); r.Err != nil || n > answerTokens {
			t.Errorf("%s %s: %d tokens, want at most %d; %v", c[0], c[1], n, answerTokens, r.Err)
		} else {
			t.Logf("%s %s: %d tokens, %d bytes", c[0], c[1], n, len(r.Text()))
		}
	}
}
