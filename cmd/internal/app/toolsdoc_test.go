package app_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"helve/builtin"
	"helve/cmd/internal/app"
	"helve/cmd/internal/command"
	"helve/engine/sandbox"
	"helve/engine/schema"
	"helve/script/interpreter"
	"helve/tool"
)

var update = flag.Bool("update", false, "write docs/tools.md anew")

// TestMain lets the sandbox, and the test of signals, launch this program.
func TestMain(m *testing.M) {
	sandbox.Init()
	interpreter.Init()
	hangIfAsked()
	os.Exit(m.Run())
}

const toolsDoc = "../../../docs/tools.md"

// docs/tools.md is generated from the tools themselves and from real calls in a small workspace.
func TestTheToolsDocIsFresh(t *testing.T) {
	got := describeAll(t)
	if *update {
		if err := os.WriteFile(toolsDoc, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(toolsDoc)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("docs/tools.md is stale: go test ./cmd/internal/app -run ToolsDoc -update\n%s", firstDifference(string(got), string(want)))
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			return fmt.Sprintf("line %d:\n got  %s\n want %s", i+1, g[i], strings.Join(w[min(i, len(w)):min(i+1, len(w))], ""))
		}
	}
	return fmt.Sprintf("%d lines beyond", len(w)-len(g))
}

// transcripts are the calls shown, by tool: the arguments as on a command line.
var transcripts = map[string][][]string{
	"read":       {{"file_path=main.go", "offset=2", "limit=3"}},
	"write":      {{`{"file_path":"docs/new.md","contents":"# New\n"}`, "--yes"}},
	"edit":       {{"file_path=main.go", "old_string=helo", "new_string=hello", "--yes"}, {"file_path=main.go", "old_string=fmt", "new_string=log", "--yes"}},
	"multi_edit": {{`{"file_path":"util.go","edits":[{"old_string":"a, b int","new_string":"x, y int"},{"old_string":"a + b","new_string":"x + y"}]}`, "--yes"}},
	"ls":         {{}},
	"glob":       {{"pattern=*.go"}},
	"grep":       {{`pattern=func \w+\(`}, {"pattern=nothing like this"}},
	"bash":       {{"command=echo out; echo err >&2; exit 3", "--yes"}, {"command=rm -rf /", "--yes"}},
	"todo_write": {{`{"todos":[{"id":"1","content":"Find the bug","status":"completed","priority":"high"},{"id":"2","content":"Mend it","status":"in_progress","priority":"high"}]}`}},
	"todo_read":  {{}},
}

func describeAll(t *testing.T) []byte {
	t.Helper()
	dir := fixture(t)
	ws, err := builtin.Open(builtin.Options{Dirs: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	var b bytes.Buffer
	b.WriteString("# The built-in tools\n\nGenerated from the tools themselves and from real calls; `go test ./cmd/internal/app -run ToolsDoc -update` writes it anew.\n")
	b.WriteString("\nAn `edit` with a list of `edits` is a `multi_edit`, and a `read` of a path that ends in `/` an `ls`: each is checked, judged and approved as\n" +
		"that. Profile `small` lists the two so, in fewer words, and leaves out `ls`, `multi_edit`, and for a client with a todo list of its own the todo\n" +
		"tools. What it leaves out answers to its name.\n")
	site := documentation(t, dir)
	mask := strings.NewReplacer(dir, "/workspace", site, "https://docs.example")
	for _, tl := range builtin.All(ws) {
		describe(&b, tl.Spec())
		calls := transcripts[tl.Spec().Name]
		if tl.Spec().Name == "fetch" {
			calls = [][]string{{"url=" + site + "/guide", "--yes"}, {"url=" + site + "/guide", "prompt=How are timeouts set?", "--yes"}, {"url=" + site + "/old", "--yes"}, {"url=http://169.254.169.254/latest", "--yes"}}
		}
		for _, args := range calls {
			transcript(t, &b, dir, mask, tl.Spec().Name, args)
		}
	}
	describeCode(t, &b)
	return b.Bytes()
}

// documentation is a web site that the person of the transcripts allowed.
func documentation(t *testing.T, dir string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/old" {
			http.Redirect(w, r, "https://www.example.org/new", http.StatusMovedPermanently)
			return
		}
		fmt.Fprint(w, `<title>Guide</title><nav><a href="/">Home</a></nav><p>Read <a href="start">how to start</a>.</p><h2>Options</h2><p>A timeout is set in <b>seconds</b>.</p>`)
	}))
	t.Cleanup(s.Close)
	config := filepath.Join(dir, "..", "home", ".config", "helve", "config.json")
	if err := os.MkdirAll(filepath.Dir(config), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte(`{"fetch":{"allow_private":["`+strings.TrimPrefix(s.URL, "http://")+`"]}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	return s.URL
}

func describe(b *bytes.Buffer, s *tool.Spec) {
	fmt.Fprintf(b, "\n## %s\n\n%s. Kind %s, category %s", s.Name, s.DisplayName(), s.Kind, s.Category)
	if len(s.Aliases) > 0 {
		fmt.Fprintf(b, "; also called %s", strings.Join(s.Aliases, ", "))
	}
	fmt.Fprintf(b, ".\n\n%s\n\n| parameter | type | default | |\n|---|---|---|---|\n", s.Doc.Full())
	for _, p := range s.Input.Properties() {
		name, def := p.Name, "–"
		if p.Required {
			name += " *"
		}
		if p.Default != nil {
			def = string(p.Default)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", name, p.Type, def, p.Description)
	}
	if s.Output == nil {
		return
	}
	b.WriteString("\n| data | type | |\n|---|---|---|\n")
	for _, p := range s.Output.Properties() {
		field(b, p)
		for _, inner := range s.Output.Below(p.Name) {
			field(b, inner)
		}
	}
}

// field is a line about what a result's data has; * marks what is always there.
func field(b *bytes.Buffer, p schema.Property) {
	name := p.Name
	if p.Required {
		name += " *"
	}
	fmt.Fprintf(b, "| %s | %s | %s |\n", name, p.Type, p.Description)
}

func transcript(t *testing.T, b *bytes.Buffer, dir string, mask *strings.Replacer, name string, args []string) {
	t.Helper()
	var shown []string
	for _, a := range args {
		if strings.ContainsAny(a, " {}\\();&|<>") {
			a = "'" + a + "'"
		}
		shown = append(shown, a)
	}
	out, code := run(t, dir, append([]string{"call", name}, args...)...)
	fmt.Fprintf(b, "\n```console\n$ helve call %s\n%s", mask.Replace(strings.Join(append([]string{name}, shown...), " ")), mask.Replace(out))
	if code != 0 {
		fmt.Fprintf(b, "(exit status %d)\n", code)
	}
	b.WriteString("```\n")
}

// run is one command line in a workspace, with a home of its own; stdout comes back.
func run(t *testing.T, dir string, args ...string) (string, int) {
	t.Helper()
	var out, errs bytes.Buffer
	home := filepath.Join(dir, "..", "home")
	code := app.Main(context.Background(), args, command.Environment{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Dir: dir,
		Environ: []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}})
	return out.String(), code
}

// fixture is a small workspace whose files have fixed times.
func fixture(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "ws")
	for i, f := range [][2]string{
		{"main.go", "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(\"helo\", add(1, 2))\n\tfmt.Println()\n}\n"},
		{"util.go", "package main\n\nfunc add(a, b int) int { return a + b }\n"},
		{"docs/guide.md", "# Guide\n"},
	} {
		p := filepath.Join(dir, f[0])
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(f[1]), 0o644); err != nil {
			t.Fatal(err)
		}
		when := time.Date(2026, 1, 1, 12, i, 0, 0, time.UTC)
		if err := os.Chtimes(p, when, when); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
