package helve_test

import (
	"encoding/json"
	"flag"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"helve/internal/testing/wiretest"
)

// programs are the Go blocks of the README, each a whole program.
func programs(t *testing.T) (whole []string) {
	t.Helper()
	b, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(string(b), "```go\n")[1:] {
		code, _, closed := strings.Cut(block, "```")
		switch {
		case !closed:
			t.Fatal("README.md: a block does not end")
		case strings.HasPrefix(code, "package main\n"):
			whole = append(whole, code)
		default:
			t.Fatalf("README.md: no whole program: %s", code)
		}
	}
	return whole
}

// build compiles a program as if it stood in the module, and returns where.
func build(t *testing.T, code string) string {
	t.Helper()
	dir := t.TempDir()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	source, overlay, bin := filepath.Join(dir, "main.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "program")
	if runtime.GOOS == "windows" {
		bin += ".exe"
	}
	const place = "readme-program" // a folder that is there for the compiler only
	b, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, place, "main.go"): source}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{source: []byte(code), overlay: b} {
		if err := os.WriteFile(name, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "build", "-overlay", overlay, "-o", bin, "./"+place)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, code)
	}
	return bin
}

// As long as there is no repository, the README says what to do without; then it says what to fetch.
func TestTheReadmeSaysWhereToFetchItFrom(t *testing.T) {
	var release struct{ Module, Repository string }
	if err := toml.Unmarshal([]byte(read(t, "release.toml")), &release); err != nil {
		t.Fatal(err)
	}
	_, library, found := strings.Cut(read(t, "README.md"), "## As a library\n")
	if !found {
		t.Fatal("README.md has no part on the library")
	}
	first, _, _ := strings.Cut(library, "```go\n")
	without := strings.Contains(first, "no repository yet") && strings.Contains(first, "scripts/publish-to")
	switch {
	case release.Repository == "" && !without:
		t.Errorf("before its program it does not say what to do without a repository: %s", first)
	case release.Repository != "" && (without || !strings.Contains(first, "go get "+release.Module)):
		t.Errorf("it does not say go get %s, which %s has: %s", release.Module, release.Repository, first)
	}
}

var readmeAgent = flag.String("agent", "", "the README's agent, built by somebody else, for TestTheAgentOfTheReadmeWorks")

// agentLines bounds the README's agent: its tool, its rules and its question take half of it.
const agentLines = 46

// The README's agent is what it says: few lines, a program that compiles, and an agent that does its work under rules, with
// a tool of its own and a person who is asked.
func TestTheAgentOfTheReadmeWorks(t *testing.T) {
	whole := programs(t)
	if len(whole) != 1 {
		t.Fatalf("%d whole programs in the README, want 1", len(whole))
	}
	if n := strings.Count(whole[0], "\n"); n > agentLines {
		t.Errorf("it has %d lines, want at most %d", n, agentLines)
	}
	if tidy, err := format.Source([]byte(whole[0])); err != nil || string(tidy) != whole[0] {
		t.Errorf("gofmt would change it: %v", err)
	}
	bin := *readmeAgent
	if bin == "" {
		bin = build(t, whole[0])
	}

	srv := wiretest.OpenAI(t,
		wiretest.Turn{Calls: []wiretest.Call{{ID: "1", Name: "read", Args: `{"file_path":"a.txt"}`}}},
		wiretest.Turn{Calls: []wiretest.Call{{ID: "2", Name: "forecast", Args: `{"city":"Oslo"}`}}},
		wiretest.Turn{Calls: []wiretest.Call{{ID: "3", Name: "read", Args: `{"file_path":"secrets/key"}`}}},
		wiretest.Turn{Calls: []wiretest.Call{{ID: "4", Name: "edit", Args: `{"file_path":"a.txt","old_string":"one","new_string":"two"}`}}},
		wiretest.Turn{Text: "It says two now."},
	)
	dir, home := t.TempDir(), t.TempDir()
	file := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(file, []byte("one\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, "Say two instead of one.")
	cmd.Dir = dir
	cmd.Env = []string{"OPENAI_API_KEY=none", "OPENAI_BASE_URL=" + srv.URL, "HOME=" + home, "PATH=" + os.Getenv("PATH"), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
	cmd.Stdin = strings.NewReader("y\n")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "edit a.txt?\n") || !strings.HasSuffix(string(out), "It says two now. <nil>\n") {
		t.Errorf("%v: %s", err, out)
	}
	requests := srv.Requests()
	for i, want := range []string{"", "1|one", `{\"Celsius\":21}`, "refused by policy"} {
		if !strings.Contains(string(requests[i]), want) {
			t.Errorf("request %d does not bring %q: %s", i, want, requests[i])
		}
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "two\n" {
		t.Errorf("the file is %q, %v\n%s", b, err, srv.Requests()[len(srv.Requests())-1])
	}
}
