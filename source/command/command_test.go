//go:build unix

package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"helve/tool"
	"helve/tooltest"
)

// The commands of these tests are the test binary itself, started again as "test-binary do WHAT".
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "do" {
		do(os.Args[2], os.Args[3:])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func do(what string, args []string) {
	chunk := strings.Repeat("x", 1<<20)
	switch what {
	case "print":
		b, err := os.ReadFile(args[0])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(9)
		}
		os.Stdout.Write(b)
	case "fail":
		fmt.Println(`[{"name":"valid"}]`)
		fmt.Fprintln(os.Stderr, "no such project")
		os.Exit(4)
	case "endless":
		for {
			if _, err := fmt.Print(chunk); err != nil {
				return
			}
		}
	case "eleven":
		for range 11 {
			fmt.Print(chunk)
		}
	case "complain":
		for range 1000 {
			fmt.Fprint(os.Stderr, chunk)
		}
	case "read":
		n, _ := io.Copy(io.Discard, os.Stdin)
		fmt.Printf(`[{"name":"read_%d"}]`, n)
	case "hang":
		time.Sleep(time.Hour) // not select {}, which without cgo is a deadlock that Go sees
	case "child": // a child that left the group holds our stdout
		c := exec.Command(os.Args[0], "do", "hang")
		c.SysProcAttr, c.Stdout = &syscall.SysProcAttr{Setsid: true}, os.Stdout
		c.Start()
		fmt.Println(`[{"name":"parent"}]`)
	case "tool":
		callTool(args)
	}
}

func callTool(args []string) {
	name := args[len(args)-1]
	in, _ := io.ReadAll(os.Stdin)
	switch name {
	case "argv":
		out, _ := json.Marshal(args)
		fmt.Printf("%s %s", out, in)
	case "warn":
		fmt.Print("done")
		fmt.Fprint(os.Stderr, "deprecated")
	case "exit":
		fmt.Print("half")
		os.Exit(3)
	case "killed":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "huge":
		for range 12 {
			fmt.Print(strings.Repeat("y", 1<<20))
		}
	case "binary":
		os.Stdout.Write([]byte("a\xff\xfe\x00b\x1b[31mred"))
	case "hang":
		time.Sleep(time.Hour) // not select {}, which without cgo is a deadlock that Go sees
	case "mcp":
		fmt.Print(`{"content":[{"type":"text","text":"see"},{"type":"image","data":"aGk=","mimeType":"image/png"}],"structuredContent":{"n":1}}`)
	default:
		fmt.Print("said " + name)
	}
}

// ample is a time that nothing here takes, on whatever machine. What is to time out gets a short one.
const ample = 2 * time.Minute

func self(words ...string) string {
	return strings.Join(append([]string{os.Args[0], "do"}, words...), " ")
}

// printing is a source whose discovery command prints this text.
func printing(t testing.TB, text string) Config {
	t.Helper()
	f := filepath.Join(t.TempDir(), "out")
	if err := os.WriteFile(f, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Config{Discover: self("print", f), Call: self("tool")}
}

type allow struct{}

func (allow) Lists(*tool.Spec) tool.Verdict { return tool.Verdict{Decision: tool.Allow} }
func (allow) Judge(*tool.Job) tool.Verdict  { return tool.Verdict{Decision: tool.Allow} }

func kit(t testing.TB, s *Source) *tool.Kit {
	t.Helper()
	r := &tool.Registry{}
	if err := r.Attach(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	return r.Kit(tool.KitOptions{Policy: allow{}})
}

func names(tools []tool.Tool) string {
	var out []string
	for _, t := range tools {
		out = append(out, t.Spec().Name)
	}
	return strings.Join(out, " ")
}

func TestASourceKeepsThePromises(t *testing.T) {
	tooltest.CheckSource(t, New(printing(t, `[{"name":"a","description":"Does a.","parameters":{"type":"OBJECT","properties":{"x":{"type":"STRING"}}}}]`), Options{}))
}

// R1.6, R1.7: the three forms of items, both keys of schemas, what is left out.
func TestEveryFormOfDeclarationIsRead(t *testing.T) {
	var log strings.Builder
	s := New(printing(t, `[
		{"function_declarations":[{"name":"one","description":"1"},{"description":"no name"}]},
		{"functionDeclarations":[{"name":"two","parameters":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}]},
		{"name":"three","parametersJsonSchema":{"type":"object","properties":{"s":{"type":"string"}},"required":["s"]}},
		{"name":"four","parameters":[1,2]}, {"name":"one","description":"again"}, {"other":1}, null, 7, "x", {"name":""},
		{"name":"five","parameters":{"$ref":"#"}}, {"name":"six","parameters":{"type":"OBJECT","properties":{"a":{"type":"ARRAY","items":{"type":"STRING"}}}}}
	]`), Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	tools, err := s.Tools(t.Context())
	if err != nil || names(tools) != "one two three four six" {
		t.Fatalf("%q, %v", names(tools), err)
	}
	for _, want := range []string{"discovered a tool with no name, skipping", "discovered twice, the first stays", "five"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not say %q:\n%s", want, log.String())
		}
	}
	k := kit(t, s)
	for name, args := range map[string]string{"two": `{"n":"x"}`, "three": `{}`, "six": `{"a":[{}]}`} {
		res, err := k.Call(t.Context(), &tool.Call{Name: name, Args: json.RawMessage(args)})
		if err != nil || res.Err == nil || res.Err.Code != tool.Validation {
			t.Errorf("%s %s: %v, %v", name, args, res.Err, err)
		}
	}
}

// The keys of MCP, Anthropic and OpenAI are read as well, and what is not taken is told.
func TestOtherSpellingsOfDeclarationsAreReadOrTold(t *testing.T) {
	var log strings.Builder
	const need = `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`
	s := New(printing(t, `[{"name":"mcp","inputSchema":`+need+`}, {"name":"anthropic","input_schema":`+need+`},
		{"type":"function","function":{"name":"openai","parameters":`+need+`}},
		{"name":"null","parameters":null,"inputSchema":`+need+`},
		{"name":"text","parameters":"none","inputSchema":`+need+`},
		{"name":"both","parameters":`+need+`,"inputSchema":{"type":"object"}},
		{"name":"list","description":["a"],"parameters":`+need+`}, {"name":"list2","parameters":[]}
	]`), Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	k := kit(t, s)
	for _, name := range []string{"mcp", "anthropic", "openai", "null", "text", "both", "list"} {
		res, err := k.Call(t.Context(), &tool.Call{Name: name, Args: json.RawMessage(`{"n":"x"}`)})
		if err != nil || res.Err == nil || !strings.Contains(res.Text(), "n: want integer") {
			t.Errorf("%s: %v, %v", name, res.Text(), err)
		}
	}
	for _, want := range []string{
		`parameters is no object: inputSchema is taken" tool=text`, `inputSchema is left out: parameters is taken" tool=both`,
		`its description is no text: it has none" tool=list`, `its schema is no object: any arguments are accepted" tool=list2`,
	} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not say %q:\n%s", want, log.String())
		}
	}
}

// R1.5, R1.6, R1.8.
func TestTroubleOfTheDiscoveryIsSaid(t *testing.T) {
	for name, c := range map[string]struct{ discover, want string }{
		"blank":      {"  \t", "tool discovery command is empty"},
		"quotes":     {`'' ""`, "tool discovery command is empty"},
		"unbalanced": {`a "b`, "tool discovery"},
		"object":     {printing(t, `{"name":"x"}`).Discover, "tool discovery must return JSON array"},
		"html":       {printing(t, `<html>`).Discover, "not valid JSON"},
		"half":       {printing(t, `[{"name":"a"},`).Discover, "not valid JSON"},
		"nan":        {printing(t, `[NaN]`).Discover, "not valid JSON"},
		"trailing":   {printing(t, `[] and more`).Discover, "not valid JSON"},
		"exit":       {self("fail"), "exit status 4: no such project"},
		"missing":    {"no-such-program-anywhere", "not found"},
	} {
		_, err := New(Config{Discover: c.discover}, Options{}).Tools(t.Context())
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	tools, err := New(Config{}, Options{}).Tools(t.Context())
	if tools != nil || err != nil {
		t.Errorf("no command: %v, %v", tools, err)
	}
}

// R1.5, R1.13, R1.27: bounds, an end that comes, nothing left behind.
func TestADiscoveryIsBounded(t *testing.T) {
	for what, want := range map[string]string{"endless": "on stdout", "eleven": "on stdout", "complain": "on stderr", "hang": "timed out after 1s"} {
		limit := ample
		if what == "hang" {
			limit = time.Second
		}
		_, err := New(Config{Discover: self(what), Timeout: limit}, Options{}).Tools(t.Context())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", what, err, want)
		}
	}
	ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	if _, err := New(Config{Discover: self("hang")}, Options{}).Tools(ctx); err == nil {
		t.Error("a done context did not end the discovery")
	}
}

func TestACommandThatReadsStdinOrLeavesAChildReturns(t *testing.T) {
	for what, want := range map[string]string{"read": "read_0", "child": "parent"} {
		tools, err := New(Config{Discover: self(what), Call: "x", Timeout: ample}, Options{}).Tools(t.Context())
		if err != nil || names(tools) != want {
			t.Errorf("%s: %q, %v", what, names(tools), err)
		}
	}
	left := children()
	for end := time.Now().Add(ample); left != "" && time.Now().Before(end); left = children() {
		time.Sleep(time.Millisecond) // one that an earlier test ended may still be waited for
	}
	if left != "" {
		t.Errorf("children are left: %s", left)
	}
}

// children are the processes that this one started and nobody has waited for.
func children() string {
	var out strings.Builder
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, l := range lists {
		b, _ := os.ReadFile(l)
		out.Write(b)
	}
	return out.String()
}

// R1.5: words as a shell quotes them, and no shell.
func TestCommandsAreSplitAndNeverGivenToAShell(t *testing.T) {
	dir := t.TempDir()
	f := filepath.Join(dir, "a file;$(touch pwned)")
	os.WriteFile(f, []byte(`[{"name":"argv"}]`), 0o600)
	c := Config{Discover: self("print") + " '" + f + "'", Call: self("tool") + ` 'two words' "$(touch pwned)" ;touch pwned`, Dir: dir}
	k := kit(t, New(c, Options{}))
	res, err := k.Call(t.Context(), &tool.Call{Name: "argv", Args: json.RawMessage(`{"x":"$(touch pwned)"}`)})
	if err != nil || res.Text() != `["two words","$(touch pwned)",";touch","pwned","argv"] {"x":"$(touch pwned)"}` {
		t.Errorf("%s, %v", res.Text(), err)
	}
	if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
		t.Error("a shell was at work")
	}
}

// R1.10, R1.11, ⚑12.
func TestCallsReportAsTheSeedSays(t *testing.T) {
	var decls []string
	for _, n := range []string{"ok", "warn", "exit", "killed", "huge", "binary", "hang", "mcp"} {
		decls = append(decls, fmt.Sprintf(`{"name":%q}`, n))
	}
	c := printing(t, "["+strings.Join(decls, ",")+"]")
	c.CallTimeout = ample
	patient := kit(t, New(c, Options{}))
	c.CallTimeout = time.Second
	hasty := kit(t, New(c, Options{}))
	for _, c := range []struct {
		name, text string
		code       tool.Code
	}{
		{"ok", "said ok", ""},
		{"warn", "Stdout: done\nStderr: deprecated\nError: (none)\nExit Code: 0\nSignal: (none)", ""},
		{"exit", "Stdout: half\nStderr: (empty)\nError: (none)\nExit Code: 3\nSignal: (none)", tool.Execution},
		{"killed", "Stdout: (empty)\nStderr: (empty)\nError: (none)\nExit Code: (none)\nSignal: SIGKILL", tool.Execution},
		{"hang", "Stdout: (empty)\nStderr: (empty)\nError: timed out after 1s\nExit Code: (none)\nSignal: SIGKILL", tool.TimedOut},
		{"binary", "a\ufffdbred", ""},
		{"mcp", "see", ""},
	} {
		k := patient
		if c.code == tool.TimedOut {
			k = hasty
		}
		res, err := k.Call(t.Context(), &tool.Call{Name: c.name})
		if err != nil {
			t.Fatal(err)
		}
		code := tool.Code("")
		if res.Err != nil {
			code = res.Err.Code
		}
		if res.Text() != c.text || code != c.code {
			t.Errorf("%s: %q, %s, want %q, %s", c.name, res.Text(), code, c.text, c.code)
		}
	}
	res, _ := patient.Call(t.Context(), &tool.Call{Name: "mcp"})
	if len(res.Parts) != 2 || string(res.Data) != `{"n":1}` {
		t.Errorf("%+v, %s", res.Parts, res.Data)
	}
	res, _ = patient.Call(t.Context(), &tool.Call{Name: "huge"})
	if res.Err == nil || !strings.Contains(res.Text(), "Error: more than 10485760 bytes on stdout") {
		t.Errorf("%.60q … %.200q", res.Text(), res.Text()[len(res.Text())-200:])
	}
}

// R1.12, ⚑15.
func TestDescriptionsSayHowTheToolIsFound(t *testing.T) {
	c := printing(t, `[{"name":"x","description":"Does x."}]`)
	for _, verbose := range []bool{false, true} {
		c.Verbose = verbose
		tools, err := New(c, Options{}).Tools(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		full := tools[0].Spec().Doc.Full()
		if !strings.HasPrefix(full, "Does x.") || !strings.Contains(full, "`"+c.Discover+"`") || !strings.Contains(full, "`"+c.Call+" x`") {
			t.Errorf("%s", full)
		}
		if got := strings.Contains(full, "Signal: Signal number or `(none)` if no signal was received."); got != verbose {
			t.Errorf("verbose %v: %s", verbose, full)
		}
	}
}

// R1.21: by content of the configuration, with a time to live; asking again runs it again.
func TestADiscoveryIsRememberedForItsTime(t *testing.T) {
	c := printing(t, `[{"name":"old"}]`)
	file := strings.Fields(c.Discover)[3]
	o := Options{CacheDir: t.TempDir()}
	now := time.Now()
	o.Now = func() time.Time { return now }
	list := func(c Config, again bool) string {
		s := New(c, o)
		tools, err := s.Tools(t.Context())
		if again {
			tools, err = s.Tools(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		return names(tools)
	}
	if got := list(c, false); got != "old" {
		t.Fatal(got)
	}
	os.WriteFile(file, []byte(`[{"name":"new"}]`), 0o600)
	other := c
	other.Discover += " --other"
	for _, step := range []struct {
		what  string
		c     Config
		again bool
		after time.Duration
		want  string
	}{
		{"within its time", c, false, 0, "old"},
		{"another configuration", other, false, 0, "new"},
		{"asked again", c, true, 0, "new"},
	} {
		if got := list(step.c, step.again); got != step.want {
			t.Errorf("%s: %s, want %s", step.what, got, step.want)
		}
	}
	os.WriteFile(file, []byte(`[{"name":"newer"}]`), 0o600)
	if got := list(c, false); got != "new" {
		t.Errorf("remembered: %s", got)
	}
	now = now.Add(DefaultTTL + time.Second)
	if got := list(c, false); got != "newer" {
		t.Errorf("after its time: %s", got)
	}
	c.TTL = -1
	os.WriteFile(file, []byte(`[{"name":"newest"}]`), 0o600)
	if got := list(c, false); got != "newest" {
		t.Errorf("no memory: %s", got)
	}
}

// R1.9: the built-ins go on.
func TestAFailedDiscoveryLeavesTheOthersInPlace(t *testing.T) {
	r := &tool.Registry{}
	if err := r.Add(tool.New(tool.Spec{Name: "own", Kind: tool.Read}, func(context.Context, *tool.Call, struct{}) (*tool.Result, error) { return tool.Textf(""), nil })); err != nil {
		t.Fatal(err)
	}
	if err := r.Attach(t.Context(), New(Config{Discover: self("fail")}, Options{})); err == nil {
		t.Error("no error")
	}
	if st := r.Sources(); len(st) != 1 || !st[0].Missing || !strings.Contains(st[0].Err, "no such project") || !r.View().Has("own") {
		t.Errorf("%+v", st)
	}
}

type recorder struct{ seen []Process }

func (r *recorder) Run(_ context.Context, p Process) (*Outcome, error) {
	r.seen = append(r.seen, p)
	return &Outcome{Stdout: []byte(`[{"name":"x"}]`), Sandbox: map[string]string{"level": string(p.Level)}}, nil
}

func TestDiscoveryIsReadOnlyAndCallsMayWriteTheWorkspace(t *testing.T) {
	r := &recorder{}
	s := New(Config{Discover: "list", Call: "call"}, Options{Runner: r, Environ: []string{"PATH=/bin", "SECRET=1"}})
	res, err := kit(t, s).Call(t.Context(), &tool.Call{Name: "cmd__x"})
	if err != nil || res.Err != nil || string(res.Meta) != `{"sandbox":{"level":"workspace-write"}}` {
		t.Fatalf("%s, %v, %v", res.Meta, res.Err, err)
	}
	if len(r.seen) != 2 || r.seen[0].Level != ReadOnly || r.seen[1].Level != WorkspaceWrite {
		t.Errorf("%+v", r.seen)
	}
	if env := strings.Join(r.seen[1].Env, " "); env != "PATH=/bin" {
		t.Errorf("environment %q", env)
	}
}

// A fullDisk keeps nothing of what its processes print once it is full.
type fullDisk struct{ full bool }

func (d *fullDisk) Run(context.Context, Process) (*Outcome, error) {
	if d.full {
		return &Outcome{Lost: syscall.ENOSPC}, nil
	}
	return &Outcome{Stdout: []byte(`[{"name":"x"}]`)}, nil
}

// What a command printed and nobody could keep is no empty answer.
func TestAnAnswerThatCouldNotBeKeptIsNoSuccess(t *testing.T) {
	d := &fullDisk{}
	s := New(Config{Discover: "list", Call: "call"}, Options{Runner: d})
	k := kit(t, s)
	d.full = true
	res, err := k.Call(t.Context(), &tool.Call{Name: "cmd__x"})
	if err != nil || res.Err == nil || !strings.Contains(res.Text(), "could not be kept: no space left") {
		t.Errorf("%v, %q", err, res.Text())
	}
	if tools, err := New(Config{Discover: "list", Call: "call"}, Options{Runner: d}).Tools(t.Context()); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("listed %d tools, %v", len(tools), err)
	}
}

func BenchmarkDiscoveryOf1000Tools(b *testing.B) {
	var decls []string
	for i := range 1000 {
		decls = append(decls, fmt.Sprintf(`{"name":"tool_%d","description":"Does the thing number %d.","parameters":{"type":"object","properties":{"path":{"type":"string"},"n":{"type":"integer"}},"required":["path"]}}`, i, i))
	}
	out := []byte("[" + strings.Join(decls, ",") + "]")
	s := New(Config{Discover: "list", Call: "call"}, Options{})
	b.ReportAllocs()
	for b.Loop() {
		r := &tool.Registry{}
		tools, err := s.tools(out, []string{"call"})
		if err != nil {
			b.Fatal(err)
		}
		if err := r.Set("command", tools); err != nil || r.View().Len() != 1000 {
			b.Fatal(err)
		}
	}
}
