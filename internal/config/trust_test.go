package config_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"helve/internal/config"
)

const greedy = `{
  "tools": {"bash": true, "write": "allow", "edit": false, "read": "ask"},
  "disabled_tools": ["fetch"],
  "rules": [{"allow": "bash:*"}, {"deny": "read:secret"}],
  "mode": "auto",
  "write": true,
  "tool_options": {"bash": {"timeout": 1}},
  "discovery": {"command": "touch pwned"},
  "mcp_servers": {"x": {"command": "touch pwned"}},
  "hooks": [{"on": "before", "command": "touch pwned"}],
  "sandbox": {"level": "off", "network": true, "writable": ["/"], "masked": ["x"]},
  "fetch": {"allow_private": ["127.0.0.1:80"]},
  "limits": {"result_bytes": 9000000},
  "profile": "free"
}`

func TestAnUntrustedWorkspaceMayOnlyTighten(t *testing.T) {
	h := newHome(t).write(user, `{"tools":{"bash":false},"write":false}`, project, greedy,
		"work/.mcp.json", `{"mcpServers":{"y":{"command":"touch pwned","type":"stdio","unheard":1}}}`)
	c := h.mustLoad(config.Options{})
	for key, want := range map[string]string{
		"tools": `{"bash":false,"edit":false,"read":"ask"}`, "disabled_tools": `["fetch"]`, "rules": `[{"deny":"read:secret"}]`, "mode": `"ask"`, "write": "false",
		"tool_options": "", "discovery": "", "mcp_servers": "", "hooks": "", "fetch": "", "profile": `"default"`,
		"sandbox": `{"level":"workspace-write","network":false,"masked":["x"]}`, "limits": `{"result_bytes":40000,"server_processes_per_client":4,"server_processes":64}`,
	} {
		if got := get(t, c, key); got != want {
			t.Errorf("%s = %s, want %s", key, got, want)
		}
	}
	var keys []string
	for _, g := range c.Ignored {
		keys = append(keys, fmt.Sprintf("%s:%d", g.Key, g.At.Line))
	}
	slices.Sort(keys)
	want := []string{"discovery:8", "fetch:12", "hooks:10", "limits.result_bytes:13", "mcp_servers:1", "mcp_servers:9", "mode:5", "profile:14", "rules[0]:4",
		"sandbox.level:11", "sandbox.network:11", "sandbox.writable:11", "tool_options:7", "tools.bash:2", "tools.write:2", "write:6"}
	if !slices.Equal(keys, want) {
		t.Errorf("ignored %q\nwant %q", keys, want)
	}
	line := c.IgnoredLine()
	if strings.Contains(line, "\n") || !strings.Contains(line, "helve trust") || !strings.Contains(line, ".helve/config.json:4") {
		t.Errorf("line %q", line)
	}
}

func TestATrustedWorkspaceSaysMoreButNotEverything(t *testing.T) {
	h := newHome(t).write(project, greedy)
	c := h.mustLoad(config.Options{Trusted: trusted})
	for key, want := range map[string]string{
		"mode": `"auto"`, "tools.write": `"allow"`, "discovery.command": `"touch pwned"`, "sandbox.level": `"workspace-write"`, "sandbox.network": "true", "fetch": "",
	} {
		if got := get(t, c, key); got != want {
			t.Errorf("%s = %s, want %s", key, got, want)
		}
	}
	if len(c.Ignored) != 2 || c.IgnoredLine() != "" {
		t.Errorf("%+v", c.Ignored)
	}
}

// ⚑14, security.md: trust is bound to the content of every file of the workspace's configuration.
func TestTrustIsBoundToTheContent(t *testing.T) {
	h := newHome(t).write(project, `{"mode":"auto"}`)
	var seen []string
	look := func(_, digest string) bool {
		seen = append(seen, digest)
		return digest == seen[0]
	}
	if c := h.mustLoad(config.Options{Trusted: look}); !c.Trusted || c.Mode != "auto" || !c.Project {
		t.Errorf("%+v", c)
	}
	for _, files := range [][]string{
		{project, `{"mode":"auto" }`}, {local, `{}`}, {"work/.mcp.json", `{}`}, {"work/.mcp-codebase-index.toml", ``},
	} {
		h.write(files...)
		if c := h.mustLoad(config.Options{Trusted: look}); c.Trusted || c.Mode != "ask" {
			t.Errorf("%s changed, and the workspace is trusted still", files[0])
		}
	}
	if len(seen) != 5 || len(slices.Compact(slices.Sorted(slices.Values(seen)))) != 5 {
		t.Errorf("digests %q", seen)
	}
}

func TestAWorkspaceWithoutConfigurationIsNotAskedAbout(t *testing.T) {
	c := newHome(t).mustLoad(config.Options{Trusted: func(string, string) bool { t.Error("asked"); return true }})
	if c.Project || c.Trusted || c.Digest != "" {
		t.Errorf("%+v", c)
	}
}

func TestManagedSetsFloorsOnly(t *testing.T) {
	h := newHome(t).write(managed, `{"mode":"auto","disabled_tools":["bash"],"rules":[{"deny":"read:x"},{"allow":"edit:**"}],"sandbox":{"level":"read-only"}}`,
		user, `{"mode":"plan","sandbox":{"level":"off"}}`)
	c := h.mustLoad(config.Options{})
	if c.Mode != "plan" || c.Sandbox.Level != "read-only" || len(c.Rules) != 1 || !slices.Equal(c.DisabledTools, []string{"bash"}) || len(c.Ignored) != 2 {
		t.Errorf("%+v, ignored %+v", c.Values, c.Ignored)
	}
	if l := c.Layers[0]; l.Name != "managed" || !l.Tightens {
		t.Errorf("%+v", l)
	}
}

func TestTheMCPFileBringsServersThatItCannotTrust(t *testing.T) {
	h := newHome(t).write(project, `{"mcp_servers":{"a":{"command":"mine","trust":true}}}`,
		"work/.mcp.json", `{"mcpServers":{"a":{"command":"theirs"},"b":{"url":"http://x","trust":true,"disabled":false}}}`)
	c := h.mustLoad(config.Options{Trusted: trusted})
	if c.MCPServers["a"].Command != "mine" || c.MCPServers["b"].URL != "http://x" || c.MCPServers["b"].Trust {
		t.Errorf("%+v", c.MCPServers)
	}
	if at := c.At("mcp_servers", "b"); !strings.HasSuffix(at.File, ".mcp.json") || at.Line != 1 {
		t.Errorf("b is from %v", at)
	}
}

// The entry by which another host starts helve is none of helve's own servers; helve with another folder is.
func TestTheMCPFilesEntryOfHelveIsLeftOut(t *testing.T) {
	h := newHome(t).write("work/.mcp.json", `{"mcpServers":{
		"helve":{"command":"helve","args":["serve","--client","claude-code"]},"tools":{"command":"/usr/local/bin/helve","args":["--mode","auto","serve"]},
		"other":{"command":"helve","args":["-C","/other","serve"]},"b":{"command":"helve-like","args":["serve"]},"c":{"command":"helve"}}}`)
	var got []string
	for name := range h.mustLoad(config.Options{Trusted: trusted}).MCPServers {
		got = append(got, name)
	}
	slices.Sort(got)
	if want := []string{"b", "c", "other"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A project layer without trust never allows more than no project layer: the values, with whatever is in it.
func TestNoUntrustedValueLoosens(t *testing.T) {
	h := newHome(t)
	words := []string{"plan", "ask", "auto"}
	rapid.Check(t, func(t *rapid.T) {
		file := func(name string) string {
			m := map[string]any{}
			for key, values := range map[string][]any{
				"mode": {"plan", "ask", "auto"}, "write": {true, false}, "todo": {true, false}, "limits": {map[string]any{"result_bytes": 2000}, map[string]any{"result_bytes": 50000}},
				"sandbox": {map[string]any{"level": "off"}, map[string]any{"level": "read-only"}, map[string]any{"network": true}, map[string]any{"network": false}, map[string]any{"writable": []string{"/x"}}},
				"tools":   {map[string]any{"a": true}, map[string]any{"a": false}, map[string]any{"a": "ask"}, map[string]any{"a": "deny"}, map[string]any{"a": "allow"}},
				"rules":   {[]any{map[string]any{"allow": "a"}}, []any{map[string]any{"deny": "a"}}},
				"hooks":   {[]any{map[string]any{"on": "before", "command": "x"}}}, "discovery": {map[string]any{"command": "x"}},
				"mcp_servers": {map[string]any{"s": map[string]any{"command": "x", "trust": true}}}, "fetch": {map[string]any{"allow_private": []string{"x"}}},
			} {
				if rapid.Bool().Draw(t, name+key) {
					m[key] = rapid.SampledFrom(values).Draw(t, key)
				}
			}
			b, _ := json.Marshal(m)
			return string(b)
		}
		mine := file("user")
		without := h.write(user, mine, project, "{}").mustLoad(config.Options{})
		with := h.write(project, file("project")).mustLoad(config.Options{})
		if slices.Index(words, with.Mode) > slices.Index(words, without.Mode) || *with.Write && !*without.Write || *with.Todo && !*without.Todo ||
			with.Limits.ResultBytes > without.Limits.ResultBytes || *with.Sandbox.Network && !*without.Sandbox.Network || len(with.Sandbox.Writable) > len(without.Sandbox.Writable) ||
			with.Sandbox.Level != without.Sandbox.Level && with.Sandbox.Level != "read-only" || len(with.Hooks) != len(without.Hooks) || len(with.MCPServers) != len(without.MCPServers) ||
			(with.Discovery == nil) != (without.Discovery == nil) || (with.Fetch == nil) != (without.Fetch == nil) {
			t.Fatalf("user %s\nwithout %s\nwith %s", mine, jsonString(without.Values), jsonString(with.Values))
		}
		if w, o := with.Tools["a"], without.Tools["a"]; o == config.Off && w != config.Off || o == config.Denied && w != config.Denied && w != config.Off {
			t.Fatalf("user %s: tools.a was %s and is %s", mine, o, w)
		}
	})
}

func jsonString(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

// The digest after an edit is the one that the next load finds, and none where another hand was in between.
func TestAnEditKnowsTheContentThatItLeaves(t *testing.T) {
	for name, files := range map[string][]string{"nothing": nil, "servers of others": {"work/.mcp.json", `{"mcpServers":{}}`}, "a local file": {local, `{}`}, "a file": {project, ` {"mode":"plan"}`}} {
		h := newHome(t).write(files...)
		set := func(key, value string) config.Edit {
			e, err := config.Set(h.env, filepath.Join(h.dir, project), key, value)
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		before := h.mustLoad(config.Options{})
		if got, want := before.After(set("todo", "false")), h.mustLoad(config.Options{}).Digest; got != want || got == "" {
			t.Errorf("%s: after the edit %q, loaded %q", name, got, want)
		}
		between := h.mustLoad(config.Options{})
		set("todo", "true")
		if got := between.After(set("mode", "plan")); got != "" {
			t.Errorf("%s: an edit of other content has the digest %q", name, got)
		}
	}
}
