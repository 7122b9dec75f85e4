package helve_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"helve/builtin"
	"helve/builtin/refactoring"
	"helve/codetool"
	"helve/source/command"
	"helve/source/upstream"
	"helve/tool"
	"helve/wrap"
)

// matched are the sentences that programs match (R1.11, R3.13, R4.4, R4.6, R4.7, R4.11, R4.14): the only ones that are
// not of the form.
var matched = []string{
	"Error: Tool '", "Error: tool '",
	"Error: Failed to parse tool arguments as JSON.",
	"Parameter validation failed: ", "Tool execution failed: ",
	"File not found: ", "Path is a directory, not a file: ",
	"Error: old_string not found in file.", "Error: Multiple matches (",
	"Command failed with exit code ", "Command timed out after ", "Command ended by signal ", "Command ended: ", "Command cancelled: ",
	"Error: Potentially dangerous command detected: ",
}

// inForm tells whether a message about a tool has the one form of all failures.
func inForm(name, message string) bool {
	words, ok := strings.CutPrefix(message, "Error: "+name+": ")
	twice := strings.HasPrefix(words, name+": ") || strings.Contains(words, "Error: ")
	return ok && !twice && words != "" && strings.ContainsAny(words[len(words)-1:], ".!?:…")
}

// A failing call, and what its message must have.
type failing struct {
	name, args string
	want       string
}

// How every tool fails, and those around it: what a model, a person and a program read has one form.
func TestEveryFailureHasTheOneForm(t *testing.T) {
	f := newFailures(t)
	met := map[string]bool{} // tools of which a call fails whose arguments can be read
	for _, c := range slices.Concat(badBuiltins(f.dir), badQuestions(), badOwn(), badForeign(), f.badArguments()) {
		res, err := f.kit.Call(t.Context(), &tool.Call{Name: c.name, Args: json.RawMessage(c.args), Session: f.session, Dir: f.dir})
		if err != nil {
			t.Errorf("%s %s: %v", c.name, c.args, err)
			continue
		}
		met[c.name] = met[c.name] || json.Valid([]byte(c.args))
		checkFailure(t, c, res)
	}
	for _, s := range f.kit.View().Specs() {
		if name := f.kit.View().Name(s); !met[name] {
			t.Errorf("no call of %s fails here", name)
		}
	}
}

// checkFailure holds a failed call to the form, as each of its readers has it.
func checkFailure(t *testing.T, c failing, res *tool.Result) {
	t.Helper()
	if res.Err == nil {
		t.Errorf("%s %s: it did not fail: %s", c.name, c.args, res.Text())
		return
	}
	message := res.Err.Error()
	fixed := slices.ContainsFunc(matched, func(s string) bool { return strings.HasPrefix(message, s) })
	if !fixed && !inForm(c.name, message) || !strings.Contains(message, c.want) {
		t.Errorf("%s %s: %q, want %q in it", c.name, c.args, message, c.want)
	}
	ownWords := strings.HasPrefix(message, "Command ") || strings.HasPrefix(res.Text(), "Stdout: ")
	if !ownWords && !strings.HasPrefix(res.Text(), message) {
		t.Errorf("%s %s: the model reads %q, and the message is %q", c.name, c.args, res.Text(), message)
	}
	if shown := res.Show(); shown != message {
		t.Errorf("%s %s: the person reads %q, and the message is %q", c.name, c.args, shown, message)
	}
	b, err := json.Marshal(res.Err)
	var again tool.Error
	if err == nil {
		err = json.Unmarshal(b, &again)
	}
	if err != nil || again.Text() != res.Err.Text() {
		t.Errorf("%s %s: %s comes back as %q, %v", c.name, c.args, b, again.Text(), err)
	}
}

// A failures is a kit of tools of all origins, and a folder in which their calls fail.
type failures struct {
	kit     *tool.Kit
	dir     string
	session *tool.Session
}

func newFailures(t *testing.T) *failures {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"a.txt": "x x\n", "b.go": "package b\n", "img.png": "\x89PNG\r\n\x1a\n\x00\x00", "doc.pdf": "%PDF-1.7\n\x00broken",
		"bin": "\x00\x01\xff\xfe\x00", "twice.txt": "x x\n",
	} {
		write(t, filepath.Join(dir, name), content)
	}
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	environ := []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}
	ws, err := builtin.Open(builtin.Options{Dirs: []string{dir}, Environ: environ})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	x, err := codetool.Open(codetool.Options{Dir: dir, Environ: environ})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	dead, die := deadServer(t)
	sources := []tool.Source{failingServer(t), slowServer(t), dead, failingCommand(t)}
	reg := &tool.Registry{}
	t.Cleanup(func() { reg.Close() }) // before the server, which waits for its clients
	if err := reg.Add(slices.Concat(builtin.All(ws), codetool.All(x), refactoring.Tools(ws, x.Snapshot), failingTools())...); err != nil {
		t.Fatal(err)
	}
	for _, src := range sources {
		if err := reg.Attach(t.Context(), src); err != nil {
			t.Fatal(err)
		}
	}
	die()
	o := tool.KitOptions{Policy: everything{}, Wrap: wrap.Standard(wrap.Options{})}
	s := &tool.Session{ID: "s"}
	t.Cleanup(func() { s.Close() })
	return &failures{reg.Kit(o), dir, s}
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o700); err != nil {
		t.Fatal(err)
	}
}

// badArguments are calls of every tool with arguments that are no JSON.
func (f *failures) badArguments() (out []failing) {
	for _, s := range f.kit.View().Specs() {
		out = append(out, failing{f.kit.View().Name(s), `{"a" "b"`, "Failed to parse"})
	}
	return out
}

func badBuiltins(dir string) []failing {
	quoted, _ := json.Marshal(filepath.Join(filepath.Dir(dir), "elsewhere"))
	outside := string(quoted)
	return []failing{
		{"read", `{"file_path":"gone"}`, "File not found: gone"},
		{"read", `{"file_path":"sub"}`, "Path is a directory"},
		{"read", `{"file_path":` + outside + `}`, "outside"},
		{"read", `{"file_path":"img.png"}`, "img.png"},
		{"read", `{"file_path":"doc.pdf"}`, "doc.pdf"},
		{"read", `{"file_path":"result://nothing"}`, ""},
		{"read", `{"file_path":"a.txt","start_line":3,"end_line":1}`, "end_line"},
		{"write", `{"file_path":"sub","contents":"x"}`, "directory"},
		{"write", `{"file_path":"sub/","contents":"x"}`, "directory"},
		{"write", `{"file_path":"a.txt","contents":"x"}`, "has not been read"},
		{"write", `{"file_path":"a.txt","contents":"x","create_only":true}`, "exists already"},
		{"write", `{"file_path":"bin","contents":"x","append":true}`, "is no text"},
		{"write", `{"file_path":` + outside + `,"contents":"x"}`, "outside"},
		{"write", `{"file_path":".git/hooks/x","contents":"x"}`, ".git"},
		{"edit", `{"file_path":"gone","old_string":"a","new_string":"b"}`, "File not found"},
		{"edit", `{"file_path":"sub","old_string":"a","new_string":"b"}`, "directory"},
		{"edit", `{"file_path":"a.txt","old_string":"x","new_string":"b"}`, "has not been read"},
		{"edit", `{"file_path":"a.txt","old_string":"a","new_string":"a"}`, "identical"},
		{"edit", `{"file_path":"a.txt","old_string":"","new_string":"a"}`, "is empty"},
		{"multi_edit", `{"file_path":"a.txt","edits":[{"old_string":"a","new_string":"a"},{"old_string":"b","new_string":"c"}]}`, "edits[0]"},
		{"ls", `{"path":"gone"}`, "Directory not found: gone"},
		{"ls", `{"path":"a.txt"}`, "Path is a file"},
		{"glob", `{"pattern":"../*"}`, "lead out"},
		{"glob", `{"pattern":"*","path":"gone"}`, "not found"},
		{"glob", `{"pattern":"a[","path":"."}`, ""},
		{"grep", `{"pattern":"("}`, ""},
		{"grep", `{"pattern":"x","path":"gone"}`, "not found"},
		{"grep", `{"pattern":"x","path":"result://nothing"}`, ""},
		{"bash", `{"command":"exit 3"}`, "exit code 3"},
		{"bash", `{"command":"sleep 9","timeout":100}`, "timed out"},
		{"bash", `{"command":"rm -rf /"}`, "dangerous"},
		{"bash", `{"command":"pwd","working_directory":"gone"}`, "Directory not found"},
		{"bash_output", `{"task_id":"none"}`, "no task"},
		{"bash_kill", `{"task_id":"none"}`, "no task"},
		{"bash_output", `{"task_id":"none","filter":"("}`, "filter"},
		{"fetch", `{"url":"http://127.0.0.1:1/"}`, ""},
		{"fetch", `{"url":"ftp://example.com/"}`, ""},
		{"todo_write", `{"todos":[{"id":"1","content":"x"},{"id":"1","content":"y"}]}`, "todos[1].id"},
	}
}

func badQuestions() (out []failing) {
	for name, args := range map[string]string{
		"explore": `{"name":"nowhere"}`, "find": `{"name":"nowhere"}`, "outline": `{"file_path":"gone.go"}`, "source": `{"name":"nowhere"}`,
		"uses": `{"name":"nowhere"}`, "used_by": `{"name":"nowhere"}`, "impact": `{"name":"nowhere"}`, "path": `{"from_name":"no","to_name":"where"}`,
		"find_symbol": `{"name":"nowhere"}`, "get_dependents": `{"name":"nowhere"}`, "get_change_impact": `{"name":"nowhere"}`,
		"get_function_source": `{"name":"nowhere"}`, "get_file_dependencies": `{"file_path":"../x.go"}`,
		"get_class_source": `{"name":"nowhere"}`, "get_dependencies": `{"name":"nowhere"}`, "get_file_dependents": `{"file_path":"gone.go"}`,
		"get_functions": `{"file_path":"gone.go"}`, "get_classes": `{"file_path":"../x.go"}`, "get_imports": `{"file_path":"gone.go"}`,
		"get_structure_summary": `{"file_path":"gone.go"}`, "list_files": `{"pattern":"a["}`,
		"rename_symbol": `{"name":"nowhere","new_name":"somewhere"}`, "safe_delete": `{"name":"nowhere"}`,
		"change_signature":    `{"name":"nowhere","parameters":[]}`,
		"move_symbol":         `{"name":"nowhere","to":"there.go"}`,
		"get_project_summary": `[1]`, "get_usage_stats": `[1]`, "reindex": `[1]`, "todo_read": `[1]`, // nothing else is wrong with these
		"search_codebase": `{"pattern":"("}`, "get_call_chain": `{"from_name":"no","to_name":"where"}`,
	} {
		out = append(out, failing{name, args, ""})
	}
	return append(out, failing{"search_codebase", `{"pattern":"x","cursor":"zz"}`, "cursor"})
}

type nothing struct{}

// failingTools are those of a program that embeds helve: a function may fail in many ways.
func failingTools() (out []tool.Tool) {
	for name, run := range map[string]func(context.Context) (*tool.Result, error){
		"plain":  func(context.Context) (*tool.Result, error) { return nil, errors.New("no such host") },
		"worded": func(context.Context) (*tool.Result, error) { return nil, tool.Errorf(tool.Execution, "no such host") },
		"named": func(context.Context) (*tool.Result, error) {
			return nil, tool.Errorf(tool.Execution, "named: no such host")
		},
		"old_form": func(context.Context) (*tool.Result, error) {
			return nil, tool.Errorf(tool.Execution, "Error: no such host.")
		},
		"nested": func(context.Context) (*tool.Result, error) {
			return nil, tool.Errorf(tool.Execution, "%w", tool.ErrorOf(tool.Execution, "nested", "no such host"))
		},
		"in_result": func(context.Context) (*tool.Result, error) {
			return tool.Fail(tool.Errorf(tool.Execution, "no such host")), nil
		},
		"wordless": func(context.Context) (*tool.Result, error) { return nil, nil },
		"panics":   func(context.Context) (*tool.Result, error) { panic("no such host") },
		"late": func(ctx context.Context) (*tool.Result, error) {
			ctx, stop := context.WithTimeout(ctx, time.Millisecond)
			defer stop()
			<-ctx.Done()
			return nil, ctx.Err()
		},
	} {
		s := tool.Spec{Name: name, Kind: tool.Read, Doc: tool.Doc{Short: "Fails."}}
		out = append(out, tool.New(s, func(ctx context.Context, _ *tool.Call, _ nothing) (*tool.Result, error) { return run(ctx) }))
	}
	return out
}

func badOwn() []failing {
	return []failing{
		{"plain", `{}`, "no such host"}, {"worded", `{}`, "no such host"}, {"named", `{}`, "no such host"}, {"old_form", `{}`, "no such host"},
		{"nested", `{}`, "no such host"}, {"in_result", `{}`, "no such host"}, {"panics", `{}`, "panic: no such host"},
		{"wordless", `{}`, "returned no result"}, {"late", `{}`, "deadline"},
		{"worded", `{"x":1,"y"}`, ""}, {"wordlesss", `{}`, "not found"}, {"", `{}`, "not found"},
	}
}

// failingServer is an MCP server whose tools fail: one in its own words, one by the protocol, one against its own schema.
func failingServer(t *testing.T) tool.Source {
	t.Helper()
	s := sdk.NewServer(&sdk.Implementation{Name: "far", Version: "1"}, nil)
	add := func(name string, run func() (*sdk.CallToolResult, error)) {
		s.AddTool(&sdk.Tool{Name: name, Description: "Fails.", InputSchema: json.RawMessage(`{"type":"object"}`),
			OutputSchema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)},
			func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return run() })
	}
	add("refuses", func() (*sdk.CallToolResult, error) { return nil, errors.New("no such host") })
	add("lies", func() (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{StructuredContent: json.RawMessage(`{"n":"one"}`)}, nil
	})
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil))
	t.Cleanup(web.Close)
	src, err := upstream.New(upstream.Config{Name: "far", URL: web.URL}, upstream.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// webServer is an MCP server over HTTP whose one tool does what run does.
func webServer(t *testing.T, c upstream.Config, name string, run func(context.Context)) (tool.Source, *httptest.Server) {
	t.Helper()
	s := sdk.NewServer(&sdk.Implementation{Name: c.Name, Version: "1"}, nil)
	one := &sdk.Tool{Name: name, Description: "Fails.", InputSchema: json.RawMessage(`{"type":"object"}`)}
	s.AddTool(one, func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		run(ctx)
		return &sdk.CallToolResult{}, nil
	})
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil))
	t.Cleanup(func() {
		web.Close()
		for session := range s.Sessions() { // that of a server which died was never ended by its client
			session.Close()
		}
	})
	c.URL = web.URL
	src, err := upstream.New(c, upstream.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return src, web
}

// slowServer is one that does not answer in the time of a call.
func slowServer(t *testing.T) tool.Source {
	t.Helper()
	over := make(chan struct{})
	c := upstream.Config{Name: "slow", Timeout: 100 * time.Millisecond}
	src, _ := webServer(t, c, "sleeps", func(ctx context.Context) {
		select {
		case <-ctx.Done():
		case <-over:
		}
	})
	t.Cleanup(func() { close(over) }) // before the server's own, which waits for its answers
	return src
}

// deadServer is one that is gone when its tool is called.
func deadServer(t *testing.T) (src tool.Source, die func()) {
	t.Helper()
	src, web := webServer(t, upstream.Config{Name: "dead", StartTimeout: time.Second}, "was", func(context.Context) {})
	return src, func() {
		web.CloseClientConnections()
		web.Listener.Close()
	}
}

// failingCommand brings a tool by a discovery command.
func failingCommand(t *testing.T) tool.Source {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "tools.json"), `[{"name":"found","description":"Fails.","parameters":{"type":"object"}}]`)
	c := command.Config{Discover: "cat tools.json", Dir: dir}
	if runtime.GOOS == "windows" {
		c.Discover = "cmd /c type tools.json"
	}
	return command.New(c, command.Options{})
}

func badForeign() []failing {
	return []failing{
		{"mcp__far__refuses", `{}`, "no such host"},
		{"mcp__far__lies", `{}`, "promises"},
		{"found", `{}`, "no call command"},
		{"mcp__slow__sleeps", `{}`, "no answer within 100ms"},
		{"mcp__dead__was", `{}`, "dead"},
	}
}

// Who stands around a call says why it does not run in the same form.
func TestEveryRefusalHasTheOneForm(t *testing.T) {
	reg := &tool.Registry{}
	if err := reg.Add(tool.New(tool.Spec{Name: "deploy", Doc: tool.Doc{Short: "Deploys."}},
		func(ctx context.Context, _ *tool.Call, _ nothing) (*tool.Result, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})); err != nil {
		t.Fatal(err)
	}
	answer := func(a tool.Answer) tool.Asker {
		return func(context.Context, *tool.Question) (tool.Answer, error) { return a, nil }
	}
	asks := judges(tool.Ask)
	hook := &wrap.Hooks{
		List:       []wrap.Hook{{Argv: []string{"no-such-program-anywhere"}}},
		Understand: reg.Kit(tool.KitOptions{Policy: everything{}}).Understand,
	}
	limit := func(d time.Duration) []func(tool.Runner) tool.Runner {
		return wrap.Standard(wrap.Options{Timeout: d})
	}
	for want, o := range map[string]tool.KitOptions{
		"refused by policy":                  {Policy: judges(tool.Deny)},
		"needs approval, and nobody can be":  {Policy: asks},
		"declined":                           {Policy: asks, Ask: answer(tool.Answer{})},
		"needs approval, and nobody was ask": {Policy: asks, Ask: answer(tool.Answer{Unasked: true})},
		"timed out after 1ms":                {Policy: everything{}, Wrap: limit(time.Millisecond)},
		"refused, because the hook":          {Policy: everything{}, Around: oneAround(hook.Around)},
		"is not on the cassette":             {Policy: everything{}, Around: oneAround((&wrap.Cassette{}).Play)},
		"panic: judged":                      {Policy: judges(panicking)},
	} {
		res, err := reg.Kit(o).Call(t.Context(), &tool.Call{Name: "deploy"})
		if err != nil {
			t.Errorf("%s: %v", want, err)
			continue
		}
		checkFailure(t, failing{"deploy", want, want}, res)
	}
	ctx, stop := context.WithCancel(t.Context())
	o := tool.KitOptions{Policy: everything{}, Wrap: []func(tool.Runner) tool.Runner{func(next tool.Runner) tool.Runner {
		return func(ctx context.Context, j *tool.Job) (*tool.Result, error) {
			stop()
			return next(ctx, j)
		}
	}}}
	res, err := reg.Kit(o).Call(ctx, &tool.Call{Name: "deploy"})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	checkFailure(t, failing{"deploy", "", "cancelled"}, res)
}

func oneAround(f func(tool.Caller) tool.Caller) []func(tool.Caller) tool.Caller {
	return []func(tool.Caller) tool.Caller{f}
}

// judges is a policy with one answer to every call.
type judges tool.Decision

const panicking = 99

func (judges) Lists(*tool.Spec) tool.Verdict { return tool.Verdict{Decision: tool.Allow} }

func (d judges) Judge(*tool.Job) tool.Verdict {
	if d == panicking {
		panic("judged")
	}
	return tool.Verdict{Decision: tool.Decision(d), Reason: fmt.Sprintf("decision %d", d)}
}

// The form is made in one place: who words a failure gives the words alone, and only sentences that programs match, or
// what another program said, stand as they are.
func TestTheFormIsMadeInOnePlace(t *testing.T) {
	marked := regexp.MustCompile("[\"`]Error: ")
	spoken := map[string]string{ // "Error: " elsewhere, and why
		"tool/error.go":                "the one place",
		"source/command/call.go":       "the five lines of R1.11",
		"internal/config/flags.go":     "the usage error of R1.6",
		"cmd/internal/command/exit.go": "the mark is taken off",
		"cmd/internal/exec/result.go":  "the mark is taken off",
	}
	quoting := []string{"builtin/internal/bash/result.go", "source/internal/foreign/foreign.go", "agent/plan.go"}
	for _, file := range sources(t) {
		file = filepath.ToSlash(file)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(text), "\n") {
			fixed := slices.ContainsFunc(matched, func(s string) bool { return strings.Contains(line, `"`+strings.TrimSuffix(s, " (")) })
			if marked.MatchString(line) && spoken[file] == "" && !fixed && !strings.Contains(line, "Verbatim(") {
				t.Errorf("%s:%d: makes the form by hand: %s", file, n+1, line)
			}
		}
		for _, m := range regexp.MustCompile(`\bVerbatim\(\s*[^"]*?"([^"]*)"`).FindAllStringSubmatch(string(text), -1) {
			known := slices.ContainsFunc(matched, func(s string) bool { return strings.HasPrefix(m[1], s) })
			if m[1] != "" && !known && !slices.Contains(quoting, file) && m[1] != "Error: %s%s" {
				t.Errorf("%s: %q is no sentence that programs match", file, m[1])
			}
		}
	}
}
