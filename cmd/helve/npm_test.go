package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A newcomer is a person with a home of their own and a workspace, who types commands.
type newcomer struct {
	t         *testing.T
	home, dir string
}

func (n newcomer) helve(args ...string) (string, int) {
	n.t.Helper()
	self, err := os.Executable()
	if err != nil {
		n.t.Fatal(err)
	}
	link := filepath.Join(n.home, "helve") // testscript.Main goes by the name
	if _, err := os.Lstat(link); err != nil {
		if err := os.Symlink(self, link); err != nil {
			n.t.Fatal(err)
		}
	}
	cmd := exec.Command(link, args...)
	cmd.Dir = n.dir
	cmd.Env = []string{"HOME=" + n.home, "PATH=" + os.Getenv("PATH"), "NO_COLOR=1"}
	out, _ := cmd.CombinedOutput()
	return string(out), cmd.ProcessState.ExitCode()
}

// The official servers are added, listed, described, and called by every spelling that a peer has for their tools (⚑4).
func TestTheServersOfNPMWorkFromTheCommandLine(t *testing.T) {
	npm := os.Getenv("HELVE_NPM")
	if npm == "" {
		t.Skip("HELVE_NPM names no folder filled by scripts/npm-tools")
	}
	n := newcomer{t, t.TempDir(), t.TempDir()}
	if err := os.WriteFile(filepath.Join(n.dir, "prices.txt"), []byte("Tea: 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	node := filepath.Join(npm, "node_modules", ".bin", "node")
	for i, s := range []struct {
		name, bin  string
		args       []string
		tool, call string
		want       string
	}{
		{"files", "mcp-server-filesystem", []string{"."}, "read_text_file", `{"path":"prices.txt"}`, "Tea: 3"},
		{"every", "mcp-server-everything", []string{"stdio"}, "echo", `{"message":"hi"}`, "Echo: hi"},
		{"memory", "mcp-server-memory", nil, "read_graph", `{}`, `"entities"`},
		{"thinking", "mcp-server-sequential-thinking", nil, "sequentialthinking", `{"thought":"t","nextThoughtNeeded":false,"thoughtNumber":1,"totalThoughts":1}`, `"thoughtHistoryLength"`},
		{"browser", "playwright-mcp", []string{"--headless"}, "browser_navigate", "", ""}, // listed only: there is no browser
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			n := newcomer{t, t.TempDir(), n.dir}
			script, err := filepath.EvalSymlinks(filepath.Join(npm, "node_modules", ".bin", s.bin))
			if err != nil {
				t.Skip(err)
			}
			spec := map[string]any{"command": node, "args": append([]string{script}, s.args...), "start_timeout": "60s"}
			if s.name == "memory" {
				spec["env"] = map[string]string{"MEMORY_FILE_PATH": filepath.Join(n.home, "memory.jsonl")}
			}
			b, _ := json.Marshal(spec)
			if out, code := n.helve("config", "set", "-g", "mcp_servers."+s.name, string(b)); code != 0 {
				t.Fatal(out)
			}
			full := "mcp__" + s.name + "__" + s.tool
			if out, code := n.helve("list", "--source", s.name); code != 0 || !strings.Contains(out, full) {
				t.Fatalf("list: %d: %s", code, out)
			}
			if out, code := n.helve("describe", full); code != 0 || !strings.Contains(out, "Origin: mcp:"+s.name+"/"+s.tool) {
				t.Errorf("describe: %d: %s", code, out)
			}
			if s.call == "" {
				return
			}
			if out, code := n.helve("call", full, s.call); code != 3 || !strings.Contains(out, "needs approval") {
				t.Errorf("not asked about: %d: %s", code, out)
			}
			for j, name := range []string{full, "mcp__" + s.name + "/" + s.tool, s.name + "__" + s.tool, s.name + "/" + s.tool, s.name + "." + s.tool, "mcp_" + s.name + "_" + s.tool, s.tool} {
				if (i+j)%*share != 0 { // each spelling at some servers
					continue
				}
				if out, code := n.helve("call", "--yes", name, s.call); code != 0 || !strings.Contains(out, s.want) {
					t.Errorf("call %s: %d: %s", name, code, out)
				}
			}
		})
	}
}
