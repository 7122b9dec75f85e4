package upstream

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/tool"
	"helve/tooltest"
)

// npmServer is a server that scripts/npm-tools installed.
func npmServer(t testing.TB, name, bin string, args ...string) Config {
	t.Helper()
	dir, node := npm(t)
	script, err := filepath.EvalSymlinks(filepath.Join(dir, "node_modules", ".bin", bin))
	if err != nil {
		t.Skip(err)
	}
	return Config{Name: name, Command: node, Args: append([]string{script}, args...), StartTimeout: ample}
}

func TestTheFilesystemServerListsDescribesAndReads(t *testing.T) {
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "a.txt"), []byte("hello from a file\n"), 0o600)
	s := newSource(t, npmServer(t, "fs", "mcp-server-filesystem", dir), Options{StateDir: t.TempDir()})
	k := attached(t, s)
	if n := k.View().Len(); n < 10 {
		t.Fatalf("%d tools", n)
	}
	for _, name := range []string{"mcp__fs__read_text_file", "fs__read_text_file", "fs.read_text_file", "mcp__fs/read_text_file", "read_text_file"} {
		args, _ := json.Marshal(map[string]string{"path": filepath.Join(dir, "a.txt")})
		res := run(t, k, &tool.Call{Name: name, Args: args})
		if res.Err != nil || !strings.Contains(res.Text(), "hello from a file") {
			t.Errorf("%s: %q, %v", name, res.Text(), res.Err)
		}
	}
	res := run(t, k, &tool.Call{Name: "mcp__fs__read_text_file", Args: json.RawMessage(`{"path":"/etc/passwd"}`)})
	if res.Err == nil || res.Err.Code != tool.Execution {
		t.Errorf("outside: %q, %v: is-error was lost", res.Text(), res.Err)
	}
	if c := s.Changes(); len(c) > 0 {
		t.Errorf("changed at once: %+v", c)
	}
}

func TestTheEverythingServerKeepsEveryKindOfContent(t *testing.T) {
	s := newSource(t, npmServer(t, "every", "mcp-server-everything", "stdio"), Options{})
	k := attached(t, s)
	var got []string
	for _, sp := range k.View().Specs() {
		got = append(got, sp.Name)
	}
	t.Logf("%q", got)
	for _, c := range []struct{ name, args, want string }{
		{"echo", `{"message":"hi"}`, "hi"},
		{"get-sum", `{"a":2,"b":3}`, "5"},
		{"get-tiny-image", `{}`, ""},
		{"get-structured-content", `{"location":"Chicago"}`, ""},
		{"get-resource-links", `{"count":2}`, ""},
		{"trigger-long-running-operation", `{"duration":1,"steps":4}`, "completed"},
	} {
		if !k.View().Has("mcp__every__" + c.name) {
			t.Errorf("%s is not offered", c.name)
			continue
		}
		var seen []tool.Progress
		res := run(t, k, &tool.Call{Name: "mcp__every__" + c.name, Args: json.RawMessage(c.args), Progress: func(p tool.Progress) { seen = append(seen, p) }})
		if res.Err != nil || !strings.Contains(res.Text(), c.want) {
			t.Errorf("%s: %q, %v", c.name, res.Text(), res.Err)
		}
		switch c.name {
		case "get-tiny-image":
			if n := foreignBlocks(res, `"image"`); n != 1 {
				t.Errorf("%d images", n)
			}
		case "get-structured-content":
			if !strings.Contains(string(res.Data), "temperature") {
				t.Errorf("data %s", res.Data)
			}
		case "get-resource-links":
			if n := foreignBlocks(res, `"resource_link"`); n != 2 {
				t.Errorf("%d links", n)
			}
		case "trigger-long-running-operation":
			if len(seen) == 0 {
				t.Error("no progress was told")
			}
		}
	}
	if items, err := s.List(t.Context(), nil, "resources/list", "resources"); err != nil || len(items) == 0 {
		t.Errorf("%d resources, %v", len(items), err)
	}
	if items, err := s.List(t.Context(), nil, "prompts/list", "prompts"); err != nil || len(items) == 0 {
		t.Errorf("%d prompts, %v", len(items), err)
	}
}

func foreignBlocks(res *tool.Result, kind string) int {
	n := 0
	for _, p := range res.Parts {
		if f, ok := p.(tool.Foreign); ok && strings.Contains(string(f), kind) {
			n++
		}
	}
	return n
}

func TestTheMemoryAndThinkingServersAnswer(t *testing.T) {
	c := npmServer(t, "mem", "mcp-server-memory")
	c.Env = map[string]string{"MEMORY_FILE_PATH": filepath.Join(t.TempDir(), "memory.json")}
	k := attached(t, newSource(t, c, Options{}))
	res := run(t, k, &tool.Call{Name: "mcp__mem__create_entities", Args: json.RawMessage(`{"entities":[{"name":"helve","entityType":"tool","observations":["has an edge"]}]}`)})
	if res.Err != nil {
		t.Error(res.Err)
	}
	if res = run(t, k, &tool.Call{Name: "mcp__mem__read_graph"}); !strings.Contains(res.Text(), "has an edge") {
		t.Errorf("%q, %v", res.Text(), res.Err)
	}
	k = attached(t, newSource(t, npmServer(t, "think", "mcp-server-sequential-thinking"), Options{}))
	res = run(t, k, &tool.Call{Name: "mcp__think__sequentialthinking", Args: json.RawMessage(`{"thought":"so","nextThoughtNeeded":false,"thoughtNumber":1,"totalThoughts":1}`)})
	if res.Err != nil {
		t.Error(res.Err)
	}
}

func TestThePlaywrightServerIsListed(t *testing.T) {
	tooltest.CheckSource(t, newSource(t, npmServer(t, "play", "playwright-mcp"), Options{}))
}
