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
	"read":        {`{"file_path":"a.go"}`},
	"write":       {`{"file_path":"new/b.txt","contents":"x"}`},
	"edit":        {`{"file_path":"edit.txt","old_string":"one","new_string":"1"}`},
	"multi_edit":  {`{"file_path":"edit.txt","edits":[{"old_string":"two","new_string":"2"}]}`},
	"ls":          {`{}`},
	"glob":        {`{"pattern":"*.go"}`},
	"grep":        {`{"pattern":"Hello"}`},
	"bash":        {`{"command":"echo hi; echo err >&2"}`, `{"command":"sleep 0.1","run_in_background":true,"timeout":1000}`},
	"bash_output": {},
	"bash_kill":   {},
	"todo_read":   {`{}`},
	"todo_write":  {`{"todos":[{"id":"1","content":"x","status":"pending","priority":"low"}]}`},
	"history":     {`{}`},
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
		"a.go":     "package a\n\nfunc Hello() {}\n",
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
	seen := 0
	for _, tl := range pool.Relocate(there.tools...) {
		name := tl.Spec().Name
		t.Run(name, func(t *testing.T) {
			seen++
			if len(trials[name]) == 0 {
				tooltest.Check(t, tl)
			}
			for _, args := range trials[name] {
				s := &tool.Session{ID: "check"}
				call(t, kit, s, "read", `{"file_path":"edit.txt"}`)
				tooltest.Check(t, tl, &tool.Call{Args: json.RawMessage(args), Session: s, Dir: there.dir})
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
	kit := gatewayKit(t, pool, tool.KitOptions{Policy: allowAll{}}, there.tools...)
	res := call(t, kit, nil, "fetch", `{"url":"`+site.URL+`"}`)
	if res.Err != nil || res.Text() == "" {
		t.Errorf("%v, %q", res.Err, res.Text())
	}
}
