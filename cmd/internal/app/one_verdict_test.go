package app

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"helve/cmd/internal/command"
	"helve/internal/testing/corpus"
	"helve/internal/workspace"
	"helve/server"
	"helve/tool"
)

// One workspace, one verdict: what Go is told, what an MCP client runs into and what helve why prints are the same. All
// calls are judged, and none is run.

// verdict is what a front says to a call.
type verdict struct {
	Verdict tool.Decision
	Reason  string
	Rule    string
	Layer   string
	File    string
	Line    int
	Failure string // why the call cannot be judged at all: no such tool, wrong arguments
}

func broken(text string) verdict {
	first, _, _ := strings.Cut(command.Printable(text), "\n") // as a terminal shows it
	return verdict{Failure: strings.TrimPrefix(first, "Error: ")}
}

// fronts are the ways to one workspace.
type fronts struct {
	victim
	flags  []string
	ws     *workspace.Assembly
	client *headless
	mu     sync.Mutex
	last   *tool.Result // of the last call, as the kit made it
	ran    int
}

// fronts opens a workspace whose jobs are not run: whatever is approved ends before.
func (v victim) fronts(flags ...string) *fronts {
	v.t.Helper()
	f := &fronts{victim: v, flags: flags}
	s, _, errs := v.streams()
	c := command.Common{Mode: strings.TrimPrefix(strings.Join(flags, ""), "--mode=")}
	o, err := c.OptionsIn(s, v.repo)
	if err != nil {
		v.t.Fatal(err)
	}
	o.Ask = func(context.Context, *tool.Question) (tool.Answer, error) { return tool.Answer{}, nil } // never yes
	o.Around = []func(tool.Caller) tool.Caller{f.note}
	o.Wrap = []func(tool.Runner) tool.Runner{f.instead}
	ws, err := workspace.Open(v.t.Context(), o)
	if err != nil {
		v.t.Fatal(err, errs)
	}
	f.ws = ws
	srv := ws.Server(server.Options{})
	stdin, in := io.Pipe()
	out, stdout := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- srv.Serve(context.Background(), stdin, stdout)
		stdout.Close()
	}()
	f.client = &headless{t: v.t, in: in, out: bufio.NewScanner(out), stderr: &lockedBuffer{}}
	f.client.out.Buffer(nil, 16<<20)
	f.client.request("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	v.t.Cleanup(func() {
		in.Close()
		go io.Copy(io.Discard, out) // ends with the server
		if err := errors.Join(<-done, srv.Close(), ws.Close()); err != nil {
			v.t.Error(err)
		}
	})
	return f
}

func (f *fronts) note(next tool.Caller) tool.Caller {
	return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		res, err := next(ctx, c)
		f.mu.Lock()
		defer f.mu.Unlock()
		f.last = res
		return res, err
	}
}

// instead stands in the place of what would run.
func (f *fronts) instead(tool.Runner) tool.Runner {
	return func(context.Context, *tool.Job) (*tool.Result, error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.ran++
		return tool.Textf("not run"), nil
	}
}

// decided is what the kit decided about the last call.
func (f *fronts) decided() verdict {
	f.mu.Lock()
	defer f.mu.Unlock()
	res := f.last
	f.last = nil
	if res == nil {
		return broken("the kit was not called")
	}
	v := res.Verdict
	// A job that was judged may fail before anybody is asked: its preview finds no such file, its session did not read it.
	if res.Job == nil && res.Err != nil && res.Err.Code != tool.Permission && !v.Off {
		return broken(res.Text())
	}
	return verdict{Verdict: v.Decision, Reason: v.Reason, Rule: v.Rule, Layer: v.Layer, File: v.File, Line: v.Line}
}

func (f *fronts) byGo(name, args string) verdict {
	x, err := f.ws.Why(f.t.Context(), &tool.Call{Name: name, Args: json.RawMessage(args)})
	if err != nil {
		return broken(tool.Fail(err).Text())
	}
	c := x.Call
	return verdict{Verdict: c.Verdict, Reason: c.Reason, Rule: c.Rule, Layer: c.Layer, File: c.File, Line: c.Line}
}

func (f *fronts) byKit(name, args string) verdict {
	_, err := f.ws.Kit().Call(f.t.Context(), &tool.Call{Name: name, Args: json.RawMessage(args)})
	if err != nil {
		f.t.Fatal(err)
	}
	return f.decided()
}

func (f *fronts) byMCP(name, args string) verdict {
	f.client.call(name, args)
	return f.decided()
}

func (f *fronts) byCommandLine(name, args string) verdict {
	s, stdout, stderr := f.streams()
	s.Stdin = strings.NewReader(args) // as a word it would be more than JSON
	words := append(slices.Clone(f.flags), "--quiet", "why", "--json", name, "-")
	code := Main(context.Background(), words, s.Environment)
	out, errs := stdout.String(), stderr.String()
	if code != command.ExitOK {
		first, _, _ := strings.Cut(strings.TrimPrefix(errs, "helve: "), "\n")
		return verdict{Failure: first}
	}
	var x struct{ Call verdict }
	if err := json.Unmarshal([]byte(out), &x); err != nil {
		f.t.Errorf("%s: %v", out, err)
	}
	return x.Call
}

// agree judges a call in every way and wants one answer.
func (f *fronts) agree(name, args string) (v verdict) {
	f.t.Helper()
	v = f.byGo(name, args)
	for way, judge := range map[string]func(string, string) verdict{
		"by the kit": f.byKit, "over MCP": f.byMCP, "on the command line": f.byCommandLine,
	} {
		if way == "over MCP" && !strings.HasPrefix(args, "{") || !json.Valid([]byte(args)) && way != "by the kit" && way != "on the command line" {
			continue // such a call is no request of the protocol
		}
		if got := judge(name, args); got != v {
			f.t.Errorf("%s %s\n from Go: %+v\n %s: %+v", name, args, v, way, got)
		}
	}
	return v
}

// A workspace with rules of every kind, and places that tools must not touch.
func contested(t *testing.T) victim {
	t.Helper()
	v := newVictim(t)
	v.put(userConfig, `{
  "rules": [
    {"allow": "bash:go test *"}, {"ask": "bash:git log *"}, {"deny": "bash:npm *"}, {"deny": "read:**/.env"},
    {"allow": "write:src/**"}, {"ask": "read:secret/**"}, {"allow": "fetch:go.dev"}, {"deny": "fetch:*.bad.example"}
  ],
  "tools": {"multi_edit": "deny", "find_symbol": "ask", "todo_read": false, "get_imports": "allow"}
}`)
	v.put(".helve/config.json", `{"rules": [{"allow": "bash:make *"}, {"deny": "edit:generated/**"}], "disabled_tools": ["list_files"]}`)
	for _, name := range []string{"a.txt", "src/x.go", "sub dir/ü.txt", ".env", "secret/key", "generated/z.go", ".git/config", ".mcp-notes"} {
		v.put(name, "one\n")
	}
	v.put("~/.ssh/id_rsa", "SECRET")
	for link, to := range map[string]string{"out": v.home, "in": "src", "dangling": "nowhere", "loop": "loop"} {
		if err := os.Symlink(to, filepath.Join(v.repo, link)); err != nil {
			t.Skip("no links here: ", err)
		}
	}
	return v
}

// contestedPaths are good and bad places.
func contestedPaths(v victim) []string {
	return []string{
		"a.txt", "src/x.go", "./src/../a.txt", "src/new/deep.go", "sub dir/ü.txt", "in/x.go", ".env", "src/.env", "secret/key", "generated/z.go",
		"../outside.txt", "/etc/passwd", "~/.ssh/id_rsa", filepath.Join(v.home, ".ssh", "id_rsa"), "out/.ssh/id_rsa", "dangling", "loop", "src", ".", "",
		".helve/config.json", ".HELVE/config.json", ".git/config", ".git/hooks/pre-commit", ".mcp.json", ".envrc", ".vscode/settings.json",
		filepath.Join(v.home, ".local/state/helve/grants.json"), "/proc/self/environ", "/dev/zero", "a\x00b", strings.Repeat("x/", 600) + "y",
	}
}

// contestedCalls are calls of all tools, by name, with arguments that are right and wrong.
func contestedCalls(v victim) (calls [][2]string) {
	add := func(name string, args map[string]any) {
		b, err := json.Marshal(args)
		if err != nil {
			panic(err)
		}
		calls = append(calls, [2]string{name, string(b)})
	}
	for _, p := range contestedPaths(v) {
		add("read", map[string]any{"file_path": p})
		add("write", map[string]any{"file_path": p, "contents": "two\n"})
		add("edit", map[string]any{"file_path": p, "old_string": "one", "new_string": "two"})
		add("multi_edit", map[string]any{"file_path": p, "edits": []map[string]string{{"old_string": "one", "new_string": "two"}}})
		add("ls", map[string]any{"path": p})
		add("grep", map[string]any{"pattern": "one", "path": p})
		add("glob", map[string]any{"pattern": "*", "path": p})
		add("get_functions", map[string]any{"file_path": p})
	}
	for _, u := range []string{
		"https://go.dev/doc", "https://example.com", "http://x.bad.example/", "http://127.0.0.1:1/", "http://169.254.169.254/", "file:///etc/passwd",
		"no url", "", "https://user:pw@example.com/", "ftp://example.com", "http://[::1]/", "https://GO.dev.", "http://localhost",
	} {
		add("fetch", map[string]any{"url": u})
	}
	for _, name := range []string{
		"explore", "find", "outline", "source", "uses", "used_by", "impact", "path", "find_symbol", "get_function_source", "get_class_source", "get_dependencies", "get_dependents", "get_change_impact", "get_imports", "list_files",
		"todo_read", "reindex", "get_usage_stats", "search_codebase", "get_call_chain", "nothing", "mcp__nobody__tool", "Read", "READ_FILE", "reed", "a b",
	} {
		add(name, map[string]any{"name": "F"})
		add(name, map[string]any{"pattern": "F", "from_name": "F", "to_name": "G"})
	}
	for _, raw := range []string{`{}`, `[]`, `{"file_path":1}`, `{"file_path":"a.txt","limit":-1}`, `{"path":"a.txt"}`, `{"file_path":"a.txt"`, `null`, `"a.txt"`} {
		calls = append(calls, [2]string{"read", raw})
	}
	add("todo_write", map[string]any{"todos": []map[string]string{{"id": "1", "content": "x", "status": "pending", "priority": "low"}}})
	return calls
}

func TestOneVerdictOnEveryCommandAndCall(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths of the tables are a Unix system's")
	}
	v := contested(t)
	commands := contestedCommands()
	calls := contestedCalls(v)
	if len(commands) < 300 || len(calls) < 200 {
		t.Fatalf("%d commands and %d calls, want 300 and 200", len(commands), len(calls))
	}
	modes := []string{"--mode=ask", "--mode=auto", "--mode=plan"}
	if testing.Short() {
		modes = modes[:1]
	}
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) {
			own := v
			own.t = t
			f := own.fronts(mode)
			seen := map[tool.Decision]int{}
			judge := func(name, args string) {
				got := f.agree(name, args)
				if got.Failure == "" {
					seen[got.Verdict]++
				}
			}
			for i, line := range commands {
				if part(i, mode) {
					args, _ := json.Marshal(map[string]string{"command": line})
					judge("bash", string(args))
				}
			}
			for i, c := range calls {
				if part(i, mode) {
					judge(c[0], c[1])
				}
			}
			t.Logf("denied, asked, allowed: %v; %d approved and not run", seen, f.ran)
			if len(seen) < 3 && mode != "--mode=plan" {
				t.Errorf("one of the three verdicts never came: %v", seen)
			}
		})
	}
}

// part says which of the table is judged: all of it in mode ask, of which a short run takes a tenth.
func part(i int, mode string) bool {
	switch {
	case testing.Short():
		return i%10 == 0
	case mode == "--mode=ask":
		return true
	}
	return i%8 == 0
}

// contestedCommands are command lines that only look, that destroy, that look as if they did, and attacks.
func contestedCommands() []string {
	var out []string
	for _, group := range []string{"everyday", "catastrophe", "neighbour"} {
		for i, line := range corpus.Commands(group) {
			if i%3 == 0 {
				out = append(out, line)
			}
		}
	}
	for _, c := range append(corpus.Attacks(), corpus.Controls()...) {
		if line, ok := c.Command(); ok && c.Input.Tool == "bash" && len(line) < 4<<10 {
			out = append(out, line)
		}
	}
	return append(out, "go test ./...", "git log -1", "npm i", "make all", "sudo make all", "cat .env", "cat secret/key", "npm ls && ls", "", " ", "(")
}
