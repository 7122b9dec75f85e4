package helve_test

import (
	"encoding/json"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"helve/internal/testing/wiretest"
)

// programs are the Go blocks of the README: whole programs, and fragments.
func programs(t *testing.T) (whole, fragments []string) {
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
			fragments = append(fragments, code)
		}
	}
	return whole, fragments
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

// agentLines bounds the README's agent: what it needs beside a workspace is a model.
const agentLines = 22

// The README's agent is what it says: few lines, a program that compiles, and an agent that does its work.
func TestTheAgentOfTheReadmeWorks(t *testing.T) {
	whole, _ := programs(t)
	if len(whole) != 1 {
		t.Fatalf("%d whole programs in the README, want 1", len(whole))
	}
	if n := strings.Count(whole[0], "\n"); n > agentLines {
		t.Errorf("it has %d lines, want at most %d", n, agentLines)
	}
	if tidy, err := format.Source([]byte(whole[0])); err != nil || string(tidy) != whole[0] {
		t.Errorf("gofmt would change it: %v", err)
	}
	bin := build(t, whole[0])

	srv := wiretest.OpenAI(t,
		wiretest.Turn{Calls: []wiretest.Call{{ID: "1", Name: "read", Args: `{"file_path":"a.txt"}`}}},
		wiretest.Turn{Calls: []wiretest.Call{{ID: "2", Name: "edit", Args: `{"file_path":"a.txt","old_string":"one","new_string":"two"}`}}},
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
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "It says two now. <nil>\n" {
		t.Errorf("%v: %s", err, out)
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "two\n" {
		t.Errorf("the file is %q, %v\n%s", b, err, srv.Requests()[len(srv.Requests())-1])
	}
}

const around = `package main

import (
	"context"
	"encoding/json"
	"fmt"

	"helve"
	"helve/tool"
)

func run(ctx context.Context, ask tool.Asker) error {
FRAGMENT
	fmt.Println(res.Text(), err)
	return nil
}

func main() {
	err := run(context.Background(), nil)
	if err != nil {
		panic(err)
	}
}
`

func TestTheFragmentOfTheReadmeWorks(t *testing.T) {
	_, fragments := programs(t)
	if len(fragments) != 1 {
		t.Fatalf("%d fragments in the README, want 1", len(fragments))
	}
	cmd := exec.Command(build(t, strings.Replace(around, "FRAGMENT", fragments[0], 1)))
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "Hello, Ada <nil>\n" {
		t.Errorf("%v: %s", err, out)
	}
}
