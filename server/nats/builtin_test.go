package natsbus_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"helve/tool"
	"helve/tooltest"
)

// trials are calls of our own tools that must succeed.
var trials = map[string][]string{
	"read":       {`{"file_path":"a.go"}`},
	"write":      {`{"file_path":"new/b.txt","contents":"x"}`},
	"edit":       {`{"file_path":"edit.txt","old_string":"one","new_string":"1"}`},
	"multi_edit": {`{"file_path":"edit.txt","edits":[{"old_string":"two","new_string":"2"}]}`},
	"ls":         {`{}`},
	"glob":       {`{"pattern":"*.go"}`},
	"grep":       {`{"pattern":"Hello"}`},
	"bash":       {`{"command":"echo hi; echo err >&2"}`, `{"command":"sleep 0.1","run_in_background":true,"timeout":1000}`},
	"todo_read":  {`{}`},
	"todo_write": {`{"todos":[{"id":"1","content":"x","status":"pending","priority":"low"}]}`},
	"history":    {`{}`},

	"explore": {`{"name":"Hello"}`},
	"find":    {`{"name":"Hello"}`},
	"outline": {`{"file_path":"a.go"}`, `{}`},
	"source":  {`{"name":"Hello"}`},
	"uses":    {`{"name":"World"}`},
	"used_by": {`{"name":"Hello"}`},
	"impact":  {`{"name":"Hello"}`},
	"path":    {`{"from_name":"World","to_name":"Hello"}`},

	"get_project_summary":   {`{}`},
	"list_files":            {`{"pattern":"*.py"}`},
	"get_structure_summary": {`{"file_path":"a.go"}`, `{}`},
	"find_symbol":           {`{"name":"Hello"}`},
	"get_functions":         {`{"file_path":"a.go"}`},
	"get_classes":           {`{}`},
	"get_imports":           {`{}`},
	"get_function_source":   {`{"name":"Hello"}`},
	"get_class_source":      {`{"name":"Base"}`},
	"get_dependencies":      {`{"name":"World"}`},
	"get_dependents":        {`{"name":"Hello"}`},
	"get_change_impact":     {`{"name":"Hello"}`},
	"get_call_chain":        {`{"from_name":"World","to_name":"Hello"}`},
	"get_file_dependencies": {`{"file_path":"a.go"}`},
	"get_file_dependents":   {`{"file_path":"a.go"}`},
	"search_codebase":       {`{"pattern":"Hello"}`},
	"reindex":               {`{}`},
	"get_usage_stats":       {`{}`},
}

// A doing makes a call in the conversation of a trial.
type doing func(name, args string) *tool.Result

// arranged are trials that need something to be there first; they return the arguments.
var arranged = map[string]func(do doing) string{
	"bash_output": func(do doing) string { return inBackground(do, "echo hi") },
	"bash_kill":   func(do doing) string { return inBackground(do, "sleep 60") },
	"diff":        func(do doing) string { return `{"calls":"` + written(do) + `"}` },
	"undo":        func(do doing) string { return `{"call":"` + written(do) + `"}` },
	"redo": func(do doing) string {
		do("undo", `{"call":"`+written(do)+`"}`)
		return `{}`
	},
}

// inBackground starts a command and returns the arguments that mean it.
func inBackground(do doing, command string) string {
	var started struct {
		TaskID string `json:"task_id"`
	}
	json.Unmarshal(do("bash", `{"command":"`+command+`","run_in_background":true}`).Data, &started)
	return `{"task_id":"` + started.TaskID + `"}`
}

// written writes a file and returns the ID of that in the history.
func written(do doing) string {
	var wrote struct {
		Undo string `json:"undo"`
	}
	json.Unmarshal(do("write", `{"file_path":"past.txt","contents":"x","append":true}`).Data, &wrote)
	return wrote.Undo
}

// Every tool of our own keeps its promises when a worker does its work: the same check as without one.
func TestEveryToolOfOurOwnKeepsItsPromisesThroughAWorker(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its commands are for a POSIX shell")
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.go":     "package a\n\nfunc Hello() {}\n\nfunc World() { Hello() }\n",
		"b.py":     "class Base:\n    pass\n",
		"edit.txt": "one\ntwo\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	there := open(t, dir)
	b := startBroker(t)
	offer(t, b.URL(), workerKit(t, allowAll{}, there.tools...), 8)
	pool := join(t, b.URL(), there.dir)
	kit := gatewayKit(t, pool, tool.KitOptions{Policy: allowAll{}}, there.tools...)
	call(t, kit, nil, "ls", `{}`) // the connections have all their goroutines from now on
	check := func(t *testing.T, tl tool.Tool, of func(doing) string) {
		s := &tool.Session{ID: "check"}
		do := func(name, args string) *tool.Result {
			res := call(t, kit, s, name, args)
			if res.Err != nil {
				t.Fatalf("%s %s: %v", name, args, res.Err)
			}
			return res
		}
		do("read", `{"file_path":"edit.txt"}`)
		tooltest.Check(t, tl, &tool.Call{Args: json.RawMessage(of(do)), Session: s, Dir: there.dir})
	}
	seen := 0
	for _, tl := range pool.Relocate(there.tools...) {
		name := tl.Spec().Name
		if name == "fetch" {
			continue // it wants a site: below
		}
		t.Run(name, func(t *testing.T) {
			seen++
			if len(trials[name]) == 0 && arranged[name] == nil {
				t.Fatal("nothing is known that it could do")
			}
			for _, args := range trials[name] {
				check(t, tl, func(doing) string { return args })
			}
			if arranged[name] != nil {
				check(t, tl, arranged[name])
			}
		})
	}
	if seen < 30 {
		t.Errorf("%d tools were checked: want all", seen)
	}
}

func TestFetchKeepsItsPromisesThroughAWorker(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "<p>hello</p>")
	}))
	defer site.Close()
	there := open(t, t.TempDir())
	b := startBroker(t)
	offer(t, b.URL(), workerKit(t, allowAll{}, there.tools...), 8)
	pool := join(t, b.URL(), there.dir)
	for _, tl := range pool.Relocate(there.tools...) {
		if tl.Spec().Name == "fetch" {
			kit := gatewayKit(t, pool, tool.KitOptions{Policy: allowAll{}}, there.tools...)
			call(t, kit, nil, "fetch", `{"url":"`+site.URL+`"}`) // the connections have all their goroutines from now on
			tooltest.Check(t, tl, &tool.Call{Args: json.RawMessage(`{"url":"` + site.URL + `"}`)})
			return
		}
	}
	t.Error("there is no fetch")
}
