package helve_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helve/builtin"
	"helve/engine/sandbox"
	"helve/internal/testing/corpus"
	"helve/policy"
	"helve/tool"
)

const (
	modeCalls = 20_000 // random calls that are judged in each mode
	modeSeed  = 20     // of the calls: the same ones each time
)

// fromStrict are the modes, the strictest first.
var fromStrict = []policy.Mode{policy.Plan, policy.AskFirst, policy.Review, policy.Auto}

// A looser mode never asks about or refuses what a stricter one lets run or asks about, whatever the call. Nothing runs.
func TestALooserModeNeverAsksOrRefusesMore(t *testing.T) {
	kit := understanding(t)
	n := modeCalls
	if testing.Short() {
		n /= 10
	}
	r := rand.New(rand.NewPCG(modeSeed, 0))
	lines := slices.Concat(corpus.Looking(), corpus.Acting(), corpus.Commands("everyday"), corpus.Commands("neighbour"))
	verdicts, failures := map[policy.Mode][3]int{}, 0
	var calls []*tool.Call
	for _, line := range lines { // each as it stands
		calls = append(calls, bashCall(t, line))
	}
	for range n {
		calls = append(calls, randomCall(t, r, lines))
	}
	for _, call := range calls {
		j, err := kit.Understand(context.Background(), call)
		if err != nil { // refused in every mode, before any is asked
			continue
		}
		stricter := tool.Deny
		for _, mode := range fromStrict {
			v := mode.Judge(j)
			counts := verdicts[mode]
			counts[v.Decision]++
			verdicts[mode] = counts
			if v.Decision < stricter && failures < 20 {
				failures++
				t.Errorf("%s %s: mode %v says %v (%s), the stricter one %v",
					call.Name, call.Args, mode, v.Decision, v.Reason, stricter)
			}
			stricter = v.Decision
		}
	}
	if verdicts[policy.Review][tool.Allow] == verdicts[policy.AskFirst][tool.Allow] {
		t.Log("no changes can be held back here: review is as ask")
	}
	t.Logf("denied, asked, allowed: %v", verdicts)
}

// What ask lets run where it can do nothing else runs so in the looser modes too, and what names a secret is asked about.
func TestWhatAskRunsTheLooserModesRun(t *testing.T) {
	kit := understanding(t)
	for line, want := range map[string]tool.Decision{
		"cat /etc/os-release":                   tool.Allow,
		"x=/etc/os-release; cat $x":             tool.Allow,
		"cat /etc/os-release | tee /dev/stderr": tool.Allow,
		"git show HEAD:.env":                    tool.Ask,
		"git cat-file -p HEAD:.env":             tool.Ask,
		"git show :.env":                        tool.Ask,
		"git show HEAD -- .env":                 tool.Ask,
		"git blame .env":                        tool.Ask,
		"git log -L1,5:.env":                    tool.Ask,
	} {
		for _, mode := range fromStrict[1:] {
			j, err := kit.Understand(context.Background(), bashCall(t, line))
			if err != nil {
				t.Fatal(err)
			}
			if v := mode.Judge(j); v.Decision != want {
				t.Errorf("%s: mode %v says %v (%s), want %v", line, mode, v.Decision, v.Reason, want)
			}
		}
	}
}

// understanding is a kit of all own tools over an empty workspace, where reads are confined.
func understanding(t *testing.T) *tool.Kit {
	t.Helper()
	r, err := sandbox.Reach(t.Context(), sandbox.Options{})
	if err != nil || !r.Confined {
		t.Skipf("reads are not confined here, and then words judge: %+v %v", r, err)
	}
	dir := t.TempDir()
	for _, name := range []string{"a.go", ".env", "package.json", "Makefile"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files, err := builtin.Open(builtin.Options{
		Dirs:    []string{dir},
		State:   t.TempDir(),
		Environ: []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")},
		Sandbox: builtin.Sandbox{Level: sandbox.WorkspaceWrite},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { files.Close() })
	var reg tool.Registry
	if err := reg.Add(builtin.All(files)...); err != nil {
		t.Fatal(err)
	}
	return reg.Kit(tool.KitOptions{Policy: policy.Auto})
}

// randomPaths are where the file tools are sent.
var randomPaths = strings.Fields(".env a.go sub/b.go sub/.env .git/HEAD .git/config .helve/config.json .mcp.json HEAD " +
	".vscode/tasks.json package.json /etc/os-release /etc/shadow ~/x ../x . sub Makefile id_rsa")

// randomEnds are what a line goes on with.
var randomEnds = []string{
	"", "", "", "", " | tee /dev/stderr", " > out.txt", " 2>&1", "; cat /etc/os-release", " && cat .env", " > /dev/null",
	" >> .git/hooks/pre-commit", "; ls ~", " | head -3", " && git show HEAD:.env", " > /tmp/out", " || x=/etc/hosts; cat $x",
}

// randomCall is a call of some tool.
func randomCall(t *testing.T, r *rand.Rand, lines []string) *tool.Call {
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	path, name := pick(randomPaths), "bash"
	if r.IntN(2) == 0 {
		name = pick(strings.Fields("read ls glob grep write edit fetch todo_write"))
	}
	args := map[string]any{}
	switch name {
	case "glob", "grep":
		args = map[string]any{"pattern": "x", "path": path}
	case "ls":
		args = map[string]any{"path": path}
	case "write":
		args = map[string]any{"file_path": path, "content": "x"}
	case "edit":
		args = map[string]any{"file_path": path, "old_string": "x", "new_string": "y"}
	case "read":
		args = map[string]any{"file_path": path}
	case "fetch":
		args = map[string]any{"url": "https://example.com/" + path}
	case "todo_write":
		args = map[string]any{"todos": []any{}}
	case "bash":
		args = map[string]any{"command": pick(lines) + pick(randomEnds)}
		for _, flag := range []string{"ask", "network", "run_in_background"} {
			if r.IntN(12) == 0 {
				args[flag] = true
			}
		}
	}
	return called(t, name, args)
}

func bashCall(t *testing.T, line string) *tool.Call {
	t.Helper()
	return called(t, "bash", map[string]any{"command": line})
}

func called(t *testing.T, name string, args map[string]any) *tool.Call {
	t.Helper()
	b, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return &tool.Call{Name: name, Args: b}
}
