package helve_test

import (
	"encoding/json"
	"fmt"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"helve"
)

// outside is a program of somebody else: it opens a workspace, adds a tool of its own, asks by itself, and serves it all.
const outside = `package main

import (
	"context"
	"fmt"
	"helve"
	"helve/parts/web"
	"helve/server"
	"helve/tool"
	"os"
)

type to struct {
	Host string ` + "`json:\"host\"`" + `
}

func deploy(_ context.Context, _ *tool.Call, in to) (*tool.Result, error) {
	return tool.Textf("deployed to %s", in.Host), nil
}

func ask(_ context.Context, q *tool.Question) (tool.Answer, error) {
	fmt.Fprintf(os.Stderr, "%s: %s\n", q.Job.Call.Name, q.Verdict.Why())
	return tool.Answer{Yes: q.Job.Call.Name == "deploy"}, nil
}

func main() {
	helve.Init()
	own := tool.New(tool.Spec{Name: "deploy", Kind: tool.Net, Doc: tool.Doc{Short: "Deploys."}}, deploy)
	ws, err := helve.Open(context.Background(), helve.Options{
		Ask:   ask,
		Tools: []tool.Tool{own},
		Parts: []helve.Part{web.Part(web.Options{})},
	})
	if err != nil {
		panic(err)
	}
	defer ws.Close()
	fmt.Fprintln(os.Stderr, ws.Server(server.Options{}).Serve(context.Background(), os.Stdin, os.Stdout))
}
`

// outsideLines bounds the program without its imports and blank lines: what somebody has to write.
const outsideLines = 30

// compiled builds the program as a module of its own that has helve by a replace directive, without a network.
func compiled(t *testing.T, program string, flags ...string) string {
	t.Helper()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	mod := fmt.Sprintf("module example.com/outside\n\ngo %s\n\nrequire helve v0.0.0\n\nreplace helve => %s\n", goVersion(t), root)
	put(t, filepath.Join(dir, "go.mod"), mod)
	put(t, filepath.Join(dir, "go.sum"), string(sums))
	put(t, filepath.Join(dir, "main.go"), program)
	bin := filepath.Join(dir, "outside.exe")
	cmd := exec.Command("go", append(append([]string{"build", "-mod=mod"}, flags...), "-o", bin, ".")...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOSUMDB=off", "GOFLAGS=", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if strings.Contains(string(out), "module lookup disabled by GOPROXY=off") {
		t.Skipf("the module cache does not have all that an outside module asks for:\n%s", out)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

// docLines bounds what go doc shows first: an agent with a tool and rules of its own, and a person who is asked.
const docLines = 40

// What go doc shows first is a program: with its imports it compiles as it stands.
func TestTheProgramInThePackagesDocumentationCompiles(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "helve.go", nil, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		t.Fatal(err)
	}
	program := "package main\n\nimport (\n"
	for _, path := range []string{"context", "fmt", "log", "os", "helve", "helve/agent", "helve/agent/model/openai", "helve/policy", "helve/tool"} {
		program += strconv.Quote(path) + "\n"
	}
	program += ")\n"
	lines := 0
	for _, block := range new(comment.Parser).Parse(file.Doc.Text()).Content {
		if code, ok := block.(*comment.Code); ok {
			program += code.Text
			lines += strings.Count(code.Text, "\n")
		}
	}
	if lines == 0 || lines > docLines {
		t.Errorf("the program has %d lines, want 1 to %d", lines, docLines)
	}
	compiled(t, program)
}

// goVersion is the go line of our own go.mod.
func goVersion(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if v, ok := strings.CutPrefix(line, "go "); ok {
			return strings.TrimSpace(v)
		}
	}
	t.Fatal("go.mod names no version of Go")
	return ""
}

// A program of thirty lines outside the repository is as strict as the command line, and its person is told the reason
// that the command line tells.
func TestAProgramOutsideTheRepositoryIsAsStrict(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the calls name places of a Unix system")
	}
	lines := 0
	for line := range strings.Lines(outside[strings.Index(outside, ")\n")+2:]) {
		if strings.TrimSpace(line) != "" {
			lines++
		}
	}
	if lines > outsideLines {
		t.Errorf("it has %d lines, want at most %d", lines, outsideLines)
	}
	bin := compiled(t, outside)
	home, o := home(t)
	put(t, filepath.Join(home, ".config", "helve", "config.json"), `{"rules":[{"deny":"read:**/.env"},{"ask":"deploy:**"}]}`)
	put(t, filepath.Join(o.Dirs[0], ".env"), "SECRET=1\n")

	asked := map[string]string{"write": "", "fetch": ""} // by tool: the reason that the command line gives
	calls := []struct{ name, args, want string }{
		{"deploy", `{"host":"example.com"}`, "deployed to example.com"},
		{"read", `{"file_path":".env"}`, "refused by policy"},
		{"bash", `{"command":"rm -rf /"}`, "Potentially dangerous command"},
		{"write", `{"file_path":"a.txt","contents":"x"}`, "write: declined"},
		{"fetch", `{"url":"https://example.com/"}`, "fetch: declined"},
		{"write", `{"file_path":".helve/config.json","contents":"{}"}`, "protected"},
	}
	said := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}` + "\n"
	for i, c := range calls {
		said += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", i+1, c.name, c.args)
	}
	cmd := exec.Command(bin)
	cmd.Dir, cmd.Env = o.Dirs[0], append(o.Environ, "SYSTEMROOT="+os.Getenv("SYSTEMROOT"))
	cmd.Stdin = strings.NewReader(said)
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	answers := map[int]string{}
	for line := range strings.Lines(stdout.String()) {
		var m struct {
			ID     int
			Result json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		answers[m.ID] = string(m.Result)
	}
	for i, c := range calls {
		if !strings.Contains(answers[i+1], c.want) {
			t.Errorf("%s %s: %s, want %q", c.name, c.args, answers[i+1], c.want)
		}
	}
	for name := range asked {
		for _, c := range calls {
			if c.name == name && strings.Contains(c.want, "declined") {
				asked[name] = whyOf(t, o, home, c.name, c.args)
			}
		}
		if want := name + ": " + asked[name] + "\n"; !strings.Contains(stderr.String(), want) {
			t.Errorf("the person read %q, want %q", stderr.String(), want)
		}
	}
	if !strings.Contains(stderr.String(), "deploy: the configuration asks for approval (rule ask deploy:**, user layer, ") {
		t.Errorf("the person read %q of the program's own tool", stderr.String())
	}
}

// whyOf is the reason that the command line gives for a call.
func whyOf(t *testing.T, o helve.Options, home, name, args string) string {
	t.Helper()
	exe := filepath.Join(home, "helve.exe")
	if _, err := os.Stat(exe); err != nil {
		if out, err := exec.Command("go", "build", "-o", exe, "./cmd/helve").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	cmd := exec.Command(exe, "--quiet", "why", "--json", name, args)
	cmd.Dir, cmd.Env = o.Dirs[0], o.Environ
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var x helve.Explanation
	if err := json.Unmarshal(out, &x); err != nil {
		t.Fatal(err)
	}
	return x.Call.Reason
}
